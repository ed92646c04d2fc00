# SPDX-License-Identifier: GPL-3.0-or-later
"""Squared-error costs of evenly spaced frames: `chord` and `curve`.

`chord` is the squared error of linear interpolation between two keys, summed over the frames between.
`curve` is what remains after the best cubic through both keys, the curve that fitted Bezier handles
play. With l the length and m = 1 .. l-1 the frames between, the cubics that vanish at both keys are
spanned by

    a(m) = m (l - m)        b(m) = m (l - m) (l - 2m)

which are orthogonal, so with r the residuals of the chord

    curve = chord - |sum a r|² / sum a² - |sum b r|² / sum b².

All of it is a weighted sum of squared distances between frames: a sum of frames whose weights add up
to zero has the squared length -1/2 sum_xy w_x w_y |x - y|². So the number of joints does not matter
once the distances are known, and the sums for length l + 1 follow from those for length l.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..motion import FloatArray
from ..progress import Heartbeat
from .distances import distance_rows

# Up to this length a segment's cost is computed from differences of frames instead of distances: on a
# smooth motion the cost of a short segment is a tiny part of the distances and would drown in rounding.
SHORT = 24


class SquaredCosts:
    """`chord`, or `curve` if `curved`, of evenly spaced frames."""

    join: np.ufunc = np.add

    def __init__(self, points: FloatArray, beat: Heartbeat, *, curved: bool):
        self._points = points
        self._beat = beat
        self._curved = curved

    def fill(self, lengths: Sequence[range], strips: Sequence[FloatArray]) -> Iterator[int]:
        short = short_costs(self._points, min(SHORT, lengths[-1][-1]), self._beat, curved=self._curved)
        running = (_CurveSums if self._curved else _ChordSums)(len(self._points))
        distances = distance_rows(self._points, lengths[-1][-1], self._beat)
        for number, (part, strip) in enumerate(zip(lengths, strips, strict=True)):
            for row, length in enumerate(part):
                distance = next(distances)[length:]
                if length in short:
                    strip[row, row:] = short[length]
                else:
                    running.costs(length, distance, out=strip[row, row:])
                running.grow(length, distance)
            yield number


class _ChordSums:
    """Sums over the inner frames of all segments of one length, grown one frame at a time.

    For the segment that starts at i, ends at j and is l long, with D the squared distance, o the
    offset of an inner frame from the start and q0 = 1, q1 = o, q2 = o(o+1)/2, q3 = o(o+1)(o+2)/6:

        from_end[n][j]     sum of qn(o) D(i+o, j)
        from_start[n][i]   sum of qn(l-o) D(i, i+o), the same seen backwards

    When a segment grows by a frame at its far end, every qn grows by the new q(n-1): all that the sums
    need is to be added to each other. They always count from the segment's own end, never from
    frame 0: powers of global frame numbers would cancel and leave no digits.
    """

    _highest = 1  # the highest n

    def __init__(self, count: int):
        self._from_start = np.zeros((self._highest + 1, count))
        self._from_end = np.zeros((self._highest + 1, count))
        self._scratch = np.empty(count)

    def grow(self, length: int, distance: FloatArray) -> None:
        """From this length to the next: its ends become an end and an inner frame of longer segments.

        Args:
            length: the length so far.
            distance: D of the ends of all segments of this length.
        """
        count = len(distance)
        for sums in (self._from_start[:, :count], self._from_end[:, length:]):
            sums[0] += distance
            for n in range(self._highest):
                sums[n + 1] += sums[n]

    def costs(self, length: int, distance: FloatArray, out: FloatArray) -> None:
        """The costs of all segments of a length: sum of (l-o)/l D(i, i+o) + o/l D(i+o, j), less D(i, j)."""
        count = len(distance)
        scratch = self._scratch[:count]
        np.add(self._from_start[1, :count], self._from_end[1, length:], out=out)
        out *= 1.0 / length
        out -= np.multiply(distance, (length**2 - 1.0) / (6.0 * length), out=scratch)
        np.maximum(out, 0.0, out=out)


class _CurveSums(_ChordSums):
    """The same up to q3, and sums over pairs of inner frames m < m'.

    pairs[n][i]   sum of (qa(m) qb(m') + qb(m) qa(m')) D(i+m, i+m'), without the half that is double
                  if a = b, for (a, b) = 11, 12, 22, 13, 23, 33
    """

    _highest = 3

    def __init__(self, count: int):
        super().__init__(count)
        self._pairs = np.zeros((6, count))
        self._gained = np.empty(6 * count)

    def grow(self, length: int, distance: FloatArray) -> None:
        # The end becomes the later frame m' = length of pairs whose D is summed up in from_end.
        count = len(distance)
        q1, q2, q3 = length, length * (length + 1.0) / 2.0, length * (length + 1.0) * (length + 2.0) / 6.0
        growth = np.array([[q1, 0, 0], [q2, q1, 0], [0, q2, 0], [q3, 0, q1], [0, q3, q2], [0, 0, q3]])
        gained = self._gained[: 6 * count].reshape(6, count)
        self._pairs[:, :count] += np.matmul(growth, self._from_end[1:, length:], out=gained)
        super().grow(length, distance)

    def costs(self, length: int, distance: FloatArray, out: FloatArray) -> None:
        count = len(distance)
        scratch = self._scratch[:count]
        ends, inner, pairs = _curve_weights(float(length))
        np.matmul(pairs, self._pairs[:, :count], out=out)
        out += np.matmul(inner, self._from_start[1:, :count], out=scratch)
        out += np.matmul(inner, self._from_end[1:, length:], out=scratch)
        out += np.multiply(distance, ends, out=scratch)
        np.maximum(out, 0.0, out=out)


def _curve_weights(l: float) -> tuple[float, FloatArray, FloatArray]:  # noqa: E741
    """What D of the ends, the sums of one inner frame and the sums of two add to the cost."""
    a_square = (l**5 - l) / 30.0
    b_square = l * (l * l - 1.0) * (l * l - 4.0) * (l * l + 5.0) / 210.0
    # a and b in terms of q1, q2, q3.
    a1, a2 = l + 1.0, -2.0
    b1, b2, b3 = (l + 1.0) * (l + 2.0), -6.0 * (l + 2.0), 12.0
    # The residual of the chord takes part of the end frames away: a sum of residuals weighted with
    # `a` holds each end -a_end times; weighted with `b`, the start -b_end times and the end b_end times.
    a_end = (l**3 - l) / 12.0
    b_end = (l * l - 1.0) * (l * l - 4.0) / 60.0
    ends = -(l * l - 1.0) / (6.0 * l) + a_end**2 / a_square - b_end**2 / b_square
    a_share, b_share = a_end / a_square, b_end / b_square
    inner = np.array([1.0 / l - a_share * a1 + b_share * b1, -a_share * a2 + b_share * b2, b_share * b3])
    pairs = np.array([a1 * a1, a1 * a2, a2 * a2, 0.0, 0.0, 0.0]) / a_square
    pairs += np.array([b1 * b1, b1 * b2, b2 * b2, b1 * b3, b2 * b3, b3 * b3]) / b_square
    return ends, inner, pairs


def short_costs(points: FloatArray, longest: int, beat: Heartbeat, *, curved: bool) -> dict[int, FloatArray]:
    """Costs of short segments, exact to the last digits however smooth the motion is.

    The chord's residual does not notice a motion that is linear in time, the cubic's none that is
    cubic; so both are a quadratic form of the second (the fourth) differences of the frames, and need
    only the inner products of neighbouring differences.
    """
    order = 4 if curved else 2
    count = len(points)
    costs = {length: np.zeros(count - length) for length in range(1, min(order, longest + 1))}
    longest = min(longest, count - 1)
    if longest < order:
        return costs
    differences = np.diff(points, n=order, axis=0)
    span = longest - order + 1
    products = np.zeros((len(differences), span))  # [d, h] = difference d times difference d + h
    for apart in range(span):
        earlier, later = differences[: len(differences) - apart], differences[apart:]
        products[: len(earlier), apart] = np.einsum("ij,ij->i", earlier, later)
        beat()
    for length in range(order, longest + 1):
        folded = _folded_form(length, order)
        size = len(folded)
        # [d, h, r] = products[d + r, h]: all pairs of differences inside the segment from d on.
        windows = sliding_window_view(products[:, :size], size, axis=0)
        costs[length] = np.maximum(np.tensordot(windows, folded, axes=2), 0.0)
        beat()
    return costs


@lru_cache(maxsize=64)
def _folded_form(length: int, order: int) -> FloatArray:
    """`_difference_form` by how far apart differences are: [h, r] is what the pair of r and r + h costs."""
    form = _difference_form(length, order)
    folded = np.zeros(form.shape)
    for apart in range(len(form)):
        folded[apart, : len(form) - apart] = np.diagonal(form, apart) * (1.0 if apart == 0 else 2.0)
    folded.setflags(write=False)
    return folded


def _difference_form(length: int, order: int) -> FloatArray:
    """The matrix of the cost of one segment in terms of its differences."""
    frames = np.arange(length + 1) / length
    inner = frames[1:-1]
    chord = np.zeros((length - 1, length + 1))
    chord[:, 1:-1] = np.eye(length - 1)
    chord[:, 0] -= 1.0 - inner
    chord[:, -1] -= inner
    residual = chord
    if order == 4:
        free = np.stack([inner * (1 - inner), inner * (1 - inner) * (1 - 2 * inner)], axis=1)
        basis = np.linalg.qr(free)[0]
        residual = chord - basis @ (basis.T @ chord)
    difference = np.diff(np.eye(length + 1), n=order, axis=0)
    # residual = reduced @ difference, because it vanishes on everything that the differences do.
    reduced = np.linalg.lstsq(difference.T, residual.T, rcond=None)[0].T
    return reduced.T @ reduced
