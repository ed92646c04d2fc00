# SPDX-License-Identifier: GPL-3.0-or-later
"""Bezier handles that make a few keys play as close to the motion as they can."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from ..checks import channel_values, frame_numbers, key_rows, numbers
from ..errors import InputError
from ..loops import seam_kinks
from ..motion import FloatArray, IntArray
from .aligned_handles import SHARE_OF_ERROR, Stiffness, levelled, smooth_slopes, tied_slopes
from .at_once import leaves_and_stops_at_once
from .bezier import BoolArray, Handles
from .moved_keys import Strays, moved_keys
from .seam import Joints, Seam
from .segments import Segments

MODES = ("free", "aligned", "smooth")


def fit_handles(
    values: ArrayLike, keys: ArrayLike, mode: str = "free", *, frames: ArrayLike | None = None
) -> Handles:
    """Handles for keys at some rows of `values`, so that the curves play closest to all rows.

    Args:
        values: (F, C) channels over time.
        keys: ascending rows of `values` that are keys.
        mode: "free" for the lowest error, "aligned" for curves that are smooth through their keys where that
            costs little, "smooth" for curves that are smooth at every key, whose values may move a little.
        frames: (F,) frame numbers of the rows; 0, 1, 2 ... if left out.
    """
    return Fitter(values, frames).fit(keys, mode)


class Fitter:
    """Fits handles to one motion, again and again for other keys.

    Args:
        values: (F, C) channels over time.
        frames: (F,) frame numbers of the rows; 0, 1, 2 ... if left out.
        influence: (C,) what a squared unit of each channel's error costs where it is seen, such as
            `channel_influence`; channels with 0, or all if left out, count by their own error.
        loop: for values that are one round of a loop, the frames on which it begins and ends: the first and
            last of `frames`, or near them where these are rounded. Keys at both ends then have one slope,
            but for channels that bend sharply there themselves, and hitch no more than the values do.
        joints: what tells where a loop's joints are; if left out, the channels themselves are looked at.
    """

    def __init__(
        self,
        values: ArrayLike,
        frames: ArrayLike | None = None,
        *,
        influence: ArrayLike | None = None,
        loop: tuple[float, float] | None = None,
        joints: Joints | None = None,
    ):
        self.values = channel_values(values)
        self.frames = frame_numbers(frames, len(self.values))
        channels = self.values.shape[1]
        self._influence = np.zeros(channels) if influence is None else numbers(influence, "Influence")
        if self._influence.shape != (channels,):
            raise InputError(
                "There must be one influence for each of the {channels} channels, not {shape}.",
                channels=channels,
                shape=self._influence.shape,
            )
        # A channel far from zero would lose digits in sums of products.
        self._centred = self.values - self.values[0]
        # Squared errors below this are rounding, and so are the kinks that cost less.
        self._rounding = 1e-12 * np.sum(self._centred**2, axis=0)
        self._seam = None if loop is None or len(self.values) < 2 else self._seam_of(loop, joints)

    def _seam_of(self, loop: tuple[float, float], joints: Joints | None) -> Seam:
        """Where other rows lie beyond the ends of the loop, its own are the ends."""
        moments = self.frames.copy()
        moments[[0, -1]] = loop
        ascend = bool(np.all(np.diff(moments) > 0.0))
        kinks = seam_kinks(self._centred, moments if ascend else self.frames)
        return Seam.of(self.values, self.frames, kinks, self._influence, joints or self._weighed)

    def _weighed(self, poses: FloatArray) -> FloatArray:
        """(P, 1, C) the channels of poses as if they were the coordinates of one joint."""
        return (poses * np.sqrt(self._influence))[:, None]

    def fit(
        self,
        keys: ArrayLike,
        mode: str = "free",
        *,
        seen_error: float | None = None,
        held: Iterable[int] = (),
        level: Iterable[int] = (),
        strays: Strays | None = None,
    ) -> Handles:
        """Handles for keys at these rows.

        Args:
            keys: ascending rows that are keys.
            mode: "free", "aligned" or "smooth".
            seen_error: squared error of the free fit in the unit of `influence`, which decides how
                smooth "aligned" may be; for `channel_influence` that is the sum of `squared_errors`
                of a fitter of `Motion.points()`, or the error of a `curve` solution.
            held: rows whose keys keep their values when the others are moved; the ends always do.
            level: rows at whose keys all curves are level, as at the ends of a hold; not on a side where the
                motion leaves or stops at once, unless the mode is "smooth".
            strays: how many times as far from the motion as it may be each pose is, (K,), when keys have some
                values, (K, C); where keys are moved, none goes farther. They go where they like if left out.
        """
        if mode not in MODES:
            raise InputError(
                "There is no way to fit called {mode!r}: choose one of {choices}.",
                mode=mode,
                choices=", ".join(MODES),
            )
        rows = key_rows(keys, len(self.values))
        if len(rows) == 1:
            return self._lone_key(rows)
        seam = self._seam if rows[-1] - rows[0] == len(self.values) - 1 else None
        flat = np.isin(rows, [*level])
        if seam is not None:
            flat[[0, -1]] = flat[[0, -1]].any()
        segments = Segments.between(rows, self.frames)
        level_sides = flat[:-1], flat[1:]
        if mode != "smooth" and np.any(flat):
            at_once = leaves_and_stops_at_once(self._speeds(), rows)
            level_sides = level_sides[0] & ~at_once[0], level_sides[1] & ~at_once[1]
        stiffness, first, last = self._free_slopes(segments, level_sides)
        values = self.values[rows]
        corners = np.ones((len(rows), self.values.shape[1]), dtype=bool)
        corners[[0, -1]] = False

        moved: FloatArray | float = 0.0
        if mode == "smooth" and len(rows) > 2:
            # Beside the seam of a loop a key decides alone how much it bends there.
            beside = () if seam is None else (rows[0] + 1, rows[-1] - 1)
            kept = np.isin(rows, [*held, *level, rows[0], rows[-1], *beside])
            near = None if strays is None else lambda moved: strays(values + moved)
            moved = moved_keys(segments, self._centred, first, last, kept, flat, near)
            values, corners = values + moved, corners & False
            first, last = tied_slopes(*self._free_slopes(segments, level_sides, moved), corners)
        open_error = 0.0 if seam is None else self._weighed_error(segments, first, last, moved)

        def close(first: FloatArray, last: FloatArray, corners: BoolArray) -> tuple[FloatArray, FloatArray]:
            return (first, last) if seam is None else seam.closed(stiffness, (first, last), corners)

        if mode == "aligned" and len(rows) > 2:
            importance, error = self._importance(segments, _offsets(segments, first, last), seen_error)
            allowed = SHARE_OF_ERROR * error
            apart = level_sides[1][:-1] != level_sides[0][1:]  # level on one side alone
            first, last, corners = smooth_slopes(stiffness, first, last, importance, allowed, close, apart)
        else:
            first, last = close(first, last, corners)
        if seam is not None:
            if not flat[0]:
                first, last = seam.smoothed(segments, stiffness, (first, last), values, corners, open_error)
            corners[[0, -1]] = seam.kinks != 0.0
        offsets = _offsets(segments, first, last)
        return _handles(self.frames[rows], values, offsets, corners, loop=seam is not None)

    def squared_errors(self, keys: ArrayLike) -> FloatArray:
        """(C,) squared error of the free fit, summed over the rows from the first to the last key."""
        rows = key_rows(keys, len(self.values))
        if len(rows) == 1:
            return np.zeros(self.values.shape[1])
        segments = Segments.between(rows, self.frames)
        return _squared_errors(self._centred, segments, _fitted_offsets(self._centred, segments))

    def _lone_key(self, rows: IntArray) -> Handles:
        values = self.values[rows]
        points = np.stack([np.broadcast_to(self.frames[rows, None], values.shape), values], axis=2)
        return Handles(self.frames[rows], values, points, points.copy(), np.zeros(values.shape, dtype=bool))

    def _free_slopes(
        self, segments: Segments, level: tuple[BoolArray, BoolArray], moved: FloatArray | float = 0.0
    ) -> tuple[Stiffness, FloatArray, FloatArray]:
        """The slopes of the free fit, for keys that may have been moved, and what leaving them costs."""
        slopes = _slopes(segments, _fitted_offsets(self._centred, segments, moved))
        return levelled(_stiffness(segments), *slopes, *level)

    def _speeds(self) -> FloatArray:
        """(F - 1,) how fast all channels together go from row to row."""
        weights = self._influence if np.any(self._influence > 0.0) else np.ones_like(self._influence)
        return np.sqrt(np.diff(self._centred, axis=0) ** 2 @ weights) / np.diff(self.frames)

    def _weighed_error(
        self, segments: Segments, first: FloatArray, last: FloatArray, moved: FloatArray | float
    ) -> float:
        """The squared error of these slopes, of keys that may have been moved, in the unit of `influence`."""
        errors = _squared_errors(self._centred, segments, _offsets(segments, first, last), moved)
        return float(errors @ self._influence)

    def _importance(
        self, segments: Segments, offsets: FloatArray, seen_error: float | None
    ) -> tuple[FloatArray, float]:
        """(C,) what each channel's squared error costs, and the cost of the free fit in all."""
        if seen_error is None:
            importance, error = np.zeros_like(self._influence), float(len(self._influence))
        else:
            importance = self._influence.copy()
            error = max(seen_error, float(importance @ self._rounding))
        own = importance <= 0.0
        if np.any(own):
            errors = _squared_errors(self._centred[:, own], segments, offsets[:, :, own])
            importance[own] = _ratio(error / len(importance), np.maximum(errors, self._rounding[own]))
        return importance, error


