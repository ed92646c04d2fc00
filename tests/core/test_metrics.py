# SPDX-License-Identifier: GPL-3.0-or-later
"""The papers' error measures, on cases small enough to work out by hand."""

import numpy as np
import pytest

from core import InputError, metrics

STILL = np.zeros((2, 2, 3))
# Joint 0 is off by 5 in the first frame; joint 1 by 1 in the first and 2 in the second.
MOVED = np.array([[[3.0, 4.0, 0.0], [1.0, 0.0, 0.0]], [[0.0, 0.0, 0.0], [0.0, 0.0, 2.0]]])


def test_joint_distances():
    assert metrics.mean_joint_distance(STILL, MOVED) == pytest.approx((5 + 1 + 0 + 2) / 4)
    assert metrics.largest_joint_distance(STILL, MOVED) == pytest.approx(5)


def test_distances_are_scaled_to_a_character_of_170_cm():
    assert metrics.mean_joint_distance(STILL, MOVED, height=17.0) == pytest.approx(0.2)
    assert metrics.largest_joint_distance(STILL, MOVED, height=0.85) == pytest.approx(10)


def test_errors_of_paper_003():
    assert metrics.angle_error(STILL, MOVED) == pytest.approx((2.5 + 1.5) / 2)
    assert metrics.position_error(STILL, MOVED) == pytest.approx(2.5 + 1.5)


def test_errors_of_paper_004():
    assert metrics.mean_squared_error(STILL, MOVED) == pytest.approx((25 + 1 + 4) / 12)
    assert metrics.psnr(STILL, STILL + 3.6) == pytest.approx(40.0)
    assert metrics.psnr(STILL, STILL) == float("inf")


def test_channels_that_never_move_need_not_be_averaged_over():
    moving = np.array([[0.0, 1.0], [2.0, 4.0], [1.0, 0.0]])
    played = moving + 0.5
    padded = [np.hstack([each, np.zeros((3, 5))]) for each in (moving, played)]
    assert metrics.mean_squared_error(*padded, dimensions=2) == metrics.mean_squared_error(moving, played)
    assert metrics.psnr(*padded, dimensions=2) == metrics.psnr(moving, played) < metrics.psnr(*padded)
    with pytest.raises(InputError, match="one dimension or more, not 0"):
        metrics.psnr(moving, played, dimensions=0)


def test_standing_height_passes_over_a_crouch():
    tall = np.zeros((9, 2, 3))
    tall[:, 1, 2] = [1.8, 1.8, 1.8, 1.8, 1.8, 1.8, 0.9, 0.9, 2.2]
    assert metrics.standing_height(tall) == pytest.approx(1.8)


def test_bad_input_is_told():
    with pytest.raises(InputError, match="same shape"):
        metrics.mean_squared_error(STILL, MOVED[:1])
    with pytest.raises(InputError, match=r"The original must be finite numbers .* entry \[1, 2\] is nan"):
        metrics.mean_squared_error([[0.0, 1.0, 2.0], [0.0, 1.0, np.nan]], np.zeros((2, 3)))
    with pytest.raises(InputError, match="array of numbers"):
        metrics.mean_squared_error("a walk", "a walk")
    with pytest.raises(InputError, match="empty"):
        metrics.mean_squared_error(STILL[:0], MOVED[:0])
    with pytest.raises(InputError, match="height"):
        metrics.mean_joint_distance(STILL, MOVED, height=0.0)
    with pytest.raises(InputError, match="shape"):
        metrics.mean_joint_distance(STILL[:, 0], MOVED[:, 0])
    with pytest.raises(InputError, match="peak"):
        metrics.psnr(STILL, MOVED, peak=0.0)
