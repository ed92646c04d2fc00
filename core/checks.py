# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks of arrays from outside: what is let in is finite, of the right shape and a float64."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InputError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Beyond this the fourth powers that some costs need would overflow; no character is that large.
LARGEST = 1e30


def numbers(values: ArrayLike, what: str) -> FloatArray:
    """A copy of `values` as finite floats of any shape, or a sentence about `what`."""
    try:
        given = np.asarray(values)
        if np.iscomplexobj(given):
            raise TypeError("complex numbers are not allowed")
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{what} must be an array of numbers: {error}.") from error
    usable = np.abs(array) <= LARGEST
    if not np.all(usable):
        bad = tuple(int(index) for index in np.argwhere(~usable)[0])
        where = ", ".join(str(index) for index in bad)
        raise InputError(
            f"{what} must be finite numbers up to {LARGEST:g}, but entry [{where}] is {array[bad]}."
        )
    return array


def channel_values(values: ArrayLike) -> FloatArray:
    """(F, C) channels over time."""
    array = numbers(values, "Values")
    if array.ndim != 2 or len(array) < 1:
        raise InputError(f"Values must have the shape (frames, channels), not {array.shape}.")
    return array


def frame_numbers(frames: ArrayLike | None, count: int) -> FloatArray:
    """(count,) strictly ascending frame numbers; 0, 1, 2 ... if left out."""
    if frames is None:
        return np.arange(count, dtype=np.float64)
    array = numbers(frames, "Frame numbers")
    if array.shape != (count,):
        raise InputError(f"There must be one frame number for each of the {count} rows, not {array.shape}.")
    steps = np.diff(array)
    if np.any(steps <= 0.0):
        row = int(np.argmax(steps <= 0.0))
        raise InputError(
            f"Frame numbers must ascend without repeats, but {array[row]:g} is followed by "
            f"{array[row + 1]:g}."
        )
    return array


def key_rows(keys: ArrayLike, count: int) -> IntArray:
    """(K,) ascending rows out of `count`, at least one."""
    array = np.atleast_1d(numbers(keys, "Keys"))
    rows = array.astype(np.int64)
    if array.ndim != 1 or not len(array) or np.any(rows != array):
        raise InputError("Keys must be a list of at least one row number.")
    if rows.min() < 0 or rows.max() >= count:
        raise InputError(f"Keys must be rows from 0 to {count - 1}, not {rows.min()} to {rows.max()}.")
    if np.any(np.diff(rows) <= 0):
        raise InputError("Keys must ascend without repeats.")
    return rows
