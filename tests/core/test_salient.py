# SPDX-License-Identifier: GPL-3.0-or-later
"""`salient` finds the optimum: against brute force, against the plain solver, on motions of every kind."""

from itertools import combinations

import numpy as np
import pytest

from benchmarks import plain_solver
from benchmarks.clips import load_clip
from core import Cancelled, InputError, Motion, select
from core.bounded import bounded_paths
from core.bounded.bounded_paths import limits
from core.bounded.bounded_table import BoundedTable
from core.objectives import OBJECTIVES
from core.progress import Progress
from core.search.best_values import BestValues
from core.search.segment_table import TILE, full_table


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


def costs_of(objective: str, motion: Motion):
    return OBJECTIVES[objective].costs(motion.points(), motion.frames, lambda: None)


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


@pytest.mark.parametrize("objective", ["curve", "chord", "minimax", "hold"])
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
        monkeypatch.setitem(bounded_paths._TURNS, join, turns)
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
def test_closing_in_on_the_optimum_may_stop_early_or_late(kind: str, worthwhile: float, monkeypatch) -> None:
    """Whether two turns that settle little are followed by more of them or by the exact search."""
    monkeypatch.setattr(bounded_paths, "_WORTHWHILE", worthwhile)
    motion, most = motion_of(kind, 400, seed=6), 60
    best, _ = plain_solver.solve(motion.points(), "minimax", most)
    errors = select(motion, "salient", objective="minimax", max_keys=most).errors
    np.testing.assert_allclose(errors, best, rtol=1e-7, atol=rounding(motion, "minimax"))


