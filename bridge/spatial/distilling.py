# SPDX-License-Identifier: GPL-3.0-or-later
"""Few keys for a performance, chosen at once: the fewest that keep every joint within a wanted error."""

from __future__ import annotations

import bpy
import numpy as np

from ...core import Fitter, Motion, metrics, select
from .skeletons import joint_positions
from .tracks import Tracks

# Joints that move less than this share of the whole character's movement need not be looked at.
STILL = 1e-6


def rows_within(armature: bpy.types.Object, frames: np.ndarray, tracks: Tracks, error: float) -> np.ndarray:
    """The rows to key so that, with fitted handles, every joint stays within `error` in world space.

    The best keys for every count come from one exact selection; the smallest count whose curves really keep
    the error is found by halving, because playing one count back is much cheaper than playing all.
    """
    everything = np.arange(len(frames))
    positions = joint_positions(armature, *tracks.played(tracks.values))
    moving = np.ptp(positions, axis=0).max(axis=-1)
    used = moving > STILL * max(float(moving.max()), STILL)
    if len(frames) < 3 or not used.any():
        return everything[[0, -1]] if len(frames) > 1 else everything
    solutions = select(Motion(positions[:, used], frames=frames))
    fitter = Fitter(tracks.values, frames)

    def keeps(rows: np.ndarray) -> bool:
        played = joint_positions(armature, *tracks.played(fitter.fit(rows).evaluate(frames)))
        return metrics.largest_joint_distance(positions[:, used], played[:, used]) <= error

    fewest, most = 0, len(solutions.counts)
    while fewest < most:
        middle = (fewest + most) // 2
        if keeps(solutions.keys(solutions.counts[middle])):
            most = middle
        else:
            fewest = middle + 1
    return everything if most == len(solutions.counts) else solutions.keys(solutions.counts[most])
