# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a motion leaves a hold, or comes to one, at once: curves that are level there would play an ease.

Strips of the NLA begin so, cuts between takes, and what is keyed in straight lines; captured bodies do not.
"""

from __future__ import annotations

import numpy as np

from ..motion import FloatArray, IntArray
from .bezier import BoolArray

CALM = 0.2  # of the speed of the first step: at most so fast is the step before it
EASES = 2 / 3  # of the speed of the second step: what begins slower than that eases out
SLOW = 0.5  # of the mean speed up to the next key: what begins slower does not matter there


def leaves_and_stops_at_once(speeds: FloatArray, rows: IntArray) -> tuple[BoolArray, BoolArray]:
    """(K - 1,) each, of the stretches between keys: whether it begins at once, and whether it ends so.

    Args:
        speeds: (F - 1,) from each row to the next.
        rows: (K,) the keys.
    """
    last = len(speeds)
    return _begins(speeds, rows), _begins(speeds[::-1], last - rows[::-1])[::-1]


def _begins(speeds: FloatArray, rows: IntArray) -> BoolArray:
    starts, lengths = rows[:-1], np.diff(rows)
    first, before = speeds[starts], speeds[starts - 1]
    second = speeds[np.minimum(starts + 1, len(speeds) - 1)]
    mean = np.add.reduceat(speeds[: rows[-1]], starts) / lengths
    return (starts > 0) & (before < CALM * first) & (first > EASES * second) & (first > SLOW * mean)
