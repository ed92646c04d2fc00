# SPDX-License-Identifier: GPL-3.0-or-later
"""Segment costs against their definition, one segment at a time."""

import numpy as np
import pytest

from benchmarks.plain_solver import segment_cost
from core.costs import OBJECTIVES, segment_costs
from core.costs.contract import BLOCK
from core.costs.line import SHORT, _missed, _wide_pairs
from core.costs.uneven import UnevenSquaredCosts, evenly_spaced
from core.progress import Progress
from core.selection.segment_table import TILE, SegmentTable, length_ranges

COUNT = 190


def points_of(kind: str) -> np.ndarray:
    rng = np.random.default_rng(7)
    if kind == "smooth":
        return np.sin(np.arange(COUNT)[:, None] * rng.uniform(0.01, 0.1, 5) + rng.uniform(0, 6, 5))
    if kind == "travelling":
        return np.cumsum(rng.normal(1.0, 1.0, (COUNT, 5)), axis=0)
    if kind == "straight":
        return rng.normal(size=(COUNT, 1)) * [1.0, 2.0, 3.0]
    if kind == "motionless":
        return np.ones((COUNT, 5))
    return rng.normal(size=(COUNT, 5))


def all_costs(costs) -> dict[int, np.ndarray]:
    """Cost or bound of every segment, by length."""
    exact, bounded = ranges_of(costs)
    strips = [np.empty((len(lengths), COUNT - lengths[0])) for lengths in exact]
    assert list(costs.fill(exact, strips)) == list(range(len(exact)))
    found = {
        length: row[length - lengths[0] :]
        for lengths, strip in zip(exact, strips, strict=True)
        for length, row in zip(lengths, strip, strict=True)
    }
    if bounded:
        costs.prepare(bounded)
    for lengths in bounded:
        tops = np.arange(lengths[0], COUNT, BLOCK)
        bounds = np.concatenate([part.copy() for _, part in costs.bounds(lengths, tops)], axis=1)
        for length, row in zip(lengths, bounds.reshape(len(lengths), -1), strict=True):
            found[length] = row[length - lengths[0] : COUNT - lengths[0]]
    return found


def ranges_of(costs) -> tuple[list[range], list[range]]:
    """All lengths in ranges: those whose costs are exact, and those with bounds."""
    ranges = length_ranges(COUNT - 1)
    exact = [lengths for lengths in ranges if lengths[-1] <= costs.exact_to]
    return exact, ranges[len(exact) :]


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


@pytest.mark.parametrize("kind", ["smooth", "travelling", "noise", "straight", "motionless"])
def test_floors_never_exceed_the_exact_cost_and_exist_where_segments_do(kind: str) -> None:
    points = points_of(kind)
    costs = segment_costs("sum", points, np.arange(COUNT, dtype=float))
    _, bounded = ranges_of(costs)
    costs.prepare(bounded)
    by_end, by_start = costs.floors(bounded)
    for n, lengths in enumerate(bounded):
        assert np.all(np.isinf(by_end[n, : lengths[0]]))
        assert np.all(np.isinf(by_start[n, COUNT - lengths[0] :]))
        for length in lengths:
            starts = np.arange(COUNT - length)
            exact = costs.exact(starts, starts + length)
            assert np.all(by_end[n, length:] <= exact)
            assert np.all(by_start[n, : COUNT - length] <= exact)
    if kind == "noise":
        assert np.all(by_end[-1, bounded[-1][0] :] > 0.5)


def test_no_line_through_a_frame_is_nearer_to_both_of_two_others_than_what_they_miss() -> None:
    rng = np.random.default_rng(3)
    pairs = rng.normal(size=(2000, 2, 3)) * rng.uniform(0.01, 2.0, (2000, 2, 1))
    direction = rng.normal(size=(2000, 3))
    direction[:1000] = pairs[:1000].sum(axis=1) + 0.1 * direction[:1000]  # between the two is the best
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    along = np.einsum("npc,nc->np", pairs, direction)
    distance = np.linalg.norm(pairs - along[:, :, None] * direction[:, None], axis=2).max(axis=1)
    squares = np.sum(pairs**2, axis=2)
    missed = _missed(squares[:, 0], squares[:, 1], np.sum((pairs[:, 0] - pairs[:, 1]) ** 2, axis=1))
    assert np.all(missed <= distance * (1 + 1e-12))
    assert np.max(missed / distance) > 0.9


def test_wide_pairs_are_before_the_frame_and_within_reach() -> None:
    points = np.random.default_rng(5).normal(size=(40, 4))
    apart = np.sum((points[:, None] - points) ** 2, axis=2)
    frames = np.arange(40)
    for reach, pair in zip((3, 7, 20), _wide_pairs(apart, (3, 7, 20)), strict=True):
        assert np.all((pair <= frames) & (pair >= frames - reach))
        assert np.all(pair[:, 2:] < frames[2:])  # none is found for a frame without two before it


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
    lengths = length_ranges(199)[-1]
    costs.prepare([lengths])
    ((_, longest),) = costs.bounds(lengths, np.array([199]))
    assert longest[-1, 0, 0] <= 2.0
    whole = np.array([0]), np.array([199])
    assert costs.exact(*whole) == pytest.approx([2.0])
    assert costs.distances(costs.farthest(*whole), *whole) == pytest.approx([2.0])


def test_the_top_of_a_slow_bulge_is_found_wherever_it_lies() -> None:
    """Between two equal poses, and between two of the frames that are looked at first."""
    bulge = np.zeros((601, 3))
    bulge[:-1, 0] = np.sin(np.pi * np.arange(600) / 600)
    for hold in range(16):
        points = np.concatenate([np.zeros((hold, 3)), bulge])
        costs = segment_costs("sum", points, np.arange(len(points), dtype=float))
        costs.prepare([range(129, 193)])
        assert costs.exact(np.array([hold]), np.array([hold + 600]))[0] == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_floors_of_tiles_are_below_every_cost_where_a_motion_pauses(seed: int) -> None:
    rng, count = np.random.default_rng(seed), 500
    points = np.cumsum(rng.normal(size=(count, 6)), axis=0)
    points[rng.integers(100, 200) : rng.integers(260, 420)] = points[250]
    costs = segment_costs("sum", points, np.arange(count, dtype=float))
    table = SegmentTable(costs, np.zeros(count, dtype=np.int64), Progress(None))
    starts, ends = np.nonzero(np.arange(count) - np.arange(count)[:, None] > SHORT)
    exact = costs.exact(starts, ends)
    for backward, rows in ((False, ends), (True, starts)):
        floors = table.least_costs(backward=backward)[table.strips_of(ends - starts), rows // TILE]
        assert np.isfinite(floors).all()
        assert (floors <= exact + 1e-9).all()
