# SPDX-License-Identifier: GPL-3.0-or-later
"""All segments of a motion with their costs, strip by strip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..costs.contract import SegmentCosts
from ..motion import FloatArray, IntArray
from ..progress import Progress

HEIGHT = 64  # lengths in a strip
TILE = 64  # a tile is one strip high and this many rows wide


@dataclass(frozen=True)
class Strip:
    """The segments of some lengths."""

    lengths: range
    costs: FloatArray  # [length, last row - shortest length]


@dataclass(eq=False)
class SegmentTable:
    """Every allowed segment's cost."""

    join: np.ufunc  # np.add or np.maximum
    count: int  # rows of the motion
    strips: list[Strip]

    @property
    def longest(self) -> int:
        return self.strips[-1].lengths[-1]

    def start_tiles(self) -> IntArray:
        """[n, strip, tile]: the tiles in which segments that end in a tile start, the last one repeated."""
        ends = np.arange(0, self.count, TILE)
        shortest = np.array([[strip.lengths[0]] for strip in self.strips])
        longest = np.array([[strip.lengths[-1]] for strip in self.strips])
        low = np.maximum(ends - longest, 0) // TILE
        high = np.maximum(ends + TILE - 1 - shortest, 0) // TILE
        return np.stack([np.minimum(low + n, high) for n in range(int((high - low).max()) + 1)])

    def least_costs(self) -> FloatArray:
        """[strip, tile]: the cheapest segment of a strip that ends in a tile."""
        tiles = slice(0, -(-self.count // TILE))
        return np.stack([cheapest(strip, self.count, tiles) for strip in self.strips])


def full_table(costs: SegmentCosts, earliest: IntArray, progress: Progress) -> SegmentTable:
    """The table of all segments, none of which starts before the `earliest` row allowed for its end."""
    count, reach = len(earliest), np.arange(len(earliest)) - earliest
    strips = [
        Strip(lengths, np.empty((len(lengths), count - lengths[0])))
        for lengths in length_ranges(int(reach.max()))
    ]
    fill_strips(costs, strips, reach, progress)
    return SegmentTable(costs.join, count, strips)


def length_ranges(longest: int) -> list[range]:
    """All lengths in ranges: fine where segments are short, since most key counts need only those."""
    bounds = [bound for bound in (1, 9, 17, 33) if bound <= longest]
    bounds += range(HEIGHT + 1, longest + 1, HEIGHT)
    return [range(first, stop) for first, stop in pairwise([*bounds, longest + 1])]


def fill_strips(costs: SegmentCosts, strips: Sequence[Strip], reach: IntArray, progress: Progress) -> None:
    """Fill strips with costs.

    Args:
        reach: for every row the longest segment allowed to end there; longer ones are infinitely expensive.
    """
    sizes = [strip.costs.size for strip in strips]
    done = 0
    for number in costs.fill([strip.lengths for strip in strips], [strip.costs for strip in strips]):
        forbid(strips[number], reach)
        done += sizes[number]
        progress(done / sum(sizes))


def forbid(strip: Strip, reach: IntArray) -> None:
    """Make the segments of a strip that are not allowed, or do not exist, infinitely expensive."""
    reach = reach[strip.lengths[0] :]
    short = np.flatnonzero(reach < strip.lengths[-1])  # rows where not all of the lengths are allowed
    allowed = np.array(strip.lengths)[:, None] <= reach[short]
    strip.costs[:, short] = np.where(allowed, strip.costs[:, short], np.inf)


def cheapest(strip: Strip, count: int, tiles: slice) -> FloatArray:
    """[tile]: the cheapest segment of a strip that ends in each of some tiles."""
    shortest = strip.lengths[0]
    first, stop = tiles.start * TILE, min(tiles.stop * TILE, count)
    costs = strip.costs[:, max(first - shortest, 0) : max(stop - shortest, 0)]
    begin = max(shortest - first, 0)
    least = np.full(stop - first, np.inf)
    costs.min(axis=0, out=least[begin : begin + costs.shape[1]])
    return np.minimum.reduceat(least, np.arange(0, stop - first, TILE))
