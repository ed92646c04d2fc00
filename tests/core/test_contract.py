# SPDX-License-Identifier: GPL-3.0-or-later
"""What every selection algorithm promises, run over all of them."""

from __future__ import annotations

import numpy as np
import pytest

from core import ALGORITHMS, Cancelled, InputError, Motion, select
from tests.core.contract import (
    PARENTS,
    assert_alike,
    assert_promises,
    assert_same,
    every_algorithm,
    every_objective,
    nested_algorithms,
    smooth_motion,
)

# What comes back


@every_objective
def test_every_solution_has_ascending_keys_with_both_ends(name, objective):
    motion = smooth_motion()
    solutions = select(motion, name, objective=objective)
    assert_promises(solutions, motion)
    assert solutions.algorithm == name
    assert solutions.objective == objective
    assert solutions.counts[-1] == len(motion) // 2


@every_objective
def test_max_keys_up_to_every_frame(name, objective):
    motion = smooth_motion(24)
    for most in (2, 3, 10, 24, 1000):
        solutions = select(motion, name, objective=objective, max_keys=most)
        assert_promises(solutions, motion)
        assert solutions.counts[-1] == min(most, 24)
    assert solutions.keys(24).tolist() == list(range(24))
    assert solutions.error(24) == pytest.approx(0.0, abs=1e-9)


@every_objective
def test_fixed_frames_are_keys_of_every_solution(name, objective):
    motion = smooth_motion()
    solutions = select(motion, name, objective=objective, fixed=[31, 7, 7, 0])
    assert_promises(solutions, motion, fixed=(7, 31))
    assert solutions.counts[0] == 4


@every_algorithm
def test_every_frame_may_be_fixed(name):
    motion = smooth_motion(12)
    solutions = select(motion, name, fixed=iter(range(12)))
    assert solutions.counts.tolist() == [12]


@every_objective
def test_the_same_question_gets_the_same_answer(name, objective):
    motion = smooth_motion()
    assert_same(select(motion, name, objective=objective), select(motion, name, objective=objective))


@nested_algorithms
def test_nested_solutions_are_the_beginning_of_a_ranking(name):
    solutions = select(smooth_motion(), name, fixed=[20])
    ranking = solutions.ranking
    assert len(np.unique(ranking)) == len(ranking) >= solutions.counts[-1]
    for k in solutions.counts.tolist():
        assert solutions.keys(k).tolist() == sorted(ranking[:k].tolist())


@every_algorithm
def test_only_nested_algorithms_give_a_ranking(name):
    assert (select(smooth_motion(), name).ranking is not None) == ALGORITHMS[name].nested


@every_algorithm
def test_its_own_number_of_keys_can_be_browsed_to(name):
    own = select(smooth_motion(), name, max_keys=60).own_count
    assert own is None or 2 <= own <= 60


@every_algorithm
def test_a_count_that_is_not_offered_is_refused(name):
    solutions = select(smooth_motion(), name)
    for k in (0, -3, 31, 10_000):
        with pytest.raises(InputError, match="There is no solution"):
            solutions.keys(k)


@every_algorithm
def test_the_input_is_left_as_it_was(name):
    positions = smooth_motion().positions.copy()
    channels = np.random.default_rng(3).normal(size=(60, 9)).cumsum(axis=0)
    before = positions.copy(), channels.copy()
    select(Motion(positions, channels=channels), name)
    np.testing.assert_array_equal(positions, before[0])
    np.testing.assert_array_equal(channels, before[1])


@every_objective
def test_channels_may_be_looked_at_as_well(name, objective):
    rng = np.random.default_rng(4)
    motion = smooth_motion(
        channels=rng.normal(size=(60, 8)).cumsum(axis=0),
        owners=[0, 0, 1, 2, 3, 4, 5, -1],
        frames=np.arange(60) * 2.0 - 30.0,
    )
    solutions = select(motion, name, objective=objective, frame_range=(-10.0, 70.0), fixed=[30])
    assert_promises(solutions, motion, fixed=(30,), first=10, last=50)


@every_algorithm
def test_entries_of_the_registry_describe_themselves(name):
    entry = ALGORITHMS[name]
    assert entry.name == name
    assert entry.label
    assert entry.paper
    assert len(entry.description) > 40
    assert entry.objectives


# Range, space, weights


