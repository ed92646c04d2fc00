# SPDX-License-Identifier: GPL-3.0-or-later
"""All segments of a motion with their costs, strip by strip."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from ..costs import SegmentCosts
from ..costs.contract import BLOCK, MANY
from ..motion import FloatArray, IntArray
from ..progress import Progress
from ..workers import each

HEIGHT = 64  # lengths in a strip
TILE = 64  # a tile is one strip high and this many rows wide
_WHOLE = 64  # strips of up to so many blocks are opened whole: each call takes its time
_AROUND = 16  # rows to either side of a segment's ends where its farthest frame raises bounds
_AT_ONCE = 64  # segments whose surroundings are raised in one operation


@dataclass(frozen=True)
class Strip:
    """The segments of some lengths."""

    lengths: range
    by_end: FloatArray  # [length, last row - shortest length]
    by_start: FloatArray  # [length, first row], the same numbers
    known: NDArray[np.bool_] | None  # like by_end: which costs are exact; None if all are
    closed: NDArray[np.bool_]  # blocks of last rows of which only floors are known; they count as infinite

    def seen_from(self, *, backward: bool) -> tuple[FloatArray, int]:
        """The costs as [length, row - offset], and the offset; the row is the last, or the first one."""
        return (self.by_start, 0) if backward else (self.by_end, self.lengths[0])


class SegmentTable:
    """Every allowed segment's cost, exact or, for long segments of some costs, bounded from below."""

    def __init__(self, costs: SegmentCosts, earliest: IntArray, progress: Progress):
        """`earliest` is for every row the first row that a segment ending there may start at."""
        self.join = costs.join
        self.count = len(earliest)
        self._costs = costs
        reach = np.arange(self.count) - earliest  # the longest segment allowed to end at each row
        ranges = length_ranges(int(reach.max()))
        self._first_lengths = np.array([lengths[0] for lengths in ranges])
        # The last block may stick out over the end of the motion; nothing is allowed there.
        self._reach = np.concatenate([reach, np.zeros(BLOCK, dtype=reach.dtype)])
        exact = [lengths for lengths in ranges if lengths[-1] <= costs.exact_to]
        self.strips = [_exact_strip(lengths, self.count) for lengths in exact]
        done, work = 0, sum(self.count - lengths[0] for lengths in exact)
        for number in costs.fill(exact, [strip.by_end for strip in self.strips]):
            _forbid(self.strips[number], reach)
            done += self.count - exact[number][0]
            progress(done / work)
        bounded = ranges[len(exact) :]
        self._first_bounded = bounded[0][0] if bounded else self.longest + 1
        # By direction, [strip, tile]: floors of the tiles that were never asked for, else infinite.
        self._floors = [np.full((len(ranges), -(-self.count // TILE)), np.inf) for _ in (False, True)]
        if bounded:
            self._add_bounded(bounded, progress)
        # By direction: what `least_costs` knew, and the strips that changed since.
        self._least = [floors.copy() for floors in self._floors]
        known = {number for number, strip in enumerate(self.strips) if not strip.closed.any()}
        self._changed = [known.copy() for _ in (False, True)]

    def _add_bounded(self, ranges: list[range], progress: Progress) -> None:
        """Add the strips that have only lower bounds."""
        strips = [_closed_strip(lengths, self.count) for lengths in ranges]
        self.strips += strips
        self._costs.prepare(ranges)
        if self.join is np.add:
            for strip in strips:
                strip.by_end[:] = np.inf
                progress(1.0)
            self._put_floors(*self._costs.floors(ranges))
            return
        # Where the worst segment decides, few keys leave hardly a segment out, however long, and nearly
        # all would be asked for; it is quicker to open them at once.
        each(self._open_all, strips, lambda: progress(1.0), alone=self.count < MANY)

    def _open_all(self, strip: Strip) -> None:
        self._open_blocks(strip, np.arange(len(strip.closed)))

    def _put_floors(self, by_end: FloatArray, by_start: FloatArray) -> None:
        """A tile's floor: what its own rows demand, and what all rows that are partners of these do."""
        starts = np.arange(0, self.count, TILE)
        by_tile = [np.minimum.reduceat(floors, starts, axis=1) for floors in (by_end, by_start)]
        bounded = slice(len(self.strips) - len(by_end), None)
        strip = np.arange(len(by_end))[:, None]
        for backward in (False, True):
            partners = self.reached_tiles(backward=backward)[:, bounded]
            theirs = by_tile[not backward][strip, partners].min(axis=0)
            self._floors[backward][bounded] = np.maximum(by_tile[backward], theirs)

    @property
    def exact(self) -> bool:
        """Whether there are no bounds in it."""
        return self._first_bounded > self.longest

    @property
    def longest(self) -> int:
        return self.strips[-1].lengths[-1]

    def reached_tiles(self, *, backward: bool) -> IntArray:
        """[n, strip, tile]: the tiles that hold the partners of a tile's rows, the last one repeated."""
        starts = np.arange(0, self.count, TILE)
        first = np.array([[strip.lengths[0]] for strip in self.strips])
        last = np.array([[strip.lengths[-1]] for strip in self.strips])
        if backward:
            low, high = starts + first, starts + TILE - 1 + last
        else:
            low, high = starts - last, starts + TILE - 1 - first
        low = np.clip(low, 0, self.count - 1) // TILE
        high = np.clip(high, 0, self.count - 1) // TILE
        return np.stack([np.minimum(low + n, high) for n in range(int((high - low).max()) + 1)])

    def least_costs(self, *, backward: bool) -> FloatArray:
        """[strip, tile]: what a segment of a strip from any row of a tile costs at least.

        When a tile is opened this very array changes.
        """
        least = self._least[backward]
        for number in self._changed[backward]:
            cheapest = _cheapest(self.strips[number], self.count, slice(0, least.shape[1]), backward=backward)
            np.minimum(cheapest, self._floors[backward][number], out=least[number])
        self._changed[backward] = set()
        return least

    def closed_tiles(self, *, backward: bool) -> NDArray[np.bool_]:
        """[strip, tile]: of which tiles only floors are known."""
        return np.isfinite(self._floors[backward])

    def open(self, number: int, tiles: IntArray, *, backward: bool) -> bool:
        """See to it that not only floors are known of some tiles of a strip.

        Segments of closed blocks count as infinitely dear, so no path may be sought through a tile before
        it is opened, unless its floor shows that none is to be found there.

        Returns:
            Whether more is known now.
        """
        strip, floors = self.strips[number], self._floors[backward][number]
        tiles = tiles[np.isfinite(floors[tiles])]
        if not len(tiles):
            return False
        blocks = np.flatnonzero(self._wanted(strip, tiles, backward=backward))
        if len(blocks):
            self._open_blocks(strip, blocks)
        if not strip.closed.any():
            tiles = np.arange(len(floors))
        floors[tiles] = np.inf
        some = slice(int(tiles[0]), int(tiles[-1]) + 1)
        cheapest = _cheapest(strip, self.count, some, backward=backward)
        np.minimum(cheapest, floors[some], out=self._least[backward][number, some])
        return True

    def _wanted(self, strip: Strip, tiles: IntArray, *, backward: bool) -> NDArray[np.bool_]:
        """Which closed blocks of a strip hold segments from some tiles."""
        if len(strip.closed) <= _WHOLE:
            return strip.closed
        first = tiles * TILE - (0 if backward else strip.lengths[0])
        last = first + TILE - 1 + (len(strip.lengths) - 1 if backward else 0)
        wanted = np.zeros_like(strip.closed)
        for low, high in zip(np.maximum(first, 0) // BLOCK, last // BLOCK, strict=True):
            wanted[low : high + 1] = True
        return wanted & strip.closed

    def _open_blocks(self, strip: Strip, blocks: IntArray) -> None:
        """Put the bounds of all segments that end in some blocks into a strip."""
        first, height = strip.lengths[0], len(strip.lengths)
        row, column = strip.by_end.strides
        places = as_strided(strip.by_end, (height, len(strip.closed), BLOCK), (row, BLOCK * column, column))
        tops = first + BLOCK * blocks
        for some, bounds in self._costs.bounds(strip.lengths, tops):
            for begin, stop in runs(blocks[some]):
                places[:, begin:stop] = bounds[:, : stop - begin]
                bounds = bounds[:, stop - begin :]
        reach = self._reach[tops[:, None] + np.arange(BLOCK)]
        short = np.flatnonzero((reach < strip.lengths[-1]).any(axis=1))  # not all of the lengths are allowed
        allowed = np.array(strip.lengths)[:, None, None] <= reach[short]
        places[:, blocks[short]] = np.where(allowed, places[:, blocks[short]], np.inf)
        strip.closed[blocks] = False

    def bounded(self, lengths: IntArray) -> NDArray[np.bool_]:
        """Which segments may have only a lower bound, by their lengths."""
        return lengths >= self._first_bounded

    def strips_of(self, lengths: IntArray) -> IntArray:
        """The numbers of the strips that hold these lengths."""
        return np.searchsorted(self._first_lengths, lengths, side="right") - 1

    def exact_costs(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """The costs of the given segments, computed now where only a bound was known."""
        costs = np.empty(len(starts))
        unknown = []
        for number, part, entries in self._places(starts, ends):
            strip = self.strips[number]
            costs[part] = strip.by_end[entries]
            if strip.known is not None:
                unknown.append(part[~strip.known[entries]])
        new = np.concatenate([np.zeros(0, dtype=np.int64), *unknown])
        costs[new] = self._costs.exact(starts[new], ends[new])
        for number, part, entries in self._places(starts[new], ends[new]):
            self._put(number, entries, costs[new[part]], exact=True)
        return costs

    def settle(self, starts: IntArray, ends: IntArray) -> tuple[FloatArray, FloatArray]:
        """What was known of the costs of some bounded segments, and their exact costs.

        And where a cost turns out higher than its bound was, the frame that is to blame raises the
        bounds of the segments around: it is far out in those as well.
        """
        bounds = np.empty(len(starts))
        for number, part, entries in self._places(starts, ends):
            bounds[part] = self.strips[number].by_end[entries]
        costs = self.exact_costs(starts, ends)
        surprises = np.flatnonzero(costs > bounds)
        for first in range(0, len(surprises), _AT_ONCE):
            some = surprises[first : first + _AT_ONCE]
            self._raise_around(starts[some], ends[some], self._costs.farthest(starts[some], ends[some]))
        return bounds, costs

    def _raise_around(self, starts: IntArray, ends: IntArray, witnesses: IntArray) -> None:
        """Raise the bounds of the segments that start and end near the given ones, by their witnesses."""
        near = np.arange(-_AROUND, _AROUND + 1)
        shape = (len(starts), len(near), len(near))
        first = np.broadcast_to((starts[:, None] + near)[:, :, None], shape)
        last = np.broadcast_to((ends[:, None] + near)[:, None, :], shape)
        witness = np.broadcast_to(witnesses[:, None, None], shape)
        usable = (first >= 0) & (first < witness) & (witness < last) & (last < self.count)
        usable &= self.bounded(last - first) & (last - first <= self.longest)
        first, last = first[usable], last[usable]
        bounds = self._costs.distances(witness[usable], first, last)
        for number, part, entries in self._places(first, last):
            # Of a segment that comes twice one of the bounds is kept: any of them is true.
            raised = np.maximum(self.strips[number].by_end[entries], bounds[part])
            self._put(number, entries, raised, exact=False)

    def _put(
        self, number: int, entries: tuple[IntArray, IntArray], values: FloatArray, *, exact: bool
    ) -> None:
        """Costs, or better bounds, in the place of bounds."""
        strip = self.strips[number]
        strip.by_end[entries] = values
        if exact and strip.known is not None:
            strip.known[entries] = True
        for changed in self._changed:
            changed.add(number)

    def _places(
        self, starts: IntArray, ends: IntArray
    ) -> Iterator[tuple[int, IntArray, tuple[IntArray, IntArray]]]:
        """Where segments are in the table: the strip, which of the segments, and their entries there."""
        lengths = ends - starts
        numbers = self.strips_of(lengths)
        for number in np.unique(numbers).tolist():
            first, part = self.strips[number].lengths[0], np.flatnonzero(numbers == number)
            yield number, part, (lengths[part] - first, ends[part] - first)


def _cheapest(strip: Strip, count: int, tiles: slice, *, backward: bool) -> FloatArray:
    """[tile]: the cheapest segment of a strip from any row of a tile, for some tiles."""
    costs, offset = strip.seen_from(backward=backward)
    first, stop = tiles.start * TILE, min(tiles.stop * TILE, count)
    costs = costs[:, max(first - offset, 0) : max(stop - offset, 0)]
    begin = max(offset - first, 0)
    cheapest = np.full(stop - first, np.inf)
    costs.min(axis=0, out=cheapest[begin : begin + costs.shape[1]])
    return np.minimum.reduceat(cheapest, np.arange(0, stop - first, TILE))


def runs(numbers: IntArray, gap: int = 0) -> list[tuple[int, int]]:
    """Ascending numbers as runs, each its first and one past its last; gaps of up to `gap` do not end one."""
    found: list[tuple[int, int]] = []
    for number in numbers.tolist():  # so few that numpy would be slower
        if found and number - found[-1][1] <= gap:
            found[-1] = (found[-1][0], number + 1)
        else:
            found.append((number, number + 1))
    return found


def _forbid(strip: Strip, reach: IntArray) -> None:
    """Make the segments of a strip that are not allowed, or do not exist, infinitely dear."""
    reach = reach[strip.lengths[0] :]
    short = np.flatnonzero(reach < strip.lengths[-1])  # rows where not all of the lengths are allowed
    allowed = np.array(strip.lengths)[:, None] <= reach[short]
    strip.by_end[:, short] = np.where(allowed, strip.by_end[:, short], np.inf)


def length_ranges(longest: int) -> list[range]:
    """All lengths in ranges: fine where segments are short, since most key counts need only those."""
    bounds = [bound for bound in (1, 9, 17, 33) if bound <= longest]
    bounds += range(HEIGHT + 1, longest + 1, HEIGHT)
    return [range(first, stop) for first, stop in pairwise([*bounds, longest + 1])]


def _exact_strip(lengths: range, count: int) -> Strip:
    """A strip for exact costs, not filled yet."""
    by_end, by_start = _room(lengths, count)
    return Strip(lengths, by_end, by_start, known=None, closed=np.zeros(0, dtype=bool))


def _closed_strip(lengths: range, count: int) -> Strip:
    """A strip for bounds, of which nothing is known yet."""
    by_end, by_start = _room(lengths, count)
    closed = np.ones(-(-by_end.shape[1] // BLOCK), dtype=bool)
    return Strip(lengths, by_end, by_start, np.zeros(by_end.shape, dtype=bool), closed)


def _room(lengths: range, count: int) -> tuple[FloatArray, FloatArray]:
    """Memory for a strip, seen by last rows and by first rows."""
    height, width = len(lengths), count - lengths[0]
    # For the view by first rows to run into, and for the last block.
    padded = np.empty((height, width + max(height, BLOCK)))
    padded[:, width:] = np.inf
    row, column = padded.strides
    by_start = as_strided(padded, (height, width), (row + column, column), writeable=False)
    return padded[:, :width], by_start
