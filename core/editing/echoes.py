# SPDX-License-Identifier: GPL-3.0-or-later
"""Where something happens again in a motion: poses that look like another one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..motion import FloatArray, IntArray


def echoes(rows: ArrayLike, at: int, limit: float, apart: int) -> tuple[IntArray, FloatArray]:
    """The rows that look like row `at`, and how alike each is: 1 for the same, 0 at the limit.

    Of poses that follow each other slowly many look alike; what counts is where the likeness is greatest.

    Args:
        rows: (F, D) poses, whose distances tell how different they are.
        limit: poses further away are others.
        apart: how many rows around a pose belong to it.
    """
    rows = np.asarray(rows, np.float64)
    distances = np.linalg.norm(rows - rows[at], axis=1)
    padded = np.pad(distances, apart, constant_values=np.inf)
    nearest_around = np.lib.stride_tricks.sliding_window_view(padded, 2 * apart + 1).min(axis=1)
    found = np.flatnonzero((distances <= nearest_around) & (distances < limit))
    found = found[np.abs(found - at) > apart]
    return found, 1.0 - (distances[found] / limit) ** 2
