# SPDX-License-Identifier: GPL-3.0-or-later
"""`salient` finds the optimum: against brute force, against the plain solver, on motions of every kind."""

from itertools import combinations

import numpy as np
import pytest

from benchmarks import plain_solver
from core import Cancelled, InputError, Motion, select

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


def test_progress_ascends_and_cancels() -> None:
    seen: list[float] = []
    select(motion_of("walk", 300), progress=seen.append)
    assert seen == sorted(seen)
    assert seen[0] == 0.0
    assert seen[-1] == 1.0
    with pytest.raises(Cancelled):
        select(motion_of("walk", 300), progress=lambda share: share < 0.5)
