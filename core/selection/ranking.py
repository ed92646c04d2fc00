# SPDX-License-Identifier: GPL-3.0-or-later
"""Orders of frames that the algorithms with nested solutions share."""

from __future__ import annotations

import numpy as np

from ..motion import IntArray


def ends_first(fixed: IntArray) -> IntArray:
    """Fixed rows in the order of a ranking: the two ends, then the others as they come."""
    return np.concatenate([fixed[[0, -1]], fixed[1:-1]])


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
