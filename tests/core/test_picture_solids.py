# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids are closed, look outwards and are where their bones are."""

import numpy as np
import pytest

from core.picture import solids


def volume(triangles):
    a, b, c = triangles.reshape(-1, 3, 3).astype(float).transpose(1, 0, 2)
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


@pytest.mark.parametrize("along", [(0, 0, 2), (0, 2, 0), (2, 0, 0), (1, -1, 0.5), (0, 0, -2)])
def test_a_bone_is_a_closed_octahedron_that_looks_outwards(along):
    head = np.array([[3.0, -1.0, 2.0]])
    tail = head + np.array([along], float)
    corners, shades = solids.octahedra(head, tail, np.array([0.1]))
    assert corners.shape == (24, 3)
    assert shades.shape == (24,)
    # Two pyramids on a square of diagonal 0.2.
    assert volume(corners) == pytest.approx(0.02 * np.linalg.norm(along) / 3.0, rel=1e-3)
    assert np.linalg.norm(corners - head, axis=1).min() < 1e-6
    assert np.linalg.norm(corners - tail, axis=1).min() < 1e-6


def test_bones_without_length_do_no_harm():
    corners, shades = solids.octahedra(np.zeros((2, 3)), np.zeros((2, 3)), np.full(2, 0.1))
    assert np.isfinite(corners).all()
    assert np.isfinite(shades).all()


def test_dots_are_balls_round_their_places():
    places = np.array([[0.0, 0.0, 0.0], [5.0, 0.0, 1.0]])
    corners, shades = solids.dots(places, 0.5)
    apart = np.linalg.norm(corners.reshape(2, -1, 3) - places[:, None], axis=2)
    assert np.allclose(apart, 0.5, atol=1e-5)
    ball = 4.0 / 3.0 * np.pi * 0.5**3
    assert 0.55 * ball < volume(corners) / 2.0 < ball
    assert 0.0 < shades.min() < shades.max() <= 1.0


def test_what_faces_up_is_brighter_than_what_faces_down():
    up, down = solids.brightness(np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]))
    assert up > down
