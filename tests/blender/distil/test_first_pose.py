# SPDX-License-Identifier: GPL-3.0-or-later
"""The T-pose that a clip begins with: noticed, left out if wanted, and kept in the source."""

import numpy as np
import pytest

from benchmarks.character_files import import_character


@pytest.fixture
def clip(make_rig, distil):
    """Frames 1 to 60 of slow swinging, with the rest pose on its first three frames."""
    rig = distil.swing(make_rig(3, rotation_mode="XYZ"), frames=60)
    for curve in distil.playing(rig):
        points = distil.actions.key_points(curve)
        points[:, 1] = np.where(np.arange(60) < 3, 0.0, 1.0 + 0.2 * points[:, 1])
        distil.write([curve], points[:, 0], points[:, 1:])
    return rig


def test_it_is_noticed_and_left_out_at_the_press_of_a_button(distil, clip):
    import bpy

    source = clip.animation_data.action
    before = distil.actions.fingerprint(distil.playing(clip))
    motion = np.arange(4.0, 61.0)
    original = distil.positions(clip, motion)
    bpy.ops.posewright.analyze()
    assert distil.reductions.get(clip).state.rows_before_motion == 3
    bpy.ops.posewright.leave_out_first_pose()
    reduction = distil.reductions.get(clip)
    assert reduction.state.rows_before_motion == 0
    assert reduction.source == source
    assert distil.actions.key_frames(reduction.curves)[0] == 4.0
    clip.posewright.key_count = 25
    assert distil.error(clip, motion, original) < 0.02
    np.testing.assert_allclose(distil.positions(clip, [1.0]), original[:1], atol=1e-5)
    bpy.ops.posewright.restore()
    assert distil.actions.fingerprint(distil.playing(clip)) == before


def test_without_one_nothing_is_noticed_or_left_out(distil, swinging):
    import bpy

    swinging.posewright.leave_out_first_pose = True
    bpy.ops.posewright.analyze()
    reduction = distil.reductions.get(swinging)
    assert reduction.state.rows_before_motion == 0
    assert distil.actions.key_frames(reduction.curves)[0] == 1.0


def test_capture_that_begins_with_one(distil, mocap_folder):
    from bl_ext.user_default.posewright.bridge.distil.solving import first_pose

    for name in ("02_01", "13_11", "85_02"):
        armature = import_character(mocap_folder / f"{name}.bvh")
        first, last = distil.sampling.action_range(armature)
        assert first_pose.motion_begins(armature, first, last) == first + 1.0


@pytest.mark.parametrize("file", ["Knight.glb", "Fox.glb", "Soldier.glb", "RobotExpressive.glb"])
def test_actions_of_characters_begin_with_their_motion(distil, characters_folder, file):
    import bpy
    from bl_ext.user_default.posewright.bridge.distil import channels
    from bl_ext.user_default.posewright.bridge.distil.solving import first_pose

    armature = import_character(characters_folder / file)
    for track in armature.animation_data.nla_tracks:
        track.mute = True
    for action in bpy.data.actions:
        slots = channels.slots_for(armature, action)
        if slots:
            distil.actions.assign(armature, action, slots[0])
            first, last = distil.sampling.action_range(armature)
            assert first_pose.motion_begins(armature, first, last) == first, action.name


def test_a_pose_at_rest_that_blends_into_a_walk(distil, mocap_folder):
    import bpy

    armature = import_character(mocap_folder / "02_01.bvh")
    for curve in distil.playing(armature):
        points = distil.actions.key_points(curve)[1:]  # without the T-pose it begins with
        points[:, 1] *= np.minimum(np.arange(len(points)) / 20.0, 1.0)
        distil.write([curve], points[:, 0], points[:, 1:])
    bpy.ops.posewright.analyze()
    assert 19 <= distil.reductions.get(armature).state.rows_before_motion <= 21
    bpy.ops.posewright.leave_out_first_pose()
    assert 21.0 <= distil.actions.key_frames(distil.reductions.get(armature).curves)[0] <= 23.0
