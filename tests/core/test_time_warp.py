# SPDX-License-Identifier: GPL-3.0-or-later
"""Time warps against SciPy's monotone cubics."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import PchipInterpolator

from core.editing.time_warp import TimeWarp, nearest


def ascending(least, most):
    return st.lists(st.floats(0.6, 30.0), min_size=least, max_size=most).map(np.cumsum)


def test_no_warp():
    warp = TimeWarp.none()
    assert warp.is_none
    np.testing.assert_array_equal(warp.to_source(np.array([-3.0, 4.5])), [-3.0, 4.5])
    np.testing.assert_array_equal(warp.from_source(np.array([-3.0, 4.5])), [-3.0, 4.5])


def test_columns_that_stay_are_no_warp():
    columns = np.array([1.0, 9.0, 20.0])
    assert TimeWarp.none().moved(columns, columns).is_none


def test_a_moved_column_is_a_monotone_cubic():
    before, after = np.array([1.0, 20.0, 40.0, 60.0, 90.0]), np.array([1.0, 20.0, 46.0, 60.0, 90.0])
    warp = TimeWarp.none().moved(before, after)
    frames = np.linspace(1.0, 90.0, 200)
    np.testing.assert_allclose(warp.to_source(frames), PchipInterpolator(after, before)(frames), atol=1e-12)
    np.testing.assert_allclose(warp.from_source(before), after, atol=1e-12)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_there_and_back(data):
    frames = data.draw(ascending(1, 12))
    times = data.draw(ascending(len(frames), len(frames))) - 40.0
    warp = TimeWarp(frames, times)
    wanted = np.linspace(frames[0] - 10.0, frames[-1] + 10.0, 97)
    there = warp.to_source(wanted)
    assert np.all(np.diff(there) > 0.0)
    np.testing.assert_allclose(warp.from_source(there), wanted, atol=1e-6)
    np.testing.assert_array_equal(warp.from_source(times), frames)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_moving_again_is_exact_at_the_columns_and_keeps_order(data):
    first = data.draw(ascending(2, 9))
    second = data.draw(ascending(len(first), len(first)))
    warp = TimeWarp.none().moved(first, second)
    before = data.draw(ascending(2, 9))
    after = data.draw(ascending(len(before), len(before))) + data.draw(st.floats(-20.0, 20.0))
    again = warp.moved(before, after)
    np.testing.assert_allclose(again.to_source(after), warp.to_source(before), atol=1e-9)
    assert np.all(np.diff(again.frames) > 0.0)
    assert np.all(np.diff(again.times) > 0.0)


def test_where_time_runs_evenly_no_pairs_are_needed():
    before = np.arange(0.0, 400.0, 10.0)
    after = before.copy()
    after[20] += 4.0
    warp = TimeWarp.none().moved(before, after)
    assert len(warp.frames) < 12
    frames = np.linspace(0.0, 390.0, 999)
    np.testing.assert_allclose(warp.to_source(frames), PchipInterpolator(after, before)(frames), atol=1e-9)


def test_a_shift_goes_on_outside():
    warp = TimeWarp.none().moved(np.array([1.0, 50.0]), np.array([11.0, 60.0]))
    np.testing.assert_allclose(warp.to_source(np.array([5.0, 30.0, 100.0])), [-5.0, 20.0, 90.0])
    np.testing.assert_allclose(warp.from_source(np.array([-5.0, 20.0, 90.0])), [5.0, 30.0, 100.0])


@pytest.mark.parametrize("count", [1, 2, 7])
def test_nearest(count):
    random = np.random.default_rng(count)
    moments, wanted = np.sort(random.random(count)), random.random(50)
    expected = np.abs(moments - wanted[:, None]).argmin(axis=1)
    np.testing.assert_array_equal(nearest(moments, wanted), expected)
