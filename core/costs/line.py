# SPDX-License-Identifier: GPL-3.0-or-later
"""Largest-distance costs: `minimax` and `sum`.

A segment costs the largest distance of its inner frames from the straight line through its two keys,
the measure of the Salient Poses paper. It needs only squared distances D between frames:

    distance(m)² = D(i,m) - (D(i,j) + D(i,m) - D(j,m))² / (4 D(i,j))

and where both keys are the same pose, the distance to that pose. Unlike a sum of squares it cannot be
carried over from one segment to the next, so a table of all of it would take the cube of the number of
frames. Short segments are computed in full. Of longer ones there are lower bounds, each dearer and
better than the one before, and only for the segments that the search asks for:

- the floor: how far any line through one of the two keys must miss two frames of the segment;
- the bound: the largest distance among a few frames (witnesses) that are far out in a neighbouring segment;
- the exact cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from threading import local

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..motion import FloatArray, IntArray
from ..workers import each
from .contract import BLOCK, MANY, SegmentCosts
from .distances import near_distances, square_distances

SHORT = 128  # segments up to this length are computed in full
_BLOCKS = 128  # blocks handled in one operation: enough to keep several threads busy
_WITNESSES = 8  # of each segment, one in each of so many parts
_LOOKS = 16  # at least so many frames of a part are looked at to find its witness,
_STEP = 12  # and at least one of so many
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

    def fill(self, lengths: Sequence[range], strips: Sequence[FloatArray]) -> Iterator[int]:
        near = near_distances(self._points, lengths[-1][-1], self._beat)
        for number, (part, strip) in enumerate(zip(lengths, strips, strict=True)):
            fill = partial(_fill_short_costs, near, part, strip)
            each(fill, range(len(part)), self._beat, alone=len(self._points) < MANY)
            yield number

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

    def farthest(self, starts: IntArray, ends: IntArray) -> IntArray:
        """In each of the given segments, the frame that is farthest out."""
        found = np.empty(len(starts), dtype=np.int64)
        for number, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
            inner, apart = slice(start + 1, end), self._squares[start, end, None]
            heights = _heights(self._squares[start, inner], self._squares[end, inner], apart, _inverse(apart))
            found[number] = start + 1 + heights.argmax()
        self._beat()
        return found

    def distances(self, rows: IntArray, starts: IntArray, ends: IntArray) -> FloatArray:
        """How far some frames are from the lines of some segments."""
        squares, apart = self._squares, self._squares[starts, ends]
        return np.sqrt(_heights(squares[rows, starts], squares[rows, ends], apart, _inverse(apart)))

    def prepare(self, lengths: Sequence[range]) -> None:
        count, tallest = len(self._points), max(map(len, lengths))
        # Around the matrix is a little room that blocks at the edges of the motion may reach into.
        self._above = tallest
        self._padded = np.zeros((tallest + count + 1, count))
        self._squares = self._padded[tallest:-1]
        square_distances(self._points, self._squares, self._beat)
        self._middles = middles = np.minimum(np.arange(0, count, _COARSE) + _COARSE // 2, count - 1)
        self._coarse = np.empty((count, len(middles)))
        for first in range(0, count, 1024):
            self._coarse[first : first + 1024] = self._squares[first : first + 1024, middles]
            self._beat()
        apart = self._squares[np.arange(count), middles[np.arange(count) // _COARSE]]
        # Rounding may hide a little of a distance; a radius this much larger makes up for it.
        # (No two frames are farther apart than twice the farthest is from the first.)
        slack = 2e-7 * np.sqrt(self._squares[0].max())
        self._radii = np.sqrt(np.maximum.reduceat(apart, np.arange(0, count, _COARSE))) + slack
        self._slack = slack
        self._room = _Room(tallest)

    def floors(self, lengths: Sequence[range]) -> tuple[FloatArray, FloatArray]:
        # Groups so far away are inside of every segment, wherever in its group the segment's key is.
        reaches = [(part[0] - _COARSE // 2 - 1) // _COARSE for part in lengths]
        by_end, by_start = self._floors(reaches, later=False), self._floors(reaches, later=True)
        for n, part in enumerate(lengths):
            by_end[n, : part[0]] = np.inf
            by_start[n, len(self._points) - part[0] :] = np.inf
        return by_end, by_start

    def _floors(self, reaches: Sequence[int], *, later: bool) -> FloatArray:
        """[reach, row]: how far any line through a row misses frames at most so many groups before, or later.

        What is missed by a line within some reach is missed within a longer one too.
        """
        count = len(self._points)
        rows, groups = np.arange(count), np.arange(count) // _COARSE
        apart = self._coarse[self._middles]
        pairs = _wide_pairs(apart[::-1, ::-1] if later else apart, reaches)
        floors = np.zeros((len(reaches), count))
        for n, pair in enumerate(pairs):
            one, other = len(apart) - 1 - pair[:, ::-1] if later else pair
            missed = _missed(
                self._coarse[rows, one[groups]],
                self._coarse[rows, other[groups]],
                apart[one, other][groups],
            )
            np.maximum(floors[n - 1] if n else 0.0, missed - 2.0 * self._slack, out=floors[n])
            self._beat()
        return floors

    def bounds(self, lengths: range, tops: IntArray) -> Iterator[tuple[slice, FloatArray]]:
        for first in range(0, len(tops), _BLOCKS):
            some = slice(first, first + _BLOCKS)
            yield some, self._block_bounds(lengths, tops[some])
            self._beat()

    def _block_bounds(self, lengths: range, tops: IntArray) -> FloatArray:
        """[length, block, end]: bounds of the segments of some lengths, in blocks that begin with `tops`.

        The last block may stick out over the end of the motion, and where the motion begins some of
        the segments do not exist: numbers that mean nothing, from other rows of the matrix.
        """
        squares, longest = self._squares, lengths[-1]
        width = len(lengths) + BLOCK - 1  # first rows that occur in a block
        # All is [length, end, block]: many blocks lie side by side in memory, which is fast.
        shape = (len(lengths), BLOCK, len(tops))
        apart, inverse, highest, heights = (
            room[: np.prod(shape)].reshape(shape) for room in self._room.arrays
        )
        apart[:] = _by_length(self._ends_apart(tops, longest, width))
        _inverse(apart, out=inverse)
        highest[:] = 0.0
        witnesses = self._witnesses(tops, lengths)
        # [witness, start or end, block]
        near_start = _windows(squares, witnesses, (tops - longest)[:, None], width).transpose(1, 2, 0).copy()
        near_end = _windows(squares, witnesses, tops[:, None], BLOCK).transpose(1, 2, 0).copy()
        for starts, from_end in zip(near_start, near_end, strict=True):
            from_start = _by_length(np.broadcast_to(starts[:, None], (width, *shape[1:])))
            _rounded_heights(from_start, from_end, apart, inverse, out=heights)
            np.maximum(highest, heights, out=highest)
        return np.sqrt(highest, out=highest).transpose(0, 2, 1)

    def _ends_apart(self, tops: IntArray, longest: int, width: int) -> FloatArray:
        """[start, end, block]: squared distances between the first and the last rows of the blocks."""
        starts = (self._above + tops - longest)[:, None] + np.arange(width)
        blocks = _windows(self._padded, starts, tops[:, None], BLOCK)
        return blocks.reshape(len(tops), -1).T.copy().reshape(width, BLOCK, len(tops))

    def _witnesses(self, tops: IntArray, lengths: range) -> IntArray:
        """[block, n]: frames inside all segments of a block that are far from its middle segment.

        The farthest of each part of the segment, so that there is one wherever the segments of the
        block bulge most.
        """
        middle_end = np.minimum(tops + BLOCK // 2, len(self._points) - 1)
        middle_start = np.maximum(middle_end - lengths[len(lengths) // 2], 0)
        first = tops + BLOCK - 1 - lengths[0] + 1  # after every start, before every end
        share = max((tops[0] - first[0]) // _WITNESSES, 1)
        step = min(max(1, share // _LOOKS), _STEP)
        inner = first[:, None, None] + (np.arange(_WITNESSES) * share)[:, None] + np.arange(0, share, step)
        from_start = self._squares[middle_start[:, None, None], inner]
        from_end = self._squares[middle_end[:, None, None], inner]
        apart = self._squares[middle_start, middle_end][:, None, None]
        best = _heights(from_start, from_end, apart, _inverse(apart)).argmax(axis=2)
        return np.take_along_axis(inner, best[:, :, None], axis=2)[:, :, 0]


class _Room(local):
    """Where bounds are computed, for every thread its own, asked for once: fresh memory costs time."""

    def __init__(self, tallest: int):
        # Not one array of four rows: where one ends right where another begins, numpy takes them for
        # overlapping, and is slow.
        self.arrays = [np.empty(tallest * BLOCK * _BLOCKS) for _ in range(4)]


def _wide_pairs(apart: FloatArray, reaches: Sequence[int]) -> Iterator[IntArray]:
    """For each frame two frames before it that no line through it comes near to both of.

    One is the farthest so far, the other the best with it; any two would do, better ones bound better.

    Args:
        apart: squared distances between the frames.
        reaches: ascending, how far before the frame the two may be.

    Returns:
        For each reach [2, frame]: the pair. Where none is found, the frame itself twice.
    """
    frames = np.arange(len(apart))
    far = frames
    pair, nearest = np.stack([frames, frames]), 0
    for reach in reaches:
        new = frames[:, None] - np.arange(nearest + 1, reach + 1)
        new = np.where(new >= 0, new, frames[:, None])
        others = np.column_stack([new, far])
        far = others[frames, apart[frames[:, None], others].argmax(axis=1)]
        others = np.column_stack([pair.T, new])
        one = np.repeat(far[:, None], others.shape[1], axis=1)
        one[:, 0] = pair[1]  # the pair so far stays if no other is better
        missed = _missed(apart[frames[:, None], one], apart[frames[:, None], others], apart[one, others])
        best = missed.argmax(axis=1)
        pair, nearest = np.stack([one[frames, best], others[frames, best]]), reach
        yield pair


def _missed(one: FloatArray, other: FloatArray, apart: FloatArray) -> FloatArray:
    """How far a line through a frame is at least from the farther of two frames.

    Args:
        one, other: their squared distances from the frame that the line goes through.
        apart: the squared distance between them.

    With a, b where on the line the two are, seen from that frame, and x, y how far from it, their
    parallelogram is |a y - b x| <= max(x, y) (|a| + |b|) large. And |a| + |b| is at most the longer diagonal.
    """
    product = (one + other - apart) / 2.0
    area = np.maximum(one * other - product * product, 0.0)
    diagonal = one + other + 2.0 * np.abs(product)
    return np.sqrt(np.divide(area, diagonal, out=np.zeros_like(area), where=diagonal > 0.0))


def _windows(matrix: FloatArray, rows: IntArray, begin: IntArray, width: int) -> FloatArray:
    """matrix[row, begin : begin + width] for many rows: whole runs of memory, not single numbers."""
    step = matrix.itemsize
    windows = as_strided(matrix, (matrix.size - width + 1, width), (step, step), writeable=False)
    return windows[rows * matrix.shape[1] + begin]


def _inside(heights: FloatArray, frames: IntArray, starts: IntArray, ends: IntArray) -> FloatArray:
    """The heights of frames inside their segments, and 0 for others."""
    return np.where((frames > starts[:, None]) & (frames < ends[:, None]), heights, 0.0)


def _by_length(starts: FloatArray) -> FloatArray:
    """Something known by [start, end, block] as [length, end, block], a view.

    A segment one row longer starts one row earlier; one that ends a row later starts a row later.
    """
    start, end, block = starts.strides
    lengths = len(starts) - BLOCK + 1
    shape = (lengths, *starts.shape[1:])
    return as_strided(starts[lengths - 1 :], shape, (-start, start + end, block), writeable=False)


def _inverse(apart: FloatArray, out: FloatArray | None = None) -> FloatArray:
    """1 / 4D; 0 where both keys are the same pose, for the distance to that pose."""
    out = np.multiply(apart, 4.0, out=out)
    return np.divide(1.0, out, out=out, where=out > 0.0)


def _heights(
    from_start: FloatArray, from_end: FloatArray, apart: FloatArray, inverse: FloatArray
) -> FloatArray:
    """Squared distances from the line through two keys, given the squared distances to the keys."""
    heights = _rounded_heights(from_start, from_end, apart, inverse)
    return np.maximum(heights, 0.0, out=heights)


def _rounded_heights(
    from_start: FloatArray,
    from_end: FloatArray,
    apart: FloatArray,
    inverse: FloatArray,
    out: FloatArray | None = None,
) -> FloatArray:
    """The same, but rounding may have left some of them below 0."""
    out = np.subtract(from_start, from_end, out=out)
    out += apart
    out *= out
    out *= inverse
    return np.subtract(from_start, out, out=out)


def _fill_short_costs(near: FloatArray, lengths: range, strip: FloatArray, row: int) -> None:
    strip[row, row:] = _short_costs(near, lengths[row])


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
    heights = _rounded_heights(from_start, from_end, apart, _inverse(apart))
    return np.sqrt(heights.max(axis=0, initial=0.0))
