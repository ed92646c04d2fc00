# SPDX-License-Identifier: GPL-3.0-or-later
"""A limb's keys some frames after their poses: columns, edits, slider and detail go on as before."""

import bpy
import numpy as np
import pytest

PATH = 'pose.bones["forearm.L"].rotation_quaternion'
WAYS = ("FREE", "SMOOTH", "EVERYWHERE", "AUTO", "LINEAR", "STEPPED")


@pytest.fixture
def rig(distil, humanoid):
    rig = humanoid(1.0)
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 9
    rig.posewright.stagger_part = "left arm"
    return rig


def of_arm(curve):
    """Of the left arm, from its shoulder on."""
    bone = bpy.context.object.data.bones[curve.data_path.split('"')[1]]
    chain = bpy.context.object.data.bones["upper_arm.L"].parent_recursive[0]
    return chain in (bone, *bone.parent_recursive)


def frames_of(curve):
    return [point.co.x for point in curve.keyframe_points]


def moving(distil, rig, wanted):
    return [
        curve for curve in distil.playing(rig) if len(curve.keyframe_points) > 1 and of_arm(curve) == wanted
    ]


def forearm(distil, rig):
    return [curve for curve in distil.playing(rig) if curve.data_path == PATH]


def turned(distil, rig, frame):
    values = np.array([curve.evaluate(frame) for curve in forearm(distil, rig)])
    return values / np.linalg.norm(values)


def columns(distil, rig):
    analysis = distil.reductions.get(rig).analysis()
    return analysis.frames[analysis.keys(rig.posewright.key_count)]


def everything(distil, rig):
    return [
        (curve.data_path, curve.array_index, [tuple(map(tuple, (p.co, p.handle_left, p.handle_right)))])
        for curve in distil.playing(rig)
        for p in curve.keyframe_points
    ]


def test_the_limb_is_late_and_both_ends_stay(distil, rig):
    before = everything(distil, rig)
    rig.posewright.stagger = 3
    assert rig.posewright.problem == ""
    at = columns(distil, rig)
    late = [at[0], *(at[1:-1] + 3), at[-1]]
    assert len(moving(distil, rig, True)) >= 3
    for curve in moving(distil, rig, True):
        np.testing.assert_allclose(frames_of(curve), np.clip(late, None, at[-1]), atol=1e-4)
    for curve in moving(distil, rig, False):
        np.testing.assert_allclose(frames_of(curve), at, atol=1e-4)
    assert rig.posewright.stagger == 3
    rig.posewright.stagger_part = "right arm"
    assert rig.posewright.stagger == 0
    rig.posewright.stagger_part = "left arm"
    rig.posewright.stagger = 0
    assert everything(distil, rig) == before


def test_every_number_of_keys_is_staggered_and_the_source_comes_back(distil, rig):
    source = distil.reductions.get(rig).source
    print_before = distil.actions.fingerprint(distil.reductions.get(rig).curves)
    rig.posewright.stagger = -2
    for count in (5, 16, 9):
        rig.posewright.key_count = count
        at = columns(distil, rig)
        assert len(at) == count
        for curve in moving(distil, rig, True):
            assert frames_of(curve)[2] == pytest.approx(at[2] - 2)
    rig.posewright.stagger = 0
    assert distil.actions.fingerprint(distil.reductions.get(rig).curves) == print_before
    rig.posewright.stagger = -2
    bpy.ops.posewright.restore()
    assert rig.animation_data.action == source


@pytest.mark.parametrize("way", WAYS)
def test_nobody_takes_a_stagger_for_an_edit(distil, rig, way):
    rig.posewright.interpolation = way
    rig.posewright.stagger = 2
    reduction = distil.reductions.get(rig)
    assert not distil.changes.was_edited(reduction)
    assert distil.capture.edits_now(reduction).is_none


@pytest.mark.parametrize("way", WAYS)
def test_a_pose_edited_at_its_own_key_belongs_to_its_column(distil, rig, way):
    rig.posewright.interpolation = way
    rig.posewright.stagger = 2
    at = columns(distil, rig)
    curve = forearm(distil, rig)[1]
    point = curve.keyframe_points[4]
    for side in ("co", "handle_left", "handle_right"):
        getattr(point, side).y += 0.4
    curve.update()
    wanted = turned(distil, rig, at[4] + 2)
    rig.posewright.key_count = 20
    assert rig.posewright.problem == ""
    edits = distil.reductions.get(rig).edits
    np.testing.assert_allclose(edits.keyed_frames, [at[4]])
    assert edits.warp.is_none
    np.testing.assert_allclose(turned(distil, rig, at[4] + 2), wanted, atol=1e-4)
    assert at[4] + 2 in frames_of(forearm(distil, rig)[1])


def test_a_pose_moved_with_its_late_limb_is_retimed_as_a_whole(distil, rig):
    rig.posewright.stagger = 2
    at = columns(distil, rig)
    for curve in moving(distil, rig, True) + moving(distil, rig, False):
        point = curve.keyframe_points[4]
        for side in ("co", "handle_left", "handle_right"):
            getattr(point, side).x += 3
        curve.update()
    rig.posewright.key_count = 12
    edits = distil.reductions.get(rig).edits
    assert not edits.warp.is_none
    assert not len(edits.keyed)
    assert not np.any(edits.changes)
    np.testing.assert_allclose(edits.warp.from_source(at[[4]]), at[[4]] + 3)


