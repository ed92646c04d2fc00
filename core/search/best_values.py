# SPDX-License-Identifier: GPL-3.0-or-later
"""Dynamic programming: from the values of all paths with k - 1 keys to those with k keys."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from ..motion import FloatArray, IntArray
from ..progress import Progress
from .segment_table import HEIGHT, TILE, SegmentTable

_BRIDGE = 128  # lengths times tiles that are searched faster than they are skipped
_CHUNK = HEIGHT * 1024  # most segments handled in one operation, so that they fit into the cache
PATHS = 256  # paths handled between two reports of progress

# Rows of paths: there are many of them, and half the memory holds them.
RowArray = NDArray[np.int32]


class BestValues:
    """values[k, row]: the cost of the cheapest path with k keys from the first row to `row`."""

    def __init__(self, table: SegmentTable, most: int):
        self._table = table
        self._count = table.count
        # Each level is filled by its step: filling all at once could not be cancelled.
        self.values = np.empty((most + 1, self._count))
        self.values[:2] = np.inf
        self.values[1, 0] = 0.0
        self._winners = np.zeros((most + 1, self._count), dtype=np.int16)  # the strip each value is from
        self._tiles = np.arange(0, self._count, TILE)  # their first rows
        self.least = np.full((most + 1, len(self._tiles)), np.inf)  # [k, tile] of the values
        self.least[1, 0] = 0.0
        self._before, self._start_values = self._start_view()
        self._start_tiles = table.start_tiles()
        self._least_costs = table.least_costs()
        self._buffer = np.empty(_CHUNK)

    def _start_view(self) -> tuple[FloatArray, FloatArray]:
        """The values of the level before, and a view of them as [length, last row] -> first row's value.

        Rows before the motion are infinitely expensive, so no path comes from there.
        """
        longest = self._table.longest
        padded = np.full(longest + self._count, np.inf)
        inside, step = padded[longest:], padded.itemsize
        return inside, as_strided(inside, (longest + 1, self._count), (-step, step), writeable=False)

    @property
    def optima(self) -> FloatArray:
        """[k]: the cost of the cheapest path with k keys to the last row."""
        return self.values[:, -1]

    def step(self, k: int, limit: float) -> None:
        """Fill values[k] from values[k - 1]; values above the limit need not be found.

        No path through a tile is cheaper than its cheapest segment joined to the cheapest value that a
        segment can start from. This, and that joining never makes a path cheaper, is all that the
        exactness rests on.
        """
        starts = self._cheapest_starts(k, limit)
        lower_bounds = self._table.join(starts, self._least_costs[: len(starts)])
        possible = (lower_bounds <= limit) & np.isfinite(lower_bounds)
        worst = np.full(len(self._tiles), np.inf)
        for number in np.flatnonzero(possible.any(axis=1)).tolist():
            wanted = self._rows(number, possible[number] & (lower_bounds[number] < worst))
            for rows in wanted:
                self._improve(k, number, rows)
            if wanted:
                worst = self._worst(k)
        self._finish(k)

    def _cheapest_starts(self, k: int, limit: float) -> FloatArray:
        """Begin level k; [strip, tile]: the cheapest value that a tile's segments can start from.

        With many keys the limit is low: strips of long segments, all of them too expensive, are pruned.
        """
        self.values[k] = np.inf
        self._before[:] = self.values[k - 1]
        within = np.flatnonzero(self._least_costs.min(axis=1) <= limit)
        strips = slice(0, int(within.max(initial=-1)) + 1)
        return self.least[k - 1][self._start_tiles[:, strips]].min(axis=0)

    def _rows(self, number: int, tiles: NDArray[np.bool_]) -> list[slice]:
        """The last rows of a strip's segments that end in some tiles, in runs."""
        lengths = self._table.strips[number].lengths
        return [
            slice(max(first * TILE, lengths[0]), min(stop * TILE, self._count))
            for first, stop in _runs(tiles.nonzero()[0], _BRIDGE // len(lengths))
        ]

    def _worst(self, k: int) -> FloatArray:
        """[tile]: the worst of the best values so far; tiles whose lower bound is not below it are pruned."""
        return np.maximum.reduceat(self.values[k], self._tiles)

    def _finish(self, k: int) -> None:
        np.minimum.reduceat(self.values[k], self._tiles, out=self.least[k])

    def _joined(self, number: int, rows: slice) -> Iterator[tuple[slice, FloatArray]]:
        """In chunks of rows, [length, row]: a strip's segments joined to the values that they start from."""
        strip = self._table.strips[number]
        shortest, height = strip.lengths[0], len(strip.lengths)
        for first in range(rows.start, rows.stop, _CHUNK // height):
            some = slice(first, min(first + _CHUNK // height, rows.stop))
            costs = strip.costs[:, some.start - shortest : some.stop - shortest]
            starts = self._start_values[shortest : shortest + height, some]
            joined = self._buffer[: costs.size].reshape(costs.shape)
            yield some, self._table.join(costs, starts, out=joined)

    def _improve(self, k: int, number: int, rows: slice) -> None:
        """Improve values[k] by the segments of a strip that end at some rows."""
        for some, joined in self._joined(number, rows):
            values, best = joined.min(axis=0), self.values[k, some]
            np.copyto(self._winners[k, some], number, where=values < best, casting="same_kind")
            np.minimum(best, values, out=best)

    def paths(self, counts: IntArray, progress: Progress) -> RowArray:
        """[n, key]: the rows of the best paths with these numbers of keys, then the last row again."""
        most = int(counts.max(initial=1))
        rows = np.empty((len(counts), most), dtype=np.int32)
        for first in range(0, len(counts), PATHS):  # so much memory that it must be possible to cancel
            rows[first : first + PATHS] = self._count - 1
            progress(0.0)
        rows[:, 0] = 0
        here = np.full(len(counts), self._count - 1)
        for k in range(most, 1, -1):
            active = np.flatnonzero(counts >= k)
            unique, back = np.unique(here[active], return_inverse=True)
            here[active] = self._keys_before(k, unique)[back.ravel()]
            rows[active, k - 2] = here[active]
            progress(1.0 - k / most)
        return rows

    def _keys_before(self, k: int, rows: IntArray) -> IntArray:
        """The last but one key of the best paths with k keys to some rows; of equals the nearest."""
        found = np.empty(len(rows), dtype=np.int64)
        self._before[:] = self.values[k - 1]
        winners, values = self._winners[k, rows], self.values[k, rows]
        for number in np.flatnonzero(np.bincount(winners)):
            mine = np.flatnonzero(winners == number)
            shortest = self._table.strips[number].lengths[0]
            matches = self._matches(number, rows[mine], values[mine])
            found[mine] = rows[mine] - shortest - matches.argmax(axis=0)
        return found

    def _matches(self, number: int, rows: IntArray, values: FloatArray) -> NDArray[np.bool_]:
        """[length, row]: which of a strip's segments give some rows their values."""
        strip = self._table.strips[number]
        starts = self._start_values[strip.lengths[0] : strip.lengths[-1] + 1, rows]
        return self._table.join(strip.costs[:, rows - strip.lengths[0]], starts) == values


def _runs(numbers: IntArray, gap: int) -> list[tuple[int, int]]:
    """Ascending numbers as runs, each its first and one past its last; gaps of up to `gap` do not end one."""
    found: list[tuple[int, int]] = []
    for number in numbers.tolist():  # so few that numpy would be slower
        if found and number - found[-1][1] <= gap:
            found[-1] = (found[-1][0], number + 1)
        else:
            found.append((number, number + 1))
    return found
