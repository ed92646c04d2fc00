# SPDX-License-Identifier: GPL-3.0-or-later
"""Hold Feet: planted feet stand still at every key count, as plain data, and nothing else suffers."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

SLIDES = 0.005  # metres: less is not seen


@pytest.fixture
def feet(distil):
    """Ways to look at the feet of the demo's character."""
    from bl_ext.user_default.posewright.bridge.distil import stances
    from bl_ext.user_default.posewright.core import metrics

    def contacts(rig):
        return stances.contacts_of(distil.reductions.get(rig))

    def slides(rig):
        """How far each contact slides in what plays now, as Blender evaluates it."""
        found = contacts(rig)
        frames = distil.reductions.get(rig).analysis().frames
        now = stances.posed_now(rig, frames, list(found))
        points = stances.points_of(rig, now, list(found))
        return metrics.slides(points, [each for some in found.values() for each in some])

    return SimpleNamespace(contacts=contacts, slides=slides, stances=stances)


@pytest.fixture
def walking(humanoid, distil):
    """Two seconds of a walk with so few keys that its feet slide."""
    import bpy

    rig = humanoid()
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 6
    return rig


def whole_pose(distil, rig):
    return distil.positions(rig, distil.reductions.get(rig).analysis().frames)


def test_held_feet_stand_at_every_key_count(feet, walking):
    assert feet.slides(walking).max() > 0.02
    walking.posewright.hold = "BAKED"
    assert walking.posewright.problem == ""
    for count in (3, 6, 12):
        walking.posewright.key_count = count
        assert walking.posewright.key_count == count
        assert feet.slides(walking).max() < SLIDES
    walking.posewright.interpolation = "LINEAR"
    assert feet.slides(walking).max() < SLIDES


@pytest.mark.parametrize("mode", ["QUATERNION", "ZXY", "AXIS_ANGLE"])
def test_whatever_the_rotation_mode(feet, humanoid, distil, mode):
    """The mode is changed before the motion is keyed anew from what plays."""
    import bpy

    rig = humanoid()
    if mode != rig.pose.bones[0].rotation_mode:
        _key_in_mode(rig, mode)
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 6
    rig.posewright.hold = "BAKED"
    assert rig.posewright.problem == ""
    assert feet.slides(rig).max() < SLIDES


def _key_in_mode(rig, mode):
    import bpy

    scene = bpy.context.scene
    matrices = {}
    for frame in range(scene.frame_start, scene.frame_end + 1, 4):
        scene.frame_set(frame)
        matrices[frame] = [bone.matrix_basis.copy() for bone in rig.pose.bones]
    rig.animation_data_clear()
    for frame, found in matrices.items():
        for bone, matrix in zip(rig.pose.bones, found, strict=True):
            bone.rotation_mode = mode
            bone.matrix_basis = matrix
            attribute = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(mode)
            bone.keyframe_insert(attribute or "rotation_euler", frame=frame)
            if bone.parent is None:
                bone.keyframe_insert("location", frame=frame)


def test_off_brings_back_the_very_same(distil, walking):
    before = whole_pose(distil, walking)
    tracks = len(walking.animation_data.nla_tracks)
    walking.posewright.hold = "BAKED"
    assert np.abs(whole_pose(distil, walking) - before).max() > 0.01
    walking.posewright.hold = "OFF"
    np.testing.assert_allclose(whole_pose(distil, walking), before, atol=1e-6)
    assert len(walking.animation_data.nla_tracks) == tracks


def test_keys_stay_as_few_as_they_were(distil, walking):
    keys = [len(curve.keyframe_points) for curve in distil.playing(walking)]
    walking.posewright.hold = "BAKED"
    assert [len(curve.keyframe_points) for curve in distil.playing(walking)] == keys


def test_only_legs_and_hips_are_touched(distil, walking):
    walking.posewright.hold = "BAKED"
    residual = walking.posewright.reduced.posewright.residual
    curves = distil.actions.bag_of(residual, distil.actions.slot_of(walking)).fcurves
    dense = {curve.data_path.split('"')[1] for curve in curves if not curve.mute}
    assert dense <= {
        "hips",
        *(f"{part}.{side}" for part in ("thigh", "shin", "foot", "toe") for side in "LR"),
    }


