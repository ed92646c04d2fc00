# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of a limb before or after the columns that they belong to."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import interp1d

from core.editing.staggered_time import handle_scales, late_values, on_columns, staggered

some_columns = st.lists(st.integers(-50, 300), min_size=3, max_size=30, unique=True).map(
    lambda frames: np.array(sorted(frames), float)
)


def test_all_but_the_ends_move():
    columns = np.array([1.0, 10.0, 20.0, 30.0])
    np.testing.assert_array_equal(staggered(columns, 3), [1, 13, 23, 30])
    np.testing.assert_array_equal(staggered(columns, -4), [1, 6, 16, 30])


def test_keys_stay_in_order_where_there_is_no_room():
    columns = np.array([1.0, 2.0, 4.0, 28.0, 29.0, 30.0])
    np.testing.assert_array_equal(staggered(columns, 5), [1, 7, 9, 28, 29, 30])
    np.testing.assert_array_equal(staggered(columns, -5), [1, 2, 3, 23, 24, 30])


@settings(deadline=None)
@given(some_columns, st.integers(-40, 40))
def test_there_and_back(columns, by):
    moved = staggered(columns, by)
    assert np.all(np.diff(moved) >= 1.0 - 1e-9)
    np.testing.assert_array_equal(moved[[0, -1]], columns[[0, -1]])
    np.testing.assert_allclose(on_columns(moved, columns, by), columns)


def test_a_key_that_was_moved_belongs_as_many_frames_away():
    columns = np.array([1.0, 10.0, 20.0, 40.0])
    np.testing.assert_array_equal(on_columns(np.array([1.0, 15.0, 22.0, 40.0]), columns, 2), [1, 13, 20, 40])
    moved_end = on_columns(np.array([1.0, 12.0, 22.0, 45.0]), columns, 2)
    np.testing.assert_array_equal(moved_end, [1, 10, 20, 45])


@pytest.mark.parametrize(("by", "at"), [(4, 3.0), (-4, 37.0)])
def test_a_new_key_for_which_an_end_leaves_no_room_stays_between_its_neighbours(by, at):
    columns = np.array([1.0, 10.0, 20.0, 40.0])
    frames = np.sort([*staggered(columns, by), at])
    found = on_columns(frames, columns, by)
    assert np.all(np.diff(found) > 0.0)
    np.testing.assert_array_equal(found[frames != at], columns)


@pytest.mark.parametrize("by", [-3, 4])
def test_values_are_those_of_before_at_another_time(by):
    frames, columns = np.arange(1.0, 61.0), np.array([1.0, 15.0, 30.0, 60.0])
    values = np.stack([np.sin(frames / 7), frames**2], axis=1)
    late = late_values(values, frames, columns, by)
    inner = (frames >= 15 + by) & (frames <= 30 + by)
    np.testing.assert_allclose(late[inner], values[np.flatnonzero(inner) - by])
    moments = interp1d([1.0, 15.0 + by, 30.0 + by, 60.0], columns)(frames)
    np.testing.assert_allclose(late, interp1d(frames, values, axis=0)(moments), atol=1e-9)


def test_handles_fill_as_much_of_their_segments_as_before():
    before, after = np.array([0.0, 9.0, 21.0]), np.array([0.0, 12.0, 21.0])
    left, right = handle_scales(before, after)
    np.testing.assert_allclose(right[:-1] * np.diff(before) / 3.0, np.diff(after) / 3.0)
    np.testing.assert_allclose(left[1:] * np.diff(before) / 3.0, np.diff(after) / 3.0)
    assert left[0] == right[-1] == 1.0
