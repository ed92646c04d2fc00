# SPDX-License-Identifier: GPL-3.0-or-later
"""`chord` and `curve` for frames that are not evenly spaced: gaps and sub-frames.

The same costs as in `squared`, in real time. The shortcuts over distances need even steps, so here the
moments of the frames themselves are summed, joint by joint: exact, but slower by the number of joints.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..motion import FloatArray
from ..progress import Heartbeat


def evenly_spaced(frames: FloatArray) -> bool:
    """Whether all steps are equal, up to the rounding of large frame numbers."""
    steps = np.diff(frames)
    slack = 8.0 * np.finfo(np.float64).eps * np.abs(frames).max()
    return bool(np.ptp(steps) <= slack)


class UnevenSquaredCosts:
    """`chord`, or `curve` if `curved`, at any ascending frame numbers."""

    join: np.ufunc = np.add

    def __init__(self, points: FloatArray, frames: FloatArray, beat: Heartbeat, *, curved: bool):
        self._points = points
        self._beat = beat
        # Any unit of time will do; with one near the typical step the powers stay tame.
        self._times = (frames - frames[0]) / np.mean(np.diff(frames))
        self._curved = curved

    def fill(self, lengths: Sequence[range], strips: Sequence[FloatArray]) -> Iterator[int]:
        moments = _Moments(self._points, self._times, powers=4 if self._curved else 2)
        for number, (part, strip) in enumerate(zip(lengths, strips, strict=True)):
            for row, length in enumerate(part):
                moments.grow_to(length)
                strip[row, row:] = moments.curve() if self._curved else moments.chord()
                self._beat()
            yield number


class _Moments:
    """Moments of the inner frames about each segment's first frame, grown one frame at a time."""

    def __init__(self, points: FloatArray, times: FloatArray, *, powers: int):
        count, size = points.shape
        self._points, self._times = points, times
        self._length = 1
        self._square = np.zeros(count)
        self._time = np.zeros((7, count))  # sums of t^n
        self._sums = np.zeros((powers, count, size))  # sums of t^n (p - p_start)

    def grow_to(self, length: int) -> None:
        for new in range(self._length, length):  # the frame `new` rows after the start becomes inner
            kept = len(self._times) - new
            offset = self._points[new:] - self._points[:kept]
            time = self._times[new:] - self._times[:kept]
            self._square[:kept] += np.einsum("ij,ij->i", offset, offset)
            for power in range(7):
                self._time[power, :kept] += time**power
            for power in range(1, len(self._sums)):
                offset *= time[:, None]
                self._sums[power, :kept] += offset
        self._length = length

    def chord(self) -> FloatArray:
        length = self._length
        count = len(self._times) - length
        across = self._points[length:] - self._points[:count]
        span = self._times[length:] - self._times[:count]
        along = np.einsum("ij,ij->i", self._sums[1, :count], across) / span
        size = np.einsum("ij,ij->i", across, across) * self._time[2, :count] / span**2
        return np.maximum(self._square[:count] - 2.0 * along + size, 0.0)

    def curve(self) -> FloatArray:
        """The chord's cost less what a(t) = t (T - t) and b(t) = t (T - t) (T - 2t) take away."""
        length = self._length
        count = len(self._times) - length
        if length <= 3:
            return np.zeros(count)  # a cubic goes through two inner frames
        span = self._times[length:] - self._times[:count]
        across = (self._points[length:] - self._points[:count]) / span[:, None]
        first, second, third = (self._sums[power, :count] for power in (1, 2, 3))
        moments = self._time[:, :count]
        a_size = span * moments[2] - moments[3]
        b_size = span**2 * moments[2] - 3.0 * span * moments[3] + 2.0 * moments[4]
        a = span[:, None] * first - second - a_size[:, None] * across
        b = (
            (span**2)[:, None] * first
            - (3.0 * span)[:, None] * second
            + 2.0 * third
            - b_size[:, None] * across
        )
        aa = span**2 * moments[2] - 2.0 * span * moments[3] + moments[4]
        ab = span**3 * moments[2] - 4 * span**2 * moments[3] + 5 * span * moments[4] - 2.0 * moments[5]
        bb = (
            span**4 * moments[2]
            - 6.0 * span**3 * moments[3]
            + 13.0 * span**2 * moments[4]
            - 12.0 * span * moments[5]
            + 4.0 * moments[6]
        )
        # Uneven steps leave a and b at an angle: take a's part out of b before projecting on it.
        b -= (ab / aa)[:, None] * a
        bb_left = bb - ab * ab / aa
        usable = bb_left > 1e-10 * bb
        taken = np.einsum("ij,ij->i", a, a) / aa
        taken[usable] += np.einsum("ij,ij->i", b[usable], b[usable]) / bb_left[usable]
        return np.maximum(self.chord() - taken, 0.0)
