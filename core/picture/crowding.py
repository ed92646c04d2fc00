# SPDX-License-Identifier: GPL-3.0-or-later
"""How strongly poses are drawn that stand in each other's way: those that are near in time most."""

from __future__ import annotations

import numpy as np

from ..motion import FloatArray

FADES = 0.7  # what every pose in the way that is nearer in time leaves of a pose
INVISIBLE = 0.05  # what is left of one that need not be drawn


def strengths(centres: FloatArray, frames: FloatArray, now: float, width: float) -> FloatArray:
    """(P,) from 1 to 0, for each pose; one that nothing stands in the way of is drawn as ever.

    Args:
        centres: (P, 3) where the poses are.
        frames: (P,) when.
        now: the frame that is looked at.
        width: poses that are nearer to each other than this overlap.
    """
    away = np.abs(frames - now)
    overlap = np.linalg.norm(centres[:, None] - centres[None], axis=2) < width
    in_the_way = np.sum(overlap & (away[None] < away[:, None]), axis=1)
    found = FADES**in_the_way
    return np.where(found < INVISIBLE, 0.0, found)
