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
from ..motion import FloatArray, IntArray
from ..progress import Progress

HEIGHT = 64  # lengths in a strip
TILE = 64  # a tile is one strip high and this many rows wide
_AROUND = 16  # rows to either side of a segment's ends where its farthest frame raises bounds
_AT_ONCE = 64  # segments whose surroundings are raised in one operation


@dataclass(frozen=True)
class Strip:
    """The segments of some lengths."""

    lengths: range
    by_end: FloatArray  # [length, last row - shortest length]
    by_start: FloatArray  # [length, first row], the same numbers
    known: NDArray[np.bool_] | None  # like by_end: which costs are exact; None if all are

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
        self.strips: list[Strip] = []
        done, work = 0, sum(self.count - lengths[0] for lengths in ranges)
        for lengths, values in zip(ranges, costs.strips(ranges), strict=True):
            self.strips.append(_strip(lengths, values, reach, exact=lengths[-1] <= costs.exact_to))
            done += self.count - lengths[0]
            progress(done / work)
        bounded = [strip.lengths[0] for strip in self.strips if strip.known is not None]
        self._first_bounded = min(bounded, default=self.longest + 1)
        # By direction: what `least_costs` knew, and the strips that changed since.
        self._least = [np.empty((len(ranges), -(-self.count // TILE))) for _ in (False, True)]
        self._changed = [set(range(len(ranges))) for _ in (False, True)]

    @property
    def exact(self) -> bool:
        """Whether there are no bounds in it."""
        return self._first_bounded > self.longest

    @property
    def longest(self) -> int:
        return self.strips[-1].lengths[-1]

    def least_costs(self, *, backward: bool) -> FloatArray:
        """[strip, tile]: the cheapest segment of a strip from any row of a tile."""
        least = self._least[backward]
        for number in self._changed[backward]:
            least[number] = _cheapest(self.strips[number], self.count, backward=backward)
        self._changed[backward] = set()
        return least.copy()

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


def _cheapest(strip: Strip, count: int, *, backward: bool) -> FloatArray:
    """[tile]: the cheapest segment of a strip from any row of a tile."""
    costs, offset = strip.seen_from(backward=backward)
    cheapest = np.full(count, np.inf)
    costs.min(axis=0, out=cheapest[offset : offset + costs.shape[1]])
    return np.minimum.reduceat(cheapest, np.arange(0, count, TILE))


def length_ranges(longest: int) -> list[range]:
    """All lengths in ranges: fine where segments are short, since most key counts need only those."""
    bounds = [bound for bound in (1, 9, 17, 33) if bound <= longest]
    bounds += range(HEIGHT + 1, longest + 1, HEIGHT)
    return [range(first, stop) for first, stop in pairwise([*bounds, longest + 1])]


def _strip(lengths: range, values: FloatArray, reach: IntArray, *, exact: bool) -> Strip:
    """Keep what exists of a strip of costs; segments that are not allowed cost infinitely much."""
    first, height = lengths[0], len(lengths)
    width = values.shape[1] - first
    padded = np.empty((height, width + height))
    padded[:, width:] = np.inf  # for the view by first rows to run into
    by_end = padded[:, :width]
    by_end[:] = values[:, first:]
    short = np.flatnonzero(reach[first:] < lengths[-1])  # rows where not all of the lengths are allowed
    allowed = np.array(lengths)[:, None] <= reach[first:][short]
    by_end[:, short] = np.where(allowed, by_end[:, short], np.inf)
    row, column = padded.strides
    by_start = as_strided(padded, (height, width), (row + column, column), writeable=False)
    return Strip(lengths, by_end, by_start, None if exact else np.isinf(by_end))