def _slopes(segments: Segments, offsets: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(S, C) each, at the start and the end of segments with handles a third as long."""
    third = segments.lengths[:, None] / 3.0
    return offsets[:, 0] / third, -offsets[:, 1] / third


def _offsets(segments: Segments, first: FloatArray, last: FloatArray) -> FloatArray:
    """(S, 2, C) the handles of these slopes."""
    third = segments.lengths[:, None] / 3.0
    return np.stack([first * third, -last * third], axis=1)


def _fitted_offsets(values: FloatArray, segments: Segments, moved: FloatArray | float = 0.0) -> FloatArray:
    """(S, 2, C) how far the handles are above their keys, a third of the segment away from them.

    Keys may have been moved, (K, C), away from the values.

    The curve is then a plain cubic of time with given ends. Its least-squares fit is linear in the
    values, segment by segment and with the same weights for every channel. O(F C).
    """
    rows, weights = segments.rows, _cubic_weights(segments)
    keys = values[rows] + moved
    first, rise = keys[:-1], np.diff(keys, axis=0)
    offsets = np.empty((len(rows) - 1, 2, values.shape[1]))
    for index, (start, stop) in enumerate(pairwise(rows)):
        np.matmul(weights[start:stop].T, values[start:stop], out=offsets[index])
    from_first = segments.sums(weights)
    from_rise = segments.sums(weights * segments.u[:, None])
    offsets -= from_first[:, :, None] * first[:, None, :] + from_rise[:, :, None] * rise[:, None, :]
    offsets[:, 0] += rise / 3.0
    offsets[:, 1] -= rise / 3.0
    return offsets


def _squared_errors(
    values: FloatArray, segments: Segments, offsets: FloatArray, moved: FloatArray | float = 0.0
) -> FloatArray:
    """(C,) squared distance between the values and the cubics with these handles; keys may be moved."""
    u = segments.u
    basis = np.stack([u * u * (3.0 - 2.0 * u), 3.0 * u * (1.0 - u) ** 2, 3.0 * u * u * (1.0 - u)], axis=1)
    keys, total = values[segments.rows] + moved, np.zeros(values.shape[1])
    for index, (start, stop) in enumerate(pairwise(segments.rows)):
        control = np.vstack([keys[index + 1] - keys[index], offsets[index]])
        distance = values[start:stop] - keys[index] - basis[start:stop] @ control
        total += np.einsum("fc,fc->c", distance, distance)
    return total


def _stiffness(segments: Segments) -> Stiffness:
    """What leaving the fitted slopes costs each segment.

    A little is added so that slopes which too few frames decide stay near the fitted ones.
    """
    u, lengths = segments.u, segments.lengths
    start, end = u * (1.0 - u) ** 2, -u * u * (1.0 - u)
    return Stiffness(
        (segments.sums(start * start) + 1e-6) * lengths**2,
        segments.sums(start * end) * lengths**2,
        (segments.sums(end * end) + 1e-6) * lengths**2,
    )


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


def _handles(
    frames: FloatArray, values: FloatArray, offsets: FloatArray, corners: BoolArray, *, loop: bool = False
) -> Handles:
    """`Handles` from the value offsets of the two handles inside each segment, a third of it long.

    The outer handles of the first and the last key play no part; they mirror the inner ones, or are those of
    the other end of a loop.
    """
    third = np.diff(frames)[:, None] / 3.0
    left, right = np.empty((*values.shape, 2)), np.empty((*values.shape, 2))
    right[:-1, :, 0], right[:-1, :, 1] = frames[:-1, None] + third, values[:-1] + offsets[:, 0]
    left[1:, :, 0], left[1:, :, 1] = frames[1:, None] - third, values[1:] + offsets[:, 1]
    keys = np.stack([np.broadcast_to(frames[:, None], values.shape), values], axis=2)
    if loop:
        left[0], right[-1] = keys[0] + left[-1] - keys[-1], keys[-1] + right[0] - keys[0]
    else:
        left[0], right[-1] = 2.0 * keys[0] - right[0], 2.0 * keys[-1] - left[-1]
    return Handles(frames, values, left, right, corners)
