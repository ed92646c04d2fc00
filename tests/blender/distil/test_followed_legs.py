# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs that follow chains which keys turn, as FK of a rig: these chains are what holds their feet."""

from __future__ import annotations

import numpy as np
import pytest

from tests.blender.standing_feet import SLIDES, lower_hips, with_few_keys, with_followed_legs


@pytest.fixture
def following(humanoid):
    return with_few_keys(with_followed_legs(humanoid()))


@pytest.mark.parametrize("hold", ["BAKED", "PINS"])
def test_feet_of_legs_that_follow_are_held(feet, following, distil, hold):
    assert feet.slide(following) > 5.0 * SLIDES
    following.posewright.hold = hold
    assert (following.posewright.hold, following.posewright.problem) == (hold, "")
    assert feet.slide(following) < SLIDES
    assert feet.sinking(following) < SLIDES
    places = feet.places(following)
    lower_hips(distil.playing(following))
    following.posewright.hold = hold
    assert feet.off_place(following, places) < SLIDES
    following.posewright.detail = 1.0
    assert feet.slide(following) < SLIDES


def test_pins_of_legs_that_follow_hold_at_once(feet, following, distil):
    following.posewright.hold = "PINS"
    pinned = {bone.name for bone in following.pose.bones for each in bone.constraints if each.type == "IK"}
    assert pinned == {"fk_foot.L", "fk_foot.R"}
    places = feet.places(following)
    lower_hips(distil.playing(following))
    assert feet.off_place(following, places) < SLIDES
    following.posewright.hold = "OFF"
    assert not [bone for bone in following.pose.bones for each in bone.constraints if each.type == "IK"]


def test_a_leg_that_was_posed_anew_stands_where_that_brings_it(feet, following, distil):
    following.posewright.hold = "BAKED"
    before = feet.points(following)
    turned = [
        curve
        for curve in distil.playing(following)
        if curve.data_path == 'pose.bones["fk_thigh.L"].rotation_quaternion' and curve.array_index == 3
    ]
    for key in turned[0].keyframe_points:
        for each in (key.co, key.handle_left, key.handle_right):
            each[1] += 0.1
    turned[0].update()
    following.posewright.hold = "BAKED"
    moved = np.linalg.norm(feet.points(following) - before, axis=2).mean(axis=0)
    assert moved[0] > 10.0 * SLIDES > moved[1]
    assert feet.slide(following) < SLIDES


def test_a_chain_that_nothing_follows_is_passed_over(humanoid, distil):
    """It lies where the leg does, with the same keys: only turning it tells that nothing comes along."""
    from bl_ext.user_default.posewright.bridge.distil.feet import controls

    rig = with_few_keys(with_followed_legs(humanoid(), "shown_"))
    reduction = distil.reductions.get(rig)
    assert controls.carriers_of_limbs(reduction) == {
        f"fk_{part}.{side}" for part in ("thigh", "shin", "foot") for side in "LR"
    }
