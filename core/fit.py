# SPDX-License-Identifier: GPL-3.0-or-later
"""Bezier handles that make a few keys play as close to the motion as they can."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from .bezier import Handles
from .checks import checked_frames, checked_keys, checked_values
from .errors import InputError
from .motion import FloatArray, IntArray

MODES = ("free", "aligned")


def fit_handles(
    values: ArrayLike, keys: ArrayLike, mode: str = "free", *, frames: ArrayLike | None = None
) -> Handles:
    """Handles for keys at some rows of `values`, so that the curves play closest to all rows.

    Args:
        values: (F, C) channels over time.
        keys: ascending rows of `values` that are keys.
        mode: "free" for the lowest error, "aligned" for curves that are smooth through their keys.
        frames: (F,) frame numbers of the rows; 0, 1, 2 ... if left out.
    """
    return Fitter(values, frames).fit(keys, mode)


class Fitter:
    """Fits handles to one motion, again and again for other keys."""

    def __init__(self, values: ArrayLike, frames: ArrayLike | None = None):
        self.values = checked_values(values)
        self.frames = checked_frames(frames, len(self.values))
        # A channel far from zero would lose digits in sums of products.
        self._offset = self.values[0].copy()
        self._centred = self.values - self._offset

    def fit(self, keys: ArrayLike, mode: str = "free") -> Handles:
        """Handles for keys at these rows."""
        if mode not in MODES:
            raise InputError(f"There is no way to fit called {mode!r}: choose one of {', '.join(MODES)}.")
        rows = checked_keys(keys, len(self.values))
        if len(rows) == 1:
            return self._lone_key(rows)
        segments = Segments.between(rows, self.frames)
        return self._free(segments)

    def _lone_key(self, rows: IntArray) -> Handles:
        values = self.values[rows]
        points = np.stack([np.broadcast_to(self.frames[rows, None], values.shape), values], axis=2)
        return Handles(self.frames[rows], values, points, points.copy(), np.zeros(values.shape, dtype=bool))

    def _free(self, segments: Segments) -> Handles:
        """Handles a third of the segment long: the curve is then a plain cubic of time with given ends.

        Its least-squares fit is linear in the values, segment by segment and with the same weights
        for every channel. O(F C).
        """
        rows, length = segments.rows, segments.lengths[:, None]
        weights = _cubic_weights(segments)
        first, last = self._centred[rows[:-1]], self._centred[rows[1:]]
        offsets = np.empty((len(rows) - 1, 2, first.shape[1]))
        for index, (start, stop) in enumerate(pairwise(rows)):
            np.matmul(weights[start:stop].T, self._centred[start:stop], out=offsets[index])
        base = segments.sums(weights)
        tilt = segments.sums(weights * segments.u[:, None])
        offsets -= base[:, :, None] * first[:, None, :] + tilt[:, :, None] * (last - first)[:, None, :]
        third = (last - first) / 3.0
        return assemble(
            self.frames[rows],
            self.values[rows],
            ahead=(length / 3.0, third + offsets[:, 0]),
            behind=(length / 3.0, offsets[:, 1] - third),
            corners=np.ones((len(rows), first.shape[1]), dtype=bool),
        )


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


def _cubic_weights(segments: Segments) -> FloatArray:
    """(F, 2) weights that turn a segment's distances from its chord into its two handles' distances.

    Cubics that vanish at both ends are spanned by u(1-u) and u(1-u)(1-2u), orthogonal for evenly
    spaced frames and made so for others. Where a segment has too few inner frames to tell them
    apart the second is left out, which keeps the handles calm.
    """
    u = segments.u
    even = u * (1.0 - u)
    odd = even * (1.0 - 2.0 * u)
    even_square = segments.sums(even * even)
    overlap = _ratio(segments.sums(even * odd), even_square)
    pure = odd - segments.spread(overlap) * even
    pure_square = segments.sums(pure * pure)
    pure_square[pure_square < 1e-9 * even_square] = 0.0
    odd_weight = pure * segments.spread(_ratio(1.0, pure_square))
    even_weight = even * segments.spread(_ratio(1.0, even_square)) - segments.spread(overlap) * odd_weight
    return np.stack([even_weight + odd_weight, even_weight - odd_weight], axis=1) / 3.0


def _ratio(above: FloatArray | float, below: FloatArray) -> FloatArray:
    """above / below, and 0 where below is 0."""
    return np.where(below > 0.0, above, 0.0) / np.where(below > 0.0, below, 1.0)


def assemble(
    frames: FloatArray,
    values: FloatArray,
    ahead: tuple[FloatArray, FloatArray],
    behind: tuple[FloatArray, FloatArray],
    corners: np.ndarray,
) -> Handles:
    """`Handles` from lengths and value offsets of the two handles inside each segment.

    The outer handles of the first and the last key play no part; they mirror the inner ones.
    """
    right = np.empty((*values.shape, 2))
    left = np.empty((*values.shape, 2))
    right[..., 0], right[..., 1] = frames[:, None], values
    left[...] = right
    right[:-1, :, 0] += ahead[0]
    right[:-1, :, 1] += ahead[1]
    left[1:, :, 0] -= behind[0]
    left[1:, :, 1] += behind[1]
    for end, inner, outer in ((0, right, left), (-1, left, right)):
        outer[end, :, 0] = 2.0 * frames[end] - inner[end, :, 0]
        outer[end, :, 1] = 2.0 * values[end] - inner[end, :, 1]
    corners[[0, -1]] = False
    return Handles(frames, values, left, right, corners)
