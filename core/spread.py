# SPDX-License-Identifier: GPL-3.0-or-later
"""Some of many rows, where looking at all of them would take too long."""

from __future__ import annotations

import numpy as np

from .checks import IntArray


def spread(rows: int, most: int) -> IntArray:
    """(N,) so many rows at most, evenly chosen, the first and the last of them included."""
    return np.unique(np.linspace(0, rows - 1, min(rows, most)).round().astype(np.int64))
