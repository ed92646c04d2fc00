# SPDX-License-Identifier: GPL-3.0-or-later
"""What a channel moves, checked by moving it."""

import numpy as np
import pytest

from core import InputError, Motion, channel_influence

# A chain in the XY plane with a side branch: root head, root tip, arm tip, side tip.
POSITIONS = np.array([[[0, 0, 0], [2, 0, 0], [5, 1, 0], [2, 3, 0]]], dtype=float)
PARENTS = [-1, 0, 1, 1]
MOTION = Motion(np.repeat(POSITIONS, 3, axis=0) + 100.0, parents=PARENTS)


def turned(positions, pivot, joints, angle):
    cos, sin = np.cos(angle), np.sin(angle)
    turn = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
    moved = positions.copy()
    moved[joints] = (positions[joints] - positions[pivot]) @ turn.T + positions[pivot]
    return moved


@pytest.mark.parametrize(("joint", "pivot", "moving"), [(1, 0, [1, 2, 3]), (2, 1, [2]), (3, 1, [3])])
def test_a_rotation_moves_what_hangs_below(joint, pivot, moving):
    angle = 1e-4
    moved = turned(POSITIONS[0], pivot, moving, angle)
    expected = np.sum((moved - POSITIONS[0]) ** 2) / angle**2
    assert channel_influence(MOTION, [joint], ["euler"])[0] == pytest.approx(expected, rel=1e-3)
    # Half the angle's sine is what a quaternion holds.
    assert channel_influence(MOTION, [joint], ["quaternion"])[0] == pytest.approx(4 * expected, rel=1e-3)


def test_a_location_moves_everything_below_alike():
    influence = channel_influence(MOTION, [1, 2, -1, 3], ["location", "location", "location", "other"])
    np.testing.assert_allclose(influence, [3.0, 1.0, 4.0, 0.0])


def test_joints_count_by_their_weights():
    heavy = MOTION.with_weights([0.0, 1.0, 5.0, 0.0])
    np.testing.assert_allclose(channel_influence(heavy, [1, 3], ["location", "euler"]), [6.0, 0.0])


def test_the_whole_object_turns_about_its_middle():
    centred = POSITIONS[0] - POSITIONS[0].mean(axis=0)
    assert channel_influence(MOTION, [-1], ["scale"])[0] == pytest.approx(np.sum(centred**2))


def test_bad_input_is_told():
    with pytest.raises(InputError, match="one for each"):
        channel_influence(MOTION, [0], ["euler", "euler"])
    with pytest.raises(InputError, match="from -1"):
        channel_influence(MOTION, [99], ["euler"])
    with pytest.raises(InputError, match="no kind of channel 'colour'"):
        channel_influence(MOTION, [0], ["colour"])
