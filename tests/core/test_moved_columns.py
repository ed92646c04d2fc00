# SPDX-License-Identifier: GPL-3.0-or-later
"""Key columns found again by their values."""

import numpy as np
import pytest

from core.editing.moved_columns import moved_columns

FRAMES = np.array([1.0, 12.0, 30.0, 41.0, 60.0])


@pytest.fixture
def poses():
    return np.random.default_rng(3).normal(size=(5, 12))


def found(poses, after, now):
    return moved_columns(FRAMES, poses, np.asarray(after, float), now, np.full(12, 1e-6))


def test_all_in_place(poses):
    np.testing.assert_array_equal(found(poses, FRAMES, poses), FRAMES)


def test_one_dragged(poses):
    after = FRAMES + np.array([0, 0, 6, 0, 0])
    np.testing.assert_array_equal(found(poses, after, poses), after)


def test_all_moved_by_one_column(poses):
    """Where another column was before does not mislead."""
    after = np.array([12.0, 30.0, 41.0, 60.0, 77.0])
    np.testing.assert_array_equal(found(poses, after, poses), after)


def test_dragged_and_posed(poses):
    after, now = FRAMES + np.array([0, 0, 6, 0, 0]), poses.copy()
    now[2, :3] += 0.4
    np.testing.assert_array_equal(found(poses, after, now), after)


def test_posed_all_over_in_place(poses):
    now = poses.copy()
    now[2] += 0.4
    np.testing.assert_array_equal(found(poses, FRAMES, now), FRAMES)


def test_dragged_and_posed_all_over(poses):
    after, now = FRAMES + np.array([0, 0, 6, 0, 0]), poses.copy()
    now[2] += 0.4
    np.testing.assert_array_equal(found(poses, after, now), after)


def test_removed(poses):
    rows = [0, 1, 3, 4]
    expected = FRAMES.copy()
    expected[2] = np.nan
    np.testing.assert_array_equal(found(poses, FRAMES[rows], poses[rows]), expected)


def test_inserted(poses):
    after = np.insert(FRAMES, 2, 20.0)
    now = np.insert(poses, 2, 7.0, axis=0)
    np.testing.assert_array_equal(found(poses, after, now), FRAMES)


def test_keys_of_few_channels_are_no_column(poses):
    """One bone's key moved alone: the column stays."""
    after = np.insert(FRAMES, 3, 35.0)
    now = np.insert(poses, 3, np.nan, axis=0)
    now[3, :3], now[2, :3] = poses[2, :3], np.nan
    np.testing.assert_array_equal(found(poses, after, now), FRAMES)


def test_dropped_on_another(poses):
    """Blender replaces the column that was there."""
    after, now = FRAMES[[0, 2, 3, 4]], poses[[0, 1, 3, 4]]
    expected = np.array([1.0, 30.0, np.nan, 41.0, 60.0])
    np.testing.assert_array_equal(found(poses, after, now), expected)


def test_like_poses_move_as_little_as_they_can(poses):
    poses[3] = poses[2]
    after = FRAMES + np.array([0, 0, 0, 5, 0])
    np.testing.assert_array_equal(found(poses, after, poses), after)
    np.testing.assert_array_equal(found(poses, FRAMES, poses), FRAMES)