@pytest.mark.parametrize("strength", [0.5, 1.0])
def test_detail_on_top_does_not_bring_the_slide_back(feet, walking, strength):
    walking.posewright.hold = "BAKED"
    walking.posewright.detail = strength
    assert feet.slides(walking).max() < SLIDES
    assert walking.posewright.detail == strength


def test_detail_plays_as_strongly_as_without(distil, walking):
    """Away from the feet."""
    frames = distil.reductions.get(walking).analysis().frames

    def hand():
        return distil.sampling.sample(walking, frames, bones=["hand.L", "head"]).positions

    walking.posewright.detail = 0.6
    without = hand()
    walking.posewright.hold = "BAKED"
    hips = np.abs(hand() - without).max()
    assert hips < 0.02  # the hips may have given way a little
    walking.posewright.hold = "OFF"
    np.testing.assert_allclose(hand(), without, atol=1e-6)
    assert walking.posewright.detail == pytest.approx(0.6)


def test_an_edit_of_the_hips_is_held_when_asked_again(feet, walking, distil):
    walking.posewright.hold = "BAKED"
    path = 'pose.bones["hips"].location'
    for curve in distil.playing(walking):
        if curve.data_path == path and curve.array_index == 1:
            for point in curve.keyframe_points:
                point.co[1] -= 0.08
                point.handle_left[1] -= 0.08
                point.handle_right[1] -= 0.08
    assert feet.slides(walking).max() >= 0.0
    lowered = distil.sampling.sample(walking, [60.0], bones=["head"]).positions
    walking.posewright.hold = "BAKED"
    assert feet.slides(walking).max() < SLIDES
    now = distil.sampling.sample(walking, [60.0], bones=["head"]).positions
    np.testing.assert_allclose(now, lowered, atol=0.03)  # the edit is still there


def test_apply_keeps_the_held_feet_and_restore_removes_them(feet, walking, distil):
    import bpy

    source = walking.posewright.reduced.posewright.source
    walking.posewright.hold = "BAKED"
    frames = distil.reductions.get(walking).analysis().frames
    held = distil.positions(walking, frames)
    bpy.ops.posewright.apply()
    np.testing.assert_allclose(distil.positions(walking, frames), held, atol=1e-6)

    walking.animation_data.action = source
    bpy.ops.posewright.analyze()
    walking.posewright.hold = "BAKED"
    bpy.ops.posewright.restore()
    assert walking.animation_data.action == source
    assert walking.posewright.hold == "OFF"


def test_saved_and_read_again(feet, walking, distil, tmp_path):
    import bpy

    walking.posewright.hold = "BAKED"
    before = whole_pose(distil, walking)
    name = walking.name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "held.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "held.blend"))
    rig = bpy.data.objects[name]
    np.testing.assert_allclose(whole_pose(distil, rig), before, atol=1e-6)
    assert rig.posewright.hold == "BAKED"
    rig.posewright.key_count = 9
    assert feet.slides(rig).max() < SLIDES


def test_a_duplicate_has_feet_of_its_own(feet, walking, distil):
    import bpy

    walking.posewright.hold = "BAKED"
    before = whole_pose(distil, walking)
    bpy.ops.object.duplicate()
    other = bpy.context.object
    other.posewright.key_count = 4
    assert other.posewright.problem == ""
    assert feet.slides(other).max() < SLIDES
    np.testing.assert_allclose(whole_pose(distil, walking), before, atol=1e-6)


def test_analyze_again_goes_on_holding(feet, walking):
    import bpy

    walking.posewright.hold = "BAKED"
    bpy.ops.posewright.analyze()
    assert walking.posewright.hold == "BAKED"
    assert feet.slides(walking).max() < SLIDES


def test_contacts_are_found_once_and_kept(feet, walking):
    found = feet.contacts(walking)
    assert set(found) == {"foot.L", "foot.R"}
    assert walking.posewright.reduced.posewright.contacts
    walking.posewright.reduced.posewright.contacts = "{damaged"
    again = feet.contacts(walking)
    assert [(c.first, c.last) for c in again["foot.L"]] == [(c.first, c.last) for c in found["foot.L"]]


