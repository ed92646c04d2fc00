# SPDX-License-Identifier: GPL-3.0-or-later
"""The T-pose that clips begin with is told from the beginning of a motion."""

import numpy as np
import pytest

from core.t_pose import rows_before_motion

rng = np.random.default_rng(3)
POSE = rng.uniform(0.0, 1.0, (15, 3))


def motion(frames=80):
    """Joints that swing by a tenth of the height 1, and travel."""
    turn = 0.1 * np.arange(frames)[:, None] + np.arange(15)
    swings = 0.1 * np.stack([np.sin(turn), np.cos(1.3 * turn), np.sin(0.7 * turn)], axis=2)
    return POSE + swings + 0.02 * np.arange(frames)[:, None, None] * [0.0, 1.0, 0.0]


@pytest.mark.parametrize("held", [1, 2, 30])
def test_a_pose_before_the_motion_is_found(held):
    t_pose = POSE + rng.uniform(-0.3, 0.3, POSE.shape)
    clip = np.concatenate([t_pose[None].repeat(held, axis=0), motion()])
    assert rows_before_motion(clip, 1.0) == held
    assert rows_before_motion(7.0 * clip, 7.0) == held


@pytest.mark.parametrize("held", [1, 12])
@pytest.mark.parametrize("rows", [4, 15, 60])
@pytest.mark.parametrize("eased", [False, True])
def test_a_pose_at_rest_that_blends_into_the_motion_is_found(held, rows, eased):
    rest = POSE + rng.uniform(-0.6, 0.6, POSE.shape)
    share = np.linspace(0.0, 1.0, rows, endpoint=False)[:, None, None]
    share = share**2 * (3.0 - 2.0 * share) if eased else share
    clip = motion(200)
    clip[:rows] = (1.0 - share) * rest + share * clip[:rows]
    clip = np.concatenate([clip[:1].repeat(held - 1, axis=0), clip])
    turned = clip[..., [1, 0, 2]] * [-1.0, 1.0, 1.0] + 3.0
    for joints in (clip, turned):
        found = rows_before_motion(joints, 1.0, rest) - (held - 1)
        assert 0.75 * rows <= found <= 1.1 * rows + 2.0
    assert rows_before_motion(clip, 1.0) == 0, "nothing else tells such a pose from the motion"


def test_what_comes_back_to_its_pose_at_rest_or_does_not_begin_with_it_is_all_motion():
    clip = motion(200)
    assert rows_before_motion(clip, 1.0, clip[0]) == 0
    assert rows_before_motion(clip, 1.0, clip[0] + rng.uniform(-0.3, 0.3, POSE.shape)) == 0
    away = POSE + np.linspace(0.0, 1.0, 200)[:, None, None] * rng.uniform(-0.6, 0.6, POSE.shape)
    assert rows_before_motion(away, 1.0, POSE) == 0, "who goes on leaving it does nothing else"


def test_a_motion_begins_at_its_beginning():
    assert rows_before_motion(motion(), 1.0) == 0
    assert rows_before_motion(motion(4), 1.0) == 0
    assert rows_before_motion(POSE[None].repeat(50, axis=0), 1.0) == 0


def test_a_body_that_is_put_elsewhere_keeps_its_pose():
    clip = motion()
    clip[0] += [5.0, 0.0, 0.0]
    assert rows_before_motion(clip, 1.0) == 0


def test_a_fast_start_that_goes_on_fast_is_a_motion():
    slow_start = np.concatenate([motion()[:1].repeat(10, axis=0), motion(200)[::8]])
    assert rows_before_motion(slow_start, 1.0) == 0


def test_a_pose_that_is_held_for_seconds_belongs_to_the_motion():
    other = POSE + rng.uniform(-0.3, 0.3, POSE.shape)
    assert rows_before_motion(np.concatenate([other[None].repeat(61, axis=0), motion()]), 1.0) == 0


def test_a_jump_at_the_end_is_the_end_of_no_pose():
    other = POSE + rng.uniform(-0.3, 0.3, POSE.shape)
    assert rows_before_motion(np.concatenate([other[None].repeat(6, axis=0), motion(1)]), 1.0) == 0


def blended(rest, rows):
    """A motion that a pose at rest blends into, which nothing tells from it later on."""
    clip, share = motion(240), np.linspace(0.0, 1.0, rows, endpoint=False)[:, None, None]
    clip[:rows] = (1.0 - share) * rest + share * clip[:rows]
    return clip


def test_a_blend_of_seconds_is_a_motion():
    rest = POSE + rng.uniform(-0.6, 0.6, POSE.shape)
    assert rows_before_motion(blended(rest, 60), 1.0, rest) > 0
    assert rows_before_motion(blended(rest, 150), 1.0, rest) == 0


def test_a_mirrored_pose_is_another():
    rest = POSE + rng.uniform(-0.6, 0.6, POSE.shape)
    assert rows_before_motion(blended(rest, 30), 1.0, rest * [-1.0, 1.0, 1.0]) == 0
