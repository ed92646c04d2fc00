# SPDX-License-Identifier: GPL-3.0-or-later
"""Esc in the middle of work: keys as the animator left them, and the layer on top of them."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

FRAMES = np.arange(1.0, 121.0)


@pytest.fixture
def rig(distil, swinging):
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 9
    swinging.posewright.detail = 1.0
    return swinging


def stop_half_way(distil, rig):
    steps = distil.extremes.lock_in_steps(rig, bpy.context.scene)
    for _ in range(2):
        next(steps)
    steps.close()


def bag_of(distil, rig):
    return distil.actions.bag_of(rig.animation_data.action, distil.actions.slot_of(rig))


def known(distil, rig):
    return (
        [track.name for track in rig.animation_data.nla_tracks],
        sorted(bpy.data.actions.keys()),
        distil.actions.fingerprint(distil.playing(rig)),
    )


def pose(distil, rig):
    curve = distil.playing(rig)[0]
    curve.keyframe_points[4].co[1] += 0.5
    curve.update()


def test_the_layer_has_the_name_it_had(distil, rig):
    before = known(distil, rig)
    stop_half_way(distil, rig)
    assert known(distil, rig) == before


def test_an_edited_pose_is_played_after_esc_too(distil, rig):
    pose(distil, rig)
    distil.reduced_action.follow_edits(rig)
    before, played = known(distil, rig), distil.positions(rig, FRAMES)
    stop_half_way(distil, rig)
    np.testing.assert_allclose(distil.positions(rig, FRAMES), played, atol=1e-5)
    assert known(distil, rig) == before


def test_a_removed_channel_stays_removed_until_keys_are_chosen(distil, rig):
    bag = bag_of(distil, rig)
    bag.fcurves.remove(bag.fcurves[0])
    before = known(distil, rig)
    distil.reduced_action.follow_edits(rig)
    assert known(distil, rig) == before
    stop_half_way(distil, rig)
    assert known(distil, rig) == before


def test_columns_of_a_staggered_action_are_read_without_writing(distil, rig):
    """Pictures ask while a panel is drawn, when Blender lets nothing be written."""
    from bl_ext.user_default.posewright.bridge.distil.editing import stagger

    for bone in rig.pose.bones:
        selected = bone if bpy.app.version >= (5, 0, 0) else bone.bone
        selected.select = True
    distil.reduced_action.set_stagger(rig, "SELECTED", 2)
    bag = bag_of(distil, rig)
    bag.fcurves.remove(bag.fcurves[0])
    before = known(distil, rig)
    reduction = distil.reductions.get(rig)
    assert len(stagger.columns_now(reduction, reduction.analysis(), list(bag.fcurves))) == 9
    assert known(distil, rig) == before
