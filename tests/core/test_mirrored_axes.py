# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones seen in a mirror, by where they begin at rest."""

from __future__ import annotations

import numpy as np
import pytest

from core.spatial.mirrored_axes import mirrored_axes

PARENTS = np.array([-1, 0, 1, 2, 0, 4, 5])  # a body, an arm of three bones, the other arm
PARTNERS = np.array([0, 4, 5, 6, 1, 2, 3])
LEFT = np.array([[1.0, 0.0, 3.0], [2.0, 0.0, 3.0], [3.0, 0.2, 3.0]])
X = np.array([1.0, 0.0, 0.0])
REFLECTION = np.diag([-1.0, 1.0, 1.0])


def body(left, right):
    return np.vstack([[[0.0, 0.0, 2.0]], left, right])


def test_two_sides_that_are_symmetric_at_rest_are_reflected():
    seen = mirrored_axes(PARENTS, body(LEFT, LEFT * [-1, 1, 1]), PARTNERS, X)
    np.testing.assert_allclose(seen.own, np.tile(REFLECTION, (7, 1, 1)), atol=1e-12)
    np.testing.assert_allclose(seen.around, seen.own)


@pytest.mark.parametrize("way", [(-1.0, 0.0, -1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)])
def test_an_arm_that_goes_another_way_at_rest_is_seen_to_go_that_way(way):
    way = np.array(way) / np.linalg.norm(way)
    first = LEFT[0] * [-1, 1, 1]
    right = np.array([first, first + way, first + 2.0 * way])
    heads = body(np.array([LEFT[0], LEFT[0] + X, LEFT[0] + 2.0 * X]), right)
    seen = mirrored_axes(PARENTS, heads, PARTNERS, X)
    np.testing.assert_allclose(seen.around[1], REFLECTION, atol=1e-12)  # the body is symmetric
    np.testing.assert_allclose(seen.own[1] @ X, way, atol=1e-12)
    np.testing.assert_allclose(seen.own[2], seen.own[1], atol=1e-12)  # and so is the arm in itself
    np.testing.assert_allclose(seen.own[PARTNERS], seen.own.transpose(0, 2, 1), atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(seen.own), -1.0)


def test_a_body_whose_shoulders_lie_in_depth_has_a_plane_of_its_own():
    """As where all bones lie along one axis at rest: what is left of it is behind."""
    heads = body(LEFT[:, [1, 0, 2]], LEFT[:, [1, 0, 2]] * [1, -1, 1])
    seen = mirrored_axes(PARENTS, heads, PARTNERS, X)
    np.testing.assert_allclose(seen.around[0], REFLECTION)
    np.testing.assert_allclose(seen.own, np.tile(np.diag([1.0, -1.0, 1.0]), (7, 1, 1)), atol=1e-12)


def test_what_begins_where_its_parent_does_does_not_say_where_that_goes():
    """As helpers of control rigs do, but for the last digit of single precision."""
    right = LEFT * [-1, 1, 1]
    right[1] = right[0] + [0.0, 1e-7, 0.0]
    left = LEFT.copy()
    left[1] = left[0] + [1e-7, 0.0, 0.0]
    seen = mirrored_axes(PARENTS, body(left, right), PARTNERS, X)
    np.testing.assert_allclose(seen.own[1], REFLECTION)
