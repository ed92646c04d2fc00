# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract between the search and the costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from ..motion import FloatArray


class SegmentCosts(Protocol):
    """What a segment between two keys costs: how costs join to that of a path, and all costs by length."""

    @property
    def join(self) -> np.ufunc:
        """How two costs make the cost of a path: np.add or np.maximum."""
        ...

    def fill(self, lengths: Sequence[range], strips: Sequence[FloatArray]) -> Iterator[int]:
        """Fill the strips for ascending, adjoining ranges of lengths that begin with 1.

        A strip holds all segments of some consecutive lengths: `strip[r, c]` is the cost of the segment
        that ends at row `lengths[0] + c` and is `lengths[r]` rows long. Where the row is smaller than the
        length there is no such segment and the entry means nothing.

        Returns:
            The number of each strip, as soon as it is filled.
        """
        ...
