# SPDX-License-Identifier: GPL-3.0-or-later
"""The search of `salient`: cheapest paths from the first to the last frame, for every number of keys.

With cost(i, j) of a segment and `join` (+ or max), the best value of a path that ends at row j with k
keys is

    value[k, j] = min over i < j of join(value[k - 1, i], cost(i, j))

The plain way looks at every pair (i, j) for every k. This one leaves out whole tiles of pairs, and only
where a lower bound proves that nothing in them can matter; see docs/solver.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..costs import SegmentCosts
from ..motion import FloatArray, IntArray
from ..progress import Progress

TILE = 64  # a tile is this many last rows wide and one range of lengths high
_CHUNK = 1024  # most last rows handled in one operation, so that the numbers stay in the cache


def length_ranges(longest: int) -> list[range]:
    """All lengths in ranges: fine where segments are short, since most key counts need only those."""
    bounds = [1, 9, 17, 33]
    while bounds[-1] + TILE <= longest:
        bounds.append(bounds[-1] + TILE)
    bounds = [bound for bound in bounds if bound <= longest] + [longest + 1]
    return [range(first, stop) for first, stop in pairwise(bounds)]


@dataclass
class CostTable:
    """All costs, strip by strip, and the least cost in each tile."""

    lengths: list[range]
    strips: list[FloatArray]
    least: FloatArray  # [strip, tile]
    join: np.ufunc

    @property
    def count(self) -> int:
        return self.strips[0].shape[1]


def cost_table(costs: SegmentCosts, earliest: IntArray, progress: Progress) -> CostTable:
    """Ask for the costs of all segments (i, j) with i >= earliest[j]; the others become infinite."""
    count = len(earliest)
    reach = np.arange(count) - earliest  # the longest segment allowed to end at each row
    lengths = length_ranges(int(reach.max()))
    starts = np.arange(0, count, TILE)
    strips, least = [], []
    done, work = 0, sum(count - part[0] for part in lengths)
    for part, strip in zip(lengths, costs.strips(lengths), strict=True):
        strip[np.array(part)[:, None] > reach] = np.inf
        strips.append(strip)
        least.append(np.minimum.reduceat(strip.min(axis=0), starts))
        done += count - part[0]
        progress(done / work)
    return CostTable(lengths, strips, np.array(least), costs.join)


class Forward:
    """value[k, j] for ascending k."""

    def __init__(self, table: CostTable, most: int):
        self.table = table
        self.count = table.count
        self.longest = table.lengths[-1][-1]
        self.values = np.full((most + 1, self.count), np.inf)
        self.values[1, 0] = 0.0
        # In front of row 0 lie only values that no path reaches.
        self._padded = np.full(self.longest + self.count, np.inf)
        step = self._padded.itemsize
        # earlier[l, j] is the value at row j - l of the level before.
        self._earlier = as_strided(
            self._padded[self.longest :], (self.longest + 1, self.count), (-step, step), writeable=False
        )
        self._buffer = np.empty(TILE * _CHUNK)
        self._starts = np.arange(0, self.count, TILE)
        self._sources = self._source_tiles()

    def _source_tiles(self) -> IntArray:
        """[n, strip, tile]: the up to four tiles in which segments of a tile can start."""
        first = np.array([[part[0]] for part in self.table.lengths])
        last = np.array([[part[-1]] for part in self.table.lengths])
        oldest = np.maximum(self._starts - last, 0) // TILE
        newest = np.maximum(self._starts + TILE - 1 - first, 0) // TILE
        return np.stack([np.minimum(oldest + n, newest) for n in range(4)])

    def step(self, k: int, bound: float) -> None:
        """Fill values[k] from values[k - 1]; values above `bound` need not be found."""
        table, best = self.table, self.values[k]
        self._padded[self.longest :] = self.values[k - 1]
        in_tile = np.minimum.reduceat(self.values[k - 1], self._starts)
        # Nothing in a tile is cheaper than its cheapest segment after its cheapest start.
        lower = table.join(in_tile[self._sources].min(axis=0), table.least)
        possible = (lower <= bound) & np.isfinite(lower)
        for strip in np.flatnonzero(possible.any(axis=1)):
            worst = np.maximum.reduceat(best, self._starts)
            for first, stop in _runs(possible[strip] & (lower[strip] < worst)):
                self._relax(int(strip), first * TILE, min(stop * TILE, self.count), best)

    def _relax(self, strip: int, first: int, stop: int, best: FloatArray) -> None:
        """Try all segments of one strip that end in first..stop-1."""
        part, costs = self.table.lengths[strip], self.table.strips[strip]
        for start in range(first, stop, _CHUNK):
            ends = slice(start, min(start + _CHUNK, stop))
            width = ends.stop - ends.start
            joined = self._buffer[: len(part) * width].reshape(len(part), width)
            self.table.join(costs[:, ends], self._earlier[part[0] : part[-1] + 1, ends], out=joined)
            np.minimum(best[ends], joined.min(axis=0), out=best[ends])


def _runs(mask: np.ndarray) -> np.ndarray:
    """First and one past the last index of every run of True."""
    edges = np.flatnonzero(np.diff(mask, prepend=False, append=False))
    return edges.reshape(-1, 2)


def best_values(table: CostTable, most: int, progress: Progress) -> FloatArray:
    """values[k, j] for k up to `most`, exact wherever an optimal path to the last row may pass.

    A path that costs more than the optimum is of no use, and an optimum for more keys is nearly always
    cheaper than one for fewer. So level k is first searched only up to the optimum of level k - 1. The
    end shows whether that guess held; where it did not, the optima found (all of them real paths)
    bound every level safely and the search is done once more.
    """
    forward = Forward(table, most)
    bounds = np.full(most + 2, np.inf)
    for k in range(2, most + 1):
        bounds[k] = forward.values[k - 1, -1] if k > 2 else np.inf
        forward.step(k, bounds[k])
        progress(k / most)
    needed = _upper_bounds(forward.values)
    if np.any(needed > bounds[: most + 1]):
        forward.values[2:] = np.inf
        for k in range(2, most + 1):
            forward.step(k, needed[k])
            progress(k / most)
    return forward.values


def _upper_bounds(values: FloatArray) -> FloatArray:
    """For every level k the largest optimum among all levels from k on."""
    return np.maximum.accumulate(values[::-1, -1])[::-1]


def best_keys(table: CostTable, values: FloatArray, fewest: int, progress: Progress) -> list[IntArray]:
    """The keys of the best path to the last row for every number of keys from `fewest` on.

    All paths are followed back together, one key at a time. Ties go to the shortest last segment.
    """
    most = len(values) - 1
    last = table.count - 1
    keys = [np.full(k, last, dtype=np.int32) for k in range(fewest, most + 1)]
    rows = np.zeros(0, dtype=np.int64)  # where the paths for most, most - 1 .. k are at level k
    for k in range(most, 1, -1):
        if k >= fewest:
            rows = np.append(rows, last)
        unique, back = np.unique(rows, return_inverse=True)
        rows = previous_rows(table, values, k, unique)[back]
        for row, path in zip(rows, reversed(keys), strict=False):
            path[k - 2] = row
        progress(1.0 - k / most)
    return keys


def previous_rows(table: CostTable, values: FloatArray, k: int, rows: IntArray) -> IntArray:
    """For best paths with k keys that end at `rows`, the row of the key before."""
    found = np.full(len(rows), -1)
    for part, strip in zip(table.lengths, table.strips, strict=True):
        open_rows = np.flatnonzero((found < 0) & (rows >= part[0]))
        if not len(open_rows):
            break
        ends = rows[open_rows]
        starts = ends - np.array(part)[:, None]
        before = np.where(starts >= 0, values[k - 1, np.maximum(starts, 0)], np.inf)
        matches = table.join(strip[:, ends], before) == values[k, ends]
        hit = matches.any(axis=0)
        found[open_rows[hit]] = ends[hit] - part[0] - matches[:, hit].argmax(axis=0)
    return found
