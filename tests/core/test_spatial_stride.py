# SPDX-License-Identifier: GPL-3.0-or-later
"""A walk along a path: keys are gone around, paths are evened out, and feet stay where they step."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import InputError
from core.spatial import Course, GroundPath, Ring, Stride, foot_shift

SQUARE = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 2.0], [-1.0, 0.0, 2.0], [0.0, -1.0, 2.0]])


def test_four_keys_in_a_square_make_a_circle():
    rounds = np.linspace(0.0, 1.0, 41)
    expected = np.stack([np.cos(2 * np.pi * rounds), np.sin(2 * np.pi * rounds), np.full(41, 2.0)], axis=1)
    assert np.allclose(Ring(SQUARE).at(rounds), expected)
    assert np.allclose(Ring(SQUARE).at(-rounds), expected * [1, -1, 1])
    assert np.allclose(Ring(SQUARE).at(rounds + 3.0), expected)


@settings(deadline=None)
@given(st.integers(3, 9), st.integers(0, 10_000))
def test_a_ring_goes_through_every_key_once_a_round(count, seed):
    random = np.random.default_rng(seed)
    angles = np.arange(count) * 2 * np.pi / count
    angles[1:] += random.uniform(-0.2, 0.2, count - 1) / count
    places = np.stack([np.cos(angles), np.sin(angles), random.uniform(-0.05, 0.05, count)], axis=1)
    places *= random.uniform(0.7, 1.3, count)[:, None]
    turn, _ = np.linalg.qr(random.normal(size=(3, 3)))
    places = places @ turn.T + random.normal(size=3)
    way = Ring(places).at(np.linspace(0.0, 1.0, 20_001))
    near = np.linalg.norm(places[:, None] - way, axis=2)
    assert near.min(axis=1).max() < 2e-3
    assert np.allclose(way[0], way[-1])
    assert np.linalg.norm(np.diff(way, axis=0), axis=1).max() < 0.02, "it never leaps"
    order = near.argmin(axis=1)
    assert order[0] in (0, 20_000)
    assert order[1] < 10_000, "the second key is on the way out, not on the way back"


@pytest.mark.parametrize(
    ("places", "said"),
    [(SQUARE[:2], "Three keys"), (np.outer(np.arange(4.0), [1, 2, 3]), "on a line")],
)
def test_nothing_goes_around_few_keys_or_a_line(places, said):
    with pytest.raises(InputError, match=said):
        Ring(places)


def test_a_circle_that_was_drawn_is_known_by_its_length():
    angles = np.linspace(0.0, np.pi, 400)
    path = GroundPath(5.0 * np.stack([np.cos(angles), np.sin(angles)], axis=1), 0.2)
    lengths = np.linspace(0.0, path.length, 50)
    assert path.length == pytest.approx(5.0 * np.pi, rel=0.01)
    assert np.linalg.norm(path.places(lengths), axis=1) == pytest.approx(5.0, abs=0.02)
    inside = slice(3, -3)
    expected = np.pi / 2 + lengths[inside] / 5.0
    assert path.headings(lengths)[inside] == pytest.approx(expected, abs=0.02), "without a jump at the top"


def test_a_trembling_hand_and_corners_are_evened_out_between_the_ends():
    random = np.random.default_rng(1)
    drawn = np.stack([np.linspace(0.0, 10.0, 300), 0.05 * random.normal(size=300)], axis=1)
    path = GroundPath(drawn, 0.5)
    assert path.length == pytest.approx(10.0, abs=0.1)
    assert np.abs(path.headings(np.linspace(0.5, path.length - 0.5, 50))).max() < 0.2
    assert np.allclose(path.places(np.array([0.0, path.length])), drawn[[0, -1]])
    assert (np.diff(path.lengths) >= 0.0).all()
    corner = GroundPath([[0.0, 0.0], [5.0, 0.0], [5.0, 5.0]], 0.5)
    turned = np.diff(corner.headings(np.linspace(0.0, corner.length, 101)))
    assert turned.sum() == pytest.approx(np.pi / 2, abs=1e-3)
    assert turned.max() < 0.3


def test_a_path_without_a_length_is_refused():
    with pytest.raises(InputError, match="no length"):
        GroundPath([[1.0, 1.0], [1.0, 1.0]], 0.1)


def test_a_stride_is_steady_and_repeats():
    phases = np.linspace(0.0, 1.0, 97)
    carried = phases - np.sin(4 * np.pi * phases) / (4 * np.pi)  # it halts twice, as both feet stand
    stride = Stride.of(0.9 * carried)
    assert stride.length == pytest.approx(0.9)
    lengths = np.linspace(0.0, 2.7, 300)
    rounds = stride.rounds(lengths)
    assert rounds[[0, -1]] == pytest.approx([0.0, 3.0])
    assert (np.diff(rounds) > 0.0).all()
    assert stride.rounds(lengths + 0.9) == pytest.approx(rounds + 1.0)
    away = np.abs(0.9 * np.interp(rounds % 1.0, phases, carried) + 0.9 * np.floor(rounds) - lengths)
    assert away.max() < 0.06 * 0.9, "the feet carry it about as far"


def wandering(frames, seed):
    """A body that goes and turns, and one that follows its feet straight ahead."""
    random = np.random.default_rng(seed)
    turn = np.cumsum(random.normal(size=frames) * 0.03)
    move = np.cumsum((0.05 + 0.01 * random.normal(size=frames)) * np.exp(1j * turn))
    straight = np.cumsum(0.05 + 0.005 * random.normal(size=frames)) + 0.01j * random.normal(size=frames)
    return Course(turn, move), straight


@settings(deadline=None)
@given(st.integers(0, 10_000))
def test_feet_stay_where_they_step_whatever_the_course(seed):
    course, straight = wandering(80, seed)
    stances = [(5, 20), (35, 50), (62, 70)]
    random = np.random.default_rng(seed)
    foot = random.normal(size=80) + 1j * random.normal(size=80)
    for first, last in stances:  # as the feet carry it, a foot that stands does not move
        foot[first : last + 1] = random.normal() - straight[first : last + 1]
    shift = foot_shift(stances, straight, course)
    seen = np.exp(1j * shift.turn) * foot + shift.move
    placed = course.move + np.exp(1j * course.turn) * seen
    turned = course.turn + shift.turn
    for first, last in stances:
        rows = slice(first, last + 1)
        assert np.abs(placed[rows] - placed[first]).max() < 1e-9
        assert np.ptp(turned[rows]) < 1e-12
    # In the middle of a step the body sees its foot where the pose has it.
    assert shift.turn[42] == pytest.approx(0.0)
    assert shift.move[42] == pytest.approx(0.0)
    assert np.abs(np.diff(shift.move)).max() < 0.5, "between two steps it goes over without a leap"


def test_straight_ahead_nothing_is_shifted():
    straight = np.linspace(0.0, 4.0, 60) + 0j
    course = Course(np.full(60, 0.7), (3.0 + 1j) + np.exp(0.7j) * straight)
    shift = foot_shift([(0, 20), (30, 50)], straight, course)
    assert np.abs(shift.turn).max() < 1e-12
    assert np.abs(shift.move).max() < 1e-12


def test_a_foot_that_never_stands_is_left_alone():
    course, straight = wandering(30, 1)
    shift = foot_shift([], straight, course)
    assert not shift.turn.any()
    assert not shift.move.any()
