# SPDX-License-Identifier: GPL-3.0-or-later
"""Removing rows one by one, always the cheapest, where a removal changes its neighbours' costs only."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from ..motion import FloatArray, IntArray
from ..progress import Progress


def thin_out(
    first_costs: FloatArray,
    stays: NDArray[np.bool_],
    cost: Callable[[int, int, int], float],
    progress: Progress,
    removed: Callable[[int, int, float], None] | None = None,
) -> tuple[IntArray, FloatArray]:
    """Rows in the order of their removal, and what each removal cost.

    A heap finds the cheapest row; outdated entries stay in it until they surface. Where costs are equal,
    the row that leaves the shortest gap goes first, so that those that stay are spread.

    Args:
        first_costs: (F,) cost of each row while all are there.
        stays: (F,) rows that are never removed, the first and the last among them.
        cost: cost of a row, called with the row before it, the row itself and the row after it.
        removed: told of each removal: the row before, the row, and its cost.
    """
    count = len(first_costs)
    before, after = list(range(-1, count - 1)), list(range(1, count + 1))
    settled = stays.tolist()  # stays or is gone
    version = [0] * count
    heap = [(float(first_costs[row]), 2, row, 0) for row in range(count) if not settled[row]]
    heapify(heap)
    wanted = len(heap)
    order: list[int] = []
    costs: list[float] = []
    for left in range(wanted - 1, -1, -1):
        paid, _, row, entered = heappop(heap)
        while entered != version[row]:
            paid, _, row, entered = heappop(heap)
        previous, following = before[row], after[row]
        after[previous], before[following] = following, previous
        settled[row] = True
        order.append(row)
        costs.append(paid)
        if removed is not None:
            removed(previous, row, paid)
        for near in (previous, following):
            if not settled[near]:
                version[near] += 1
                fresh = cost(before[near], near, after[near])
                heappush(heap, (fresh, after[near] - before[near], near, version[near]))
        # Often at the end, where gaps are long and a cost may take a while.
        if left % 64 == 0 or left < 64:
            progress(1.0 - left / wanted)
    return np.array(order, dtype=np.int64), np.array(costs)