def test_segments_that_end_in_a_tile_start_in_its_start_tiles() -> None:
    motion = motion_of("walk", 300)
    table = full_table(costs_of("chord", motion), np.zeros(300, dtype=np.int64), Progress(None))
    tiles = table.start_tiles()
    for number, strip in enumerate(table.strips):
        for row in range(300):
            starts = row - np.array(strip.lengths)
            assert set((starts[starts >= 0] // TILE).tolist()) <= set(tiles[:, number, row // TILE].tolist())


@pytest.mark.parametrize("kind", MOTIONS)
def test_no_step_below_its_limit_depends_on_the_tiles_that_are_skipped(kind: str) -> None:
    """Values up to the limit are those of plain dynamic programming over the same table."""
    motion = motion_of(kind, 300, seed=8)
    table = full_table(costs_of("chord", motion), np.zeros(300, dtype=np.int64), Progress(None))
    best, plain = BestValues(table, 12), np.full(300, np.inf)
    plain[0] = 0.0
    for k in range(2, 13):
        limit = best.optima[k - 1]
        best.step(k, limit)
        before, plain = plain, np.full(300, np.inf)
        for strip in table.strips:
            for length, costs in zip(strip.lengths, strip.costs, strict=True):
                joined = costs[length - strip.lengths[0] :] + before[: 300 - length]
                plain[length:] = np.minimum(plain[length:], joined)
        within = plain <= limit
        np.testing.assert_array_equal(best.values[k][within], plain[within])
        before = best.values[k].copy()


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
    """It costs much more than with a key less; a worse path, which that search finds, must not be kept."""
    points = np.random.default_rng(seed).normal(size=(220, 60))
    points[:, 0] *= 10.0
    points[[0, -1]] = 0.0
    motion = Motion(points.reshape(220, 20, 3))
    errors = select(motion, "salient", objective="sum", max_keys=10).errors
    assert np.any(errors[1:] > bounded_paths._RISE * errors[:-1])
    check_optimal(motion, "sum", plain_solver.full_table(motion.points(), "sum"), max_keys=10)


@pytest.mark.parametrize(("objective", "seed"), [("sum", 5), ("sum", 38), ("minimax", 18), ("minimax", 28)])
def test_what_only_a_later_more_expensive_optimum_needs_is_kept(objective: str, seed: int) -> None:
    """To and fro with noise: with one more key the best path may pass where no best path with fewer did."""
    positions = np.random.default_rng(seed).normal(size=(30, 1, 3))
    positions[::2] += 3.0
    motion = Motion(positions)
    assert np.any(np.diff(select(motion, "salient", objective=objective, max_keys=30).errors) > 0.0)
    check_optimal(motion, objective, exact_table(motion, objective))


def evaluate_all(table: BoundedTable) -> None:
    for number in range(len(table.ranges)):
        if number not in table.strips:
            table.evaluate(number)


@pytest.mark.parametrize("mirrored", [False, True])
def test_strips_are_evaluated_alone_and_rough_bounds_are_below_the_rest(mirrored: bool) -> None:
    motion, count = motion_of("walk", 700, seed=3), 700
    earliest = np.maximum(np.arange(count) - 500, 0)
    some, every = (BoundedTable(costs_of("sum", motion), earliest, Progress(None)) for _ in range(2))
    evaluate_all(every)
    view, other = some.views[mirrored], every.views[mirrored]
    number = int(some.strips_of(np.array([250]))[0])
    least = view.least_costs()
    rough = least.copy()
    assert np.all(np.isinf(view.strips[number].costs))
    some.evaluate(number)
    np.testing.assert_array_equal(view.strips[number].costs, other.strips[number].costs)
    np.testing.assert_array_equal(least[number], other.least_costs()[number])
    assert view.evaluated == set(some.strips)
    starts, ends = np.nonzero(np.arange(count) - np.arange(count)[:, None] > 128)
    allowed = ends - starts <= 500
    starts, ends = starts[allowed][::7], ends[allowed][::7]
    assert np.all(rough[some.strips_of(ends - starts), ends // TILE] <= other.exact_costs(starts, ends))


@pytest.mark.parametrize("objective", ["minimax", "sum"])
def test_segments_that_do_not_exist_are_infinitely_expensive_in_either_view(objective: str) -> None:
    motion, count = motion_of("walk", 331, seed=3), 331
    table = BoundedTable(costs_of(objective, motion), np.zeros(count, dtype=np.int64), Progress(None))
    evaluate_all(table)
    for view in table.views:
        for strip in view.strips:
            for row in range(len(strip.lengths)):
                assert np.all(np.isinf(strip.costs[row, :row]))
                assert np.all(np.isfinite(strip.costs[row, row:]))


def test_a_mirrored_view_is_the_table_of_the_motion_played_backwards() -> None:
    motion, count = motion_of("walk", 400, seed=3), 400
    backwards = Motion(motion.positions[::-1])
    tables = [
        BoundedTable(costs_of("minimax", seen), np.zeros(count, dtype=np.int64), Progress(None))
        for seen in (motion, backwards)
    ]
    rows = np.arange(count)
    for length in (3, 40, 128, 129, 200, 399):
        starts, ends = rows[:-length], rows[length:]
        exact = tables[0].views[1].exact_costs(starts, ends)
        np.testing.assert_allclose(exact, tables[1].views[0].exact_costs(starts, ends), rtol=1e-9, atol=1e-9)
        number = int(tables[0].strips_of(np.array([length]))[0])
        strip = tables[0].views[1].strips[number]
        np.testing.assert_array_equal(strip.costs[length - strip.lengths[0], ends - strip.lengths[0]], exact)


@pytest.mark.parametrize("objective", ["minimax", "sum"])
def test_frames_that_mislead_raise_the_bounds_around_but_never_above_the_costs(objective: str) -> None:
    motion = motion_of("noise", 300, seed=5)
    costs = costs_of(objective, motion)
    table = BoundedTable(costs, np.zeros(300, dtype=np.int64), Progress(None))
    evaluate_all(table)
    before = {number: strip.costs.copy() for number, strip in table.strips.items()}
    bounds, exact = table.settle(np.array([10, 40]), np.array([220, 290]))
    assert np.all(bounds <= exact)
    assert any(np.sum(table.strips[number].costs > before[number]) > 2 for number in before)
    for strip in table.strips.values():
        if strip.exact is not None:
            row, column = np.nonzero(np.isfinite(strip.costs))
            last = column + strip.lengths[0]
            first = last - row - strip.lengths[0]
            exact = costs.long_segments().exact(first, last)
            assert np.all(strip.costs[row, column] <= exact + 1e-12)


@pytest.mark.parametrize("count", [200, 700])
@pytest.mark.parametrize("kind", MOTIONS)
@pytest.mark.parametrize("objective", ["curve", "chord", "hold"])
def test_many_frames_and_all_tiles(kind: str, objective: str, count: int) -> None:
    motion = motion_of(kind, count, seed=2)
    most = count // 8
    best, _ = plain_solver.solve(motion.points(), objective, most)
    solutions = select(motion, "salient", objective=objective, max_keys=most)
    np.testing.assert_allclose(solutions.errors, best, rtol=1e-7, atol=rounding(motion, objective))


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
    if objective != "hold":  # which holds the pose of the key before, not of the one after
        backwards = select(Motion(motion.positions[::-1]), objective=objective).errors
        np.testing.assert_allclose(backwards, original, rtol=1e-8, atol=1e-8)
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


def test_hold_is_what_stepped_keys_lose() -> None:
    motion = motion_of("walk", 120, seed=3)
    points = motion.points()
    solutions = select(motion, objective="hold")
    for k in solutions.counts:
        keys = solutions.keys(k)
        played = points[keys[np.searchsorted(keys, np.arange(120), side="right") - 1]]
        assert solutions.error(k) == pytest.approx(np.sum((points - played) ** 2), rel=1e-9)


def test_hold_puts_its_keys_where_poses_change() -> None:
    poses = np.random.default_rng(2).normal(size=(5, 2, 3))
    solutions = select(Motion(np.repeat(poses, [7, 3, 12, 5, 9], axis=0)), objective="hold")
    assert solutions.error(6) == pytest.approx(0.0, abs=1e-20)
    assert solutions.keys(6).tolist() == [0, 7, 10, 22, 27, 35]
    assert solutions.error(5) > 0.1


def test_the_same_input_gives_the_same_keys() -> None:
    motion = motion_of("periodic", 120)
    for objective in OBJECTIVES:
        first, second = (select(motion, objective=objective) for _ in range(2))
        assert all(np.array_equal(first.keys(k), second.keys(k)) for k in first.counts)
