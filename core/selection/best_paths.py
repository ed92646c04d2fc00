# SPDX-License-Identifier: GPL-3.0-or-later
"""The search of `salient`: cheapest paths from the first to the last frame, for every number of keys.

With cost(i, j) of a segment and `join` (+ or max), the best value of a path that ends at row j with k
keys is

    value[k, j] = min over i < j of join(value[k - 1, i], cost(i, j))

The plain way looks at every pair (i, j) for every k. This one leaves out whole tiles of pairs, and only
where a lower bound proves that nothing in them can matter; see docs/solver.md.
"""

from __future__ import annotations

import numpy as np

from ..costs import SegmentCosts
from ..motion import FloatArray, IntArray
from ..progress import Progress
from .levels import Levels
from .segment_table import SegmentTable

# Sums in another order differ in their last digits; a limit must not cut those off.
_ROUNDING = 1.0 + 1e-11
# How much dearer than with a key less a path over lower bounds may be before it is left out.
_RISE = 1.02
_MANY = 1 << 16  # segments
_GRID = 32  # every so many rows there is one that `_grid_prices` may use


def best_paths(
    costs: SegmentCosts, earliest: IntArray, most: int, progress: Progress
) -> tuple[FloatArray, list[IntArray]]:
    """The best cost and the keys for every number of keys up to `most`, from the fewest possible on.

    Args:
        costs: of the segments.
        earliest: for every row the first row that a segment ending there may start at.
    """
    table = SegmentTable(costs, earliest, progress.part(0.0, 0.4))
    if table.exact:
        forward = _by_guessed_limits(table, most, progress.part(0.4, 0.9))
    else:
        forward = _by_proven_limits(table, most, progress.part(0.4, 0.9))
    errors = forward.values[:, -1]
    fewest = int(np.argmax(np.isfinite(errors)))
    return errors[fewest:], _keys(forward, fewest, progress.part(0.9, 1.0))


def _by_guessed_limits(table: SegmentTable, most: int, progress: Progress) -> Levels:
    """Levels of exact costs.

    A path that costs more than the optimum is of no use, and an optimum for more keys is nearly always
    cheaper than one for fewer. So level k is first searched only up to the optimum of level k - 1. The
    end shows whether that guess held; where it did not, the optima found (all of them real paths)
    limit every level safely and the search is done once more.
    """
    forward = Levels(table, most)
    limits = np.full(most + 1, np.inf)
    for k in range(2, most + 1):
        limits[k] = forward.values[k - 1, -1]
        forward.step(k, limits[k])
        progress(k / most)
    # A value of level k is needed if it is at most the optimum for k or any more keys.
    needed = np.maximum.accumulate(forward.values[::-1, -1])[::-1]
    if np.any(needed[2:] > limits[2:]):
        forward = Levels(table, most)
        for k in range(2, most + 1):
            forward.step(k, needed[k])
            progress(1.0)
    return forward


def _by_proven_limits(table: SegmentTable, most: int, progress: Progress) -> Levels:
    """Levels where most costs are only bounded from below, and exact ones are dear.

    First the same search with the bounds alone, from the last row backwards: what it takes at least to
    finish from each row. The paths it finds, priced exactly, are upper bounds of the optima. Both
    together tell which values of the forward search can be part of an optimum, and only for those
    exact costs are asked for.
    """
    rest, capped = _bounds_of_the_rest(table, most, progress.part(0.0, 0.4))
    prices = _prices(table, rest, progress.part(0.4, 0.5))
    upper = np.minimum(prices, _grid_prices(table, most)) * _ROUNDING
    forward = Levels(table, most)
    for k in range(2, most + 1):
        limits = _limits(table.join, capped[1 : most - k + 2], upper[k:])
        forward.step_exactly(k, limits)
        progress(0.5 + 0.5 * k / most)
    return forward


