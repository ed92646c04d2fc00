# SPDX-License-Identifier: GPL-3.0-or-later
"""A stroke keeps the time of the hand, however seldom its events are handled."""

from __future__ import annotations

import importlib

import numpy as np
import pytest


@pytest.mark.parametrize("redraws", [3, 10, 60])
def test_a_constant_speed_stays_constant(posewright, redraws):
    stroke = importlib.import_module(f"{posewright.__name__}.bridge.spatial.takes.stroke_times").StrokeTimes()
    happened = np.arange(0.0, 4.0, 0.008)
    for time in happened:
        turn = int(np.ceil(time * redraws))
        stroke.add((time, 0.0, 0.0), 100.0 + turn / redraws, turn)
    seconds = stroke.seconds()
    assert seconds[0] == 0.0
    assert (np.diff(seconds) >= 0.0).all()
    inside = (happened > 1.0) & (happened < 3.0)
    speeds = np.diff(stroke.places[inside, 0]) / np.diff(seconds[inside])
    assert np.abs(speeds - 1.0).max() < 0.05
