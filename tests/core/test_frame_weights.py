# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights of frames: a frame of weight 2 counts like two equal frames."""

from itertools import combinations, pairwise

import numpy as np
import pytest

from benchmarks.plain_solver import segment_cost
from core import ALGORITHMS, OBJECTIVES, InputError, Motion, select
from tests.core.contract import assert_same, smooth_motion

SQUARED = [name for name, entry in OBJECTIVES.items() if entry.squared]
EVEN = np.arange(11.0)
UNEVEN = np.cumsum([1.0, 0.5, 2.0, 1.0, 0.25, 3.0, 1.0, 1.0, 0.75, 1.5, 1.0])


def repeated_cost(motion: Motion, times: np.ndarray, first: int, last: int, objective: str) -> float:
    """The cost of a segment in which each inner frame stands as often as its weight says."""
    rows = [first, *np.repeat(np.arange(first + 1, last), times[first + 1 : last]), last]
    distinct = last - first - 1
    if objective == "curve" and distinct <= 2:
        return 0.0  # the cubic goes through them, however often they are there
    return segment_cost(motion.points()[rows], motion.frames[rows], 0, len(rows) - 1, objective)


@pytest.mark.parametrize("objective", SQUARED)
@pytest.mark.parametrize("frames", [EVEN, UNEVEN])
@pytest.mark.parametrize("fixed", [(), (4,)])
def test_weight_is_repetition_and_the_optimum_is_exact(objective: str, frames: np.ndarray, fixed) -> None:
    motion = smooth_motion(11, frames=frames)
    times = np.array([1, 2, 1, 3, 1, 1, 4, 1, 2, 1, 5])
    solutions = select(motion, objective=objective, frame_weights=times, fixed=fixed, max_keys=8)
    free = [row for row in range(1, 10) if row not in fixed]
    for k in solutions.counts.tolist():
        costs = []
        for inner in combinations(free, k - 2 - len(fixed)):
            path = sorted((0, *inner, *fixed, 10))
            costs.append(sum(repeated_cost(motion, times, a, b, objective) for a, b in pairwise(path)))
        assert solutions.error(k) == pytest.approx(min(costs), rel=1e-8, abs=1e-10)


@pytest.mark.parametrize("objective", SQUARED)
def test_long_segments_are_weighted_too(objective: str) -> None:
    motion, times = smooth_motion(150), np.random.default_rng(3).integers(1, 5, 150)
    solutions = select(motion, objective=objective, frame_weights=times, max_keys=6)
    for k in solutions.counts.tolist():
        keys = solutions.keys(k).tolist()
        cost = sum(repeated_cost(motion, times, a, b, objective) for a, b in pairwise(keys))
        assert solutions.error(k) == pytest.approx(cost, rel=1e-8)


@pytest.mark.parametrize("objective", SQUARED)
@pytest.mark.parametrize("weight", [1.0, 2.0])
def test_equal_weights_change_nothing_but_the_unit(objective: str, weight: float) -> None:
    motion = smooth_motion(90)
    plain = select(motion, objective=objective)
    weighted = select(motion, objective=objective, frame_weights=np.full(90, weight))
    np.testing.assert_array_equal(weighted.errors, plain.errors * weight)
    for k in plain.counts.tolist():
        np.testing.assert_array_equal(weighted.keys(k), plain.keys(k))


@pytest.mark.parametrize("objective", SQUARED)
def test_only_the_weights_of_the_range_count(objective: str) -> None:
    motion, weights = smooth_motion(), np.random.default_rng(1).uniform(0.5, 2.0, 60)
    part = Motion(motion.positions[10:41], frames=motion.frames[10:41], parents=motion.parents)
    alone = select(part, objective=objective, frame_weights=weights[10:41])
    assert_same(
        alone.shifted(10),
        select(motion, objective=objective, frame_weights=weights, frame_range=(10.0, 40.0)),
    )


def test_a_heavy_stretch_gets_more_keys() -> None:
    motion, weights = smooth_motion(120), np.ones(120)
    weights[80:] = 1e4
    light, heavy = (select(motion, frame_weights=w).keys(12) for w in (None, weights))
    assert np.sum(heavy >= 80) > np.sum(light >= 80)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.ones(59), "one frame weight for each of the 60"),
        (np.ones((60, 1)), "one frame weight for each of the 60"),
        (np.zeros(60), "above zero"),
        (np.full(60, np.nan), "finite"),
        ("heavy", "numbers"),
    ],
)
def test_weights_that_cannot_be_used_are_refused(weights, words: str) -> None:
    with pytest.raises(InputError, match=words):
        select(smooth_motion(), frame_weights=weights)


def test_what_cannot_weigh_frames_says_so() -> None:
    for objective in set(OBJECTIVES) - set(SQUARED):
        with pytest.raises(InputError, match="choose one of curve, chord, hold"):
            select(smooth_motion(), objective=objective, frame_weights=np.ones(60))
    for name, entry in ALGORITHMS.items():
        if not entry.weighted:
            with pytest.raises(InputError, match="cannot weigh frames"):
                select(smooth_motion(), name, frame_weights=np.ones(60))
