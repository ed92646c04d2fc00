# SPDX-License-Identifier: GPL-3.0-or-later
"""`chord` and `curve` for frames that are not evenly spaced (gaps and sub-frames), or weigh differently.

The same costs as in `squared`, with times in place of frame numbers. With x the time since the segment's
start and T that of its end, the cubics that vanish at both keys are spanned by

    a(x) = x (T - x)        b(x) = x (T - x) (T - 2x)

which are no longer orthogonal: b takes a's part out first. Sums over inner frames are those of powers of x.
A frame of weight w counts like w equal frames, in the error and in the best cubic alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..motion import FloatArray
from ..progress import Heartbeat
from .distances import distance_rows
from .squared import SHORT


def evenly_spaced(frames: FloatArray) -> bool:
    """Whether all steps are equal, up to the rounding of frame numbers, which are stored as float32.

    A frame number may have been rounded twice, as a time and as a frame, and so may the ends that it is
    compared with. More than a hundredth of a step is no rounding.
    """
    even = np.linspace(frames[0], frames[-1], len(frames))
    rounding = 4.0 * np.finfo(np.float32).eps * np.abs(frames).max()
    step = (frames[-1] - frames[0]) / max(len(frames) - 1, 1)
    return bool(np.abs(frames - even).max() <= min(rounding, 0.01 * step))


class UnevenSquaredCosts:
    """`chord`, or `curve` if `curved`, at any ascending frame numbers."""

    join: np.ufunc = np.add

    def __init__(
        self,
        points: FloatArray,
        frames: FloatArray,
        beat: Heartbeat,
        *,
        curved: bool,
        weights: FloatArray | None = None,
    ):
        self._points = points
        self._weights = np.ones(len(points)) if weights is None else weights
        self._beat = beat
        # Any unit of time will do; with one near the typical step the powers stay tame.
        self._times = (frames - frames[0]) / np.mean(np.diff(frames))
        self._curved = curved

    def fill(self, lengths: Sequence[range], strips: Sequence[FloatArray]) -> Iterator[int]:
        short = _Moments(self._points, self._times, self._weights, powers=4 if self._curved else 2)
        running = (_CurveSums if self._curved else _ChordSums)(self._times, self._weights)
        distances = distance_rows(self._points, lengths[-1][-1], self._beat)
        for number, (part, strip) in enumerate(zip(lengths, strips, strict=True)):
            for row, length in enumerate(part):
                distance = next(distances)[length:]
                if length <= SHORT:
                    short.grow_to(length)
                    strip[row, row:] = short.curve() if self._curved else short.chord()
                    self._beat()
                else:
                    np.maximum(running.costs(length, distance), 0.0, out=strip[row, row:])
                running.grow(length, distance)
            yield number


class _ChordSums:
    """Sums over the inner frames m of all segments of one length, grown one frame at a time.

    For the segment that starts at i and ends at j, with D the squared distance, x the time since i and w the
    weight of m:

        times[n][i]        sum of w x^n
        from_start[n][i]   sum of w x^n D(i, m)
        from_end[n][j]     sum of w x^n D(m, j)
    """

    _highest = 1  # the highest n of the sums over D

    def __init__(self, times: FloatArray, weights: FloatArray):
        count = len(times)
        self._weights = weights
        self._at, self._steps = times, np.diff(times)
        self._times = np.zeros((2 * self._highest + 1, count))
        self._from_start = np.zeros((self._highest + 1, count))
        self._from_end = np.zeros((self._highest + 1, count))

    def _spans(self, length: int) -> FloatArray:
        """The durations of all segments of a length."""
        return self._at[length:] - self._at[: len(self._at) - length]

    def grow(self, length: int, distance: FloatArray) -> None:
        """From this length to the next: its ends become an end and an inner frame of longer segments."""
        powers = np.vander(self._spans(length), len(self._times), increasing=True).T
        self._grow(length, distance, powers * self._weights[length:])

    def _grow(self, length: int, distance: FloatArray, powers: FloatArray) -> None:
        """The same, given [n] the weighted powers of the durations."""
        self._times[:, : len(distance)] += powers
        self._from_start[:, : len(distance)] += powers[: self._highest + 1] * distance
        # A segment that ends at j now starts a step earlier, so x grows by that step: (x + step)^n.
        sums = self._from_end[:, length:]
        sums[0] += self._weights[: len(distance)] * distance
        sums, step = sums[:, 1:], self._steps[: len(distance) - 1]
        for highest in range(self._highest, 0, -1):  # as in Horner's scheme
            for n in range(highest, self._highest + 1):
                sums[n] += step * sums[n - 1]

    def costs(self, length: int, distance: FloatArray) -> FloatArray:
        """The sum of (1 - x/T) D(i, m) + x/T D(m, j) - x/T (1 - x/T) D(i, j)."""
        count, span = len(distance), self._spans(length)
        start, end, times = self._from_start[:, :count], self._from_end[:, length:], self._times[:, :count]
        return start[0] + (end[1] - start[1] - (times[1] - times[2] / span) * distance) / span


class _CurveSums(_ChordSums):
    """The same up to x^3, and sums over pairs of inner frames m < m'.

    pairs[n][i]   sum of w w' (x^a x'^b + x^b x'^a) D(m, m'), without the half that is double if a = b,
                  for (a, b) = 11, 12, 22, 13, 23, 33
    """

    _highest = 3

    def __init__(self, times: FloatArray, weights: FloatArray):
        super().__init__(times, weights)
        self._pairs = np.zeros((6, len(times)))

    def _grow(self, length: int, distance: FloatArray, powers: FloatArray) -> None:
        # The end becomes the later frame m' of pairs whose D is summed up in from_end.
        x1, x2, x3 = powers[1:4]
        e1, e2, e3 = self._from_end[1:, length:]
        pairs = self._pairs[:, : len(distance)]
        pairs[0] += x1 * e1
        pairs[1] += x2 * e1 + x1 * e2
        pairs[2] += x2 * e2
        pairs[3] += x3 * e1 + x1 * e3
        pairs[4] += x3 * e2 + x2 * e3
        pairs[5] += x3 * e3
        super()._grow(length, distance, powers)

    def costs(self, length: int, distance: FloatArray) -> FloatArray:
        """The chord's cost less what a(x) and b(x) take away."""
        t1 = self._spans(length)
        t2, times = t1 * t1, self._times[:, : len(distance)]
        aa = t2 * times[2] - 2.0 * t1 * times[3] + times[4]
        ab = t1 * (t2 * times[2] - 4.0 * t1 * times[3] + 5.0 * times[4]) - 2.0 * times[5]
        bb = t2 * (t2 * times[2] - 6.0 * t1 * times[3] + 13.0 * times[4])
        bb += 4.0 * times[6] - 12.0 * t1 * times[5]
        overlap = ab / aa
        left = bb - ab * overlap
        taken = self._squared_sum(length, distance, t1, -1.0, 0.0) / aa
        pure = self._squared_sum(length, distance, t2 - overlap * t1, overlap - 3.0 * t1, 2.0)
        usable = left > 1e-10 * bb
        taken += np.divide(pure, left, out=np.zeros_like(pure), where=usable)
        return super().costs(length, distance) - taken

    def _squared_sum(
        self,
        length: int,
        distance: FloatArray,
        w1: FloatArray,
        w2: FloatArray | float,
        w3: float,
    ) -> FloatArray:
        """The squared length of the sum of the chord's residuals, weighted with w1 x + w2 x² + w3 x³.

        The residual takes part of the end frames away, so that the weights of all frames add up to zero.
        """
        count, span = len(distance), self._spans(length)
        start, end, times = self._from_start[:, :count], self._from_end[:, length:], self._times[:, :count]
        at_end = (w1 * times[2] + w2 * times[3] + w3 * times[4]) / span
        at_start = w1 * times[1] + w2 * times[2] + w3 * times[3] - at_end
        pairs = self._pairs[:, :count]
        inner = w1 * (w1 * pairs[0] + w2 * pairs[1] + w3 * pairs[3])
        inner += w2 * (w2 * pairs[2] + w3 * pairs[4]) + w3 * w3 * pairs[5]
        outer = at_start * (w1 * start[1] + w2 * start[2] + w3 * start[3])
        outer += at_end * (w1 * end[1] + w2 * end[2] + w3 * end[3])
        return outer - inner - at_start * at_end * distance


class _Moments:
    """The costs of short segments, from the frames themselves: moments about each segment's first frame.

    On a smooth motion a short segment costs a tiny part of the distances, which would drown in rounding.
    """

    def __init__(self, points: FloatArray, times: FloatArray, weights: FloatArray, *, powers: int):
        count, size = points.shape
        self._points, self._times, self._weights = points, times, weights
        self._length = 1
        self._square = np.zeros(count)
        self._time = np.zeros((7, count))  # sums of w t^n
        self._sums = np.zeros((powers, count, size))  # sums of w t^n (p - p_start)

    def grow_to(self, length: int) -> None:
        for new in range(self._length, length):  # the frame `new` rows after the start becomes inner
            kept = len(self._times) - new
            offset = self._points[new:] - self._points[:kept]
            time = self._times[new:] - self._times[:kept]
            weight = self._weights[new:]
            self._square[:kept] += weight * np.einsum("ij,ij->i", offset, offset)
            for power in range(7):
                self._time[power, :kept] += weight * time**power
            offset *= weight[:, None]
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
