# SPDX-License-Identifier: GPL-3.0-or-later
"""The search of `salient`: cheapest paths from the first to the last frame, for every number of keys.

With cost(i, j) of a segment and `join` (+ or max), the best value of a path that ends at row j with k
keys is

    value[k, j] = min over i < j of join(value[k - 1, i], cost(i, j))

The plain way looks at every pair (i, j) for every k. This one leaves out whole tiles of pairs, and only
where a lower bound proves that nothing in them can matter; see docs/solver.md. Where costs themselves
are only bounded, `closing_in` takes over.
"""

from __future__ import annotations

import numpy as np

from ..costs import SegmentCosts
from ..motion import FloatArray, IntArray
from ..progress import Progress
from .closing_in import close_in
from .levels import Levels, RowArray
from .segment_table import SegmentTable


def best_paths(
    costs: SegmentCosts, earliest: IntArray, most: int, progress: Progress
) -> tuple[FloatArray, list[RowArray]]:
    """The best cost and the keys for every number of keys up to `most`, from the fewest possible on.

    Args:
        costs: of the segments.
        earliest: for every row the first row that a segment ending there may start at.
    """
    table = SegmentTable(costs, earliest, progress.part(0.0, 0.4))
    search = _by_guessed_limits if table.exact else close_in
    errors, rows = search(table, most, progress.part(0.4, 1.0))
    fewest = int(np.argmax(np.isfinite(errors)))
    return errors[fewest:], [rows[count, :count] for count in range(fewest, most + 1)]


def _by_guessed_limits(table: SegmentTable, most: int, progress: Progress) -> tuple[FloatArray, RowArray]:
    """[k] the best costs and [k, key] the rows of the best paths, over exact costs.

    A path that costs more than the optimum is of no use, and an optimum for more keys is nearly always
    cheaper than one for fewer. So level k is first searched only up to the optimum of level k - 1. The
    end shows whether that guess held; where it did not, the optima found (all of them real paths)
    limit every level safely and the search is done once more.
    """
    levels = Levels(table, most)
    limits = np.full(most + 1, np.inf)
    for k in range(2, most + 1):
        limits[k] = levels.whole[k - 1]
        levels.step(k, limits[k])
        progress(0.8 * k / most)
    # A value of level k is needed if it is at most the optimum for k or any more keys.
    needed = np.maximum.accumulate(levels.whole[::-1])[::-1]
    if np.any(needed[2:] > limits[2:]):
        levels = Levels(table, most)
        for k in range(2, most + 1):
            levels.step(k, needed[k])
            progress(0.8)
    counts = np.flatnonzero(np.isfinite(levels.whole))
    rows = np.zeros((most + 1, most), dtype=np.int32)
    rows[counts] = levels.paths(counts, progress.part(0.8, 1.0))
    return levels.whole, rows
