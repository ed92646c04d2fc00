# SPDX-License-Identifier: GPL-3.0-or-later
"""Which key columns were moved as a whole: columns before and after are told by the values of their keys."""

from __future__ import annotations

import numpy as np

from ..motion import FloatArray, IntArray

MOST = 0.5  # a column is where more than this share of its keys is
IN_PLACE = 1e-3  # where poses are alike, columns stay where they are if they can,
FAR = 1e-9  # or move as little as possible


def moved_columns(
    before: FloatArray, values: FloatArray, after: FloatArray, now: FloatArray, tolerance: FloatArray
) -> FloatArray:
    """(K,) the frame to which each column went; not a number for those that are gone.

    Columns keep their order. One whose pose was changed is still there if another column could not be meant:
    it is in its place, or as many columns were there before between two that are known.

    Args:
        before, values: (K,) and (K, C) frames and values of the columns as they were.
        after, now: (U,) and (U, C) as they are, and not a number where a channel has no key.
        tolerance: (C,) how far values of the same key may be apart.
    """
    gain = _gains(before, values, after, now, tolerance)
    found = _in_order(gain)
    there = np.mean(~np.isnan(now), axis=1) > MOST
    found = _paired(found, before, after, there)
    return np.where(found >= 0, after[found], np.nan)


def _gains(
    before: FloatArray, values: FloatArray, after: FloatArray, now: FloatArray, tolerance: FloatArray
) -> FloatArray:
    """(K, U) how much speaks for each column being the other; above zero if it may be."""
    alike = np.empty((len(before), len(after)))
    for row, pose in enumerate(values):
        alike[row] = np.mean(np.abs(now - pose) <= tolerance, axis=1)
    distance = np.abs(before[:, None] - after)
    gain = alike - MOST - FAR * distance
    return gain + np.where((distance < IN_PLACE) & (gain > 0.0), IN_PLACE, 0.0)


def _in_order(gain: FloatArray) -> IntArray:
    """(K,) pairs that gain most in all, each above zero and all in order; -1 for none. O(K U)."""
    best = np.zeros((gain.shape[0] + 1, gain.shape[1] + 1))
    for row, gains in enumerate(gain):
        paired = best[row, :-1] + np.maximum(gains, 0.0)
        best[row + 1, 1:] = np.maximum.accumulate(np.maximum(best[row, 1:], paired))
    found = np.full(len(gain), -1)
    row, column = gain.shape
    while row and column:
        if best[row, column] == best[row, column - 1]:
            column -= 1
        elif best[row, column] == best[row - 1, column]:
            row -= 1
        else:
            row, column = row - 1, column - 1
            found[row] = column
    return found


def _paired(found: IntArray, before: FloatArray, after: FloatArray, there: np.ndarray) -> IntArray:
    """Give columns whose pose was changed those columns that are left between their neighbours."""
    known = np.flatnonzero(found >= 0)
    rows = np.concatenate([[-1], known, [len(found)]])
    columns = np.concatenate([[-1], found[known], [len(after)]])
    result = found.copy()
    for index in range(len(rows) - 1):
        open_rows = np.arange(rows[index] + 1, rows[index + 1])
        open_columns = np.arange(columns[index] + 1, columns[index + 1])
        open_columns = open_columns[there[open_columns]]
        same = np.abs(before[open_rows][:, None] - after[open_columns]) < IN_PLACE
        if len(open_rows) == len(open_columns):
            result[open_rows] = open_columns
        else:
            at = np.argwhere(same)
            result[open_rows[at[:, 0]]] = open_columns[at[:, 1]]
    return result
