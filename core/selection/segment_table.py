# SPDX-License-Identifier: GPL-3.0-or-later
"""All segments of a motion with their costs, strip by strip."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from ..costs import SegmentCosts
from ..motion import FloatArray, IntArray
from ..progress import Progress

HEIGHT = 64  # lengths in a strip


@dataclass(frozen=True)
class Strip:
    """The segments of some lengths."""

    lengths: range
    by_end: FloatArray  # [length, last row - shortest length]
    by_start: FloatArray  # [length, first row], the same numbers
    known: NDArray[np.bool_] | None  # like by_end: which costs are exact; None if all are


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

    @property
    def exact(self) -> bool:
        return all(strip.known is None for strip in self.strips)

    @property
    def longest(self) -> int:
        return self.strips[-1].lengths[-1]

    def strips_of(self, lengths: IntArray) -> IntArray:
        """The numbers of the strips that hold these lengths."""
        return np.searchsorted(self._first_lengths, lengths, side="right") - 1

    def exact_costs(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """The costs of the given segments, computed now where only a bound was known."""
        numbers = self.strips_of(ends - starts)
        parts = [np.flatnonzero(numbers == number) for number in np.unique(numbers)]
        places = [(self.strips[numbers[part[0]]], part) for part in parts]
        new = [part[~_known(strip, starts[part], ends[part])] for strip, part in places]
        every = np.concatenate([np.zeros(0, dtype=np.int64), *new])
        computed = self._costs.exact(starts[every], ends[every])
        costs = np.empty(len(starts))
        for (strip, part), fresh in zip(places, new, strict=True):
            _learn(strip, starts[fresh], ends[fresh], computed[: len(fresh)])
            computed = computed[len(fresh) :]
            costs[part] = strip.by_end[_entries(strip, starts[part], ends[part])]
        return costs


def _entries(strip: Strip, starts: IntArray, ends: IntArray) -> tuple[IntArray, IntArray]:
    return ends - starts - strip.lengths[0], ends - strip.lengths[0]


def _known(strip: Strip, starts: IntArray, ends: IntArray) -> NDArray[np.bool_]:
    if strip.known is None:
        return np.ones(len(starts), dtype=bool)
    return strip.known[_entries(strip, starts, ends)]


def _learn(strip: Strip, starts: IntArray, ends: IntArray, costs: FloatArray) -> None:
    if strip.known is not None:
        entries = _entries(strip, starts, ends)
        strip.by_end[entries] = costs
        strip.known[entries] = True


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
