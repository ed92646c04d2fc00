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
