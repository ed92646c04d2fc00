# SPDX-License-Identifier: GPL-3.0-or-later
"""By default the bones that matter decide which frames are keys, and how far what plays is off."""

import numpy as np
import pytest

BONES = {f"bone {n}": ((0, 0, n), (0, 0, n + 1.0), f"bone {n - 1}" if n else None) for n in range(3)}
HELPERS = {f"helper {n}": ((5.0 + n, 0, 0), (5.0 + n, 0, 1), None) for n in range(4)}


@pytest.fixture
def with_helpers(distil, make_rig):
    """The swinging chain with four bones beside it that nothing moves."""
    return distil.swing(make_rig(BONES | HELPERS, rotation_mode="XYZ"))


@pytest.fixture
def controlled(distil, make_rig):
    """A swinging chain that deforms nothing and moves another one, which does, by constraints."""
    deforming = {
        f"DEF-{name}": (head, tail, parent and f"DEF-{parent}")
        for name, (head, tail, parent) in BONES.items()
    }
    rig = make_rig(BONES | deforming, rotation_mode="XYZ")
    for name in BONES:
        rig.data.bones[name].use_deform = False
        rig.pose.bones[f"DEF-{name}"].constraints.new("COPY_TRANSFORMS").target = rig
        rig.pose.bones[f"DEF-{name}"].constraints[0].subtarget = name
    return distil.swing(rig)


def settings(rig):
    import bpy
    from bl_ext.user_default.posewright.bridge.distil.solving.settings import settings_of

    return settings_of(rig, bpy.context.scene)


def test_bones_that_never_move_do_not_count(distil, with_helpers):
    assert with_helpers.posewright.bones_from == "AUTO"
    assert set(settings(with_helpers).bones) == set(BONES)
    with_helpers.posewright.bones_from = "ALL"
    assert set(settings(with_helpers).bones) == set(BONES | HELPERS)


def test_the_mean_error_leaves_them_out(distil, with_helpers):
    import bpy

    frames = np.arange(1.0, 121.0)
    original = distil.sampling.sample(with_helpers, frames, bones=list(BONES), sides=True).positions
    bpy.ops.posewright.analyze()
    with_helpers.posewright.key_count = 6
    played = distil.sampling.sample(with_helpers, frames, bones=list(BONES), sides=True).positions
    expected = np.linalg.norm(played - original, axis=2).mean()
    assert distil.measuring.measure(with_helpers).mean == pytest.approx(expected)


def test_of_a_control_rig_the_deforming_bones_count_and_controls_are_keyed(distil, controlled):
    import bpy

    assert set(settings(controlled).bones) == {f"DEF-{name}" for name in BONES}
    for algorithm in distil.core.ALGORITHMS:
        controlled.posewright.algorithm = algorithm
        assert bpy.ops.posewright.analyze() == {"FINISHED"}
        controlled.posewright.key_count = 8
        assert controlled.posewright.problem == ""
        assert not any("DEF-" in curve.data_path for curve in distil.playing(controlled))


def test_where_nothing_deforms_all_bones_count(distil, swinging):
    for bone in swinging.data.bones:
        bone.use_deform = False
    assert set(settings(swinging).bones) == set(BONES)


def test_the_helpers_of_a_knight_do_not_count(distil, import_character):
    bones = settings(import_character("Knight.glb")).bones
    assert 15 < len(bones) < 41
    assert not any("IK" in name or "ik" in name.split(".") for name in bones)


@pytest.fixture
def strip(distil, make_rig):
    """A strip that plays the swinging chain, whose armature plays an action that moves nothing."""
    rig = distil.swing(make_rig(BONES, rotation_mode="XYZ"))
    data = rig.animation_data
    strip = data.nla_tracks.new().strips.new("Swing", 1, data.action)
    data.action = None
    return strip


