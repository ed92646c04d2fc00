# SPDX-License-Identifier: GPL-3.0-or-later
"""Best paths where long segments have only lower bounds, and exact costs are expensive.

A path that is best by the bounds, and costs no more than they say, is best: every other costs at least
what its own bounds say. So the search goes over the bounds alone. The paths that it finds are priced
exactly, which raises the bounds that misled it, and those numbers of keys whose path turned out more
expensive than its bounds are searched again. Only segments of paths that were found ever get an exact cost.

Searches start from the last row and from the first in turn. Each knows from the one before what it
takes at least to finish from every row, and prunes rows from where nothing can be as cheap as a path that
is priced already. Where many paths cost nearly the same, as in a motion that repeats, this could go on
for long: as soon as a search settles too little, a last one prices all segments that may matter.
"""

from __future__ import annotations

import numpy as np

from ..motion import FloatArray, IntArray
from ..progress import Progress
from ..search import best_paths as exact_search
from ..search.best_values import PATHS, RowArray
from .bounded_table import BoundedTable
from .bounded_values import BoundedValues
from .line_costs import SHORT, LineCosts

# Sums in another order differ in their last digits; a limit must not cut those off.
_ROUNDING = 1.0 + 1e-11
# How much more expensive than with a key less a path may be before the first search leaves it out.
_RISE = 1.02
# Most searches over bounds after the first; an even number, so that the exact one goes forward. Where
# the worst segment decides, nearly every number of keys is misled by a segment of its own; in sums it is
# a few long segments for all of them, and the exact search needs few costs.
_TURNS = {np.maximum: 6, np.add: 0}
# Two searches are worth their time if they settle at least this share of the numbers that are open.
_WORTHWHILE = 0.25


def best_paths(costs: LineCosts, earliest: IntArray, most: int, progress: Progress) -> exact_search.BestPaths:
    """The best paths with up to `most` keys, see `core.search.best_paths`."""
    if np.max(np.arange(len(earliest)) - earliest) <= SHORT:
        return exact_search.best_paths(costs, earliest, most, progress)
    table = BoundedTable(costs, earliest, progress.part(0.0, 0.4))
    prices, paths = _close_in(table, most, progress.part(0.4, 1.0))
    counts = np.flatnonzero(np.isfinite(prices))
    return prices[counts], [paths[count, :count] for count in counts.tolist()]


def _close_in(table: BoundedTable, most: int, progress: Progress) -> tuple[FloatArray, RowArray]:
    """[k] the best costs and [k, key] the rows of the best paths, for every number of keys up to `most`."""
    best = _Best(table, most)
    values, rest, at_least = _first_search(table, most, progress.part(0.0, 0.4))
    possible = np.arange(np.argmax(np.isfinite(values.optima)), most + 1)
    open_ = best.improve(values, possible, at_least, progress.part(0.4, 0.5))
    turns = _TURNS[table.join]
    turn, before, exact = 0, np.inf, False  # before: how many were open two searches ago
    while len(open_) and not exact:
        if turn % 2 == 0:
            exact = turn == turns or len(open_) > (1.0 - _WORTHWHILE) * before
            before = len(open_)
        part = progress.part(0.5 + 0.5 * turn / (turns + 1), 0.5 + 0.5 * (turn + 1) / (turns + 1))
        values = _search(values, open_, best.prices, rest, part.part(0.0, 0.8), exact=exact)
        rest = values.turned_least()
        open_ = best.improve(values, open_, values.optima, part.part(0.8, 1.0))
        turn += 1
    return best.prices, best.rows


