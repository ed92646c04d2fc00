# SPDX-License-Identifier: GPL-3.0-or-later
"""Which part leads, told of what an armature plays."""

from __future__ import annotations

import bpy
import numpy as np
import pytest


def lines():
    table = bpy.data.texts["Leading Parts"].as_string().partition("\n\n")[0]
    return [line.split() for line in table.splitlines()[1:]]


@pytest.fixture
def waving(humanoid):
    """One arm does what the other did six frames before."""
    rig = humanoid(0.1)
    rig.animation_data_clear()
    for bone in rig.pose.bones:
        bone.matrix_basis.identity()
        bone.rotation_mode = "XYZ"
    for side, start in (("R", 4), ("L", 10)):
        for frame in range(1, 33):
            share = min(max((frame - start) / 16, 0.0), 1.0)
            rig.pose.bones[f"upper_arm.{side}"].rotation_euler.x = share**2 * (3 - 2 * share)
            rig.pose.bones[f"upper_arm.{side}"].keyframe_insert("rotation_euler", frame=frame)
    return rig


def test_the_arm_that_moves_first_leads(waving):
    bpy.ops.posewright.analyze()
    waving.posewright.key_count = 4
    assert bpy.ops.posewright.leading_parts() == {"FINISHED"}
    assert 1 <= len(lines()) <= 3
    waving.posewright.key_count = 2
    bpy.ops.posewright.leading_parts()
    assert len(lines()) == 1
    first, _, last, *part, frames = lines()[0]
    assert (first, last, part) == ("1", "32", ["right", "arm"])
    assert float(frames) == pytest.approx(6.0, abs=0.1), "as in the original"


def test_a_dense_action_is_told_to_be_distilled(humanoid):
    humanoid(4.0)
    with pytest.raises(RuntimeError, match="distil it first"):
        bpy.ops.posewright.leading_parts()


def test_the_filmstrip_knows_for_every_number_of_keys_once_it_was_asked(waving):
    from bl_ext.user_default.posewright.bridge.pictures import sampled_poses, transitions

    bpy.ops.posewright.analyze()
    waving.posewright.key_count = 4
    transitions._KNOWN.clear()
    assert transitions.known_leads(waving, sampled_poses.pose_frames(waving)) == []
    bpy.ops.posewright.leading_parts()
    for count in (4, 2):
        waving.posewright.key_count = count
        frames = sampled_poses.pose_frames(waving)
        known = transitions.known_leads(waving, frames)
        bpy.ops.posewright.leading_parts()
        assert [f"{lead.frames:.1f}" for lead in known] == [line[-1] for line in lines()]
    assert [(lead.part, f"{lead.frames:.1f}", lead.side) for lead in known] == [("right arm", "6.0", 1)]


def test_a_limb_that_is_made_late_no_longer_leads(waving):
    from bl_ext.user_default.posewright.bridge.pictures import sampled_poses, transitions

    bpy.ops.posewright.analyze()
    waving.posewright.key_count = 4
    bpy.ops.posewright.leading_parts()
    waving.posewright.stagger_part = "right arm"
    waving.posewright.stagger = 9
    assert waving.posewright.problem == ""
    assert transitions.known_leads(waving, sampled_poses.pose_frames(waving)) == [], "not looked at yet"
    bpy.ops.posewright.leading_parts()
    first, last = sampled_poses.pose_frames(waving)[[0, -1]]
    assert [lead.part for lead in transitions.known_leads(waving, np.array([first, last]))] == ["left arm"]
