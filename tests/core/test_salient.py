# SPDX-License-Identifier: GPL-3.0-or-later
"""`salient` finds the optimum: against brute force, against the plain solver, on motions of every kind."""

from itertools import combinations

import numpy as np
import pytest

from benchmarks import plain_solver
from benchmarks.clips import load_clip
from core import Cancelled, InputError, Motion, select
from core.costs import segment_costs
from core.progress import Progress
from core.selection import closing_in, levels, segment_table
from core.selection.closing_in import limits
from core.selection.levels import Levels
from core.selection.segment_table import TILE, SegmentTable

OBJECTIVES = ("curve", "chord", "minimax", "sum")


def smooth(count: int, rng: np.random.Generator) -> np.ndarray:
    return np.sin(np.arange(count)[:, None] * rng.uniform(0.02, 0.2, 6) + rng.uniform(0, 6, 6))


def held(count: int, rng: np.random.Generator) -> np.ndarray:
    """Quick moves between long holds: nearly every segment inside a hold costs nothing."""
    return np.repeat(rng.normal(size=(count // 10 + 1, 6)), 10, axis=0)[:count]


def spiked(count: int, rng: np.random.Generator) -> np.ndarray:
    """One wild frame in a smooth motion: longer segments can be cheaper than shorter ones."""
    points = smooth(count, rng)
    points[count // 3] += 50.0
    return points


def alternating(count: int, rng: np.random.Generator) -> np.ndarray:
    """To and fro between two poses: every other number of keys costs far more than one key less."""
    poses = rng.normal(size=(2, 6))
    return poses[np.arange(count) % 2] + 1e-3 * rng.normal(size=(count, 6))


MOTIONS = {
    "noise": lambda count, rng: rng.normal(size=(count, 6)),
    "smooth": smooth,
    "walk": lambda count, rng: np.cumsum(rng.normal(size=(count, 6)), axis=0),
    "motionless": lambda count, rng: np.ones((count, 6)),
    "periodic": lambda count, rng: np.tile(rng.normal(size=(8, 6)), (count // 8 + 1, 1))[:count],
    "one-dimensional": lambda count, rng: rng.normal(size=(count, 1)) * np.arange(1.0, 7.0),
    "huge offset": lambda count, rng: smooth(count, rng) + 1e6,
    "float32": lambda count, rng: smooth(count, rng).astype(np.float32),
    "held": held,
    "spiked": spiked,
    "alternating": alternating,
}


def motion_of(kind: str, count: int, seed: int = 0, **kwargs) -> Motion:
    points = MOTIONS[kind](count, np.random.default_rng(seed))
    return Motion(points.reshape(count, 2, 3), **kwargs)


def exact_table(motion: Motion, objective: str) -> np.ndarray:
    """Every segment's cost from its definition, nothing shared with the solver."""
    points, count = motion.points(), len(motion)
    table = np.full((count, count), np.inf)
    for i, j in combinations(range(count), 2):
        table[i, j] = plain_solver.segment_cost(points, motion.frames, i, j, objective)
    return table


def rounding(motion: Motion, objective: str) -> float:
    """What rounding may change in a cost: a little of the whole motion's size."""
    size = float(np.ptp(motion.positions, axis=0).max()) + 1e-16 * float(np.abs(motion.positions).max())
    return 1e-7 * size if objective in ("minimax", "sum") else 1e-11 * size**2 * len(motion)


def check_optimal(motion: Motion, objective: str, table: np.ndarray, **kwargs) -> None:
    """Compare costs, never keys: optima are not unique."""
    most = kwargs.setdefault("max_keys", len(motion))
    best, _ = plain_solver.solve_table(table, most, largest=objective == "minimax")
    solutions = select(motion, "salient", objective=objective, **kwargs)
    feasible = np.flatnonzero(np.isfinite(best)) + 2
    assert solutions.counts.tolist() == feasible.tolist()
    slack = rounding(motion, objective)
    for k in solutions.counts:
        keys = solutions.keys(k)
        assert len(keys) == k
        assert keys[0] == 0
        assert keys[-1] == len(motion) - 1
        assert np.all(np.diff(keys) > 0)
        costs = table[keys[:-1], keys[1:]]
        cost = costs.max() if objective == "minimax" else costs.sum()
        assert cost == pytest.approx(best[k - 2], rel=1e-9, abs=slack), (k, keys)
        assert solutions.error(k) == pytest.approx(best[k - 2], rel=1e-9, abs=slack)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("kind", MOTIONS)
@pytest.mark.parametrize("fixed", [(), (3, 4), (7,)])
def test_agrees_with_brute_force(kind: str, objective: str, fixed: tuple[int, ...]) -> None:
    motion = motion_of(kind, 11)
    table = exact_table(motion, objective)
    solutions = select(motion, "salient", max_keys=11, objective=objective, fixed=fixed)
    assert solutions.counts.tolist() == list(range(2 + len(fixed), 12))
    for k in solutions.counts:
        keys = solutions.keys(k)
        assert set(fixed) <= set(keys.tolist())
        free = [row for row in range(1, 10) if row not in fixed]
        costs = []
        for inner in combinations(free, k - 2 - len(fixed)):
            path = sorted((0, *inner, *fixed, 10))
            segments = table[path[:-1], path[1:]]
            costs.append(segments.max() if objective == "minimax" else segments.sum())
        assert solutions.error(k) == pytest.approx(min(costs), rel=1e-9, abs=rounding(motion, objective))


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("kind", MOTIONS)
@pytest.mark.parametrize("count", [2, 3, 4, 70, 150])
def test_agrees_with_the_plain_solver(kind: str, objective: str, count: int) -> None:
    motion = motion_of(kind, count, seed=count)
    check_optimal(motion, objective, exact_table(motion, objective))


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("kind", ["noise", "smooth", "held", "spiked"])
def test_fixed_rows_and_largest_gap_together(kind: str, objective: str) -> None:
    motion = motion_of(kind, 140)
    table = exact_table(motion, objective)
    fixed, gap = (5, 6, 90), 33
    for row in fixed:
        table[:row, row + 1 :] = np.inf
    rows = np.arange(140)
    table[rows[None, :] - rows[:, None] > gap] = np.inf
    check_optimal(motion, objective, table, fixed=fixed, largest_gap=gap)


@pytest.mark.parametrize("objective", ["curve", "chord", "minimax"])
@pytest.mark.parametrize("gap", [None, 9.0])
def test_uneven_frames_are_interpolated_in_time(objective: str, gap: float | None) -> None:
    rng = np.random.default_rng(5)
    frames = np.cumsum(rng.choice([0.25, 1.0, 1.0, 7.5], 60))
    motion = motion_of("smooth", 60, frames=frames)
    table = exact_table(motion, objective)
    if gap is not None:
        table[frames[None, :] - frames[:, None] > gap] = np.inf
    check_optimal(motion, objective, table, largest_gap=gap)


def test_a_gap_that_too_few_keys_cannot_keep_is_said() -> None:
    with pytest.raises(InputError, match="need at least 11 keys"):
        select(motion_of("noise", 101), largest_gap=10, max_keys=5)


def test_a_gap_smaller_than_a_hole_in_the_frames_is_said() -> None:
    motion = motion_of("noise", 4, frames=[1, 2, 9, 10])
    with pytest.raises(InputError, match="between frame 2 and frame 9"):
        select(motion, largest_gap=3)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_progress_ascends_and_cancels(objective: str) -> None:
    seen: list[float] = []
    select(motion_of("walk", 300), objective=objective, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[0] == 0.0
    assert seen[-1] == 1.0
    with pytest.raises(Cancelled):
        select(motion_of("walk", 300), objective=objective, progress=lambda share: share < 0.5)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("name", ["02_01", "13_11"])
def test_agrees_with_the_plain_solver_on_real_clips(name: str, objective: str, mocap_folder) -> None:
    motion = load_clip(name)
    most = len(motion) // 4
    best, _ = plain_solver.solve(motion.points(), objective, most)
    solutions = select(motion, "salient", objective=objective, max_keys=most)
    for k in (2, 3, 5, 9, 17, 40, most):
        cost = plain_solver.path_cost(motion.points(), motion.frames, solutions.keys(k), objective)
        assert cost == pytest.approx(best[k - 2], rel=1e-8)
    np.testing.assert_allclose(solutions.errors, best, rtol=1e-7)


@pytest.mark.parametrize("turns", [0, 2, 8])
@pytest.mark.parametrize("kind", ["walk", "periodic", "held", "spiked", "noise", "alternating"])
@pytest.mark.parametrize("objective", ["minimax", "sum"])
def test_long_segments_that_start_as_bounds(kind: str, objective: str, turns: int, monkeypatch) -> None:
    """However often the search over bounds is repeated before the exact one."""
    for join in (np.maximum, np.add):
        monkeypatch.setitem(closing_in._TURNS, join, turns)
    motion, most = motion_of(kind, 330, seed=1), 110
    best, _ = plain_solver.solve(motion.points(), objective, most)
    solutions = select(motion, "salient", objective=objective, max_keys=most)
    slack = rounding(motion, objective)
    np.testing.assert_allclose(solutions.errors, best, rtol=1e-7, atol=slack)
    for k in (2, 3, 4, 7, 20, most):
        cost = plain_solver.path_cost(motion.points(), motion.frames, solutions.keys(k), objective)
        assert cost == pytest.approx(best[k - 2], rel=1e-7, abs=slack)


@pytest.mark.parametrize("worthwhile", [0.0, 1.0])
@pytest.mark.parametrize("kind", ["walk", "periodic", "alternating", "motionless", "one-dimensional"])
def test_closing_in_may_stop_early_or_late(kind: str, worthwhile: float, monkeypatch) -> None:
    """Whether two turns that settle little are followed by more of them or by the exact search."""
    monkeypatch.setattr(closing_in, "_WORTHWHILE", worthwhile)
    motion, most = motion_of(kind, 400, seed=6), 60
    best, _ = plain_solver.solve(motion.points(), "minimax", most)
    errors = select(motion, "salient", objective="minimax", max_keys=most).errors
    np.testing.assert_allclose(errors, best, rtol=1e-7, atol=rounding(motion, "minimax"))


@pytest.mark.parametrize("backward", [False, True])
def test_the_partners_of_every_row_are_in_the_tiles_that_its_tile_reaches(backward: bool) -> None:
    motion = motion_of("walk", 300)
    costs = segment_costs("chord", motion.points(), motion.frames)
    table = SegmentTable(costs, np.zeros(300, dtype=np.int64), Progress(None))
    reached = Levels(table, 2, backward=backward)._partner_tiles
    for number, strip in enumerate(table.strips):
        for row in range(300):
            partners = row + np.array(strip.lengths) * (1 if backward else -1)
            tiles = partners[(partners >= 0) & (partners < 300)] // TILE
            assert set(tiles.tolist()) <= set(reached[:, number, row // TILE].tolist())


@pytest.mark.parametrize("objective", ["minimax", "sum"])
@pytest.mark.parametrize("kind", ["walk", "alternating"])
@pytest.mark.parametrize("options", [{"fixed": (150, 401)}, {"largest_gap": 170}])
def test_bounds_with_fixed_rows_or_a_largest_gap(kind: str, objective: str, options: dict) -> None:
    motion = motion_of(kind, 480, seed=4)
    table = plain_solver.full_table(motion.points(), objective)
    frames = np.arange(len(motion))
    table[frames[None, :] - frames[:, None] > options.get("largest_gap", np.inf)] = np.inf
    for row in options.get("fixed", ()):
        table[:row, row + 1 :] = np.inf
    check_optimal(motion, objective, table, max_keys=60, **options)


@pytest.mark.parametrize("seed", [8, 30])
def test_an_optimum_that_the_first_search_leaves_out_is_found(seed: int) -> None:
    """It is much dearer than with a key less; a worse path, which that search does find, must not be kept."""
    points = np.random.default_rng(seed).normal(size=(220, 60))
    points[:, 0] *= 10.0
    points[[0, -1]] = 0.0
    motion = Motion(points.reshape(220, 20, 3))
    errors = select(motion, "salient", objective="sum", max_keys=10).errors
    assert np.any(errors[1:] > closing_in._RISE * errors[:-1])
    check_optimal(motion, "sum", plain_solver.full_table(motion.points(), "sum"), max_keys=10)


@pytest.mark.parametrize(("objective", "seed"), [("sum", 5), ("sum", 38), ("minimax", 18), ("minimax", 28)])
def test_what_only_a_later_dearer_optimum_needs_is_kept(objective: str, seed: int) -> None:
    """To and fro with noise: with one more key the best path may pass where no best path with fewer did."""
    positions = np.random.default_rng(seed).normal(size=(30, 1, 3))
    positions[::2] += 3.0
    motion = Motion(positions)
    assert np.any(np.diff(select(motion, "salient", objective=objective, max_keys=30).errors) > 0.0)
    check_optimal(motion, objective, exact_table(motion, objective))


def open_all(table: SegmentTable) -> None:
    for number in range(len(table.strips)):
        for backward in (False, True):
            table.open(number, np.arange(-(-table.count // TILE)), backward=backward)


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("whole", [0, 64])
def test_tiles_that_are_opened_hold_what_all_would_and_floors_are_below_the_rest(
    backward: bool, whole: int, monkeypatch
) -> None:
    monkeypatch.setattr(segment_table, "_WHOLE", whole)
    motion, count = motion_of("walk", 700, seed=3), 700
    earliest = np.maximum(np.arange(count) - 500, 0)
    tables = []
    for _ in range(2):
        costs = segment_costs("sum", motion.points(), motion.frames)
        tables.append(SegmentTable(costs, earliest, Progress(None)))
    some, every = tables
    open_all(every)
    number = int(some.strips_of(np.array([250]))[0])
    least = some.least_costs(backward=backward)
    floors = least.copy()
    assert some.open(number, np.array([3, 6]), backward=backward)
    assert not some.open(number, np.array([3, 6]), backward=backward)
    expected = every.least_costs(backward=backward)
    assert least[number, [3, 6]].tolist() == expected[number, [3, 6]].tolist()
    found, full = some.strips[number].by_end, every.strips[number].by_end
    assert np.all((found == full) | (np.isinf(found) if whole == 0 else False))
    columns, offset = some.strips[number].seen_from(backward=backward)
    for tile in (3, 6):
        rows = slice(tile * TILE - offset, (tile + 1) * TILE - offset)
        assert np.array_equal(columns[:, rows], every.strips[number].seen_from(backward=backward)[0][:, rows])
    starts, ends = np.nonzero(np.arange(count) - np.arange(count)[:, None] > 128)
    allowed = ends - starts <= 500
    starts, ends = starts[allowed][::7], ends[allowed][::7]
    tile = (starts if backward else ends) // TILE
    exact = every.exact_costs(starts, ends)
    assert np.all(floors[some.strips_of(ends - starts), tile] <= exact)


@pytest.mark.parametrize("join", [np.add, np.maximum])
def test_frames_that_mislead_raise_the_bounds_around_but_never_above_the_costs(join: np.ufunc) -> None:
    motion = motion_of("noise", 300, seed=5)
    costs = segment_costs("minimax" if join is np.maximum else "sum", motion.points(), motion.frames)
    table = SegmentTable(costs, np.zeros(300, dtype=np.int64), Progress(None))
    starts, ends = np.array([10, 40]), np.array([220, 290])
    open_all(table)
    bounds, exact = table.settle(starts, ends)
    assert np.all(bounds <= exact)
    for strip in table.strips:
        if strip.known is not None:
            row, column = np.nonzero(np.isfinite(strip.by_end))
            last = column + strip.lengths[0]
            first = last - row - strip.lengths[0]
            real = first >= 0
            assert np.all(
                strip.by_end[row[real], column[real]] <= costs.exact(first[real], last[real]) + 1e-12
            )


@pytest.mark.parametrize("count", [200, 700])
@pytest.mark.parametrize("kind", MOTIONS)
@pytest.mark.parametrize("objective", ["curve", "chord"])
def test_many_frames_and_all_tiles(kind: str, objective: str, count: int) -> None:
    motion = motion_of(kind, count, seed=2)
    most = count // 8
    best, _ = plain_solver.solve(motion.points(), objective, most)
    solutions = select(motion, "salient", objective=objective, max_keys=most)
    np.testing.assert_allclose(solutions.errors, best, rtol=1e-7, atol=rounding(motion, objective))


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_wide_runs_of_rows_give_the_same(objective: str, monkeypatch) -> None:
    motion = motion_of("walk", 500, seed=2)
    found = []
    for wide in (0, 100, 10_000):
        monkeypatch.setattr(levels, "_WIDE", wide)
        found.append(select(motion, "salient", objective=objective, max_keys=60))
    for other in found[1:]:
        np.testing.assert_array_equal(other.errors, found[0].errors)
        for count in found[0].counts.tolist():
            np.testing.assert_array_equal(other.keys(count), found[0].keys(count))


@pytest.mark.parametrize("join", [np.add, np.maximum])
def test_what_cannot_be_finished_limits_nothing_and_is_never_needed(join: np.ufunc) -> None:
    rest = np.array([[1.0, np.inf], [np.inf, np.inf]])
    upper = np.array([np.inf, 5.0])  # of the optimum with one more key nothing is known yet
    assert limits(join, rest, upper).tolist() == [np.inf, -np.inf]


def test_chord_agrees_with_ruptures() -> None:
    ruptures = pytest.importorskip("ruptures", reason="ruptures is not installed")
    signal = motion_of("walk", 40).points()
    solutions = select(motion_of("walk", 40), objective="chord", max_keys=6)
    for k in (3, 4, 6):
        solver = ruptures.Dynp(model="clinear", min_size=1, jump=1).fit(signal)
        ends = solver.predict(n_bkps=k - 2)
        theirs = solver.cost.sum_of_costs(ends)
        assert solutions.error(k) == pytest.approx(theirs, rel=1e-6), ends


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_costs_do_not_depend_on_place_turn_scale_or_direction_of_time(objective: str) -> None:
    motion = motion_of("walk", 160)
    original = select(motion, objective=objective).errors
    turn, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))
    moved = Motion(motion.positions @ turn.T + [30.0, -2.0, 7.0])
    np.testing.assert_allclose(select(moved, objective=objective).errors, original, rtol=1e-8, atol=1e-8)
    backwards = Motion(motion.positions[::-1])
    np.testing.assert_allclose(select(backwards, objective=objective).errors, original, rtol=1e-8, atol=1e-8)
    power = 1 if objective in ("minimax", "sum") else 2
    larger = select(Motion(motion.positions * 3.0), objective=objective).errors
    np.testing.assert_allclose(larger, original * 3.0**power, rtol=1e-8, atol=1e-8)


def test_every_beginning_of_a_minimax_solution_is_optimal_itself() -> None:
    motion = motion_of("walk", 90)
    best = np.full((12, 90), np.inf)
    for row in range(1, 90):
        part = select(Motion(motion.positions[: row + 1]), objective="minimax", max_keys=min(11, row + 1))
        best[part.counts, row] = part.errors
    table = exact_table(motion, "minimax")
    solutions = select(motion, objective="minimax", max_keys=11)
    for k in solutions.counts:
        keys = solutions.keys(k)
        for part in range(2, k + 1):
            cost = table[keys[: part - 1], keys[1:part]].max()
            assert cost == pytest.approx(best[part, keys[part - 1]], rel=1e-9)


def test_the_same_input_gives_the_same_keys() -> None:
    motion = motion_of("periodic", 120)
    for objective in OBJECTIVES:
        first, second = (select(motion, objective=objective) for _ in range(2))
        assert all(np.array_equal(first.keys(k), second.keys(k)) for k in first.counts)
