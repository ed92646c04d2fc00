# SPDX-License-Identifier: GPL-3.0-or-later
"""What every selection algorithm makes of odd input: a right answer or a sentence, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from core import ALGORITHMS, InputError, Motion, select
from tests.core.contract import (
    PARENTS,
    assert_promises,
    every_algorithm,
    every_objective,
    nested_algorithms,
    smooth_motion,
)

# At the edge of sense


@every_objective
def test_two_frames_are_two_keys(name, objective):
    solutions = select(smooth_motion(2), name, objective=objective)
    assert solutions.counts.tolist() == [2]
    assert solutions.keys(2).tolist() == [0, 1]
    assert solutions.error(2) == pytest.approx(0.0, abs=1e-12)


@every_objective
def test_two_frames_of_a_longer_clip_and_no_more_keys_than_two(name, objective):
    motion = smooth_motion()
    solutions = select(motion, name, objective=objective, frame_range=(20, 21), max_keys=2)
    assert solutions.counts.tolist() == [2]
    assert solutions.keys(2).tolist() == [20, 21]


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


# Without sense


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


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"frames": [1, 2, 2, 3]}, "2 is followed by 2"),
        ({"frames": [1, 2, 4, 3]}, "4 is followed by 3"),
        ({"frames": [1, 2, 3]}, "one frame number for each of the 4 rows"),
        ({"parents": [-1, 2, 1]}, "form a loop"),
        ({"parents": [-1, 1, 0]}, "form a loop"),
        ({"parents": [1, 2, 0]}, "form a loop"),
        ({"parents": [-1, 0, 3]}, "joint numbers"),
        ({"parents": [-1, 0, -2]}, "joint numbers"),
        ({"parents": [-1, 0, 0.5]}, "whole numbers"),
        ({"matrices": np.tile(np.eye(4), (3, 1, 1))}, "shape"),
    ],
)
def test_motions_that_make_no_sense_are_refused(keywords, message):
    with pytest.raises(InputError, match=message):
        Motion(np.zeros((4, 3, 3)), **keywords)


def test_parents_may_come_in_any_order():
    assert Motion(np.zeros((4, 3, 3)), parents=[2, 0, -1]).root == 2


def test_an_armature_scaled_to_zero_in_one_frame_alone_is_told():
    matrices = np.tile(np.eye(4), (60, 1, 1))
    matrices[31, :3, :3] = 0.0
    motion = Motion(smooth_motion().positions, matrices=matrices)
    with pytest.raises(InputError, match="scaled to zero in some frame"):
        select(motion, space="armature")


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
            if option.whole:
                wrong.append((option.minimum or 0) + 0.5)
        for value in wrong:
            with pytest.raises(InputError, match=option_name):
                select(smooth_motion(), name, **{option_name: value})


# Whatever else one can think of: never another exception or a warning

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
