# SPDX-License-Identifier: GPL-3.0-or-later
"""Components of a turn that have no keys are what they were once a layer of detail is gone."""

import numpy as np
import pytest


@pytest.fixture
def partly_keyed(make_rig):
    """One component of the first bone's turn was never keyed."""
    rig = make_rig(2)
    bone = rig.pose.bones["bone 0"]
    for frame in range(1, 41):
        bone.rotation_quaternion = (0.5, np.sin(0.2 * frame), 0.7, 0.4)
        for index in (0, 1, 2):
            bone.keyframe_insert("rotation_quaternion", index=index, frame=frame)
    return rig


@pytest.mark.parametrize("strengths", [(1.0,), (1.0, 0.0, 0.5), (0.5, 0.0)])
def test_they_are_brought_back(distil, partly_keyed, strengths):
    """And so is one whose curve is muted."""
    import bpy

    rig, bone = partly_keyed, partly_keyed.pose.bones["bone 0"]
    distil.playing(rig)[0].mute = True
    bpy.context.scene.frame_set(7)
    before = tuple(bone.rotation_quaternion)
    bpy.ops.posewright.analyze()
    for frame, strength in enumerate(strengths, 8):
        rig.posewright.detail = strength
        bpy.context.scene.frame_set(frame)
        assert bone.rotation_quaternion[3] == 0.0
    rig.posewright.show_original = True
    bpy.context.scene.frame_set(7)
    bpy.ops.posewright.restore()
    assert tuple(bone.rotation_quaternion) == pytest.approx(before, abs=1e-6)
    bpy.context.scene.frame_set(7)
    assert tuple(bone.rotation_quaternion) == pytest.approx(before, abs=1e-6)


@pytest.mark.parametrize("noted", ["{", "7", "[[1]]", '[["location", 9, 0.0]]', '[["location", "x", 0.0]]'])
def test_what_was_noted_may_be_damaged(distil, partly_keyed, noted):
    """Then the layer is gone all the same."""
    import bpy

    bpy.ops.posewright.analyze()
    partly_keyed.posewright.detail = 1.0
    partly_keyed.posewright.unkeyed = noted
    bpy.ops.posewright.restore()
    assert not len(partly_keyed.animation_data.nla_tracks)


def test_they_are_those_of_now_after_a_layer_was_applied(distil, partly_keyed):
    """Its tracks were removed by hand since, and the bone was posed."""
    import bpy

    rig, bone = partly_keyed, partly_keyed.pose.bones["bone 0"]
    data, source, slot = rig.animation_data, rig.animation_data.action, distil.actions.slot_of(rig)
    bpy.ops.posewright.analyze()
    rig.posewright.detail = 1.0
    bpy.ops.posewright.apply()
    for track in list(data.nla_tracks):
        data.nla_tracks.remove(track)
    for curve in list(data.drivers):
        data.drivers.remove(curve)
    distil.actions.assign(rig, source, slot)
    bone.rotation_quaternion = (*bone.rotation_quaternion[:3], 0.9)
    bpy.ops.posewright.analyze()
    rig.posewright.detail = 1.0
    bpy.ops.posewright.restore()
    assert bone.rotation_quaternion[3] == pytest.approx(0.9)
