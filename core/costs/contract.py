# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract between the search and the costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..motion import FloatArray, IntArray

BLOCK = 16  # last rows in a block; bounds are handed out in blocks
MANY = 2000  # rows from which on several threads share the work; with fewer its pieces are too small


class SegmentCosts:
    """The cost of every segment of a motion, by length.

    A strip holds all segments of some consecutive lengths: `strip[r, c]` is the cost of the segment that
    ends at row `lengths[0] + c` and is `lengths[r]` rows long. Where the row is smaller than the length
    there is no such segment and the entry means nothing. Segments longer than `exact_to` are in no
    strip, they are bounded from below: the search asks for the bounds, and then for the exact costs, that
    it needs.
    """

    join: np.ufunc  # how two costs make the cost of a path: np.add or np.maximum
    exact_to: float

    def fill(self, lengths: Sequence[range], strips: Sequence[FloatArray]) -> Iterator[int]:
        """Fill the strips for ascending, adjoining ranges of lengths that begin with 1, up to `exact_to`.

        Returns:
            The number of each strip, as soon as it is filled.
        """
        raise NotImplementedError

    def prepare(self, lengths: Sequence[range]) -> None:
        """Before anything is asked about segments longer than `exact_to`, in these ranges of lengths."""
        raise NotImplementedError("every cost in the strips is exact")

    def floors(self, lengths: Sequence[range]) -> tuple[FloatArray, FloatArray]:
        """Rough bounds of such segments, which are quickly found.

        Returns:
            [range, row] what segments of ascending ranges of lengths cost at least, by their last row,
            and the same by their first row; infinitely much where there is none.
        """
        raise NotImplementedError("every cost in the strips is exact")

    def bounds(self, lengths: range, tops: IntArray) -> Iterator[tuple[slice, FloatArray]]:
        """Good bounds of the segments of some such lengths that end in blocks which begin with `tops`.

        Returns:
            For some of the tops after the other: which, and [length, top, row - top]. Where there is no
            such segment the entry means nothing.
        """
        raise NotImplementedError("every cost in the strips is exact")

    def exact(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """The costs of some segments that are longer than `exact_to`."""
        raise NotImplementedError("every cost in the strips is exact")

    def farthest(self, starts: IntArray, ends: IntArray) -> IntArray:
        """The rows inside such segments that decide their costs."""
        raise NotImplementedError("every cost in the strips is exact")

    def distances(self, rows: IntArray, starts: IntArray, ends: IntArray) -> FloatArray:
        """What some segments cost at least because of a row inside each."""
        raise NotImplementedError("every cost in the strips is exact")