def _bounds_of_the_rest(table: SegmentTable, most: int, progress: Progress) -> tuple[Levels, FloatArray]:
    """Paths over the lower bounds, and [m, tile]: the least cost to finish with m keys from a tile."""
    rest = Levels(table, most, backward=True)
    capped = np.full((most + 1, rest.tiles), np.inf)
    capped[1] = rest.least_in_tiles(1)
    cap = np.inf
    for m in range(2, most + 1):
        limit = rest.values[m - 1, 0] * _RISE
        rest.step(m, limit)
        # What was left out, here or on a level before, costs at least the limit it was left out for.
        cap = min(cap, limit)
        capped[m] = np.minimum(rest.least_in_tiles(m), cap)
        progress(m / most)
    return rest, capped


def _limits(join: np.ufunc, rest: FloatArray, upper: FloatArray) -> FloatArray:
    """For each tile, above which value a path with k keys cannot be completed to an optimum.

    Args:
        rest: [n, tile], the least it takes to finish when n more keys follow.
        upper: [n], what the optimum for that number of keys costs at most.
    """
    possible = (rest <= upper[:, None]) & np.isfinite(rest)
    if join is np.add:
        left = np.subtract(upper[:, None], rest, out=np.full_like(rest, -np.inf), where=possible)
        return left.max(axis=0)
    return np.where(possible, upper[:, None], -np.inf).max(axis=0)


def _prices(table: SegmentTable, rest: Levels, progress: Progress) -> FloatArray:
    """[k]: the exact cost of the path with k keys that was best by the lower bounds."""
    prices = np.where(np.isfinite(rest.values[:, 0]), 0.0, np.inf)
    # Exact costs replace bounds in the table, so all paths are followed before the first is priced.
    steps, distinct = [], []
    for k, counts, starts, ends in rest.follow(np.flatnonzero(np.isfinite(rest.values[:, 0]))):
        codes = starts * table.count + ends
        steps.append((counts, codes))
        distinct.append(np.unique(codes))
        # Paths with different numbers of keys share most segments: sort these out before they are many.
        if sum(map(len, distinct)) > 2 * len(distinct[0]) + _MANY:
            distinct = [np.unique(np.concatenate(distinct))]
        progress(0.5 - 0.5 * k / len(prices))
    segments = np.unique(np.concatenate(distinct))
    costs = table.exact_costs(*np.divmod(segments, table.count))
    for number, (counts, codes) in enumerate(steps):
        prices[counts] = table.join(prices[counts], costs[np.searchsorted(segments, codes)])
        progress(0.5 + 0.5 * number / len(steps))
    return prices


def _grid_prices(table: SegmentTable, most: int) -> FloatArray:
    """[k]: the exact cost of the best path with k keys that are all on a coarse grid of rows.

    With few keys, one misleading bound among long segments makes a path over bounds dear; these are not.
    """
    rows = np.unique(np.append(np.arange(0, table.count, _GRID), table.count - 1))
    first, last = np.triu_indices(len(rows), 1)
    allowed = rows[last] - rows[first] <= table.longest
    first, last = first[allowed], last[allowed]
    costs = np.full((len(rows), len(rows)), np.inf)
    costs[first, last] = table.exact_costs(rows[first], rows[last])
    prices = np.full(most + 1, np.inf)
    values = np.where(rows == 0, 0.0, np.inf)
    for k in range(2, min(most, len(rows)) + 1):
        values = table.join(values[:, None], costs).min(axis=0)
        prices[k] = values[-1]
    return prices


def _keys(forward: Levels, fewest: int, progress: Progress) -> list[IntArray]:
    """The keys of the best path to the last row for every number of keys from `fewest` on."""
    most, last = len(forward.values) - 1, forward.values.shape[1] - 1
    rows = np.empty((most - fewest + 1, most), dtype=np.int32)
    rows[np.arange(most - fewest + 1), np.arange(fewest, most + 1) - 1] = last
    for k, counts, _, partners in forward.follow(np.arange(fewest, most + 1)):
        rows[counts - fewest, k - 2] = partners
        progress(1.0 - k / most)
    return [path[:count] for count, path in enumerate(rows, fewest)]
