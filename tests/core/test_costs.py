# SPDX-License-Identifier: GPL-3.0-or-later
"""Segment costs against their definition, one segment at a time."""

import numpy as np
import pytest

from benchmarks.plain_solver import segment_cost
from core.costs import OBJECTIVES, segment_costs
from core.costs.uneven import UnevenSquaredCosts, evenly_spaced
from core.selection.segment_table import length_ranges

COUNT = 190


def points_of(kind: str) -> np.ndarray:
    rng = np.random.default_rng(7)
    if kind == "smooth":
        return np.sin(np.arange(COUNT)[:, None] * rng.uniform(0.01, 0.1, 5) + rng.uniform(0, 6, 5))
    if kind == "travelling":
        return np.cumsum(rng.normal(1.0, 1.0, (COUNT, 5)), axis=0)
    return rng.normal(size=(COUNT, 5))


def all_costs(costs) -> dict[int, np.ndarray]:
    """Cost or bound of every segment, by length."""
    ranges = length_ranges(COUNT - 1)
    strips = costs.strips(ranges)
    return {
        length: row[length:].copy()
        for lengths, strip in zip(ranges, strips, strict=True)
        for length, row in zip(lengths, strip, strict=True)
    }


@pytest.mark.parametrize("kind", ["smooth", "travelling", "noise"])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_costs_follow_their_definition(objective: str, kind: str) -> None:
    points, frames = points_of(kind), np.arange(COUNT, dtype=float)
    costs = segment_costs(objective, points, frames)
    size = np.ptp(points, axis=0).max()
    for length, found in all_costs(costs).items():
        starts = np.arange(COUNT - length)
        expected = np.array([segment_cost(points, frames, i, i + length, objective) for i in starts])
        slack = 1e-7 * size if objective in ("minimax", "sum") else 1e-12 * length * size**2
        if length > costs.exact_to:
            assert np.all(found <= expected * (1 + 1e-9) + slack)
            found = costs.exact(starts, starts + length)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=slack)


@pytest.mark.parametrize("objective", ["minimax", "sum"])
def test_bounds_never_exceed_the_exact_cost_by_a_single_bit(objective: str) -> None:
    costs = segment_costs(objective, points_of("travelling"), np.arange(COUNT, dtype=float))
    for length, bounds in all_costs(costs).items():
        if length > costs.exact_to:
            starts = np.arange(COUNT - length)
            assert np.all(bounds <= costs.exact(starts, starts + length))


@pytest.mark.parametrize("curved", [True, False])
def test_short_segments_of_a_smooth_motion_keep_their_digits(curved: bool) -> None:
    objective = "curve" if curved else "chord"
    frames = np.arange(COUNT, dtype=float)
    points = np.sin(frames[:, None] * [0.01, 0.013, 0.017])
    costs = all_costs(segment_costs(objective, points, frames))
    for length in (5, 9, 16, 24):
        expected = [segment_cost(points, frames, i, i + length, objective) for i in range(COUNT - length)]
        # The definition itself loses digits here; far more would be lost from distances.
        np.testing.assert_allclose(costs[length], expected, rtol=1e-3, atol=1e-28)


@pytest.mark.parametrize("curved", [True, False])
def test_uneven_costs_of_even_frames_are_the_even_ones(curved: bool) -> None:
    points, frames = points_of("noise"), np.arange(COUNT, dtype=float)
    even = all_costs(segment_costs("curve" if curved else "chord", points, frames))
    uneven = all_costs(UnevenSquaredCosts(points, frames * 2.5 + 11.0, curved=curved))
    for length, expected in even.items():
        np.testing.assert_allclose(uneven[length], expected, rtol=1e-8, atol=1e-8)


def test_evenly_spaced() -> None:
    assert evenly_spaced(np.arange(5) * 0.1 + 1e5)
    assert not evenly_spaced(np.array([0.0, 1.0, 2.001, 3.0]))


def test_keys_at_the_same_pose_measure_the_distance_to_it() -> None:
    points = np.zeros((200, 3))
    points[1:-1, 0] = 2.0
    costs = segment_costs("minimax", points, np.arange(200, dtype=float))
    *_, longest = costs.strips(length_ranges(199))
    assert longest[-1, -1] <= 2.0
    whole = np.array([0]), np.array([199])
    assert costs.exact(*whole) == pytest.approx([2.0])
    assert costs.distances(costs.farthest(*whole), *whole) == pytest.approx([2.0])
