# SPDX-License-Identifier: GPL-3.0-or-later
"""`decimation` against a plain solver that measures every removal on the whole motion."""

from __future__ import annotations

import numpy as np
import pytest

from core import InputError, Motion, select
from core.selection.weights import hierarchical_weights

PARENTS = (-1, 0, 1, 0)


def total_error(curves, weights, times, keys) -> float:
    played = np.stack([np.interp(times, times[keys], curve[keys]) for curve in curves.T], axis=1)
    return float((np.abs(played - curves) * weights).sum())


def plain_decimation(curves, weights, times, fixed) -> tuple[list[int], list[float]]:
    """Rows in the order of their removal and the total error after each."""
    keys = list(range(len(curves)))
    removed, errors = [], []
    while len(keys) > len(fixed):
        trials = {
            row: total_error(curves, weights, times, [key for key in keys if key != row])
            for row in keys
            if row not in fixed
        }
        row = min(trials, key=trials.get)
        keys.remove(row)
        removed.append(row)
        errors.append(trials[row])
    return removed, errors


def random_motion(seed: int, frames=24, **keywords) -> Motion:
    rng = np.random.default_rng(seed)
    return Motion(
        rng.normal(size=(frames, 4, 3)).cumsum(axis=0),
        channels=rng.normal(size=(frames, 6)).cumsum(axis=0),
        owners=[0, 0, 1, 2, 3, -1],
        parents=PARENTS,
        frames=np.sort(rng.choice(1000, frames, replace=False)) / 4.0,
        **keywords,
    )


def assert_agrees(solutions, curves, weights, times, fixed) -> None:
    removed, errors = plain_decimation(curves, weights, times, fixed)
    np.testing.assert_array_equal(solutions.ranking[len(fixed) :], removed[::-1])
    scale = weights.sum() * len(curves)
    for k, error in zip(range(len(curves) - 1, len(fixed) - 1, -1), errors, strict=True):
        assert solutions.error(k) == pytest.approx(error / scale, rel=1e-9)


@pytest.mark.parametrize("fixed", [(), (5, 11)])
@pytest.mark.parametrize("seed", range(3))
def test_positions_agree_with_measuring_every_removal(seed, fixed):
    motion = random_motion(seed)
    joint_weights = np.array([1.0, 2.0, 0.5, 3.0])
    solutions = select(
        motion, "decimation", curves="positions", fixed=fixed, weights=joint_weights, max_keys=24
    )
    curves = motion.positions.reshape(24, -1)
    assert_agrees(solutions, curves, np.repeat(joint_weights, 3), motion.frames, {0, 23, *fixed})


@pytest.mark.parametrize("hierarchy", [True, False])
def test_channels_count_for_the_joints_that_they_move(hierarchy):
    motion = random_motion(7)
    solutions = select(motion, "decimation", hierarchy=hierarchy, max_keys=24)
    moved = hierarchical_weights(motion) if hierarchy else np.ones(4)
    weights = np.array([moved[0], moved[0], moved[1], moved[2], moved[3], 1.0])
    assert_agrees(solutions, motion.channels, weights, motion.frames, {0, 23})


def test_body_curves_do_not_see_travel():
    motion = random_motion(8)
    way = np.random.default_rng(1).normal(size=(24, 1, 3)).cumsum(axis=0)
    travelled = Motion(motion.positions + way, parents=PARENTS, frames=motion.frames)
    one = select(motion, "decimation", curves="body")
    other = select(travelled, "decimation", curves="body")
    np.testing.assert_array_equal(one.ranking, other.ranking)


def test_all_frames_are_ranked_whatever_is_offered():
    solutions = select(random_motion(2), "decimation", max_keys=5)
    assert sorted(solutions.ranking.tolist()) == list(range(24))
    assert solutions.counts.tolist() == [2, 3, 4, 5]


def test_a_frame_on_the_line_goes_first_and_costs_nothing():
    positions = np.zeros((9, 1, 3))
    positions[:, 0, 0] = [0, 1, 2, 3, 4, 3, 2, 1, 0]
    solutions = select(positions, "decimation", max_keys=9)
    assert solutions.keys(3).tolist() == [0, 4, 8]
    assert solutions.error(3) == pytest.approx(0.0, abs=1e-15)
    assert solutions.error(2) == pytest.approx((1 + 2 + 3 + 4 + 3 + 2 + 1) / 27)


def test_time_reversed_ranks_the_same_frames():
    motion = random_motion(3)
    backwards = Motion(motion.positions[::-1], parents=PARENTS, frames=-motion.frames[::-1])
    one, other = select(motion, "decimation", curves="positions"), select(backwards, "decimation")
    np.testing.assert_array_equal(one.ranking[2:], 23 - other.ranking[2:])


def test_hierarchical_weights_follow_the_skeleton():
    motion = Motion(np.zeros((2, 4, 3)), parents=PARENTS)
    np.testing.assert_allclose(hierarchical_weights(motion), np.array([4, 2, 1, 1]) / 2.0)


def test_channels_that_are_not_there_are_refused():
    with pytest.raises(InputError, match="no animated channels"):
        select(np.zeros((5, 1, 3)), "decimation", curves="channels")


def test_channels_of_weightless_joints_are_refused():
    motion = Motion(np.zeros((5, 2, 3)), channels=np.zeros((5, 1)), owners=[0], weights=[0.0, 1.0])
    with pytest.raises(InputError, match="look at positions"):
        select(motion, "decimation")


@pytest.mark.parametrize("hierarchy", [True, False])
@pytest.mark.parametrize("scale", [0.01, 39.37])
def test_the_unit_of_length_does_not_matter(scale, hierarchy):
    motion = random_motion(9)
    kinds = ("location", "location", "location", "euler", "euler", "quaternion")
    lengths = np.array([kind == "location" for kind in kinds])

    def ranking(unit: float) -> list[int]:
        scaled = Motion(
            motion.positions * unit,
            channels=np.where(lengths, motion.channels * unit, motion.channels),
            owners=motion.owners,
            kinds=kinds,
            parents=PARENTS,
            frames=motion.frames,
        )
        return select(scaled, "decimation", hierarchy=hierarchy).ranking.tolist()

    assert ranking(scale) == ranking(1.0)


def test_angles_count_beside_the_way_of_the_root():
    """An arm's swing of a radian is as much as a step of the body's own size, in whatever unit that is."""
    positions = np.zeros((9, 2, 3))
    positions[:, 1, 2] = 100.0  # centimetres from the hips
    channels = np.zeros((9, 2))
    channels[3, 0] = 30.0  # a step of 30 cm
    channels[6, 1] = 0.5  # a swing of half a radian
    motion = Motion(positions, channels=channels, owners=[0, 1], kinds=["location", "euler"])
    keys = select(motion, "decimation", max_keys=5).keys(5)
    assert 6 in keys
    assert 3 not in keys


@pytest.mark.parametrize(("kinds", "why"), [(["euler"], "one kind for each"), (["euler", "pose"], "'pose'")])
def test_kinds_that_make_no_sense_are_refused(kinds, why):
    with pytest.raises(InputError, match=why):
        Motion(np.zeros((2, 1, 3)), channels=np.zeros((2, 2)), kinds=kinds)
