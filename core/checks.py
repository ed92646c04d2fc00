# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of plain channel arrays, for functions that are used without a `Motion`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .errors import InputError
from .motion import FloatArray, IntArray


def checked_values(values: ArrayLike) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2 or len(array) < 1:
        raise InputError(f"Values must have the shape (frames, channels), not {array.shape}.")
    if not np.all(np.isfinite(array)):
        row, channel = np.argwhere(~np.isfinite(array))[0]
        raise InputError(
            f"Values must be finite numbers, but row {row} of channel {channel} is {array[row, channel]}."
        )
    return array


def checked_frames(frames: ArrayLike | None, count: int) -> FloatArray:
    if frames is None:
        return np.arange(count, dtype=np.float64)
    array = np.asarray(frames, dtype=np.float64)
    if array.shape != (count,):
        raise InputError(f"There must be one frame number for each of the {count} rows, not {array.shape}.")
    if not np.all(np.isfinite(array)) or np.any(np.diff(array) <= 0.0):
        raise InputError("Frame numbers must be finite and ascend without repeats.")
    return array


def checked_keys(keys: ArrayLike, count: int) -> IntArray:
    array = np.atleast_1d(np.asarray(keys))
    rows = array.astype(np.int64)
    if array.ndim != 1 or not len(array) or np.any(rows != array):
        raise InputError("Keys must be a list of at least one row number.")
    if rows.min() < 0 or rows.max() >= count:
        raise InputError(f"Keys must be rows from 0 to {count - 1}, not {rows.min()} to {rows.max()}.")
    if np.any(np.diff(rows) <= 0):
        raise InputError("Keys must ascend without repeats.")
    return rows