def test_detail_brings_back_the_original_late(distil, rig):
    source = distil.reductions.get(rig).source
    curves = distil.analysis.channels.curves_in(source, distil.reductions.get(rig).handles)
    original = [curve for curve in curves if curve.data_path == PATH]
    rig.posewright.stagger = 3
    rig.posewright.detail = 1.0
    assert rig.posewright.problem == ""
    at = columns(distil, rig)
    for frame in (at[2] + 5, at[4] + 8):
        bpy.context.scene.frame_set(int(frame))
        wanted = [curve.evaluate(frame - 3) for curve in original]
        np.testing.assert_allclose(rig.pose.bones["forearm.L"].rotation_quaternion, wanted, atol=2e-3)
    assert distil.measuring.measure(rig).mean_share < 1e-4


def test_what_is_measured_is_how_far_the_keys_are_from_the_late_original(distil, rig):
    before = distil.measuring.measure(rig).mean
    rig.posewright.stagger = 2
    assert distil.measuring.measure(rig).mean == pytest.approx(before, rel=0.2)


def test_ghosts_and_leading_parts_go_by_the_poses(distil, rig):
    from bl_ext.user_default.posewright.bridge.pictures import sampled_poses

    rig.posewright.stagger = 2
    np.testing.assert_allclose(sampled_poses.pose_frames(rig), columns(distil, rig), atol=1e-3)
    assert bpy.ops.posewright.leading_parts() == {"FINISHED"}


def test_analyze_again_keeps_the_stagger(distil, rig):
    rig.posewright.stagger = 2
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 9
    assert rig.posewright.stagger == 2
    assert not np.isin(frames_of(moving(distil, rig, True)[0])[1:-1], columns(distil, rig)).all()


def test_undo_takes_a_stagger_back(distil, rig):
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="before")
    name, before = rig.name, everything(distil, rig)
    rig.posewright.stagger = 4
    bpy.ops.ed.undo_push(message="Stagger")
    assert everything(distil, rig) != before
    bpy.ops.ed.undo()
    rig = bpy.data.objects[name]
    assert everything(distil, rig) == before
    assert rig.posewright.stagger == 0
    bpy.ops.ed.redo()
    rig = bpy.data.objects[name]
    assert rig.posewright.stagger == 4
    assert not distil.changes.was_edited(distil.reductions.get(rig))


def test_selected_bones_are_staggered_too(distil, rig):
    own = "select" in bpy.types.PoseBone.bl_rna.properties  # from Blender 5.0 on
    bones = rig.pose.bones if own else rig.data.bones
    rig.posewright.stagger_part = "SELECTED"
    bones.foreach_set("select", [False] * len(bones))
    rig.posewright.stagger = 2
    assert "No bone is selected: select the bones to stagger" in rig.posewright.problem
    bones["forearm.L"].select = True
    rig.posewright.stagger = 2
    assert rig.posewright.problem == ""
    assert frames_of(forearm(distil, rig)[0])[2] == columns(distil, rig)[2] + 2
    others = [curve for curve in moving(distil, rig, True) if curve.data_path != PATH]
    assert all(frames_of(curve)[2] == columns(distil, rig)[2] for curve in others)


def test_the_panel_lists_what_is_late(distil, rig):
    from tests.blender.panel_recorder import draw

    rig.posewright.stagger = 2
    rig.posewright.stagger_part = "head"
    rig.posewright.stagger = -1
    text = draw(distil.panels.POSEWRIGHT_PT_distil_stagger)
    assert "Left Arm  +2" in text
    assert "Head  -1" in text


def test_selected_keys_of_a_late_limb_mean_their_pose(distil, rig):
    rig.posewright.stagger = 2
    at = columns(distil, rig)
    for curve in moving(distil, rig, True) + moving(distil, rig, False):
        curve.keyframe_points[4].select_control_point = True
    rig.posewright.fix_selected_keys = True
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 3
    assert columns(distil, rig).tolist() == [at[0], at[4], at[-1]]


@pytest.mark.parametrize("text", ["nonsense", "[1]", '{"bone": "x"}', "7"])
def test_a_damaged_stagger_is_none(distil, rig, text):
    distil.reductions.get(rig).state.stagger = text
    rig.posewright.key_count = 7
    assert rig.posewright.problem == ""
    assert rig.posewright.stagger == 0


def test_a_part_of_an_action_is_not_staggered(distil, humanoid):
    rig = humanoid(1.0)
    asked = rig.posewright
    asked.range_from, asked.range_start, asked.range_end = "NUMBERS", 20, 90
    bpy.ops.posewright.analyze()
    asked.stagger_part = "left arm"
    asked.stagger = 2
    assert "Only a part of the action is reduced, and a limb that is late would jump" in asked.problem
    assert asked.stagger == 0


def test_bones_without_keys_cannot_be_late(distil, rig):
    action = distil.reductions.get(rig).source
    bpy.ops.posewright.restore()
    for _, bag in distil.actions.bags_in(action):
        for curve in [curve for curve in bag.fcurves if of_arm(curve)]:
            bag.fcurves.remove(curve)
    bpy.ops.posewright.analyze()
    rig.posewright.stagger = 2
    assert "None of these bones has keys to stagger" in rig.posewright.problem


def test_what_is_no_armature_has_no_parts(clean_blender, capfd):
    import bpy

    for data in (None, bpy.data.meshes.new("Body")):
        assert bpy.data.objects.new("Thing", data).posewright.stagger_part == "SELECTED"
    assert "Traceback" not in capfd.readouterr().err