def test_what_never_stands_cannot_be_held(distil, swinging):
    import bpy

    bpy.ops.posewright.analyze()
    swinging.posewright.hold = "BAKED"
    assert "stands still" in swinging.posewright.problem
    assert swinging.posewright.hold == "OFF"


def test_a_form_that_there_is_none_of(distil, walking):
    with pytest.raises(distil.core.InputError, match="choose one of"):
        distil.reduced_action.set_hold(walking, "GLUED")


def test_feet_that_do_not_hang_from_the_legs_are_held_by_themselves(feet, import_character, distil):
    """As in rigs whose legs reach for the feet; exported, these have keys of their own."""
    import bpy
    from bl_ext.user_default.posewright.bridge.distil import channels

    rig = import_character("RobotExpressive.glb")
    bpy.context.view_layer.objects.active = rig
    for track in rig.animation_data.nla_tracks:
        track.mute = True
    # Importers before Blender 4.4 add the name of what plays it.
    names = {"WalkJump", f"WalkJump_{rig.name}"}
    action = next(each for each in bpy.data.actions if each.name in names)
    slots = channels.slots_for(rig, action)
    distil.actions.assign(rig, action, slots[0] if slots else None)
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 2
    assert feet.slides(rig).max() > 0.05
    rig.posewright.hold = "BAKED"
    assert rig.posewright.problem == ""
    assert feet.slides(rig).max() < SLIDES


def test_contacts_can_be_marked_by_hand(feet, walking):
    import bpy

    walking.posewright.hold = "BAKED"
    before = len(feet.contacts(walking)["foot.L"])
    bpy.ops.posewright.mark_contact(bone="toe.L", first=1, last=240, stands=False)
    assert feet.contacts(walking)["foot.L"] == []
    assert len(feet.contacts(walking)["foot.R"]) > 0
    bpy.ops.posewright.mark_contact(bone="shin.L", first=20, last=60)
    [marked] = feet.contacts(walking)["foot.L"]
    assert (marked.first, marked.last) == (19, 59)
    assert before > 0
    assert feet.slides(walking).max() < SLIDES  # the marked one is held as well
    bpy.ops.posewright.mark_contact(bone="hand.R", first=10, last=40)
    assert feet.slides(walking).max() < SLIDES
    bpy.ops.posewright.analyze()
    assert (feet.contacts(walking)["foot.L"][0].first, len(feet.contacts(walking)["hand.R"])) == (19, 1)


def test_marks_that_make_no_sense_are_told(walking):
    import bpy

    with pytest.raises(RuntimeError, match="no leg and no arm"):
        bpy.ops.posewright.mark_contact(bone="head", first=1, last=9)
    with pytest.raises(RuntimeError, match="outside"):
        bpy.ops.posewright.mark_contact(bone="foot.L", first=5000, last=5009)


def test_measure_tells_the_slide(feet, walking, distil):
    figures = distil.measuring.measure(walking)
    np.testing.assert_allclose(sorted(figures.slides), sorted(feet.slides(walking)), atol=1e-4)
    assert figures.worst_slide > 0.02
    walking.posewright.hold = "BAKED"
    assert distil.measuring.measure(walking).worst_slide < SLIDES


def test_a_lowered_hip_goes_on_holding_with_the_slider(feet, walking, distil):
    """Edits of the rest of the body leave the feet where they stand."""
    walking.posewright.hold = "BAKED"
    before = {bone: [each.place for each in some] for bone, some in feet.contacts(walking).items()}
    curve = next(
        each
        for each in distil.playing(walking)
        if each.data_path == 'pose.bones["hips"].location' and each.array_index == 1
    )
    point = curve.keyframe_points[2]
    for each in (point.co, point.handle_left, point.handle_right):
        each[1] -= 0.1
    curve.update()
    walking.posewright.key_count = 8
    assert walking.posewright.problem == ""
    assert feet.slides(walking).max() < SLIDES
    for bone, some in feet.contacts(walking).items():
        np.testing.assert_allclose([each.place for each in some], before[bone], atol=1e-3)
