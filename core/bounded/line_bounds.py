# SPDX-License-Identifier: GPL-3.0-or-later
"""Lower bounds of the largest-distance costs of long segments.

- The rough bound: how far any line through one of the two keys must miss two frames of the segment.
- The bound: the largest distance among a few frames (witnesses) that are far out in a neighbouring segment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import local

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..motion import FloatArray, IntArray
from ..search.segment_table import HEIGHT
from .line_costs import GROUP, LongLineCosts, heights_above_line, inverse, rounded_heights, windows

BLOCK = 16  # last rows of segments that share their witnesses
_BLOCKS = 128  # blocks handled in one operation: enough to keep several threads busy
_WITNESSES = 8  # of each segment, one in each of so many parts
_LOOKS = 16  # at least so many frames of a part are looked at to find its witness,
_STEP = 12  # and at least one of so many


class LineBounds:
    """Lower bounds of segments that are longer than those computed in full."""

    def __init__(self, costs: LongLineCosts):
        self._costs = costs
        self._room = _Room()

    def rough(self, lengths: Sequence[range]) -> tuple[FloatArray, FloatArray]:
        """Rough bounds, which are cheap.

        Returns:
            [range, row] the lower bound of all segments of ascending ranges of lengths, by their last row,
            and the same by their first row; infinite where there is no segment.
        """
        # Groups so far away are inside of every segment, wherever in its group the segment's key is.
        reaches = [(part[0] - GROUP // 2 - 1) // GROUP for part in lengths]
        by_end, by_start = self._rough(reaches, later=False), self._rough(reaches, later=True)
        for n, part in enumerate(lengths):
            by_end[n, : part[0]] = np.inf
            by_start[n, self._costs.count - part[0] :] = np.inf
        return by_end, by_start

    def _rough(self, reaches: Sequence[int], *, later: bool) -> FloatArray:
        """[reach, row]: how far any line through a row misses frames at most so many groups before, or later.

        What is missed by a line within some reach is missed within a longer one too.
        """
        costs = self._costs
        rows, groups = np.arange(costs.count), np.arange(costs.count) // GROUP
        apart = costs.to_middles[costs.middles]
        pairs = wide_pairs(apart[::-1, ::-1] if later else apart, reaches)
        bounds = np.zeros((len(reaches), costs.count))
        for n, pair in enumerate(pairs):
            one, other = len(apart) - 1 - pair[:, ::-1] if later else pair
            missed = missed_distance(
                costs.to_middles[rows, one[groups]],
                costs.to_middles[rows, other[groups]],
                apart[one, other][groups],
            )
            np.maximum(bounds[n - 1] if n else 0.0, missed - 2.0 * costs.slack, out=bounds[n])
            costs.beat()
        return bounds

    def fill(self, lengths: range, strip: FloatArray) -> None:
        """Put the bounds of all segments of some lengths into a strip, see `SegmentCosts.fill`.

        Behind its last row the strip needs room for a block. Threads may fill several strips at once.
        """
        blocks = -(-(self._costs.count - lengths[0]) // BLOCK)
        row, column = strip.strides
        places = as_strided(strip, (len(lengths), blocks, BLOCK), (row, BLOCK * column, column))
        for first in range(0, blocks, _BLOCKS):
            tops = lengths[0] + BLOCK * np.arange(first, min(first + _BLOCKS, blocks))
            places[:, first : first + len(tops)] = self._block_bounds(lengths, tops)

    def _block_bounds(self, lengths: range, tops: IntArray) -> FloatArray:
        """[length, block, end]: bounds of the segments of some lengths, in blocks that begin with `tops`.

        The last block may stick out over the end of the motion, and where the motion begins some of
        the segments do not exist: numbers that mean nothing, from other rows of the matrix.
        """
        squares, longest = self._costs.squares, lengths[-1]
        width = len(lengths) + BLOCK - 1  # first rows that occur in a block
        # All is [length, end, block]: many blocks lie side by side in memory, which is fast.
        shape = (len(lengths), BLOCK, len(tops))
        apart, inverses, highest, heights = (
            room[: np.prod(shape)].reshape(shape) for room in self._room.arrays
        )
        apart[:] = _by_length(self._ends_apart(tops, longest, width))
        inverse(apart, out=inverses)
        highest[:] = 0.0
        witnesses = self._witnesses(tops, lengths)
        # [witness, start or end, block]
        near_start = windows(squares, witnesses, (tops - longest)[:, None], width).transpose(1, 2, 0).copy()
        near_end = windows(squares, witnesses, tops[:, None], BLOCK).transpose(1, 2, 0).copy()
        for starts, from_end in zip(near_start, near_end, strict=True):
            from_start = _by_length(np.broadcast_to(starts[:, None], (width, *shape[1:])))
            rounded_heights(from_start, from_end, apart, inverses, out=heights)
            np.maximum(highest, heights, out=highest)
        return np.sqrt(highest, out=highest).transpose(0, 2, 1)

    def _ends_apart(self, tops: IntArray, longest: int, width: int) -> FloatArray:
        """[start, end, block]: squared distances between the first and the last rows of the blocks."""
        starts = (HEIGHT + tops - longest)[:, None] + np.arange(width)
        blocks = windows(self._costs.padded, starts, tops[:, None], BLOCK)
        return blocks.reshape(len(tops), -1).T.copy().reshape(width, BLOCK, len(tops))

    def _witnesses(self, tops: IntArray, lengths: range) -> IntArray:
        """[block, n]: frames inside all segments of a block that are far from its middle segment.

        The farthest of each part of the segment, so that there is one wherever the segments of the
        block bulge most.
        """
        squares = self._costs.squares
        middle_end = np.minimum(tops + BLOCK // 2, self._costs.count - 1)
        middle_start = np.maximum(middle_end - lengths[len(lengths) // 2], 0)
        first = tops + BLOCK - 1 - lengths[0] + 1  # after every start, before every end
        share = max((tops[0] - first[0]) // _WITNESSES, 1)
        step = min(max(1, share // _LOOKS), _STEP)
        inner = first[:, None, None] + (np.arange(_WITNESSES) * share)[:, None] + np.arange(0, share, step)
        from_start = squares[middle_start[:, None, None], inner]
        from_end = squares[middle_end[:, None, None], inner]
        apart = squares[middle_start, middle_end][:, None, None]
        best = heights_above_line(from_start, from_end, apart, inverse(apart)).argmax(axis=2)
        return np.take_along_axis(inner, best[:, :, None], axis=2)[:, :, 0]


class _Room(local):
    """Where bounds are computed, for every thread its own, allocated once: fresh memory takes time."""

    def __init__(self) -> None:
        # Not one array of four rows: where one ends right where another begins, numpy takes them for
        # overlapping, and is slow.
        self.arrays = [np.empty(HEIGHT * BLOCK * _BLOCKS) for _ in range(4)]


def wide_pairs(apart: FloatArray, reaches: Sequence[int]) -> Iterator[IntArray]:
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
        missed = missed_distance(
            apart[frames[:, None], one], apart[frames[:, None], others], apart[one, others]
        )
        best = missed.argmax(axis=1)
        pair, nearest = np.stack([one[frames, best], others[frames, best]]), reach
        yield pair


def missed_distance(one: FloatArray, other: FloatArray, apart: FloatArray) -> FloatArray:
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


def _by_length(starts: FloatArray) -> FloatArray:
    """Something known by [start, end, block] as [length, end, block], a view.

    A segment one row longer starts one row earlier; one that ends a row later starts a row later.
    """
    start, end, block = starts.strides
    lengths = len(starts) - BLOCK + 1
    shape = (lengths, *starts.shape[1:])
    return as_strided(starts[lengths - 1 :], shape, (-start, start + end, block), writeable=False)
