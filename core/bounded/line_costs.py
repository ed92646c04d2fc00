# SPDX-License-Identifier: GPL-3.0-or-later
"""Largest-distance costs: `minimax` and `sum`.

A segment costs the largest distance of its inner frames from the straight line through its two keys,
the measure of the Salient Poses paper. It needs only squared distances D between frames:

    distance(m)² = D(i,m) - (D(i,j) + D(i,m) - D(j,m))² / (4 D(i,j))

and where both keys are the same pose, the distance to that pose. Unlike a sum of squares it cannot be
carried over from one segment to the next, so a table of all costs would take the cube of the number of
frames. Short segments are computed in full, long ones when they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..motion import FloatArray, IntArray
from ..progress import Heartbeat
from ..search.segment_table import HEIGHT
from .all_distances import near_distances, square_distances

SHORT = 128  # segments up to this length are computed in full
GROUP = 16  # frames of a group; exact costs look at the middle one first
_BATCH = 1 << 15  # groups looked at in one batch of exact costs


def line_costs(points: FloatArray, _frames: FloatArray, beat: Heartbeat, *, largest: bool) -> LineCosts:
    """The distance from a line does not ask when a pose is reached, so frame numbers do not matter."""
    return LineCosts(points, beat, largest=largest)


class LineCosts:
    """The costs of segments of up to SHORT rows; `largest` is for `minimax`, otherwise they are summed."""

    def __init__(self, points: FloatArray, beat: Heartbeat, *, largest: bool):
        self.join: np.ufunc = np.maximum if largest else np.add
        self._beat = beat
        self._points = points

    def long_segments(self) -> LongLineCosts:
        """The costs of all other segments."""
        return LongLineCosts(self._points, self._beat)

    def fill(self, lengths: Sequence[range], strips: Sequence[FloatArray]) -> Iterator[int]:
        near = near_distances(self._points, lengths[-1][-1], self._beat)
        for number, (part, strip) in enumerate(zip(lengths, strips, strict=True)):
            for row, length in enumerate(part):
                strip[row, row:] = _short_costs(near, length)
                self._beat()
            yield number


def _short_costs(near: FloatArray, length: int) -> FloatArray:
    """The costs of all segments of one short length, from the first that ends anywhere on."""
    count = near.shape[1]
    if length < 2:
        return np.zeros(count - length)
    # near[m, j] = D(j - m, j). For the segment i..j and m = 1 .. length - 1:
    step = near.strides[1]
    shape = (length - 1, count - length)
    from_start = as_strided(near[1:, 1:], shape, (near.strides[0] + step, step))  # D(i, i + m)
    from_end = near[length - 1 : 0 : -1, length:]  # D(i + m, j)
    apart = near[length, length:]
    heights = rounded_heights(from_start, from_end, apart, inverse(apart))
    return np.sqrt(heights.max(axis=0, initial=0.0))


class LongLineCosts:
    """Exact costs of the segments that are asked for, from the matrix of all squared distances."""

    def __init__(self, points: FloatArray, beat: Heartbeat):
        self.beat = beat
        self.count = count = len(points)
        # Around the matrix is a little room that blocks at the edges of the motion may reach into.
        self.padded = np.zeros((HEIGHT + count + 1, count))
        self.squares = self.padded[HEIGHT:-1]
        square_distances(points, self.squares, beat)
        self.middles = np.minimum(np.arange(0, count, GROUP) + GROUP // 2, count - 1)  # of the groups
        self.to_middles = np.empty((count, len(self.middles)))
        for first in range(0, count, 1024):
            self.to_middles[first : first + 1024] = self.squares[first : first + 1024, self.middles]
            beat()
        apart = self.squares[np.arange(count), self.middles[np.arange(count) // GROUP]]
        # Rounding may hide a little of a distance; a radius this much larger makes up for it.
        # (No two frames are farther apart than twice the farthest is from the first.)
        self.slack = 2e-7 * np.sqrt(self.squares[0].max())
        self._radii = np.sqrt(np.maximum.reduceat(apart, np.arange(0, count, GROUP))) + self.slack

    def exact(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """The costs of the given segments."""
        costs = np.empty(len(starts))
        order = np.argsort(ends - starts, kind="stable")
        lengths = (ends - starts)[order]
        first = 0
        while first < len(order):  # the longest of a batch is at most twice as long as the shortest
            size = max(1, _BATCH * GROUP // (2 * int(lengths[first])))
            stop = min(first + size, int(np.searchsorted(lengths, 2 * lengths[first], side="right")))
            batch = order[first:stop]
            costs[batch] = self._exact(starts[batch], ends[batch])
            first = stop
            self.beat()
        return costs

    def _exact(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """Look at the middle of every group, then at the groups of frames that may hold a farther one.

        The distance from a line differs between two frames by no more than the frames are apart, so no
        frame of a group is farther out than its middle frame's distance plus the group's radius.
        """
        apart = self.squares[starts, ends][:, None]
        inverses = inverse(apart)
        first, last = (starts + 1) // GROUP, (ends - 1) // GROUP
        width = int((last - first).max()) + 1
        begin = np.minimum(first, len(self._radii) - width)
        groups = begin[:, None] + np.arange(width)
        heights = heights_above_line(
            windows(self.to_middles, starts, begin, width),
            windows(self.to_middles, ends, begin, width),
            apart,
            inverses,
        )
        costs = np.sqrt(_inside(heights, groups * GROUP + GROUP // 2, starts, ends).max(axis=1))
        farthest = np.sqrt(heights) + self._radii[groups]
        possible = (farthest > costs[:, None]) & (groups >= first[:, None]) & (groups <= last[:, None])

        segment, column = np.nonzero(possible)
        starts, ends = starts[segment], ends[segment]
        begin = np.minimum(groups[segment, column] * GROUP, self.count - GROUP)
        heights = heights_above_line(
            windows(self.squares, starts, begin, GROUP),
            windows(self.squares, ends, begin, GROUP),
            apart[segment],
            inverses[segment],
        )
        heights = _inside(heights, begin[:, None] + np.arange(GROUP), starts, ends)
        np.maximum.at(costs, segment, np.sqrt(heights.max(axis=1)))
        return costs

    def farthest(self, starts: IntArray, ends: IntArray) -> IntArray:
        """In each of the given segments, the frame that is farthest out."""
        found = np.empty(len(starts), dtype=np.int64)
        for number, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
            found[number] = start + 1 + self._heights(np.arange(start + 1, end), start, end).argmax()
        self.beat()
        return found

    def distances(self, rows: IntArray, starts: IntArray, ends: IntArray) -> FloatArray:
        """How far some frames are from the lines of some segments."""
        return np.sqrt(self._heights(rows, starts, ends))

    def _heights(self, rows: IntArray, starts: IntArray | int, ends: IntArray | int) -> FloatArray:
        apart = np.atleast_1d(self.squares[starts, ends])
        return heights_above_line(self.squares[rows, starts], self.squares[rows, ends], apart, inverse(apart))


def windows(matrix: FloatArray, rows: IntArray, begin: IntArray, width: int) -> FloatArray:
    """matrix[row, begin : begin + width] for many rows: whole runs of memory, not single numbers."""
    step = matrix.itemsize
    view = as_strided(matrix, (matrix.size - width + 1, width), (step, step), writeable=False)
    return view[rows * matrix.shape[1] + begin]


def _inside(heights: FloatArray, frames: IntArray, starts: IntArray, ends: IntArray) -> FloatArray:
    """The heights of frames inside their segments, and 0 for others."""
    return np.where((frames > starts[:, None]) & (frames < ends[:, None]), heights, 0.0)


def inverse(apart: FloatArray, out: FloatArray | None = None) -> FloatArray:
    """1 / 4D; 0 where both keys are the same pose, for the distance to that pose."""
    out = np.multiply(apart, 4.0, out=out)
    return np.divide(1.0, out, out=out, where=out > 0.0)


def heights_above_line(
    from_start: FloatArray, from_end: FloatArray, apart: FloatArray, inverses: FloatArray
) -> FloatArray:
    """Squared distances from the line through two keys, given the squared distances to the keys."""
    heights = rounded_heights(from_start, from_end, apart, inverses)
    return np.maximum(heights, 0.0, out=heights)


def rounded_heights(
    from_start: FloatArray,
    from_end: FloatArray,
    apart: FloatArray,
    inverses: FloatArray,
    out: FloatArray | None = None,
) -> FloatArray:
    """The same, but rounding may have left some of them below 0."""
    out = np.subtract(from_start, from_end, out=out)
    out += apart
    out *= out
    out *= inverses
    return np.subtract(from_start, out, out=out)
