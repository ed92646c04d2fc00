# SPDX-License-Identifier: GPL-3.0-or-later
"""Orders of frames that the algorithms with nested solutions share."""

from __future__ import annotations

import numpy as np

from ..motion import IntArray


def ends_first(fixed: IntArray) -> IntArray:
    """Fixed rows in the order of a ranking: the two ends, then the others as they come."""
    return np.concatenate([fixed[[0, -1]], fixed[1:-1]])


def first_of_each(rows: IntArray) -> IntArray:
    """The rows in their order, each only where it comes first; every row up to the largest must be there."""
    places = np.empty(rows.max() + 1, dtype=np.int64)
    places[rows[::-1]] = np.arange(len(rows))[::-1]  # of equal rows the last one assigned stays: the first
    return rows[np.sort(places)]


def spread(count: int) -> IntArray:
    """(count,) rank of each row when rows are taken far apart: each round halves the gaps.

    Settles ties, so that keys spread over a motionless stretch instead of crowding at its start.
    """
    bits = max(count - 1, 1).bit_length()
    rows = np.arange(count)
    reversed_bits = np.zeros(count, dtype=np.int64)
    for bit in range(bits):
        reversed_bits |= ((rows >> bit) & 1) << (bits - 1 - bit)
    order = np.argsort(reversed_bits)
    ranks = np.empty(count, dtype=np.int64)
    ranks[order] = rows
    return ranks
