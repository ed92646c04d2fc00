# SPDX-License-Identifier: GPL-3.0-or-later
"""Largest-distance costs: `minimax` and `sum`.

A segment costs the largest distance of its inner frames from the straight line through its two keys,
the measure of the Salient Poses paper. It needs only squared distances D between frames:

    distance(m)² = D(i,m) - (D(i,j) + D(i,m) - D(j,m))² / (4 D(i,j))

and where both keys are the same pose, the distance to that pose. Unlike a sum of squares it cannot be
carried over from one segment to the next, so a table of all of it would take the cube of the number of
frames. Short segments are computed in full. Longer ones start as a lower bound, the largest distance
among a few frames (witnesses) that were far out in a neighbouring segment; the exact cost is computed
only for the segments that the search asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..motion import FloatArray, IntArray
from .contract import SegmentCosts
from .distances import near_distances, square_distances

SHORT = 64  # segments up to this length are computed in full
_BLOCK = 16  # lengths and last rows that share their witnesses
_WITNESSES = 4
_COARSE = 16  # frames of a group; exact costs look at one of each first
_BATCH = 1 << 15  # groups looked at in one batch of exact costs


class LineCosts(SegmentCosts):
    """Joined by the larger of two costs if `largest` (`minimax`), else by their sum (`sum`)."""

    exact_to = SHORT

    def __init__(self, points: FloatArray, *, largest: bool, beat: Callable[[], None] = lambda: None):
        self.join: np.ufunc = np.maximum if largest else np.add
        self._beat = beat
        self._points = points
        self._squares = np.zeros((0, 0))

    def strips(self, lengths: Sequence[range]) -> Iterator[FloatArray]:
        longest = lengths[-1][-1]
        near = near_distances(self._points, min(SHORT, longest), self._beat)
        if longest > SHORT:
            self._prepare()
            self._bounds_room = np.zeros((max(map(len, lengths)), len(self._points)))
        for part in lengths:
            if part[-1] <= SHORT:
                yield self._short_strip(near, part)
            else:
                yield self._bounds(part)

    def _short_strip(self, near: FloatArray, part: range) -> FloatArray:
        strip = np.empty((len(part), len(self._points)))
        for row, length in enumerate(part):
            strip[row] = _short_costs(near, length)
            self._beat()
        return strip

    def exact(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """The costs of the given segments."""
        costs = np.empty(len(starts))
        order = np.argsort(ends - starts, kind="stable")
        lengths = (ends - starts)[order]
        first = 0
        while first < len(order):  # the longest of a batch is at most twice as long as the shortest
            size = max(1, _BATCH * _COARSE // (2 * int(lengths[first])))
            stop = min(first + size, int(np.searchsorted(lengths, 2 * lengths[first], side="right")))
            batch = order[first:stop]
            costs[batch] = self._exact(starts[batch], ends[batch])
            first = stop
            self._beat()
        return costs

    def _exact(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """Look at every _COARSE-th frame, then at the groups of frames that may hold a farther one.

        The distance from a line differs between two frames by no more than the frames are apart, so no
        frame of a group is farther out than its middle frame's distance plus the group's radius.
        """
        apart = self._squares[starts, ends][:, None]
        inverse = _inverse(apart)
        first, last = (starts + 1) // _COARSE, (ends - 1) // _COARSE
        width = int((last - first).max()) + 1
        begin = np.minimum(first, len(self._radii) - width)
        groups = begin[:, None] + np.arange(width)
        heights = _heights(
            _windows(self._coarse, starts, begin, width),
            _windows(self._coarse, ends, begin, width),
            apart,
            inverse,
        )
        costs = np.sqrt(_inside(heights, groups * _COARSE + _COARSE // 2, starts, ends).max(axis=1))
        farthest = np.sqrt(heights) + self._radii[groups]
        possible = (farthest > costs[:, None]) & (groups >= first[:, None]) & (groups <= last[:, None])

        segment, column = np.nonzero(possible)
        starts, ends = starts[segment], ends[segment]
        begin = np.minimum(groups[segment, column] * _COARSE, len(self._squares) - _COARSE)
        heights = _heights(
            _windows(self._squares, starts, begin, _COARSE),
            _windows(self._squares, ends, begin, _COARSE),
            apart[segment],
            inverse[segment],
        )
        heights = _inside(heights, begin[:, None] + np.arange(_COARSE), starts, ends)
        np.maximum.at(costs, segment, np.sqrt(heights.max(axis=1)))
        return costs

    def _prepare(self) -> None:
        """Everything that long segments need."""
        count = len(self._points)
        self._room = np.empty((3, _BLOCK * (count + _BLOCK)))  # asked for once: fresh memory costs time
        self._squares = np.zeros((_BLOCK + count, count))[_BLOCK:]
        square_distances(self._points, self._squares, self._beat)
        middles = np.minimum(np.arange(0, count, _COARSE) + _COARSE // 2, count - 1)
        self._coarse = np.empty((count, len(middles)))
        for first in range(0, count, 1024):
            self._coarse[first : first + 1024] = self._squares[first : first + 1024, middles]
            self._beat()
        apart = self._squares[np.arange(count), middles[np.arange(count) // _COARSE]]
        # Rounding may hide a little of a distance; a radius this much larger makes up for it.
        # (No two frames are farther apart than twice the farthest is from the first.)
        slack = 2e-7 * np.sqrt(self._squares[0].max())
        self._radii = np.sqrt(np.maximum.reduceat(apart, np.arange(0, count, _COARSE))) + slack

    def _bounds(self, part: range) -> FloatArray:
        """Lower bounds of the costs of all segments of some lengths."""
        bounds = self._bounds_room[: len(part)]
        for row in range(0, len(part), _BLOCK):
            lengths = part[row : row + _BLOCK]
            self._block_bounds(lengths, bounds[row : row + len(lengths)])
            self._beat()
        return bounds

    def _block_bounds(self, lengths: range, bounds: FloatArray) -> None:
        """Bound all segments of a few lengths, in blocks of neighbouring last rows."""
        squares, count = self._squares, len(self._points)
        # Blocks begin at these last rows; the last block may stick out over the end of the motion, and
        # where the motion begins some of the segments do not exist.
        tops = np.arange(lengths[0], count, _BLOCK)
        ends = np.minimum(tops + np.arange(_BLOCK)[:, None], count - 1)
        starts = np.clip(tops - lengths[-1] + np.arange(len(lengths) + _BLOCK - 1)[:, None], 0, count - 1)
        # All is [length, end, block]: many blocks lie side by side in memory, which is fast.
        shape = (len(lengths), _BLOCK, len(tops))
        apart, highest, heights = (room[: np.prod(shape)].reshape(shape) for room in self._room)
        apart[:] = self._ends_apart(lengths, shape)
        inverse = _inverse(apart)
        highest[:] = 0.0
        for witness in self._witnesses(tops, lengths).T:
            from_start, from_end = _by_length(squares[witness, starts]), squares[witness, ends]
            _heights(from_start, from_end, apart, inverse, out=heights)
            np.maximum(highest, heights, out=highest)
        np.sqrt(highest, out=highest)
        flat = highest.transpose(0, 2, 1).reshape(len(lengths), -1)
        bounds[:, lengths[0] :] = flat[:, : count - lengths[0]]

    def _ends_apart(self, lengths: range, shape: tuple[int, int, int]) -> FloatArray:
        """Squared distances between the ends of the segments as [length, end, block], a view.

        Down the diagonal from block to block and from end to end, one row up for each length. The first
        block reaches into the rows of nothing above the matrix, the last one runs over its right edge
        into the next row: numbers that mean nothing, for segments that do not exist.
        """
        row, column = self._squares.strides
        strides = (-row, row + column, _BLOCK * (row + column))
        return as_strided(self._squares[0, lengths[0] :], shape, strides, writeable=False)

    def _witnesses(self, tops: IntArray, lengths: range) -> IntArray:
        """[block, n]: frames inside all segments of a block that are far from its middle segment.

        The farthest of each part of the segment, so that there is one wherever the segments of the
        block bulge most.
        """
        middle_end = np.minimum(tops + _BLOCK // 2, len(self._points) - 1)
        middle_start = np.maximum(middle_end - lengths[len(lengths) // 2], 0)
        first = tops + _BLOCK - 1 - lengths[0] + 1  # after every start, before every end
        share = max((tops[0] - first[0]) // _WITNESSES, 1)
        step = min(max(1, share // 16), 12)
        inner = first[:, None, None] + (np.arange(_WITNESSES) * share)[:, None] + np.arange(0, share, step)
        from_start = self._squares[middle_start[:, None, None], inner]
        from_end = self._squares[middle_end[:, None, None], inner]
        apart = self._squares[middle_start, middle_end][:, None, None]
        best = _heights(from_start, from_end, apart, _inverse(apart)).argmax(axis=2)
        return np.take_along_axis(inner, best[:, :, None], axis=2)[:, :, 0]


def _windows(matrix: FloatArray, rows: IntArray, begin: IntArray, width: int) -> FloatArray:
    """matrix[row, begin : begin + width] for many rows: whole runs of memory, not single numbers."""
    step = matrix.itemsize
    windows = as_strided(matrix, (matrix.size - width + 1, width), (step, step), writeable=False)
    return windows[rows * matrix.shape[1] + begin]


def _inside(heights: FloatArray, frames: IntArray, starts: IntArray, ends: IntArray) -> FloatArray:
    """The heights of frames inside their segments, and 0 for others."""
    return np.where((frames > starts[:, None]) & (frames < ends[:, None]), heights, 0.0)


def _by_length(starts: FloatArray) -> FloatArray:
    """Something known of the first rows of each block as [length, end, block], a view.

    A segment one row longer starts one row earlier; one that ends a row later starts a row later.
    """
    row, block = starts.strides
    lengths = len(starts) - _BLOCK + 1
    shape = (lengths, _BLOCK, starts.shape[1])
    return as_strided(starts[lengths - 1 :], shape, (-row, row, block), writeable=False)


def _inverse(apart: FloatArray) -> FloatArray:
    """1 / 4D; 0 where both keys are the same pose, for the distance to that pose."""
    return 0.25 * np.divide(1.0, apart, out=np.zeros_like(apart), where=apart > 0.0)


def _heights(
    from_start: FloatArray,
    from_end: FloatArray,
    apart: FloatArray,
    inverse: FloatArray,
    out: FloatArray | None = None,
) -> FloatArray:
    """Squared distances from the line through two keys, given the squared distances to the keys."""
    along = np.subtract(from_start, from_end, out=out)
    along += apart
    along *= along
    along *= inverse
    np.subtract(from_start, along, out=along)
    return np.maximum(along, 0.0, out=along)


def _short_costs(near: FloatArray, length: int) -> FloatArray:
    """The costs of all segments of one short length, by their last row."""
    count = near.shape[1]
    costs = np.zeros(count)
    if length < 2:
        return costs
    # near[m, j] = D(j - m, j). For the segment i..j and m = 1 .. length - 1:
    step = near.strides[1]
    shape = (length - 1, count - length)
    from_start = as_strided(near[1:, 1:], shape, (near.strides[0] + step, step))  # D(i, i + m)
    from_end = near[length - 1 : 0 : -1, length:]  # D(i + m, j)
    apart = near[length, length:]
    heights = _heights(from_start, from_end, apart, _inverse(apart))
    costs[length:] = np.sqrt(heights.max(axis=0))
    return costs