@every_objective
def test_a_frame_range_is_solved_alone(name, objective):
    motion = smooth_motion(frames=np.arange(60) * 0.5 - 3.0, fps=30.0)
    solutions = select(motion, name, objective=objective, frame_range=(2.0, 17.0), fixed=[0, 25, 59])
    assert_promises(solutions, motion, fixed=(25,), first=10, last=40)
    alone = select(
        Motion(motion.positions[10:41], frames=motion.frames[10:41], fps=30.0, parents=PARENTS),
        name,
        objective=objective,
        fixed=[15],
    )
    assert_same(alone.shifted(10), solutions)


@every_objective
def test_root_space_does_not_see_travel(name, objective):
    motion = smooth_motion()
    way = np.round(np.random.default_rng(5).normal(size=(60, 1, 3)).cumsum(axis=0) * 64) / 64
    travelled = Motion(motion.positions + way, parents=PARENTS)
    assert_same(
        select(motion, name, objective=objective, space="root"),
        select(travelled, name, objective=objective, space="root"),
    )


@every_objective
def test_armature_space_does_not_see_the_object_move(name, objective):
    motion = smooth_motion()
    angles = np.linspace(0.0, 2.0, 60)
    matrices = np.zeros((60, 4, 4))
    matrices[:, 0, 0] = matrices[:, 1, 1] = np.cos(angles)
    matrices[:, 1, 0] = np.sin(angles)
    matrices[:, 0, 1] = -np.sin(angles)
    matrices[:, 2, 2] = matrices[:, 3, 3] = 1.0
    matrices[:, :3, 3] = np.random.default_rng(6).normal(size=(60, 3)).cumsum(axis=0)
    world = np.einsum("fij,fkj->fki", matrices[:, :3, :3], motion.positions) + matrices[:, None, :3, 3]
    seen = Motion(world, parents=PARENTS, matrices=matrices)
    assert_alike(
        select(motion, name, objective=objective, max_keys=12),
        select(seen, name, objective=objective, max_keys=12, space="armature"),
    )


@every_objective
def test_a_joint_of_weight_two_counts_like_two_joints(name, objective):
    motion = smooth_motion()
    twice = Motion(
        np.concatenate([motion.positions, motion.positions[:, 3:4]], axis=1), parents=[*PARENTS, 2]
    )
    weights = np.ones(6)
    weights[3] = 2.0
    assert_alike(
        select(twice, name, objective=objective, max_keys=12),
        select(motion, name, objective=objective, max_keys=12, weights=weights),
    )


@every_objective
def test_a_joint_without_weight_does_not_count(name, objective):
    motion = smooth_motion()
    weights = np.ones(6)
    weights[5] = 0.0
    noisy = motion.positions.copy()
    noisy[:, 5] += np.random.default_rng(7).normal(size=(60, 3)) * 50.0
    assert_same(
        select(motion, name, objective=objective, weights=weights),
        select(Motion(noisy, parents=PARENTS), name, objective=objective, weights=weights),
    )


@every_objective
def test_a_character_far_away_gets_the_same_keys(name, objective):
    motion = smooth_motion()
    far = Motion(motion.positions + np.array([2.0**40, -(2.0**39), 2.0**38]), parents=PARENTS)
    assert_same(select(motion, name, objective=objective), select(far, name, objective=objective))


@every_objective
def test_float32_is_as_good_as_its_digits(name, objective):
    motion = smooth_motion()
    small = Motion(motion.positions.astype(np.float32), parents=np.array(PARENTS, dtype=np.int32))
    assert_same(select(motion, name, objective=objective), select(small, name, objective=objective))


# Progress


@every_objective
def test_progress_rises_from_zero_to_one(name, objective):
    reports = []
    select(smooth_motion(200), name, objective=objective, progress=reports.append)
    assert reports[0] == 0.0
    assert reports[-1] == 1.0
    assert np.all(np.diff(reports) >= 0.0)
    assert len(reports) > 2


@every_objective
def test_progress_can_cancel_at_any_report(name, objective):
    motion = smooth_motion(200)
    reports = []
    select(motion, name, objective=objective, progress=reports.append)
    for last in {1, 2, len(reports) // 2, len(reports)}:
        calls = []

        def cancel(fraction, calls=calls, last=last):
            calls.append(fraction)
            return len(calls) < last

        with pytest.raises(Cancelled):
            select(motion, name, objective=objective, progress=cancel)
        assert len(calls) == last
