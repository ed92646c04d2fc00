# SPDX-License-Identifier: GPL-3.0-or-later
"""Between whole frames: curves go through thirds, and only feet that turn far are worked out there."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import BPoly
from scipy.spatial.transform import Rotation

from core.feet import between_frames
from core.feet.planting import Goal


def test_curves_go_through_thirds_and_are_straight_elsewhere():
    random = np.random.default_rng(1)
    values, gaps = random.normal(size=(6, 2)), np.array([1, 2, 4])
    thirds = random.normal(size=(6, 2))
    left, right = between_frames.handles_through(values, thirds, gaps)
    for row in range(5):
        curve = BPoly(
            np.stack([values[row], right[row], left[row + 1], values[row + 1]])[:, None], [0.0, 1.0]
        )
        if row in gaps:
            wanted = thirds[2 * np.searchsorted(gaps, row) :][:2]
        else:
            wanted = values[row] + between_frames.THIRDS[:, None] * (values[row + 1] - values[row])
        np.testing.assert_allclose(curve(between_frames.THIRDS), wanted, atol=1e-12)


def test_thirds_are_in_the_order_of_time():
    times, gaps = np.array([1.0, 2.0, 4.0, 5.0]), np.array([0, 1])
    thirds = between_frames.at_thirds(times, gaps)
    np.testing.assert_allclose(thirds, [4 / 3, 5 / 3, 8 / 3, 10 / 3])
    together = between_frames.with_thirds(times, thirds, gaps)
    np.testing.assert_allclose(together, [1, 4 / 3, 5 / 3, 2, 8 / 3, 10 / 3, 4, 5])
    np.testing.assert_allclose(between_frames.at_times(times, times, together), together)


def turned(degrees):
    return Rotation.from_euler("X", np.asarray(degrees)[:, None], degrees=True).as_matrix()


def test_what_turns_far_or_unevenly_leaves_its_place():
    slow, fast = np.arange(6.0), 20.0 * np.arange(6.0)
    assert not between_frames.bowed([turned(slow)], [turned(slow)]).any()
    assert between_frames.bowed([turned(fast)], []).all()
    uneven = np.array([0.0, 0.0, 0.0, 5.0, 5.0, 5.0])
    np.testing.assert_array_equal(
        between_frames.bowed([], [turned(uneven)]), [False, True, True, True, False]
    )


def test_an_ankle_goes_about_the_ball_of_its_foot():
    """And not straight, which would move the ball where a foot rolls by far within a frame."""
    feet, still, arm = turned([0.0, 60.0]), np.zeros((2, 3)), np.array([0.0, 0.0, 0.15])
    goal = Goal(np.ones(2), still, feet @ arm, feet, None, np.zeros(2), np.ones(2))
    between = goal.at_thirds(np.array([0]))
    np.testing.assert_allclose(np.linalg.norm(between.end, axis=1), 0.15)
    np.testing.assert_allclose(between.end, between.foot @ arm, atol=1e-12)
