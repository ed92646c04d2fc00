# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses find their places by likeness."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import InputError
from core.spatial import Likeness, places_that_play


@pytest.fixture
def random():
    return np.random.default_rng(3)


def spread(random, count=200, width=12, sizes=(5.0, 2.0, 1.0)):
    """Poses in a space of `width` that really has three directions, and where they are in it."""
    inside = random.uniform(-1.0, 1.0, (count, 3)) * sizes
    directions = np.linalg.qr(random.normal(size=(width, 3)))[0].T
    return inside @ directions + random.normal(size=width), inside


def test_distances_are_kept_where_three_directions_tell_everything(random):
    poses, inside = spread(random)
    likeness = Likeness(poses, inside)
    places = likeness.places(poses)
    assert likeness.told == pytest.approx(1.0)
    assert np.abs(places).max() == pytest.approx(1.0)
    between = np.linalg.norm(places[:, None] - places[None], axis=-1)
    really = np.linalg.norm(inside[:, None] - inside[None], axis=-1)
    np.testing.assert_allclose(between / between.max(), really / really.max(), atol=1e-9)


def test_it_agrees_with_the_covariance(random):
    poses = random.normal(size=(300, 7)) * [5, 4, 3, 0.1, 0.1, 0.1, 0.1]
    places = Likeness(poses, np.zeros((300, 3))).places(poses)
    largest = np.linalg.eigvalsh(np.cov(poses.T))[::-1][:3]
    mine = places.var(axis=0, ddof=1)
    np.testing.assert_allclose(mine / mine[0], largest / largest[0], rtol=1e-9)


def test_guides_give_directions_their_sign(random):
    poses, inside = spread(random)
    for signs in ((1, 1, 1), (-1, 1, -1), (1, -1, -1)):
        places = Likeness(poses, inside * signs).places(poses)
        assert (np.sum(places * inside * signs, axis=0) > 0.0).all()


def test_what_cannot_be_placed_is_told():
    with pytest.raises(InputError, match="at least two"):
        Likeness(np.ones((1, 4)), np.zeros((1, 3)))
    with pytest.raises(InputError, match="All poses are the same"):
        Likeness(np.ones((5, 4)), np.zeros((5, 3)))


def test_a_motion_of_two_directions_lies_in_a_plane(random):
    poses, inside = spread(random, sizes=(5.0, 2.0, 0.0))
    assert np.abs(Likeness(poses, inside).places(poses)[:, 2]).max() < 1e-9


def test_places_are_found_that_play_what_is_wanted(random):
    def play(places):
        return np.concatenate([np.sin(places), places**2, places @ [[1.0], [2.0], [-1.0]]], axis=1)

    real = random.uniform(-0.8, 0.8, (50, 3))
    start = real + random.normal(0.0, 0.05, real.shape)
    found = places_that_play(play, play(real), start, 1e-4)
    np.testing.assert_allclose(found, real, atol=1e-6)


def test_no_place_becomes_worse(random):
    def play(places):
        return np.stack([np.sin(40.0 * places).sum(axis=1), places[:, 0]], axis=1)

    start = random.uniform(-1.0, 1.0, (80, 3))
    wanted = random.normal(size=(80, 2))

    def error(places):
        return ((play(places) - wanted) ** 2).sum(axis=1)

    assert (error(places_that_play(play, wanted, start, 1e-4)) <= error(start)).all()
