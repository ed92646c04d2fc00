# SPDX-License-Identifier: GPL-3.0-or-later
"""Segment costs against their definition, one segment at a time."""

import numpy as np
import pytest

from benchmarks.plain_solver import segment_cost
from core.bounded.bounded_table import BoundedTable
from core.bounded.line_bounds import BLOCK, LineBounds, missed_distance, wide_pairs
from core.bounded.line_costs import SHORT, LineCosts, LongLineCosts
from core.costs.uneven import UnevenSquaredCosts, _Moments, evenly_spaced
from core.objectives import OBJECTIVES
from core.progress import Progress
from core.search.segment_table import TILE, length_ranges

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


def nothing() -> None:
    """A heartbeat that nobody listens to."""


def costs_of(objective: str, points: np.ndarray, frames: np.ndarray | None = None):
    frames = np.arange(len(points), dtype=float) if frames is None else frames
    return OBJECTIVES[objective].costs(points, frames, nothing)


def all_costs(costs) -> dict[int, np.ndarray]:
    """The cost of every segment, by length; of long ones that are bounded, the exact cost."""
    bounded = isinstance(costs, LineCosts)
    ranges = [lengths for lengths in length_ranges(COUNT - 1) if not bounded or lengths[-1] <= SHORT]
    strips = [np.empty((len(lengths), COUNT - lengths[0])) for lengths in ranges]
    assert list(costs.fill(ranges, strips)) == list(range(len(ranges)))
    found = {
        length: row[length - lengths[0] :]
        for lengths, strip in zip(ranges, strips, strict=True)
        for length, row in zip(lengths, strip, strict=True)
    }
    if bounded:
        found |= exact_costs(costs.long_segments())
    return found


def exact_costs(costs: LongLineCosts) -> dict[int, np.ndarray]:
    starts = np.arange(COUNT)
    lengths = range(SHORT + 1, COUNT)
    return {length: costs.exact(starts[:-length], starts[:-length] + length) for length in lengths}


LONG = [lengths for lengths in length_ranges(COUNT - 1) if lengths[0] > SHORT]


@pytest.mark.parametrize("kind", ["smooth", "travelling", "noise"])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_costs_follow_their_definition(objective: str, kind: str) -> None:
    points, frames = points_of(kind), np.arange(COUNT, dtype=float)
    size = np.ptp(points, axis=0).max()
    for length, found in all_costs(costs_of(objective, points)).items():
        starts = range(COUNT - length)
        expected = np.array([segment_cost(points, frames, i, i + length, objective) for i in starts])
        slack = 1e-7 * size if objective in ("minimax", "sum") else 1e-12 * length * size**2
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=slack)


@pytest.mark.parametrize("kind", ["smooth", "travelling", "noise", "straight", "motionless"])
def test_bounds_never_exceed_the_exact_cost_by_a_single_bit(kind: str) -> None:
    costs = LongLineCosts(points_of(kind), nothing)
    exact = exact_costs(costs)
    for lengths in LONG:
        strip = np.empty((len(lengths), COUNT - lengths[0] + BLOCK))
        LineBounds(costs).fill(lengths, strip)
        for row, length in enumerate(lengths):
            bounds = strip[row, row : COUNT - lengths[0]]
            assert np.all(bounds <= exact[length])
            assert np.all(bounds >= 0.3 * exact[length]) or kind != "noise"


@pytest.mark.parametrize("kind", ["smooth", "travelling", "noise", "straight", "motionless"])
def test_rough_bounds_never_exceed_the_exact_cost_and_exist_where_segments_do(kind: str) -> None:
    costs = LongLineCosts(points_of(kind), nothing)
    exact = exact_costs(costs)
    by_end, by_start = LineBounds(costs).rough(LONG)
    for n, lengths in enumerate(LONG):
        assert np.all(np.isinf(by_end[n, : lengths[0]]))
        assert np.all(np.isinf(by_start[n, COUNT - lengths[0] :]))
        for length in lengths:
            assert np.all(by_end[n, length:] <= exact[length])
            assert np.all(by_start[n, : COUNT - length] <= exact[length])
    if kind == "noise":
        assert np.all(by_end[-1, LONG[-1][0] :] > 0.5)


