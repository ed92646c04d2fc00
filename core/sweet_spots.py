# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of keys worth stopping at: where one more key helped a lot and the next helps little."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .errors import InputError
from .motion import FloatArray, IntArray

# Of the character's height, a fifth of a millimetre on a person: nobody sees an error that is smaller.
VISIBLE_ERROR = 1e-4

# How much steeper the error must fall before a sweet spot than after it.
_STEEPER = 1.2
# The share of the keys, each way, over which steepness is taken: with 100 keys a single one says little.
_REACH = 0.06
# How far below the middle of a quarter more and fewer keys the error must be, as a share of the fall between
# these: where it only pauses before it falls more steeply, nothing is gained by stopping.
_BELOW = 0.1
_AROUND = 1.25
# The first keys of all help in any case: of the whole fall, so much must be behind a sweet spot.
_BEHIND = 0.1


def sweet_spots(counts: ArrayLike, errors: ArrayLike) -> IntArray:
    """The numbers of keys at the foot of a cliff of the error and the start of a plateau (paper 000, 4.1).

    Steepness is that of the logarithm of the error over the logarithm of the count: the unit of the
    error plays no part, nor does squaring it, and an error that falls evenly has no sweet spots.
    Where the error rises with another key, only counts that beat all smaller ones are looked at.

    Args:
        counts: ascending numbers of keys.
        errors: the error for each, such as `Solutions.errors` or the playback errors.
    """
    numbers, values = _checked(counts, errors)
    best = np.minimum.accumulate(values)
    if len(numbers) < 4 or best[0] == 0.0:
        return numbers[:0]
    reach = np.maximum(1, np.round(_REACH * numbers).astype(np.int64))
    x, y = np.log(numbers), np.log(np.maximum(best, 1e-12 * best[0]))
    before, after = _steepness(x, y, reach)
    contrast = before / np.maximum(after, 0.1 * before + (before <= 0.0))
    contrast[(_below_its_neighbours(x, y) < _BELOW) | (y[0] - y < _BEHIND * (y[0] - y[-1]))] = 0.0
    spots = set()
    for index in np.flatnonzero(contrast >= _STEEPER).tolist():
        near = contrast[max(0, index - 2 * reach[index]) : index + 2 * reach[index] + 1]
        if contrast[index] >= near.max():
            spots.add(_foot(index, x, y, float(after[index]) * _STEEPER))
    return numbers[sorted(spots)]


def smallest_count(counts: ArrayLike, errors: ArrayLike, wanted: float) -> int | None:
    """The fewest keys whose error is at most `wanted`, or None if none is that good.

    Errors need not fall with the count, so this is the first that is good enough, not the last.
    """
    numbers, values = _checked(counts, errors)
    enough = np.flatnonzero(values <= wanted)
    return int(numbers[enough[0]]) if len(enough) else None


def _steepness(x: FloatArray, y: FloatArray, reach: IntArray) -> tuple[FloatArray, FloatArray]:
    """How steeply y falls before and after each place; 0 where there is too little to tell."""
    # A single flat step may be chance: a plateau lasts for two at least.
    ahead = np.arange(len(x)) + np.maximum(reach, 2)
    inner = np.flatnonzero((np.arange(len(x)) > 0) & (ahead < len(x)))
    ahead = np.minimum(ahead, len(x) - 1)
    back = np.maximum(np.arange(len(x)) - reach, 0)
    before, after = np.zeros(len(x)), np.zeros(len(x))
    before[inner] = (y[back] - y)[inner] / (x - x[back])[inner]
    after[inner] = (y - y[ahead])[inner] / (x[ahead] - x)[inner]
    return before, after


def _below_its_neighbours(x: FloatArray, y: FloatArray) -> FloatArray:
    """How far y is below the middle of what is around it; 1 where all of the fall is before, -1 after."""
    fewer, more = (np.interp(x + step, x, y) for step in (-np.log(_AROUND), np.log(_AROUND)))
    return ((fewer + more) / 2.0 - y) / np.maximum((fewer - more) / 2.0, 1e-12)


def _foot(index: int, x: FloatArray, y: FloatArray, flat: float) -> int:
    """Back along the plateau to where the cliff ends."""
    while index > 1 and y[index - 1] - y[index] <= flat * (x[index] - x[index - 1]):
        index -= 1
    return index


def _checked(counts: ArrayLike, errors: ArrayLike) -> tuple[IntArray, FloatArray]:
    numbers, values = np.asarray(counts, dtype=np.int64), np.asarray(errors, dtype=np.float64)
    if numbers.ndim != 1 or numbers.shape != values.shape:
        raise InputError(
            "There must be one error for each count, not {values} for {numbers}.",
            values=values.shape,
            numbers=numbers.shape,
        )
    if len(numbers) and (numbers[0] < 1 or np.any(np.diff(numbers) <= 0)):
        raise InputError("Counts must ascend from 1 or more without repeats.")
    if not np.all(np.isfinite(values)) or np.any(values < 0.0):
        raise InputError("Errors must be finite and not negative.")
    return numbers, values
