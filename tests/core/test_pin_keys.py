# SPDX-License-Identifier: GPL-3.0-or-later
"""Few keys for pins: what they play between is what was asked for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

from core.feet import pin_keys, planting
from core.feet.contacts import contact_at

TIMES = np.arange(241) / 120.0


def contacts_at(*stretches):
    still = np.zeros((len(TIMES), 3))
    return [contact_at(still, 0, first, last) for first, last in stretches]


@pytest.mark.parametrize(
    "stretches",
    [
        [(60, 120)],
        [(0, 240)],
        [(0, 50), (200, 240)],
        [(40, 80), (110, 150)],  # a gap too short to let go
        [(40, 80), (82, 150)],
        [(10, 60), (108, 150), (199, 230)],
    ],
)
def test_flat_keys_of_the_influence_are_the_weights(stretches):
    found = contacts_at(*stretches)
    rows, values = pin_keys.influence_keys(found, TIMES)
    assert np.all(np.diff(rows) > 0)
    curve = CubicHermiteSpline(TIMES[rows], values, np.zeros(len(rows)))(
        np.clip(TIMES, *TIMES[rows[[0, -1]]])
    )
    np.testing.assert_allclose(curve, planting.weights(found, TIMES), atol=0.16)
    for first, last in stretches:
        np.testing.assert_allclose(curve[first : last + 1], 1.0)
    assert len(rows) <= 4 * len(stretches)


def test_where_a_gap_is_long_it_lets_go_as_softly_as_baked_feet():
    found = contacts_at((60, 120), (200, 240))
    rows, values = pin_keys.influence_keys(found, TIMES)
    curve = CubicHermiteSpline(TIMES[rows], values, np.zeros(len(rows)))(TIMES)
    inside = slice(rows[0], None)
    np.testing.assert_allclose(curve[inside], planting.weights(found, TIMES)[inside], atol=1e-6)


def test_at_open_ends_nothing_is_held():
    rows, values = pin_keys.influence_keys(contacts_at((0, 240)), TIMES, open_ends=True)
    assert values[0] == values[-1] == 0.0
    assert list(values[1:-1]) == [1.0, 1.0]
    assert list(rows) == [0, 24, 216, 240]
    rows, values = pin_keys.influence_keys(contacts_at((5, 100)), TIMES, open_ends=True)
    assert dict(zip(rows.tolist(), values, strict=True)) == {0: 0.0, 5: 1.0, 100: 1.0, 124: 0.0, 240: 0.0}


def test_a_path_is_kept_where_the_pin_holds():
    generator = np.random.default_rng(5)
    smooth = np.cumsum(np.cumsum(generator.normal(size=(241, 3, 3)), axis=0), axis=0) * 1e-4
    found = contacts_at((60, 100), (160, 200))
    rows = pin_keys.path_rows(smooth, found, TIMES, 0.002)
    flat = smooth.reshape(241, -1)
    straight = np.stack([np.interp(TIMES, TIMES[rows], column[rows]) for column in flat.T], axis=1)
    off = np.linalg.norm((straight - flat).reshape(241, 3, 3), axis=2).max(axis=1)
    assert np.all(off * planting.weights(found, TIMES) <= 0.002 + 1e-12)
    assert {60, 100, 160, 200} <= set(rows.tolist())
    assert len(rows) < 60


def test_what_does_not_move_has_keys_at_its_ends_alone():
    rows = pin_keys.path_rows(np.zeros((241, 3, 3)), contacts_at((60, 100)), TIMES, 0.002)
    assert rows.tolist() == [0, 60, 100, 240]


def test_where_a_pin_holds_nothing_its_path_needs_no_keys():
    bumps = np.zeros((241, 1, 3))
    bumps[[20, 160], 0, 0] = 1.0
    bumps[112, 0, 0] = 0.003  # where it holds by half
    assert planting.weights(contacts_at((60, 100)), TIMES)[[20, 112, 160]] == pytest.approx([0.0, 0.5, 0.0])
    assert pin_keys.path_rows(bumps, contacts_at((60, 100)), TIMES, 0.002).tolist() == [0, 60, 100, 240]
    assert 112 in pin_keys.path_rows(bumps, contacts_at((60, 100)), TIMES, 0.001)


@pytest.mark.parametrize("stretches", [[(0, 60)], [(200, 240)], [(0, 40), (150, 240)], [(80, 120)]])
def test_what_goes_round_is_held_alike_at_both_ends(stretches):
    found = contacts_at(*stretches)
    rows, values = pin_keys.influence_keys(found, TIMES, goes_round=True)
    assert rows[0] == 0
    assert rows[-1] == 240
    assert values[0] == values[-1] == max(planting.weights(found, TIMES)[[0, -1]])
    curve = CubicHermiteSpline(TIMES[rows], values, np.zeros(len(rows)))(TIMES)
    assert np.abs(np.diff(curve)).max() < 0.07  # softly
    for first, last in stretches:
        np.testing.assert_allclose(curve[first : last + 1], 1.0)


@pytest.mark.parametrize("fps", [24.0, 50.0, 59.0])
def test_what_comes_back_at_the_end_of_a_round_takes_as_long_as_elsewhere(fps):
    times = np.arange(round(3.0 * fps)) / fps
    [found] = contacts_at((0, 10))
    rows, values = pin_keys.influence_keys([found], times, goes_round=True)
    assert values[-2:].tolist() == [0.0, 1.0]
    took = times[rows[-1]] - times[rows[-2]]
    assert planting.EASE - 1e-9 <= took <= planting.EASE + 1.01 / fps
