# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers that belong to poses and are no transforms, such as shape keys: blended like them, or switched.

What can only be one thing or the other, such as a switch from inverse to forward kinematics, is never in
between: the key that counts most has the say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..checks import FloatArray, IntArray

HALF = 0.5  # from this share on a set has the say about a switch


def blend_values(weights: FloatArray, values: FloatArray, switches: np.ndarray) -> FloatArray:
    """(..., D) from weights (..., n) of keys and their values (n, D); `switches` (D,) are not blended."""
    return np.where(switches, values[weights.argmax(axis=-1)], weights @ values)


@dataclass(frozen=True, eq=False)
class ValuesPart:
    """What one set says: some values, which of all they are, and its share."""

    values: FloatArray
    rows: IntArray
    share: float


def blend_set_values(underneath: FloatArray, parts: Sequence[ValuesPart], switches: np.ndarray) -> FloatArray:
    """(D,) values of the sets that act side by side; what they lack to a whole comes from underneath."""
    taken, largest = np.zeros(len(underneath)), np.full(len(underneath), HALF)
    for part in parts:
        taken[part.rows] += part.share
    scale = 1.0 / np.maximum(taken, 1.0)
    blended = underneath * (1.0 - taken * scale)
    switched = underneath.copy()
    for part in parts:
        blended[part.rows] += part.values * part.share * scale[part.rows]
        wins = part.share >= largest[part.rows]
        largest[part.rows[wins]] = part.share
        switched[part.rows[wins]] = part.values[wins]
    return np.where(switches, switched, blended)


def add_values_on_top(
    underneath: FloatArray, part: ValuesPart, rest: FloatArray, switches: np.ndarray
) -> FloatArray:
    """(D,) what a set says beside rest, added by its share; from half a share on it turns switches."""
    result = underneath.copy()
    result[part.rows] += part.share * (part.values - rest[part.rows])
    return np.where(switches, blend_set_values(underneath, [part], switches), result)
