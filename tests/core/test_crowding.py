# SPDX-License-Identifier: GPL-3.0-or-later
"""Ghosts on one spot fade with time; ghosts beside each other do not."""

import numpy as np

from core.picture.crowding import FADES, strengths

FRAMES = np.arange(0.0, 300.0, 10.0)


def test_what_stands_apart_is_drawn_as_ever():
    centres = np.arange(30.0)[:, None] * [1.0, 0.0, 0.0]
    np.testing.assert_array_equal(strengths(centres, FRAMES, 100.0, width=0.9), 1.0)


def test_on_the_spot_a_few_around_the_current_frame_are_left():
    found = strengths(np.zeros((30, 3)), FRAMES, 100.0, width=1.0)
    assert found[10] == 1.0
    assert np.all(np.diff(found[:11]) >= 0.0)
    assert np.all(np.diff(found[10:]) <= 0.0)
    assert 5 <= np.count_nonzero(found) <= 12


def test_one_that_comes_back_fades_behind_the_current_one_alone():
    centres = np.array([[0.0, 0, 0], [5.0, 0, 0], [0.0, 0, 0]])
    found = strengths(centres, np.array([0.0, 10.0, 20.0]), 0.0, width=1.0)
    assert found.tolist() == [1.0, 1.0, FADES]
