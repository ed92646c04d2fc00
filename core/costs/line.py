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
from numpy.lib.stride_tricks import as_strided, sliding_window_view

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
        for part in lengths:
            if part[-1] <= SHORT:
                yield np.stack([_short_costs(near, length) for length in part])
            else:
                yield self._bounds(part)

    def exact(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """The costs of the given segments."""
        costs = np.empty(len(starts))
        order = np.argsort(ends - starts)  # segments of one batch are about equally long
        first = 0
        while first < len(order):
            size = max(1, _BATCH * _COARSE // int(ends[order[first]] - starts[order[first]]))
            batch = order[first : first + size]
            costs[batch] = self._exact(starts[batch], ends[batch])
            first += size
            self._beat()
        return costs

    def _exact(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """Look at every _COARSE-th frame, then at the groups of frames that may hold a farther one.

        The distance from a line differs between two frames by no more than the frames are apart, so no
        frame of a group is farther out than its middle frame's distance plus the group's radius.
        """
        first, last = (starts + 1) // _COARSE, (ends - 1) // _COARSE
        groups = first[:, None] + np.arange((last - first).max() + 1)
        np.minimum(groups, last[:, None], out=groups)
        apart = self._squares[starts, ends]
        heights = _heights(
            self._coarse[starts[:, None], groups], self._coarse[ends[:, None], groups], apart[:, None]
        )
        middles = groups * _COARSE + _COARSE // 2
        inside = (middles > starts[:, None]) & (middles < ends[:, None])
        costs = np.sqrt(np.where(inside, heights, 0.0).max(axis=1))
        reach = np.sqrt(heights) + self._radii[groups]
        segment, column = np.nonzero(reach > costs[:, None])
        frames = groups[segment, column, None] * _COARSE + np.arange(_COARSE)
        frames = np.clip(frames, starts[segment, None] + 1, ends[segment, None] - 1)
        heights = _heights(
            self._squares[starts[segment, None], frames],
            self._squares[ends[segment, None], frames],
            apart[segment, None],
        )
        np.maximum.at(costs, segment, np.sqrt(heights.max(axis=1)))
        return costs

    def _prepare(self) -> None:
        """Everything that long segments need."""
        count = len(self._points)
        self._squares = square_distances(self._points, self._beat)
        middles = np.minimum(np.arange(0, count, _COARSE) + _COARSE // 2, count - 1)
        self._coarse = np.ascontiguousarray(self._squares[:, middles])
        apart = self._squares[np.arange(count), middles[np.arange(count) // _COARSE]]
        # Rounding may hide a little of a distance; a radius this much larger makes up for it.
        slack = 1e-7 * np.sqrt(self._squares.max())
        self._radii = np.sqrt(np.maximum.reduceat(apart, np.arange(0, count, _COARSE))) + slack

    def _bounds(self, part: range) -> FloatArray:
        """Lower bounds of the costs of all segments of some lengths."""
        bounds = np.zeros((len(part), len(self._points)))
        for row in range(0, len(part), _BLOCK):
            lengths = part[row : row + _BLOCK]
            self._block_bounds(lengths, bounds[row : row + len(lengths)])
            self._beat()
        return bounds

    def _block_bounds(self, lengths: range, bounds: FloatArray) -> None:
        """Bound all segments of a few lengths, in blocks of neighbouring last rows."""
        squares, count = self._squares, len(self._points)
        high = len(lengths)
        # Blocks begin at these last rows; the last block may stick out over the end of the motion, and
        # where the motion begins some of the segments do not exist.
        tops = np.arange(lengths[0], count, _BLOCK)
        witnesses = self._witnesses(tops, lengths)
        ends = np.minimum(tops[:, None] + np.arange(_BLOCK), count - 1)
        starts = np.clip(tops[:, None] - lengths[-1] + np.arange(high + _BLOCK - 1), 0, count - 1)
        # One row longer starts one frame earlier: [block, length, end] is a window on the starts.
        first_rows = sliding_window_view(starts, _BLOCK, axis=1)[:, ::-1]
        apart = squares[first_rows, ends[:, None, :]]
        highest = np.zeros(apart.shape)
        for witness in witnesses.T[:, :, None]:
            from_start = sliding_window_view(squares[witness, starts], _BLOCK, axis=1)[:, ::-1]
            from_end = squares[witness, ends][:, None, :]
            np.maximum(highest, _heights(from_start, from_end, apart), out=highest)
        flat = highest.transpose(1, 0, 2).reshape(high, -1)[:, : count - lengths[0]]
        np.sqrt(flat, out=bounds[:, lengths[0] :])

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
        best = _heights(from_start, from_end, apart).argmax(axis=2)
        return np.take_along_axis(inner, best[:, :, None], axis=2)[:, :, 0]


def _heights(from_start: FloatArray, from_end: FloatArray, apart: FloatArray) -> FloatArray:
    """Squared distances from the line through two keys, given the squared distances to the keys."""
    along = from_start - from_end
    along += apart
    along *= along
    along *= 0.25 * np.divide(1.0, apart, out=np.zeros_like(apart), where=apart > 0.0)
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
    heights = _heights(from_start, from_end, near[length, length:])
    costs[length:] = np.sqrt(heights.max(axis=0))
    return costs
