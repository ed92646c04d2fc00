# SPDX-License-Identifier: GPL-3.0-or-later
"""What every selection algorithm promises, run over all of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from core import ALGORITHMS, Cancelled, InputError, Motion, select

PARENTS = (-1, 0, 1, 2, 0, 4)

every_algorithm = pytest.mark.parametrize("name", sorted(ALGORITHMS))
every_objective = pytest.mark.parametrize(
    ("name", "objective"),
    [(name, objective) for name, entry in sorted(ALGORITHMS.items()) for objective in entry.objectives],
)
nested_algorithms = pytest.mark.parametrize(
    "name", sorted(name for name, entry in ALGORITHMS.items() if entry.nested)
)


def smooth_motion(count: int = 60, joints: int = 6, seed: int = 1, **keywords) -> Motion:
    """A walk of smooth waves on a grid of 1/1024, so that whole offsets can be added without rounding."""
    rng = np.random.default_rng(seed)
    time = np.arange(count)[:, None, None] / max(count - 1, 1)
    waves = sum(
        rng.normal(size=(1, joints, 3))
        / octave
        * np.sin(2 * np.pi * (octave * time + rng.random((1, joints, 3))))
        for octave in range(1, 6)
    )
    positions = np.round((waves + time * [3.0, 0.0, 0.0]) * 1024) / 1024
    keywords.setdefault("parents", PARENTS[:joints])
    return Motion(positions, **keywords)


def assert_promises(solutions, motion: Motion, fixed=(), first: int = 0, last: int | None = None) -> None:
    last = len(motion) - 1 if last is None else last
    always = {first, last, *fixed}
    assert len(solutions) == len(solutions.counts) == len(solutions.errors) > 0
    assert np.all(np.diff(solutions.counts) > 0)
    assert solutions.counts[0] >= 1
    assert np.all(np.isfinite(solutions.errors))
    assert np.all(solutions.errors >= 0.0)
    for k in solutions.counts.tolist():
        keys = solutions.keys(k)
        assert keys.dtype == np.int64
        assert len(keys) == k
        assert np.all(np.diff(keys) > 0)
        assert keys[0] >= first
        assert keys[-1] <= last
        assert always <= set(keys.tolist())
        assert math.isfinite(solutions.error(k))


def assert_same(one, other) -> None:
    assert one.counts.tolist() == other.counts.tolist()
    np.testing.assert_array_equal(one.errors, other.errors)
    for k in one.counts.tolist():
        np.testing.assert_array_equal(one.keys(k), other.keys(k))


def assert_alike(one, other, scale: float = 1.0) -> None:
    """Equal up to rounding, which may settle a tie differently: errors decide."""
    assert one.counts.tolist() == other.counts.tolist()
    largest = max(float(np.max(one.errors)), 1e-12)
    np.testing.assert_allclose(other.errors, one.errors * scale, rtol=1e-6, atol=1e-8 * largest * scale)


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


# Input at the edge of sense


@every_objective
def test_two_frames_are_two_keys(name, objective):
    solutions = select(smooth_motion(2), name, objective=objective)
    assert solutions.counts.tolist() == [2]
    assert solutions.keys(2).tolist() == [0, 1]
    assert solutions.error(2) == pytest.approx(0.0, abs=1e-12)


@every_objective
@pytest.mark.parametrize("frames", [3, 4, 5])
def test_very_short_clips(name, objective, frames):
    motion = smooth_motion(frames)
    assert_promises(select(motion, name, objective=objective, max_keys=frames), motion)


@every_objective
def test_a_motionless_clip_has_no_error(name, objective):
    pose = np.random.default_rng(2).normal(size=(1, 6, 3))
    motion = Motion(np.repeat(pose, 40, axis=0), channels=np.full((40, 5), 33.3), parents=PARENTS)
    solutions = select(motion, name, objective=objective)
    assert_promises(solutions, motion)
    np.testing.assert_allclose(solutions.errors, 0.0, atol=1e-12)


@nested_algorithms
def test_keys_of_a_motionless_clip_are_spread(name):
    keys = select(np.zeros((65, 2, 3)), name).keys(9)
    assert np.diff(keys).max() <= 16


@every_objective
def test_held_and_repeated_poses(name, objective):
    positions = np.repeat(smooth_motion(12).positions, 5, axis=0)
    motion = Motion(positions, parents=PARENTS)
    assert_promises(select(motion, name, objective=objective, max_keys=60), motion)


@every_objective
def test_one_joint_on_a_straight_line(name, objective):
    positions = np.zeros((40, 1, 3))
    positions[:, 0, 0] = np.sin(np.linspace(0.0, 7.0, 40))
    motion = Motion(positions)
    assert_promises(select(motion, name, objective=objective, max_keys=40), motion)


@every_objective
@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_tiny_and_huge_characters(name, objective, scale):
    motion = smooth_motion()
    solutions = select(Motion(motion.positions * scale, parents=PARENTS), name, objective=objective)
    assert_promises(solutions, motion)


@every_algorithm
def test_one_frame_is_refused(name):
    with pytest.raises(InputError, match="one frame"):
        select(smooth_motion(1), name)
    with pytest.raises(InputError, match="one frame"):
        select(smooth_motion(), name, frame_range=(5, 5))


@every_algorithm
@pytest.mark.parametrize(
    ("positions", "message"),
    [
        (np.zeros((0, 2, 3)), "no frames"),
        (np.zeros((9, 0, 3)), "no joints"),
        (np.zeros((9, 3)), "shape"),
        (np.zeros((9, 2, 2)), "shape"),
        (np.full((9, 2, 3), np.nan), "finite"),
        (np.full((9, 2, 3), np.inf), "finite"),
        (np.full((9, 2, 3), 1e200), "finite numbers up to"),
        (np.zeros((9, 2, 3), dtype=complex), "array of numbers"),
        ("a walk", "array of numbers"),
        ([[[1, 2, 3]], [[1, 2]]], "array of numbers"),
        (None, "shape|numbers"),
    ],
)
def test_positions_that_make_no_sense_are_refused(name, positions, message):
    with pytest.raises(InputError, match=message):
        select(positions, name)


@every_algorithm
@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"weights": np.zeros(6)}, "weight zero"),
        ({"weights": [1, 1, 1, 1, 1, -1]}, "negative"),
        ({"weights": [1, 1]}, "one weight"),
        ({"weights": [1, 1, 1, 1, 1, np.nan]}, "finite"),
        ({"max_keys": 1}, "2 or more"),
        ({"max_keys": -4}, "2 or more"),
        ({"max_keys": 2.5}, "whole number"),
        ({"max_keys": float("nan")}, "whole number"),
        ({"max_keys": "many"}, "whole number"),
        ({"max_keys": 3, "fixed": [5, 9]}, "4 frames are fixed"),
        ({"fixed": [60]}, "outside the motion"),
        ({"fixed": [-1]}, "outside the motion"),
        ({"fixed": [1.5]}, "whole number"),
        ({"fixed": ["first"]}, "whole number"),
        ({"fixed": 7}, "list of rows"),
        ({"space": "local"}, "no space"),
        ({"frame_range": (70, 90)}, "No frame"),
        ({"frame_range": (20, 10)}, "No frame"),
        ({"frame_range": 20}, "first and a last frame"),
        ({"frame_range": (20,)}, "first and a last frame"),
        ({"loudness": 3}, "no option"),
    ],
)
def test_questions_that_make_no_sense_are_refused(name, keywords, message):
    with pytest.raises(InputError, match=message):
        select(smooth_motion(), name, **keywords)


def test_unknown_names_are_refused_with_the_known_ones():
    with pytest.raises(InputError, match="greedy"):
        select(smooth_motion(), "magic")


@every_algorithm
def test_options_are_described_and_checked(name):
    for option_name, option in ALGORITHMS[name].options.items():
        assert len(option.description) > 20, option_name
        assert not option.description.endswith("."), "Blender adds the full stop of a tooltip"
        if option.choices:
            assert option.default in option.choices
            wrong = ["nonsense", 7]
        elif isinstance(option.default, bool):
            wrong = ["yes", 2]
        else:
            wrong = ["many", float("nan")]
            if option.minimum is not None:
                wrong.append(option.minimum - 1)
            if option.maximum is not None:
                wrong.append(option.maximum + 1)
        for value in wrong:
            with pytest.raises(InputError, match=option_name):
                select(smooth_motion(), name, **{option_name: value})


@every_algorithm
def test_entries_of_the_registry_describe_themselves(name):
    entry = ALGORITHMS[name]
    assert entry.name == name
    assert entry.label
    assert entry.paper
    assert len(entry.description) > 40
    assert entry.objectives


# Whatever else one can think of: a right answer or a sentence, never another exception or a warning

numbers = st.floats(allow_nan=True, allow_infinity=True, width=64) | st.sampled_from(
    [0.0, -0.0, 1e-308, 1e300, 1.0]
)


@st.composite
def odd_positions(draw):
    frames, joints = draw(st.integers(0, 9)), draw(st.integers(0, 3))
    count = frames * joints * 3
    values = draw(st.lists(numbers, min_size=min(count, 12), max_size=min(count, 12)))
    return np.resize(np.array(values or [0.0]), (frames, joints, 3))


junk = (
    st.none()
    | st.text(max_size=3)
    | numbers
    | st.lists(numbers | st.text(max_size=2) | st.none() | st.integers(-2, 9), max_size=6)
    | st.lists(st.lists(numbers, max_size=4), max_size=6)
    | st.complex_numbers()
)


@settings(max_examples=300, deadline=None)
@example(keywords={"parents": [-1, 0, 1e25]})
@given(
    keywords=st.dictionaries(
        st.sampled_from(["frames", "fps", "channels", "owners", "parents", "weights", "matrices"]),
        junk,
        max_size=3,
    ),
)
def test_any_motion_is_made_or_refused_with_a_sentence(keywords):
    sentence = "."
    try:
        motion = Motion(np.zeros((4, 3, 3)), **keywords)
    except InputError as error:
        sentence = str(error)
    else:
        assert len(motion) == 4
        assert np.all(np.isfinite(motion.points()))
    assert sentence.endswith(".")


@every_objective
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    positions=odd_positions(),
    fixed=st.lists(st.integers(-1, 9), max_size=3),
    max_keys=st.none() | st.integers(-1, 12),
    weights=st.none() | st.lists(numbers, min_size=1, max_size=3),
)
def test_any_input_gets_an_answer_or_a_sentence(name, objective, positions, fixed, max_keys, weights):
    try:
        solutions = select(
            positions, name, objective=objective, fixed=fixed, max_keys=max_keys, weights=weights
        )
    except InputError as error:
        sentence = str(error)
    else:
        sentence = "."
        assert_promises(solutions, Motion(positions), fixed=fixed)
    assert sentence.endswith(".")