def test_no_line_through_a_frame_is_nearer_to_both_of_two_others_than_what_they_miss() -> None:
    rng = np.random.default_rng(3)
    pairs = rng.normal(size=(2000, 2, 3)) * rng.uniform(0.01, 2.0, (2000, 2, 1))
    direction = rng.normal(size=(2000, 3))
    direction[:1000] = pairs[:1000].sum(axis=1) + 0.1 * direction[:1000]  # between the two is the best
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    along = np.einsum("npc,nc->np", pairs, direction)
    distance = np.linalg.norm(pairs - along[:, :, None] * direction[:, None], axis=2).max(axis=1)
    squares = np.sum(pairs**2, axis=2)
    missed = missed_distance(squares[:, 0], squares[:, 1], np.sum((pairs[:, 0] - pairs[:, 1]) ** 2, axis=1))
    assert np.all(missed <= distance * (1 + 1e-12))
    assert np.max(missed / distance) > 0.9


def test_wide_pairs_are_before_the_frame_and_within_reach() -> None:
    points = np.random.default_rng(5).normal(size=(40, 4))
    apart = np.sum((points[:, None] - points) ** 2, axis=2)
    frames = np.arange(40)
    for reach, pair in zip((3, 7, 20), wide_pairs(apart, (3, 7, 20)), strict=True):
        assert np.all((pair <= frames) & (pair >= frames - reach))
        assert np.all(pair[:, 2:] < frames[2:])  # none is found for a frame without two before it


@pytest.mark.parametrize("curved", [True, False])
def test_short_segments_of_a_smooth_motion_keep_their_digits(curved: bool) -> None:
    objective = "curve" if curved else "chord"
    frames = np.arange(COUNT, dtype=float)
    points = np.sin(frames[:, None] * [0.01, 0.013, 0.017])
    costs = all_costs(costs_of(objective, points))
    for length in (5, 9, 16, 24):
        expected = [segment_cost(points, frames, i, i + length, objective) for i in range(COUNT - length)]
        # The definition itself loses digits here; far more would be lost from distances.
        np.testing.assert_allclose(costs[length], expected, rtol=1e-3, atol=1e-28)


