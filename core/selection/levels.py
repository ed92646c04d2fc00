# SPDX-License-Identifier: GPL-3.0-or-later
"""One direction of the search: from the values for k - 1 keys to those for k keys."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from ..motion import FloatArray, IntArray
from ..progress import Progress
from .segment_table import HEIGHT, TILE, SegmentTable, runs

_BRIDGE = 128  # lengths times tiles that are quicker looked at than passed over
_CHUNK = HEIGHT * 1024  # most segments handled in one operation, so that they fit into the cache
_WIDE = 2048  # from so many rows on it is quicker to go through a strip length by length
PATHS = 256  # paths gone through between two reports of progress
_MANY = 1 << 14  # so many segments with lower bounds are settled at once, since each call takes its time

# Rows of paths: there are many of them, and half the memory holds them.
RowArray = NDArray[np.int32]
# Some segments: what each gives at least, its length, its last row.
_Candidates = tuple[FloatArray, IntArray, IntArray]


class Levels:
    """values[k, row]: the best cost of a path with k keys between row and the end where paths begin.

    Paths begin at the first row and grow forward, or begin at the last row and grow backward. The far
    end of a segment from `row` is called its partner.

    Where the table has only lower bounds, so are the values, unless the levels are `exact` (forward only):
    then bounds become costs wherever that can matter.
    """

    def __init__(self, table: SegmentTable, most: int, *, backward: bool = False, exact: bool = False):
        self._table = table
        self._backward = backward
        self._exact = exact
        self._count = table.count
        # Each level is filled by its step: filling all at once would take long, and nobody could cancel.
        self.values = np.empty((most + 1, self._count))
        self.values[:2] = np.inf
        self.values[1, -1 if backward else 0] = 0.0
        self._winners = np.zeros((most + 1, self._count), dtype=np.int16)  # the strip each value is from
        self._starts = np.arange(0, self._count, TILE)
        self.least = np.full((most + 1, len(self._starts)), np.inf)  # [k, tile] of the values
        self.least[1, -1 if backward else 0] = 0.0
        self._before, self._partner_values = self._partner_view()
        self._partner_tiles = table.reached_tiles(backward=backward)
        self._least_costs = table.least_costs(backward=backward)
        self._buffer = np.empty(max(_CHUNK, self._count))

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

    @property
    def join(self) -> np.ufunc:
        return self._table.join

    @property
    def whole(self) -> FloatArray:
        """[k]: what the best path from the first to the last row costs."""
        return self.values[:, 0 if self._backward else -1]

    def turned(self, most: int, *, exact: bool) -> Levels:
        """Nothing yet, from the other end."""
        return Levels(self._table, most, backward=not self._backward, exact=exact)

    def step(self, k: int, limits: float | FloatArray) -> None:
        """Fill values[k] from values[k - 1]; values above the limit of their tile need not be found."""
        limits = np.broadcast_to(limits, len(self._starts))
        pending: list[_Candidates] = []
        for number, rows in self._promising(k, limits):
            if not self._exact or self._table.strips[number].known is None:
                self._improve(k, number, rows)
                continue
            for some, joined in self._joined(number, rows):
                pending.append(self._candidates(k, number, some, joined, limits))
                if sum(len(bounds) for bounds, _, _ in pending) > _MANY:
                    self._settle(k, pending)
                    pending = []
        self._settle(k, pending)
        np.minimum.reduceat(self.values[k], self._starts, out=self.least[k])

    def _promising(self, k: int, limits: FloatArray) -> Iterator[tuple[int, slice]]:
        """The segments that may improve values[k]: strips, and rows of each.

        No path through a tile is cheaper than its cheapest segment joined to the cheapest partner.
        This, and that joining never makes a path cheaper, is all that the exactness rests on.
        """
        self.values[k] = np.inf
        self._before[:] = self.values[k - 1]
        # With many keys the limit is low, and no strip of long segments holds one that is cheap enough.
        within = np.flatnonzero(self._least_costs.min(axis=1) <= limits.max())
        strips = slice(0, int(within.max(initial=-1)) + 1)
        partner = self.least[k - 1][self._partner_tiles[:, strips]].min(axis=0)
        lower = self._table.join(partner, self._least_costs[strips])
        possible = (lower <= limits) & np.isfinite(lower)
        closed = (possible & self._table.closed_tiles(backward=self._backward)[strips]).any(axis=1)
        worst = np.full(len(self._starts), np.inf)
        for number in np.flatnonzero(possible.any(axis=1)).tolist():
            wanted = possible[number] & (lower[number] < worst)
            if closed[number] and self._table.open(number, np.flatnonzero(wanted), backward=self._backward):
                lower[number] = self.join(partner[number], self._least_costs[number])
                wanted &= (lower[number] < worst) & (lower[number] <= limits)
            looked_at = runs(wanted.nonzero()[0], _BRIDGE // len(self._table.strips[number].lengths))
            for first, stop in looked_at:
                yield number, self._within(number, first * TILE, stop * TILE)
            if looked_at:
                worst = np.maximum.reduceat(self.values[k], self._starts)

    def _within(self, number: int, first: int, stop: int) -> slice:
        """Those of the rows first..stop-1 that a strip has segments from."""
        costs, offset = self._table.strips[number].seen_from(backward=self._backward)
        return slice(max(first, offset), min(stop, offset + costs.shape[1]))

    def _costs_and_partners(self, number: int, rows: slice) -> tuple[FloatArray, FloatArray]:
        """[length, row]: what a strip's segments from some rows cost, and their partners' values."""
        strip = self._table.strips[number]
        costs, offset = strip.seen_from(backward=self._backward)
        partners = self._partner_values[strip.lengths[0] : strip.lengths[-1] + 1, rows]
        return costs[:, rows.start - offset : rows.stop - offset], partners

    def _joined(self, number: int, rows: slice) -> Iterator[tuple[slice, FloatArray]]:
        """For some of the rows after the others, [length, row]: segments joined to their partners."""
        height = len(self._table.strips[number].lengths)
        chunk = _CHUNK // height
        for start in range(rows.start, rows.stop, chunk):
            some = slice(start, min(start + chunk, rows.stop))
            joined = self._buffer[: height * (some.stop - start)].reshape(height, -1)
            yield some, self.join(*self._costs_and_partners(number, some), out=joined)

    def _improve(self, k: int, number: int, rows: slice) -> None:
        """Improve values[k] by the segments of a strip from some rows."""
        if rows.stop - rows.start < _WIDE:
            for some, joined in self._joined(number, rows):
                self._take(k, number, some, joined.min(axis=0))
            return
        # One length at a time: what is written between two reads of it stays in the innermost cache.
        pairs = zip(*self._costs_and_partners(number, rows), strict=True)
        least = self.join(*next(pairs))
        joined = self._buffer[: len(least)]
        for costs, partners in pairs:
            np.minimum(least, self.join(costs, partners, out=joined), out=least)
        self._take(k, number, rows, least)

    def _take(self, k: int, number: int, rows: slice, values: FloatArray) -> None:
        """Of the values known so far and these, which a strip gives, keep the smaller."""
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

    def paths(self, counts: IntArray, progress: Progress) -> RowArray:
        """[n, key]: the rows of the best whole paths with these numbers of keys, then the last row again."""
        most = int(counts.max(initial=1))
        rows = np.empty((len(counts), most), dtype=np.int32)
        for first in range(0, len(counts), PATHS):  # fresh memory, and much of it: nobody could cancel
            rows[first : first + PATHS] = self._count - 1
            progress(0.0)
        rows[:, 0] = 0
        here = np.full(len(counts), 0 if self._backward else self._count - 1)
        for k in range(most, 1, -1):
            active = np.flatnonzero(counts >= k)
            unique, back = np.unique(here[active], return_inverse=True)
            here[active] = self._partners(k, unique)[back.ravel()]
            # With k keys left, the partner is the (k - 1)th of those keys from where paths begin.
            rows[active, counts[active] - k + 1 if self._backward else k - 2] = here[active]
            progress(1.0 - k / most)
        return rows

    def _partners(self, k: int, rows: IntArray) -> IntArray:
        """The partners of `rows` on their best paths with k keys; of equals the nearest."""
        found = np.empty(len(rows), dtype=np.int64)
        self._before[:] = self.values[k - 1]
        winners, values = self._winners[k, rows], self.values[k, rows]
        for number in np.flatnonzero(np.bincount(winners)):
            strip = self._table.strips[number]
            costs, offset = strip.seen_from(backward=self._backward)
            mine = np.flatnonzero(winners == number)
            here = rows[mine]
            before = self._partner_values[strip.lengths[0] : strip.lengths[-1] + 1, here]
            matches = self._table.join(costs[:, here - offset], before) == values[mine]
            if self._exact and strip.known is not None:
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
