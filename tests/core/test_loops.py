# SPDX-License-Identifier: GPL-3.0-or-later
"""What a loop is, where its seam bends sharply, and how automatic handles would go round it."""

import numpy as np
import pytest

from core import is_loop
from core.loops import automatic_seam, seam_kinks

rng = np.random.default_rng(11)


def walk_in_place(frames=40, joints=12):
    """(F, J, 3) joints on closed paths of about a tenth of the height 1."""
    turn = 2.0 * np.pi * np.arange(frames + 1)[:, None] / frames + np.arange(joints)
    paths = np.stack([np.sin(turn), np.cos(turn), np.sin(2.0 * turn)], axis=2)
    return 0.05 * paths + rng.uniform(0.0, 1.0, (joints, 3))


def test_a_round_is_a_loop_also_when_it_travels_and_when_a_joint_slips_a_little():
    walk = walk_in_place()
    assert is_loop(walk, 1.0)
    assert is_loop(walk + np.linspace(0.0, 3.0, len(walk))[:, None, None] * [0.0, 1.0, 0.0], 1.0)
    walk[-1, 3] += [0.0, 0.004, 0.0]
    assert is_loop(walk, 1.0)


def test_what_does_not_come_back_is_no_loop():
    walk = walk_in_place()
    assert not is_loop(walk[:-3], 1.0)
    assert not is_loop(walk[:21], 1.0)
    idle = walk[0] + 0.01 * (walk - walk[0])
    assert is_loop(idle, 1.0)
    assert not is_loop(idle[:-6], 1.0)


def test_a_step_there_and_back_is_no_loop():
    pose = walk_in_place()[0]
    assert not is_loop(np.stack([pose, pose + 0.01, pose]), 1.0)


def test_a_seam_bends_sharply_beside_a_motion_that_hardly_does():
    frames = np.append(np.arange(12.0), 12.5)
    bounce = np.abs(frames - 6.0)
    still = np.where(frames < 6.0, frames, 6.0 + (1.0 + 1e-8) * (frames - 6.0))  # only rounded
    smooth = np.sin(2.0 * np.pi * frames / frames[-1])
    np.testing.assert_allclose(seam_kinks(np.stack([bounce, still, smooth], axis=1), frames), [2.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [(1.0, 2.0, 1.5), (0.1, 10.0, 0.3), (-10.0, -0.1, -0.3), (1.0, -1.0, 0.0), (0.0, 5.0, 0.0)],
    ids=["halfway", "steep after", "steep before", "an extreme", "level"],
)
def test_automatic_handles_round_a_seam(first, last, expected):
    """The segments beside it are one and two frames long."""
    frames = np.array([0.0, 1.0, 5.0, 7.0])
    values = np.array([[0.0], [first], [3.0], [3.0 + 2.0 * last]])
    np.testing.assert_allclose(automatic_seam(values, frames), [expected])
