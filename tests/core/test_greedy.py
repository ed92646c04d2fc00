# SPDX-License-Identifier: GPL-3.0-or-later
"""`greedy` against a plain solver that looks at every segment anew for every key."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from core import Motion, select
from core.selection.greedy import squared_line_distances


def line_distance(point, start, end) -> float:
    along = end - start
    if not np.any(along):
        return float(np.linalg.norm(point - start))
    nearest = start + along * np.dot(point - start, along) / np.dot(along, along)
    return float(np.linalg.norm(point - nearest))


def largest_distance(points, keys) -> tuple[float, int]:
    """The farthest frame from its chord, over all segments."""
    found = (-1.0, -1)
    for first, last in pairwise(keys):
        for row in range(first + 1, last):
            distance = line_distance(points[row], points[first], points[last])
            if distance > found[0]:
                found = (distance, row)
    return found


def random_walk(frames: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(frames, 3, 3)).cumsum(axis=0)


@pytest.mark.parametrize("fixed", [(), (4, 17)])
@pytest.mark.parametrize("seed", range(4))
def test_splits_the_worst_segment_at_its_farthest_frame(seed, fixed):
    motion = Motion(random_walk(40, seed))
    points = motion.points()
    solutions = select(motion, "greedy", max_keys=30, fixed=fixed)
    keys = sorted({0, 39, *fixed})
    for k in solutions.counts.tolist():
        assert solutions.keys(k).tolist() == keys
        distance, row = largest_distance(points, keys)
        assert solutions.error(k) == pytest.approx(distance, rel=1e-9)
        keys = sorted([*keys, row])


def test_keys_are_those_of_the_recursion_with_a_tolerance():
    """Lim and Thalmann split until every frame is near enough: the order of splits does not matter."""
    motion = Motion(random_walk(120, 9))
    points = motion.points()

    def split(first: int, last: int, tolerance: float) -> list[int]:
        distance, row = largest_distance(points, [first, last])
        if distance <= tolerance:
            return []
        return [*split(first, row, tolerance), row, *split(row, last, tolerance)]

    solutions = select(motion, "greedy", max_keys=120)
    for tolerance in (8.0, 4.0, 2.0):
        keys = [0, *split(0, 119, tolerance), 119]
        within = next(k for k in solutions.counts.tolist() if solutions.error(k) <= tolerance)
        assert solutions.keys(within).tolist() == keys


def test_a_corner_is_found_and_nothing_is_left():
    positions = np.zeros((21, 1, 3))
    positions[:, 0, 0] = np.arange(21)
    positions[8:, 0, 1] = np.arange(13)
    solutions = select(positions, "greedy", max_keys=3)
    assert solutions.keys(3).tolist() == [0, 8, 20]
    assert solutions.error(3) == pytest.approx(0.0, abs=1e-12)


def test_distance_is_to_the_line_and_not_to_the_segment():
    points = np.array([[5.0, 1.0, 0.0], [-3.0, 2.0, 0.0], [0.5, 0.0, -4.0]])
    squared = squared_line_distances(points, np.zeros(3), np.array([1.0, 0.0, 0.0]))
    np.testing.assert_allclose(squared, [1.0, 4.0, 16.0])


def test_distance_is_to_the_pose_where_both_keys_are_the_same():
    squared = squared_line_distances(np.array([[3.0, 4.0]]), np.zeros(2), np.zeros(2))
    np.testing.assert_allclose(squared, [25.0])


def test_distances_close_to_the_line_keep_their_digits():
    along = np.array([1.0, 1.0, 1.0]) * 1e6
    points = np.linspace(0.1, 0.9, 5)[:, None] * along + [1e-6, -1e-6, 0.0]
    squared = squared_line_distances(points, np.zeros(3), along)
    np.testing.assert_allclose(np.sqrt(squared), np.sqrt(2.0) * 1e-6, rtol=1e-3)


def test_rigid_motion_and_scale_change_nothing():
    positions = random_walk(60, 3)
    turn = np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))[0]
    plain, moved = select(positions, "greedy"), select(positions @ turn.T * 7.0 + 3.0, "greedy")
    np.testing.assert_array_equal(plain.ranking, moved.ranking)
    np.testing.assert_allclose(moved.errors, plain.errors * 7.0, rtol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_of_the_same_objective_is_never_above(seed):
    motion = Motion(random_walk(60, seed))
    greedy = select(motion, "greedy", max_keys=30)
    best = select(motion, "salient", objective="minimax", max_keys=30)
    assert greedy.objective == best.objective
    for k in greedy.counts.tolist():
        assert best.error(k) <= greedy.error(k) * (1.0 + 1e-9)