def test_bones_that_a_strip_moves_are_not_still(distil, strip):
    import bpy
    from bl_ext.user_default.posewright.bridge.character import still_bones

    rig = bpy.context.object
    assert still_bones(rig) == ()
    strip.mute = True
    assert set(still_bones(rig)) == set(BONES)
    strip.mute = False
    rig.animation_data.nla_tracks[0].mute = True
    assert set(still_bones(rig)) == set(BONES)
    rig.animation_data.nla_tracks[0].mute = False
    rig.animation_data.use_nla = False
    assert set(still_bones(rig)) == set(BONES)


def test_what_another_character_does_in_the_same_strip_moves_nothing(distil, strip, make_rig):
    import bpy
    from bl_ext.user_default.posewright.bridge.character import still_bones

    if not distil.actions.versions.HAS_SLOTS:
        pytest.skip("an action has slots from Blender 4.4 on")
    rig, action = bpy.context.object, strip.action
    strip.action_slot = action.slots.new(id_type="OBJECT", name="Rig that stands")
    assert set(still_bones(rig)) == set(BONES)


def test_a_track_that_plays_alone_silences_the_others(distil, strip):
    import bpy
    from bl_ext.user_default.posewright.bridge.character import still_bones

    rig = bpy.context.object
    tracks = rig.animation_data.nla_tracks
    tracks[0].is_solo = tracks[0].mute = True
    assert still_bones(rig) == ()
    tracks[0].is_solo = False
    alone = tracks.new()
    alone.is_solo, tracks[0].mute = True, False
    assert set(still_bones(rig)) == set(BONES)


@pytest.fixture
def standing(make_rig, set_keys):
    """One bone, whose keys are all the same; the curve of its location along x."""
    from bl_ext.user_default.posewright.bridge import actions

    rig = make_rig(1)
    set_keys(rig.pose.bones[0], "location", {1: (1, 0, 0), 20: (1, 0, 0)})
    return rig, actions.curves_of(rig)[0]


def bulge(curve):
    curve.keyframe_points[0].handle_right_type = "FREE"
    curve.keyframe_points[0].handle_right[1] = 3.0


def run_on(curve):
    curve.extrapolation = "LINEAR"
    curve.keyframe_points[1].handle_right_type = "FREE"
    curve.keyframe_points[1].handle_right[1] = 3.0


def spring(curve):
    key = curve.keyframe_points[0]
    key.interpolation, key.amplitude, key.period = "ELASTIC", 1.0, 3.0


def shake(curve):
    curve.modifiers.new("NOISE")


@pytest.mark.parametrize("move", [bulge, run_on, spring, shake])
def test_what_moves_between_keys_that_are_the_same_does_not_stand_still(standing, move):
    from bl_ext.user_default.posewright.bridge.character import still_bones

    rig, curve = standing
    assert still_bones(rig) == ("bone 0",)
    move(curve)
    assert np.ptp([curve.evaluate(frame) for frame in range(1, 40)]) > 0.1
    assert still_bones(rig) == ()
    curve.mute = True
    assert still_bones(rig) == ("bone 0",)


def hold_still(curve):
    """What stands out there is not played."""
    for key in curve.keyframe_points:
        key.handle_left_type = key.handle_right_type = "FREE"
    curve.keyframe_points[0].handle_left[1] = curve.keyframe_points[1].handle_right[1] = 3.0


def go_straight(curve):
    bulge(curve)
    for key in curve.keyframe_points:
        key.interpolation = "LINEAR"


def shake_unheard(curve):
    curve.modifiers.new("NOISE").mute = True


@pytest.mark.parametrize("leave", [hold_still, go_straight, shake_unheard])
def test_what_is_there_and_does_not_play_moves_nothing(standing, leave):
    from bl_ext.user_default.posewright.bridge.character import still_bones

    rig, curve = standing
    leave(curve)
    assert np.ptp([curve.evaluate(frame) for frame in range(-10, 40)]) == 0.0
    assert still_bones(rig) == ("bone 0",)


def test_a_driver_that_is_muted_moves_nothing(standing):
    from bl_ext.user_default.posewright.bridge.character import still_bones

    rig, _ = standing
    driver = rig.pose.bones[0].driver_add("scale", 0)
    assert still_bones(rig) == ()
    driver.mute = True
    assert still_bones(rig) == ("bone 0",)