class _Best:
    """prices[k] and rows[k]: the cheapest path with k keys so far, at its exact cost."""

    def __init__(self, table: BoundedTable, most: int):
        self._table = table
        self.prices = np.full(most + 1, np.inf)
        self.rows = np.zeros((most + 1, most), dtype=np.int32)

    def improve(
        self, values: BoundedValues, counts: IntArray, at_least: FloatArray, progress: Progress
    ) -> IntArray:
        """Price the paths that were found with these numbers of keys.

        Returns:
            The numbers whose price is above what a path costs `at_least`: there may still be a cheaper one.
        """
        found = counts[np.isfinite(values.optima[counts])]
        if not len(found):
            return counts
        paths = values.paths(found, progress.part(0.0, 0.8))
        prices = _price(self._table, paths, values.optima[found], progress.part(0.8, 1.0))
        better = np.flatnonzero(prices < self.prices[found])
        self.prices[found[better]] = prices[better]
        for first in range(0, len(better), PATHS):
            some = better[first : first + PATHS]
            self.rows[found[some], : paths.shape[1]] = paths[some]
            progress(1.0)
        return counts[self.prices[counts] > at_least[counts] * _ROUNDING]


def _first_search(
    table: BoundedTable, most: int, progress: Progress
) -> tuple[BoundedValues, FloatArray, FloatArray]:
    """With nothing known.

    A path is nearly always cheaper than the best with a key less, so that, and a little, is the limit.

    Returns:
        What was found; [k, tile] what it takes at least to finish with k keys from a tile of the next
        search; [k] what a whole path takes at least.
    """
    values = BoundedValues(table.views[1], most)
    # What is left out on a level, or for want of it on a later one, costs at least the limit.
    caps = np.full(most + 1, np.inf)
    for k in range(2, most + 1):
        limit = values.optima[k - 1] * _RISE
        caps[k] = min(caps[k - 1], limit)
        values.step(k, limit)
        progress(k / most)
    return values, np.minimum(values.turned_least(), caps[:, None]), np.minimum(values.optima, caps)


def _search(
    before: BoundedValues,
    counts: IntArray,
    prices: FloatArray,
    rest: FloatArray,
    progress: Progress,
    *,
    exact: bool,
) -> BoundedValues:
    """From the other end than the search before, for these numbers of keys only.

    All paths up to these prices are found: the search before, for more and at higher prices, has found
    all of their endings, so where it found nothing there is none.
    """
    most = int(counts[-1])
    values = before.turned(most, exact=exact)
    for k in range(2, most + 1):
        later = counts[np.searchsorted(counts, k) :]
        values.step(k, limits(values.join, rest[later - k + 1], prices[later] * _ROUNDING))
        progress(k / most)
    return values


def limits(join: np.ufunc, rest: FloatArray, prices: FloatArray) -> FloatArray:
    """For each tile, above which value a path cannot be completed at any of the prices.

    Args:
        rest: [n, tile], the least it takes to finish with some number of keys.
        prices: [n], what the whole path with that number may cost.
    """
    possible = (rest <= prices[:, None]) & np.isfinite(rest)
    if join is np.add:
        left = np.subtract(prices[:, None], rest, out=np.full_like(rest, -np.inf), where=possible)
        return left.max(axis=0)
    return np.where(possible, prices[:, None], -np.inf).max(axis=0)


def _price(table: BoundedTable, paths: RowArray, by_bounds: FloatArray, progress: Progress) -> FloatArray:
    """The exact costs of paths that cost so much by their bounds."""
    found = []
    for first in range(0, len(paths), PATHS):
        some = paths[first : first + PATHS]
        path, key = np.nonzero(table.bounded(np.diff(some, axis=1)))
        codes = some[path, key].astype(np.int64) * table.count + some[path, key + 1]
        found.append((path + first, codes))
        progress(first / len(paths))
    path, codes = (np.concatenate(parts) for parts in zip(*found, strict=True))
    segments, back = np.unique(codes, return_inverse=True)
    bounds, costs = table.settle(*np.divmod(segments, table.count))
    prices = by_bounds.copy()
    table.join.at(prices, path, (costs - bounds if table.join is np.add else costs)[back])
    return prices
