# SPDX-License-Identifier: GPL-3.0-or-later
"""All segments of a motion: exact costs of the short ones, lower bounds of the long ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from ..motion import FloatArray, IntArray
from ..progress import Progress
from ..search.segment_table import TILE, SegmentTable, Strip, cheapest, fill_strips, forbid, length_ranges
from ..workers import each
from .line_bounds import BLOCK, LineBounds
from .line_costs import SHORT, LineCosts

_AROUND = 16  # rows to either side of a segment's ends where its farthest frame raises bounds
_AT_ONCE = 64  # segments whose surroundings are raised in one operation
_MANY = 2000  # rows from which on threads share the bounds; with fewer the pieces are too small

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class BoundedStrip(Strip):
    """The segments of some lengths; `costs` are lower bounds where they are not `exact`."""

    exact: BoolArray | None  # like costs; None if all are


class BoundedTable:
    """Every allowed segment's cost, exact or bounded from below.

    Attributes:
        strips: those of long segments appear when they are evaluated; until then only rough bounds are known.
        views: the table for a search from the first row, and for one from the last.
    """

    def __init__(self, costs: LineCosts, earliest: IntArray, progress: Progress):
        """`earliest` is for every row the first row that a segment ending there may start at."""
        self.join = costs.join
        self.count = len(earliest)
        self._reach = np.arange(self.count) - earliest  # the longest segment allowed to end at each row
        self.ranges = length_ranges(int(self._reach.max()))
        self._first_lengths = np.array([lengths[0] for lengths in self.ranges])
        short = [self._strip(lengths, exact=True) for lengths in self.ranges if lengths[-1] <= SHORT]
        fill_strips(costs, short, self._reach, progress)
        self._first_bounded = self.ranges[len(short)][0]
        self.strips: dict[int, BoundedStrip] = dict(enumerate(short))
        self._long = costs.long_segments()
        self._bounds = LineBounds(self._long)
        self.views = TableView(self, mirrored=False), TableView(self, mirrored=True)
        if self.join is np.add:
            rough = self._bounds.rough(self.ranges[len(short) :])
            for view in self.views:
                view.put_rough_bounds(*rough)
            return
        # Where the worst segment decides, few keys leave hardly a segment out, however long, and nearly
        # all would be asked for; it is faster to evaluate them at once.
        bounded = range(len(short), len(self.ranges))
        each(self.evaluate, bounded, lambda: progress(1.0), alone=self.count < _MANY)

    def _strip(self, lengths: range, *, exact: bool) -> BoundedStrip:
        """Memory for a strip, laid out for the first and longest search, which sees it mirrored.

        Around it is room for a block that sticks out, and for segments that do not exist.
        """
        height, width = len(lengths), self.count - lengths[0]
        padded = np.empty((height, BLOCK + width + height))
        padded[:, : BLOCK + height] = padded[:, BLOCK + width :] = np.inf
        known = None if exact else mirrored(np.zeros(padded.shape, dtype=bool)[:, BLOCK : BLOCK + width])
        return BoundedStrip(lengths, mirrored(padded[:, BLOCK : BLOCK + width]), known)

    def evaluate(self, number: int) -> None:
        """Compute the lower bounds of a strip."""
        strip = self._strip(self.ranges[number], exact=False)
        self._bounds.fill(strip.lengths, strip.costs)
        behind = as_strided(strip.costs[:, -1:], (len(strip.lengths), BLOCK), strip.costs.strides)
        behind[:, 1:] = np.inf  # the last block sticks out over the end of the motion
        forbid(strip, self._reach)
        self.strips[number] = strip
        for view in self.views:
            view.show(number)

    def bounded(self, lengths: IntArray) -> BoolArray:
        """Which segments may have only a lower bound, by their lengths."""
        return lengths >= self._first_bounded

    def strips_of(self, lengths: IntArray) -> IntArray:
        """The numbers of the strips that hold these lengths."""
        return np.searchsorted(self._first_lengths, lengths, side="right") - 1

    def exact_costs(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """The costs of some segments of evaluated strips, computed now where only a bound was known."""
        costs = np.empty(len(starts))
        unknown = [np.zeros(0, dtype=np.int64)]
        for number, part, entries in self._places(starts, ends):
            strip = self.strips[number]
            costs[part] = strip.costs[entries]
            if strip.exact is not None:
                unknown.append(part[~strip.exact[entries]])
        new = np.concatenate(unknown)
        costs[new] = self._long.exact(starts[new], ends[new])
        for number, part, entries in self._places(starts[new], ends[new]):
            self._put(number, entries, costs[new[part]], exact=True)
        return costs

    def settle(self, starts: IntArray, ends: IntArray) -> tuple[FloatArray, FloatArray]:
        """The lower bounds of some segments as they were, and their exact costs.

        Where a cost is above its bound, the frame that is farthest out also raises the bounds of the segments
        around: it is far out in those as well.
        """
        bounds = np.empty(len(starts))
        for number, part, entries in self._places(starts, ends):
            bounds[part] = self.strips[number].costs[entries]
        costs = self.exact_costs(starts, ends)
        misled = np.flatnonzero(costs > bounds)
        for first in range(0, len(misled), _AT_ONCE):
            some = misled[first : first + _AT_ONCE]
            self._raise_around(starts[some], ends[some], self._long.farthest(starts[some], ends[some]))
        return bounds, costs

    def _raise_around(self, starts: IntArray, ends: IntArray, witnesses: IntArray) -> None:
        """Raise the bounds of the segments that start and end near the given ones, by their witnesses."""
        near = np.arange(-_AROUND, _AROUND + 1)
        shape = (len(starts), len(near), len(near))
        first = np.broadcast_to((starts[:, None] + near)[:, :, None], shape)
        last = np.broadcast_to((ends[:, None] + near)[:, None, :], shape)
        witness = np.broadcast_to(witnesses[:, None, None], shape)
        usable = (first >= 0) & (first < witness) & (witness < last) & (last < self.count)
        usable &= self.bounded(last - first) & (last - first <= self.ranges[-1][-1])
        first, last = first[usable], last[usable]
        bounds = self._long.distances(witness[usable], first, last)
        for number, part, entries in self._places(first, last):
            # Of a segment that comes twice one of the bounds is kept: any of them is true.
            raised = np.maximum(self.strips[number].costs[entries], bounds[part])
            self._put(number, entries, raised, exact=False)

    def _put(
        self, number: int, entries: tuple[IntArray, IntArray], values: FloatArray, *, exact: bool
    ) -> None:
        """Costs, or better bounds, in the place of bounds."""
        strip = self.strips[number]
        strip.costs[entries] = values
        if exact and strip.exact is not None:
            strip.exact[entries] = True
        for view in self.views:
            view.dirty.add(number)

    def _places(
        self, starts: IntArray, ends: IntArray
    ) -> Iterator[tuple[int, IntArray, tuple[IntArray, IntArray]]]:
        """Where segments are in evaluated strips: the strip, which of the segments, their entries there."""
        lengths = ends - starts
        numbers = self.strips_of(lengths)
        for number in np.unique(numbers).tolist():
            if number in self.strips:
                first, part = self.ranges[number][0], np.flatnonzero(numbers == number)
                yield number, part, (lengths[part] - first, ends[part] - first)


class TableView(SegmentTable):
    """The table as one search sees it; `mirrored`, rows count from the last one back.

    Attributes:
        evaluated: the strips of which more than rough bounds are known; in others all costs are infinite.
        exact: for each strip, like its costs, which of them are exact; None if all are, or nothing is known.
        dirty: strips whose costs have changed since `least_costs` was called.
    """

    def __init__(self, table: BoundedTable, *, mirrored: bool):
        nothing = [
            Strip(part, np.broadcast_to(np.inf, (len(part), table.count - part[0]))) for part in table.ranges
        ]
        super().__init__(table.join, table.count, nothing)
        self._table = table
        self.mirrored = mirrored
        self._least = np.full((len(nothing), -(-table.count // TILE)), np.inf)
        self.evaluated: set[int] = set()
        self.exact: list[BoolArray | None] = [None] * len(nothing)
        self.dirty: set[int] = set()
        for number in table.strips:
            self.show(number)

    def show(self, number: int) -> None:
        """Show a strip that was evaluated."""
        strip = self._table.strips[number]
        self.strips[number] = Strip(strip.lengths, self._seen(strip.costs))
        self.exact[number] = None if strip.exact is None else self._seen(strip.exact)
        self._update(number)
        self.evaluated.add(number)

    def turned(self) -> TableView:
        """The table for a search from the other end."""
        return self._table.views[not self.mirrored]

    def evaluate(self, number: int) -> None:
        self._table.evaluate(number)

    def put_rough_bounds(self, by_end: FloatArray, by_start: FloatArray) -> None:
        """Take rough bounds, [strip, row]: a tile has that of its last rows or that of its first rows."""
        if self.mirrored:
            by_end, by_start = by_start[:, ::-1], by_end[:, ::-1]
        tiles = np.arange(0, self.count, TILE)
        bounded = slice(len(self.strips) - len(by_end), None)
        ends, starts = (np.minimum.reduceat(bounds, tiles, axis=1) for bounds in (by_end, by_start))
        strip = np.arange(len(by_end))[:, None]
        starts = starts[strip, self.start_tiles()[:, bounded]].min(axis=0)
        self._least[bounded] = np.maximum(ends, starts)

    def least_costs(self) -> FloatArray:
        """[strip, tile]: what a segment costs at least; when a strip is evaluated this very array changes."""
        for number in self.dirty:
            self._update(number)
        self.dirty.clear()
        return self._least

    def _update(self, number: int) -> None:
        self._least[number] = cheapest(self.strips[number], self.count, slice(0, self._least.shape[1]))

    def exact_costs(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """The costs of some segments, computed now where only a bound was known."""
        if self.mirrored:
            starts, ends = self.count - 1 - ends, self.count - 1 - starts
        return self._table.exact_costs(starts, ends)

    def strips_of(self, lengths: IntArray) -> IntArray:
        return self._table.strips_of(lengths)

    def _seen(self, entries: NDArray[Any]) -> NDArray[Any]:
        return mirrored(entries) if self.mirrored else entries


def mirrored(entries: NDArray[Any]) -> NDArray[Any]:
    """A strip's entries for the motion played backwards: a segment's first row takes the place of its last.

    A view; mirrored again it is what it was.
    """
    row, column = entries.strides
    return as_strided(entries, entries.shape, (row + column, column))[:, ::-1]
