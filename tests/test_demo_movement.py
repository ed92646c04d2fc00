# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo's motion moves as a person does: bones keep their length and feet that stand do not slide."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.contacts import heads_of
from demo import skeleton
from demo.kinematics import apply, turn
from demo.movement import FPS, Movement, make_movement
from demo.steps import BALL, walk_and_jump


@pytest.fixture(scope="module")
def movement() -> Movement:
    return make_movement(noise=0.0)


def test_it_is_a_character_of_some_thirty_bones():
    assert len(skeleton.BONES) == 31
    assert len({bone.name for bone in skeleton.BONES}) == 31


def test_every_rotation_is_one():
    movement = make_movement(3.0)
    for rotations in movement.rotations.values():
        np.testing.assert_allclose(rotations @ rotations.swapaxes(1, 2) - np.eye(3), 0.0, atol=1e-9)
        np.testing.assert_allclose(np.linalg.det(rotations), 1.0, atol=1e-9)


def test_the_ankles_reach_their_footprints(movement: Movement):
    heads = heads_of(movement)
    times = np.arange(len(movement)) / FPS
    for side, foot in zip("LR", walk_and_jump(times), strict=True):
        missed = np.linalg.norm(heads[f"foot.{side}"] - foot.ankle, axis=1)
        assert np.quantile(missed, 0.95) < 0.005
        assert missed.max() < 0.04


def test_standing_feet_do_not_slide():
    times = np.arange(round(15 * FPS)) / FPS
    for foot in walk_and_jump(times):
        ball = foot.ankle + apply(turn("z", foot.yaw) @ turn("x", foot.pitch), BALL - [0.0, 0.0, 0.09])
        standing = (foot.contact[1:] == 1.0) & (foot.contact[:-1] == 1.0) & (foot.pitch[1:] >= 0.0)
        moved = np.linalg.norm(np.diff(ball, axis=0), axis=1)[standing]
        assert np.quantile(moved, 0.98) < 1e-3
        assert foot.ankle[:, 2].min() > 0.05, "never below the ground"


def test_it_walks_turns_and_jumps(movement: Movement):
    travelled = np.linalg.norm(np.diff(movement.root[:, :2], axis=0), axis=1).sum()
    assert travelled > 4.0
    forward = apply(movement.rotations["hips"], [0.0, -1.0, 0.0])
    heading = np.degrees(np.unwrap(np.arctan2(forward[:, 1], forward[:, 0])))
    assert heading[round(7 * FPS)] - heading[0] > 90.0
    assert movement.root[:, 2].max() > movement.root[0, 2] + 0.2
    hand = heads_of(movement)["hand.R"][:, 2]
    assert hand.max() > 1.7


def test_joints_move_smoothly_without_noise(movement: Movement):
    for name, place in heads_of(movement).items():
        acceleration = np.linalg.norm(np.diff(place, 2, axis=0), axis=1) * FPS**2
        assert acceleration.max() < 160.0, name


def test_noise_is_small_fine_and_repeatable():
    clean, first, again = make_movement(2.0, noise=0.0), make_movement(2.0), make_movement(2.0)
    np.testing.assert_array_equal(first.root, again.root)
    far = np.linalg.norm(heads_of(first)["head"] - heads_of(clean)["head"], axis=1)
    assert 1e-4 < far.mean() < 0.02
