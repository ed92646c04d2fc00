# SPDX-License-Identifier: GPL-3.0-or-later
"""One direction of the search: from the values for k - 1 keys to those for k keys."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from ..motion import FloatArray, IntArray
from .segment_table import HEIGHT, SegmentTable

TILE = 64  # a tile is one strip high and this many rows wide
_CHUNK = HEIGHT * 1024  # most segments handled in one operation, so that they fit into the cache
_MANY = 1 << 14  # so many segments with lower bounds are settled at once, since each call takes its time


# Some segments: what each gives at least, its length, its last row.
_Candidates = tuple[FloatArray, IntArray, IntArray]


class Levels:
    """values[k, row]: the best cost of a path with k keys between row and the end where paths begin.

    Paths begin at the first row and grow forward, or begin at the last row and grow backward. The far
    end of a segment from `row` is called its partner.
    """

    def __init__(self, table: SegmentTable, most: int, *, backward: bool = False):
        self._table = table
        self._backward = backward
        self._count = table.count
        # Each level is filled by its step: filling all at once would take long, and nobody could cancel.
        self.values = np.empty((most + 1, self._count))
        self.values[:2] = np.inf
        self.values[1, -1 if backward else 0] = 0.0
        self._winners = np.zeros((most + 1, self._count), dtype=np.int16)  # the strip each value is from
        self._starts = np.arange(0, self._count, TILE)
        self.tiles = len(self._starts)
        self._before, self._partner_values = self._partner_view()
        self._partner_tiles = self._reached_tiles()
        self._least = np.array([self._least_costs(number) for number in range(len(table.strips))])
        self._buffer = np.empty(_CHUNK)

    def _partner_view(self) -> tuple[FloatArray, FloatArray]:
        """The values of the level before, and a view of them as [length, row] -> partner's value.

        Rows outside the motion are infinitely dear, so no path comes from there.
        """
        longest = self._table.longest
        padded = np.full(longest + self._count, np.inf)
        step = padded.itemsize
        shape = (longest + 1, self._count)
        if self._backward:
            return padded[: self._count], as_strided(padded, shape, (step, step), writeable=False)
        inside = padded[longest:]
        return inside, as_strided(inside, shape, (-step, step), writeable=False)

    def _reached_tiles(self) -> IntArray:
        """[n, strip, tile]: the up to four tiles that hold the partners of a tile's rows."""
        first = np.array([[strip.lengths[0]] for strip in self._table.strips])
        last = np.array([[strip.lengths[-1]] for strip in self._table.strips])
        if self._backward:
            low, high = self._starts + first, self._starts + TILE - 1 + last
        else:
            low, high = self._starts - last, self._starts + TILE - 1 - first
        low = np.clip(low, 0, self._count - 1) // TILE
        high = np.clip(high, 0, self._count - 1) // TILE
        return np.stack([np.minimum(low + n, high) for n in range(4)])

    def _costs(self, number: int) -> tuple[FloatArray, int]:
        """A strip's costs as [length, row - offset], and the offset."""
        strip = self._table.strips[number]
        return (strip.by_start, 0) if self._backward else (strip.by_end, strip.lengths[0])

    def _least_costs(self, number: int) -> FloatArray:
        """[tile]: the cheapest segment of a strip from any row of the tile."""
        costs, offset = self._costs(number)
        cheapest = np.full(self._count, np.inf)
        costs.min(axis=0, out=cheapest[offset : offset + costs.shape[1]])
        return np.minimum.reduceat(cheapest, self._starts)

    def least_in_tiles(self, k: int) -> FloatArray:
        return np.minimum.reduceat(self.values[k], self._starts)

    def step(self, k: int, limit: float) -> None:
        """Fill values[k] from values[k - 1]; values above the limit need not be found."""
        for number, rows, joined in self._promising(k, limit):
            self._improve(k, number, rows, joined.min(axis=0))

    def step_exactly(self, k: int, limits: FloatArray) -> None:
        """The same where costs may be lower bounds: these become exact wherever that can matter.

        Values above the limit of their tile need not be found. (Forward only.)
        """
        pending: list[_Candidates] = []
        for number, rows, joined in self._promising(k, limits):
            if self._table.strips[number].known is None:
                self._improve(k, number, rows, joined.min(axis=0))
                continue
            pending.append(self._candidates(k, number, rows, joined, limits))
            if sum(len(bounds) for bounds, _, _ in pending) > _MANY:
                self._settle(k, pending)
                pending = []
        self._settle(k, pending)

    def _promising(self, k: int, limits: float | FloatArray) -> Iterator[tuple[int, slice, FloatArray]]:
        """The segments that may improve values[k]: strip, rows, and the values that they would give.

        No path through a tile is cheaper than its cheapest segment joined to the cheapest partner.
        This, and that joining never makes a path cheaper, is all that the exactness rests on.
        """
        self.values[k] = np.inf
        self._before[:] = self.values[k - 1]
        partner = self.least_in_tiles(k - 1)[self._partner_tiles].min(axis=0)
        lower = self._table.join(partner, self._least)
        possible = (lower <= limits) & np.isfinite(lower)
        for number in np.flatnonzero(possible.any(axis=1)):
            worst = np.maximum.reduceat(self.values[k], self._starts)
            for first, stop in _runs(possible[number] & (lower[number] < worst)):
                for rows, joined in self._joined(number, first * TILE, stop * TILE):
                    yield int(number), rows, joined

    def _joined(self, number: int, first: int, stop: int) -> Iterator[tuple[slice, FloatArray]]:
        """For runs of rows in first..stop-1, [length, row]: a strip's segments joined to their partners."""
        lengths = self._table.strips[number].lengths
        chunk = _CHUNK // len(lengths)
        costs, offset = self._costs(number)
        partners = self._partner_values[lengths[0] : lengths[-1] + 1]
        stop = min(stop, offset + costs.shape[1])
        for start in range(max(first, offset), stop, chunk):
            rows = slice(start, min(start + chunk, stop))
            width = rows.stop - rows.start
            joined = self._buffer[: len(lengths) * width].reshape(len(lengths), width)
            self._table.join(
                costs[:, rows.start - offset : rows.stop - offset], partners[:, rows], out=joined
            )
            yield rows, joined

    def _improve(self, k: int, number: int, rows: slice, values: FloatArray) -> None:
        best = self.values[k, rows]
        np.copyto(self._winners[k, rows], number, where=values < best, casting="same_kind")
        np.minimum(best, values, out=best)

    def _candidates(
        self, k: int, number: int, rows: slice, joined: FloatArray, limits: FloatArray
    ) -> _Candidates:
        """The segments of a strip that are bounded below the best so far and within the limit."""
        ends = np.arange(rows.start, rows.stop)
        best, limit = self.values[k, rows], limits[ends // TILE]
        least = joined.min(axis=0)
        open_ = np.flatnonzero((least < best) & (least <= limit))
        bounds = joined[:, open_]
        row, column = np.nonzero((bounds < best[open_]) & (bounds <= limit[open_]))
        return bounds[row, column], row + self._table.strips[number].lengths[0], ends[open_[column]]

    def _settle(self, k: int, pending: list[_Candidates]) -> None:
        """Improve values[k] by segments of which only a lower bound is known.

        For each last row, the segment with the least bound gets its exact cost, and with it the row a
        new best. Then so do all that are still bounded below the best. No other can be cheaper.
        """
        if not pending:
            return
        bounds, lengths, ends = map(np.concatenate, zip(*pending, strict=True))
        nearest = _first_of_each(ends, bounds)
        self._try(k, lengths[nearest], ends[nearest])
        bounds[nearest] = np.inf
        left = np.flatnonzero(bounds < self.values[k, ends])
        self._try(k, lengths[left], ends[left])

    def _try(self, k: int, lengths: IntArray, ends: IntArray) -> None:
        """Improve values[k] by some segments, at their exact costs."""
        costs = self._table.exact_costs(ends - lengths, ends)
        values = self._table.join(costs, self._partner_values[lengths, ends])
        better = np.flatnonzero(values < self.values[k, ends])
        better = better[_first_of_each(ends[better], values[better])]
        self.values[k, ends[better]] = values[better]
        self._winners[k, ends[better]] = self._table.strips_of(lengths[better])

    def follow(self, counts: IntArray) -> Iterator[tuple[int, IntArray, IntArray, IntArray]]:
        """Follow the best whole paths with these numbers of keys, all together, to where they begin.

        For k from the most keys to 2, the counts of the paths that have k or more, the rows where they
        are with k keys left, and their partners there.
        """
        rows = np.full(len(counts), 0 if self._backward else self._count - 1)
        for k in range(int(counts.max(initial=0)), 1, -1):
            active = counts >= k
            unique, back = np.unique(rows[active], return_inverse=True)
            partners = self.partners(k, unique, exact=not self._backward)[back.ravel()]
            yield k, counts[active], rows[active], partners
            rows[active] = partners

    def partners(self, k: int, rows: IntArray, *, exact: bool = True) -> IntArray:
        """The partners of `rows` on their best paths with k keys; of equals the nearest.

        If `exact`, only segments whose cost is known exactly are looked at.
        """
        found = np.empty(len(rows), dtype=np.int64)
        self._before[:] = self.values[k - 1]
        winners, values = self._winners[k, rows], self.values[k, rows]
        for number in np.flatnonzero(np.bincount(winners)):
            strip = self._table.strips[number]
            costs, offset = self._costs(number)
            mine = np.flatnonzero(winners == number)
            here = rows[mine]
            before = self._partner_values[strip.lengths[0] : strip.lengths[-1] + 1, here]
            matches = self._table.join(costs[:, here - offset], before) == values[mine]
            if exact and strip.known is not None:
                matches &= strip.known[:, here - offset]
            lengths = strip.lengths[0] + matches.argmax(axis=0)
            found[mine] = here + lengths if self._backward else here - lengths
        return found


def _first_of_each(rows: IntArray, values: FloatArray) -> IntArray:
    """For each row that occurs, the index of its least value; of equals the first."""
    order = np.argsort(values, kind="stable")[::-1]
    found = np.full(rows.max(initial=-1) + 1, -1)
    found[rows[order]] = order  # of what is put into one place the last stays
    return found[found >= 0]


def _runs(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and one past the last index of every run of True."""
    if mask.all():
        return [(0, len(mask))]
    edges = (np.flatnonzero(mask[1:] != mask[:-1]) + 1).tolist()
    bounds = ([0] if mask[0] else []) + edges + ([len(mask)] if mask[-1] else [])
    return list(zip(bounds[::2], bounds[1::2], strict=True))
