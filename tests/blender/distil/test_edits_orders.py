# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of what a reduction can be besides: late limbs, loops, holds, parts of actions, sub-frames."""

import bpy
import numpy as np
import pytest

from tests.blender.distil.test_edits import columns, move_column, pose

WAYS = ("EVERYWHERE", "STEPPED", "SMOOTH")


def value(distil, rig, column, frame):
    return distil.playing(rig)[column].evaluate(frame)


def slide_about(rig):
    for count in (25, 6, 12):
        rig.posewright.key_count = count
        assert rig.posewright.problem == ""
    for way in WAYS:
        rig.posewright.interpolation = way
        assert rig.posewright.problem == ""


def edited_frames(distil, rig):
    return distil.reductions.get(rig).edits.keyed_frames


def test_a_late_limb_is_edited_and_comes_back_in_time(distil, humanoid, tmp_path):
    """Edited three frames late, with half of the detail; saved, read, and in time again."""
    rig = humanoid(1.0)
    bpy.ops.posewright.analyze()
    rig.posewright.key_count, rig.posewright.detail = 9, 0.5
    path, at = 'pose.bones["forearm.L"].rotation_quaternion', columns(distil, rig)[4]
    rig.posewright.stagger_part, rig.posewright.stagger = "left arm", 3
    column = next(n for n, curve in enumerate(distil.playing(rig)) if curve.data_path == path)
    for n in range(column, column + 4):
        pose(distil, rig, n, 0.2, at + 3.0)
    wanted = rotation(distil, rig, column, at + 3.0)
    slide_about(rig)
    np.testing.assert_allclose(rotation(distil, rig, column, at + 3.0), wanted, atol=1e-4)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "late.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "late.blend"))
    rig = bpy.context.view_layer.objects.active
    rig.posewright.stagger = 0
    slide_about(rig)
    np.testing.assert_allclose(rotation(distil, rig, column, at), wanted, atol=1e-4)


def rotation(distil, rig, column, frame):
    found = np.array([curve.evaluate(frame) for curve in distil.playing(rig)[column : column + 4]])
    return found / np.linalg.norm(found)


@pytest.mark.parametrize("end", [0, -1])
def test_the_seam_of_a_loop_is_edited(distil, swinging, end):
    """One end is posed: it stays, and so does the loop."""
    frames = np.arange(1.0, 121.0)
    turn = np.sin(2.0 * np.pi * (frames[:, None] - 1.0) / 119.0 * np.arange(1, 4).repeat(3))
    curves = distil.playing(swinging)
    distil.write(curves[:9], frames, turn)
    distil.write(curves[9:], frames, np.zeros((120, len(curves) - 9)))
    bpy.ops.posewright.analyze()
    assert distil.reductions.get(swinging).analysis().loop is not None
    swinging.posewright.key_count = 9
    ends = columns(distil, swinging)[[0, -1]]
    pose(distil, swinging, 1, 0.3, ends[end])
    wanted = value(distil, swinging, 1, ends[end])
    slide_about(swinging)
    assert [value(distil, swinging, 1, frame) for frame in ends] == pytest.approx([wanted] * 2, abs=1e-4)


def test_a_pose_inside_a_hold(distil, swinging):
    frames = np.arange(1.0, 121.0)
    curves = distil.playing(swinging)
    values = np.array([[curve.evaluate(frame) for curve in curves] for frame in frames])
    values[40:80] = values[40]
    distil.write(curves, frames, values)
    bpy.ops.posewright.analyze()
    assert len(distil.reductions.get(swinging).analysis().holds)
    swinging.posewright.key_count = 12
    seen = value(distil, swinging, 1, 60.0)
    for curve in distil.playing(swinging):
        curve.keyframe_points.insert(60.0, curve.evaluate(60.0))
    pose(distil, swinging, 1, 0.5, 60.0)
    slide_about(swinging)
    assert value(distil, swinging, 1, 60.0) == pytest.approx(seen + 0.5, abs=1e-4)
    assert 60.0 in edited_frames(distil, swinging)


def test_a_part_from_negative_frames(distil, make_rig):
    rig = distil.swing(make_rig(3, rotation_mode="XYZ"), start=-80)
    rig.posewright.range_from, rig.posewright.range_start, rig.posewright.range_end = "NUMBERS", -60, 20
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 9
    inside = [frame for frame in columns(distil, rig) if -60 < frame < 20]
    at = inside[len(inside) // 2]
    outside = [value(distil, rig, 1, frame) for frame in (-79.0, -70.0, 30.0, 39.0)]
    pose(distil, rig, 1, 0.4, at)
    wanted = value(distil, rig, 1, at)
    slide_about(rig)
    assert value(distil, rig, 1, at) == pytest.approx(wanted, abs=1e-4)
    assert [value(distil, rig, 1, frame) for frame in (-79.0, -70.0, 30.0, 39.0)] == pytest.approx(
        outside, abs=1e-5
    )


def test_keys_between_frames(distil, swinging):
    for curve in distil.playing(swinging):
        for point in curve.keyframe_points:
            point.co.x = 0.7 * point.co.x + 0.2
        curve.update()
    swinging.posewright.sub_frames = True
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 9
    at = columns(distil, swinging)[4]
    assert at != round(at)
    pose(distil, swinging, 1, 0.4, at)
    wanted = value(distil, swinging, 1, at)
    move_column(distil, swinging, columns(distil, swinging)[6], 1.5)
    slide_about(swinging)
    assert value(distil, swinging, 1, at) == pytest.approx(wanted, abs=1e-4)
