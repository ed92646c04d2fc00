# SPDX-License-Identifier: GPL-3.0-or-later
"""Which part leads, told of what an armature plays."""

from __future__ import annotations

import bpy
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
