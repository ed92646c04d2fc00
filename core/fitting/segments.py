# SPDX-License-Identifier: GPL-3.0-or-later
"""The stretches between keys, for sums over their rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..motion import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Segments:
    """The stretches between keys. Row r belongs to the segment that starts at or before it."""

    rows: IntArray  # (K,) rows of the keys
    lengths: FloatArray  # (K - 1,) in frames
    u: FloatArray  # (F,) share of its segment that has passed at a row; 0 outside the keys

    @staticmethod
    def between(rows: IntArray, frames: FloatArray) -> Segments:
        start = frames[rows[:-1]]
        lengths = np.diff(frames[rows])
        inside = slice(rows[0], rows[-1])
        u = np.zeros(len(frames))
        u[inside] = (frames[inside] - np.repeat(start, np.diff(rows))) / np.repeat(lengths, np.diff(rows))
        return Segments(rows, lengths, u)

    def sums(self, per_row: FloatArray) -> FloatArray:
        """The sum over the rows of each segment."""
        return np.add.reduceat(per_row[: self.rows[-1]], self.rows[:-1], axis=0)

    def spread(self, per_segment: FloatArray) -> FloatArray:
        """A value of each segment repeated for its rows; 0 outside the keys."""
        out = np.zeros((len(self.u), *per_segment.shape[1:]))
        out[self.rows[0] : self.rows[-1]] = np.repeat(per_segment, np.diff(self.rows), axis=0)
        return out
