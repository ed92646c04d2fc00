# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of poses are blended by weights and by sets; switches are never in between."""

from __future__ import annotations

import numpy as np
import pytest

from core.spatial import ValuesPart, add_values_on_top, blend_set_values, blend_values

SMOOTH, SWITCH = np.array([False]), np.array([True])


def part(value, share):
    return ValuesPart(np.array([value]), np.array([0]), share)


def test_weights_blend_numbers_and_choose_for_switches():
    weights = np.array([[0.7, 0.3], [0.4, 0.6], [1.2, -0.2]])
    values = np.array([[1.0, 4.0], [0.0, 7.0]])
    found = blend_values(weights, values, np.array([False, True]))
    np.testing.assert_allclose(found, [[0.7, 4.0], [0.4, 7.0], [1.2, 4.0]])


@pytest.mark.parametrize(
    ("shares", "expected"),
    [((1.0, 0.0), 1.0), ((0.5, 0.5), 2.0), ((1.0, 1.0), 2.0), ((0.5, 0.0), 5.5), ((0.0, 0.0), 10.0)],
)
def test_sets_side_by_side_are_filled_up_from_underneath(shares, expected):
    parts = [part(value, share) for value, share in zip((1.0, 3.0), shares, strict=True)]
    assert blend_set_values(np.array([10.0]), parts, SMOOTH) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("shares", "expected"), [((0.4, 0.3), 10.0), ((0.6, 0.4), 1.0), ((0.4, 0.6), 3.0), ((0.0, 0.5), 3.0)]
)
def test_the_set_with_the_larger_share_has_the_say_about_a_switch(shares, expected):
    parts = [part(value, share) for value, share in zip((1.0, 3.0), shares, strict=True)]
    assert blend_set_values(np.array([10.0]), parts, SWITCH) == expected


def test_what_is_on_top_is_added_beside_rest():
    under, rest = np.array([0.25]), np.array([0.5])
    assert add_values_on_top(under, part(0.75, 0.5), rest, SMOOTH) == pytest.approx(0.375)
    assert add_values_on_top(under, part(0.75, 0.5), rest, SWITCH) == pytest.approx(0.75)
    assert add_values_on_top(under, part(0.75, 0.4), rest, SWITCH) == pytest.approx(0.25)