@pytest.mark.parametrize("curved", [True, False])
def test_uneven_costs_of_even_frames_are_the_even_ones(curved: bool) -> None:
    points, frames = points_of("noise"), np.arange(COUNT, dtype=float)
    even = all_costs(costs_of("curve" if curved else "chord", points))
    uneven = all_costs(UnevenSquaredCosts(points, frames * 2.5 + 11.0, nothing, curved=curved))
    for length, expected in even.items():
        np.testing.assert_allclose(uneven[length], expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("curved", [True, False])
@pytest.mark.parametrize("kind", ["smooth", "travelling", "noise"])
def test_uneven_costs_follow_their_definition(kind: str, curved: bool) -> None:
    points = points_of(kind)
    frames = np.cumsum(np.random.default_rng(9).choice([0.25, 1.0, 1.0, 7.5], COUNT)) - 50.0
    objective = "curve" if curved else "chord"
    size = np.ptp(points, axis=0).max()
    for length, found in all_costs(costs_of(objective, points, frames)).items():
        starts = range(0, COUNT - length, 5)
        expected = [segment_cost(points, frames, i, i + length, objective) for i in starts]
        np.testing.assert_allclose(found[::5], expected, rtol=1e-9, atol=1e-12 * length * size**2)


@pytest.mark.parametrize("curved", [True, False])
def test_long_uneven_costs_are_those_of_the_frames_themselves(curved: bool) -> None:
    """Sums over distances against moments of the frames, which short segments are computed from."""
    rng = np.random.default_rng(4)
    times, points = np.cumsum(rng.uniform(0.2, 1.8, COUNT)), points_of("travelling")
    found = all_costs(UnevenSquaredCosts(points, times, nothing, curved=curved))
    plain = _Moments(points, times, np.ones(COUNT), powers=4 if curved else 2)
    for length in (25, 60, COUNT - 1):
        plain.grow_to(length)
        expected = plain.curve() if curved else plain.chord()
        np.testing.assert_allclose(found[length], expected, rtol=1e-9, atol=1e-9)


def test_evenly_spaced() -> None:
    assert evenly_spaced(np.arange(5) * 0.1 + 1e5)
    assert evenly_spaced(np.array([7.0]))
    assert evenly_spaced(np.array([7.0, 9.5]))
    assert not evenly_spaced(np.array([0.0, 1.0, 2.001, 3.0]))
    assert not evenly_spaced(np.array([1e6, 1e6 + 0.1, 1e6 + 0.15, 1e6 + 0.3]))


@pytest.mark.parametrize("first", [-300.0, 0.0, 1.0, 5000.0])
@pytest.mark.parametrize(
    ("clip_rate", "scene_rate"), [(30.0, 24.0), (60.0, 24.0), (24.0, 25.0), (120.0, 29.97)]
)
def test_rounding_of_times_to_float32_leaves_frames_evenly_spaced(
    first: float, clip_rate: float, scene_rate: float
) -> None:
    seconds = (np.arange(1173) / clip_rate).astype(np.float32)
    frames = (first + seconds * np.float64(scene_rate)).astype(np.float32)
    assert evenly_spaced(frames.astype(np.float64))
    late = frames.astype(np.float64)
    late[600] += 0.02 * scene_rate / clip_rate
    assert not evenly_spaced(late)


def test_keys_at_the_same_pose_measure_the_distance_to_it() -> None:
    points = np.zeros((200, 3))
    points[1:-1, 0] = 2.0
    costs = LongLineCosts(points, nothing)
    lengths = length_ranges(199)[-1]
    strip = np.empty((len(lengths), 200 - lengths[0] + BLOCK))
    LineBounds(costs).fill(lengths, strip)
    assert strip[-1, 199 - lengths[0]] <= 2.0
    whole = np.array([0]), np.array([199])
    assert costs.exact(*whole) == pytest.approx([2.0])
    assert costs.distances(costs.farthest(*whole), *whole) == pytest.approx([2.0])


def test_the_top_of_a_slow_bulge_is_found_wherever_it_lies() -> None:
    """Between two equal poses, and between two of the frames that are looked at first."""
    bulge = np.zeros((601, 3))
    bulge[:-1, 0] = np.sin(np.pi * np.arange(600) / 600)
    for hold in range(16):
        costs = LongLineCosts(np.concatenate([np.zeros((hold, 3)), bulge]), nothing)
        assert costs.exact(np.array([hold]), np.array([hold + 600]))[0] == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_rough_bounds_of_tiles_are_below_every_cost_where_a_motion_pauses(seed: int) -> None:
    rng, count = np.random.default_rng(seed), 500
    points = np.cumsum(rng.normal(size=(count, 6)), axis=0)
    points[rng.integers(100, 200) : rng.integers(260, 420)] = points[250]
    table = BoundedTable(costs_of("sum", points), np.zeros(count, dtype=np.int64), Progress(None))
    starts, ends = np.nonzero(np.arange(count) - np.arange(count)[:, None] > SHORT)
    exact = LongLineCosts(points, nothing).exact(starts, ends)
    for view, rows in zip(table.views, (ends, count - 1 - starts), strict=True):
        bounds = view.least_costs()[table.strips_of(ends - starts), rows // TILE]
        assert np.isfinite(bounds).all()
        assert (bounds <= exact + 1e-9).all()
