# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract between the search and the costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..motion import FloatArray, IntArray


class SegmentCosts:
    """The cost of every segment of a motion, handed out by length.

    A strip holds all segments of some consecutive lengths: `strip[r, j]` is the cost of the segment
    that ends at row j and is `lengths[r]` rows long. Where j is smaller than the length there is no
    such segment and the entry means nothing. Entries for lengths above `exact_to` may be lower bounds:
    the search asks for the exact cost of those that it needs.
    """

    join: np.ufunc  # how two costs make the cost of a path: np.add or np.maximum
    exact_to: float

    def strips(self, lengths: Sequence[range]) -> Iterator[FloatArray]:
        """The strips for ascending, adjoining ranges of lengths that begin with 1.

        A strip is valid until the next one is asked for.
        """
        raise NotImplementedError

    def exact(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """The costs of some segments that are longer than `exact_to`."""
        raise NotImplementedError("every cost in the strips is exact")

    def farthest(self, starts: IntArray, ends: IntArray) -> IntArray:
        """The rows inside such segments that decide their costs."""
        raise NotImplementedError("every cost in the strips is exact")

    def distances(self, rows: IntArray, starts: IntArray, ends: IntArray) -> FloatArray:
        """What some segments cost at least because of a row inside each."""
        raise NotImplementedError("every cost in the strips is exact")
