# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of poses, against SciPy's rotations."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from core.editing.pose_changes import PoseChanges, eased, interpolated

TURNS = np.array([[2, 3, 4, 5]])


@pytest.fixture
def changes():
    return PoseChanges(TURNS)


def motion(seed, count=9):
    """Two plain channels and a quaternion that turns without jumps."""
    random = np.random.default_rng(seed)
    plain = np.cumsum(random.normal(size=(count, 2)), axis=0)
    turned = Rotation.from_rotvec(np.cumsum(random.normal(size=(count, 3)) * 0.2, axis=0))
    return np.concatenate([plain, turned.as_quat()[:, [3, 0, 1, 2]]], axis=1)


def rotation(values):
    return Rotation.from_quat(values[:, [3, 4, 5, 2]])


def same_pose(first, second):
    np.testing.assert_allclose(first[:, :2], second[:, :2], atol=1e-12)
    assert (rotation(first) * rotation(second).inv()).magnitude().max() < 1e-9


def test_a_change_leads_from_one_to_the_other(changes):
    before, after = motion(1), motion(2)
    change = changes.between(before, after)
    same_pose(changes.changed(before, change), after)
    turn = rotation(after) * rotation(before).inv()
    same_pose(
        changes.changed(motion(3), change)[:, [0, 1, 2, 3, 4, 5]],
        np.concatenate(
            [
                motion(3)[:, :2] + after[:, :2] - before[:, :2],
                (turn * rotation(motion(3))).as_quat()[:, [3, 0, 1, 2]],
            ],
            axis=1,
        ),
    )


def test_nothing_changed_is_zeros_and_changes_nothing(changes):
    values = motion(4)
    assert not np.any(np.abs(changes.between(values, values)) > 1e-12)
    np.testing.assert_array_equal(changes.changed(values, np.zeros_like(values)), values)


def test_the_sign_of_a_quaternion_is_no_change(changes):
    values, flipped = motion(5), motion(5)
    flipped[:, 2:] *= -1.0
    assert np.abs(changes.between(values, flipped)).max() < 1e-12


def test_together(changes):
    first, then = changes.between(motion(1), motion(2)), changes.between(motion(3), motion(4))
    once = changes.changed(changes.changed(motion(5), first), then)
    same_pose(changes.changed(motion(5), changes.together(first, then)), once)


def test_the_channels_of_a_quaternion_go_together(changes):
    some = np.array([[True, False, False, True, False, False], [False] * 6])
    expected = [[True, False, True, True, True, True], [False] * 6]
    np.testing.assert_array_equal(changes.whole(some), expected)


def test_eased():
    columns, held = np.array([0.0, 10.0, 30.0]), np.array([[0.0], [1.0], [0.0]])
    between = eased(columns, held, np.linspace(-5.0, 35.0, 81))[:, 0]
    assert between.min() == 0.0
    assert between.max() == 1.0
    assert np.all(np.diff(between[10:31]) >= 0.0)
    assert np.all(np.diff(between[30:71]) <= 0.0)


def test_interpolated():
    times, values = np.array([1.0, 2.0, 4.0]), np.array([[0.0, 3.0], [2.0, 5.0], [6.0, 1.0]])
    wanted = np.array([0.0, 1.5, 3.0, 9.0])
    for column in range(2):
        np.testing.assert_allclose(
            interpolated(times, values, wanted)[:, column], np.interp(wanted, times, values[:, column])
        )
