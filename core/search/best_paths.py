# SPDX-License-Identifier: GPL-3.0-or-later
"""The search of `salient`: cheapest paths from the first to the last frame, for every number of keys.

With cost(i, j) of a segment and `join` (+ or max), the best value of a path that ends at row j with k
keys is

    value[k, j] = min over i < j of join(value[k - 1, i], cost(i, j))

The plain way looks at every pair (i, j) for every k. This one prunes whole tiles of pairs, and only where
a lower bound proves that no optimal path goes through them; see docs/solver.md.
"""

from __future__ import annotations

import numpy as np

from ..costs.contract import SegmentCosts
from ..motion import FloatArray, IntArray
from ..progress import Progress
from .best_values import BestValues, RowArray
from .segment_table import SegmentTable, full_table

# The best cost and the keys for every number of keys, from the fewest possible on.
BestPaths = tuple[FloatArray, list[RowArray]]


def best_paths(costs: SegmentCosts, earliest: IntArray, most: int, progress: Progress) -> BestPaths:
    """The best paths with up to `most` keys.

    Args:
        costs: of the segments.
        earliest: for every row the first row that a segment ending there may start at.
    """
    table = full_table(costs, earliest, progress.part(0.0, 0.4))
    best = _best_values(table, most, progress.part(0.4, 0.88))
    counts = np.flatnonzero(np.isfinite(best.optima))
    rows = best.paths(counts, progress.part(0.88, 1.0))
    return best.optima[counts], [path[:count] for path, count in zip(rows, counts.tolist(), strict=True)]


def _best_values(table: SegmentTable, most: int, progress: Progress) -> BestValues:
    """The values of all paths that may be part of an optimum.

    A path that costs more than the optimum is of no use, and an optimum for more keys is nearly always
    cheaper than one for fewer. So level k is first searched only up to the optimum of level k - 1. The
    end shows whether that guess held; where it did not, the optima found (all of them real paths)
    limit every level safely and the search is done once more.
    """
    best = BestValues(table, most)
    limits = np.full(most + 1, np.inf)
    for k in range(2, most + 1):
        limits[k] = best.optima[k - 1]
        best.step(k, limits[k])
        progress(k / most)
    # A value of level k is needed if it is at most the optimum for k or any more keys.
    needed = np.maximum.accumulate(best.optima[::-1])[::-1]
    if np.any(needed[2:] > limits[2:]):
        best = BestValues(table, most)
        for k in range(2, most + 1):
            best.step(k, needed[k])
            progress(1.0)
    return best
