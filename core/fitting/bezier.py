# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys with Bezier handles, played as Blender plays an F-curve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..motion import FloatArray

BoolArray = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


@dataclass(frozen=True, eq=False)
class Handles:
    """The keys of all channels at the same K frames, each with its two handles.

    Attributes:
        frames: (K,) frame numbers of the keys.
        values: (K, C) values of the keys.
        left: (K, C, 2) frame and value of the handle before each key.
        right: (K, C, 2) frame and value of the handle after each key.
        corners: (K, C) whether the handles may point in different directions (Blender's FREE);
            where False they lie on one line through the key (ALIGNED).
    """

    frames: FloatArray
    values: FloatArray
    left: FloatArray
    right: FloatArray
    corners: BoolArray

    def evaluate(self, frames: FloatArray) -> FloatArray:
        """(Q, C) values at the given frame numbers; outside the keys the nearest key holds."""
        if len(self.frames) == 1:
            return np.repeat(self.values, len(frames), axis=0)
        inside = np.clip(frames, self.frames[0], self.frames[-1])
        segment = np.clip(np.searchsorted(self.frames, inside, side="right") - 1, 0, len(self.frames) - 2)
        return self._evaluate_inside(inside, segment)

    def _evaluate_inside(self, frames: FloatArray, segment: np.ndarray) -> FloatArray:
        start, span = self.frames[:-1], np.diff(self.frames)
        ahead = _within_span(
            (self.right[:-1, :, 0] - start[:, None]), self.right[:-1, :, 1] - self.values[:-1], span
        )
        behind = _within_span(
            (self.frames[1:, None] - self.left[1:, :, 0]), self.left[1:, :, 1] - self.values[1:], span
        )
        u = ((frames - start[segment]) / span[segment])[:, None]
        t = solve_for_time(u, ahead[0][segment], behind[0][segment])
        first, last = self.values[segment], self.values[segment + 1]
        s = 1.0 - t
        near, far = 3.0 * t * s * s, 3.0 * t * t * s
        # Written as a blend plus handle offsets, so that a key is met exactly at its own frame.
        blend = first + (last - first) * (far + t * t * t)
        return blend + near * ahead[1][segment] + far * behind[1][segment]


def _within_span(length: FloatArray, offset: FloatArray, span: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Handle lengths as shares of the segment, and value offsets.

    Blender shortens a handle that is longer than its segment, keeping its direction.
    """
    share = np.abs(length) / span[:, None]
    shrink = 1.0 / np.maximum(share, 1.0)
    return share * shrink, offset * shrink


def solve_for_time(u: FloatArray, ahead: FloatArray, behind: FloatArray) -> FloatArray:
    """The curve parameter at the share u of a unit segment's time, for the lengths of its two handles.

    Time runs through 0, ahead, 1 - behind, 1 with lengths in [0, 1], so it never runs backwards and
    there is one answer, found by Newton steps that fall back to halving the bracket.
    """
    u, ahead, behind = np.broadcast_arrays(u, ahead, behind)
    if np.all(np.abs(ahead - 1 / 3) < 1e-12) and np.all(np.abs(behind - 1 / 3) < 1e-12):
        return u
    # Time as a polynomial: ((a t + b) t + c) t
    c = 3.0 * ahead
    b = 3.0 * (1.0 - behind) - 2.0 * c
    a = 1.0 - b - c
    low, high = np.zeros(u.shape), np.ones(u.shape)
    t = np.array(u)
    for _ in range(80):
        excess = ((a * t + b) * t + c) * t - u
        low = np.where(excess <= 0.0, t, low)
        high = np.where(excess >= 0.0, t, high)
        slope = (3.0 * a * t + 2.0 * b) * t + c
        newton = t - excess / np.where(slope > 1e-12, slope, 1.0)
        halved = 0.5 * (low + high)
        step = np.where((slope > 1e-12) & (newton >= low) & (newton <= high), newton, halved)
        if np.max(np.abs(step - t), initial=0.0) < 1e-14:
            return step
        t = step
    return t
