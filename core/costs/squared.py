# SPDX-License-Identifier: GPL-3.0-or-later
"""Squared-error costs of evenly spaced frames: `chord` and `curve`.

`chord` is the squared error of linear interpolation between two keys, summed over the frames between.
`curve` is what remains after the best cubic through both keys, the curve that fitted Bezier handles
play. With l the length and m = 1 .. l-1 the frames between, the cubics that vanish at both keys are
spanned by

    a(m) = m (l - m)        b(m) = m (l - m) (l - 2m)

which are orthogonal, so with r the residual of the chord

    curve = chord - |sum a r|² / sum a² - |sum b r|² / sum b².

All of it is a weighted sum of squared distances between frames: a sum of frames whose weights add up
to nothing has the squared length -1/2 sum_xy w_x w_y |x - y|². So the number of joints does not matter
once the distances are known, and the sums for length l + 1 follow from those for length l.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..motion import FloatArray
from .contract import SegmentCosts
from .distances import distance_rows

# Up to this length a segment's cost is computed from differences of frames instead of distances: on a
# smooth motion the cost of a short segment is a tiny part of the distances and would drown in rounding.
SHORT = 24


class SquaredCosts(SegmentCosts):
    """`chord`, or `curve` if `curved`."""

    join: np.ufunc = np.add
    exact_to = np.inf

    def __init__(self, points: FloatArray, *, curved: bool, beat: Callable[[], None] = lambda: None):
        self._points = points
        self._beat = beat
        self._curved = curved

    def strips(self, lengths: Sequence[range]) -> Iterator[FloatArray]:
        short = short_costs(self._points, min(SHORT, lengths[-1][-1]), curved=self._curved)
        running = _RunningSums(len(self._points), curved=self._curved)
        distances = distance_rows(self._points, lengths[-1][-1], self._beat)
        buffer = np.empty((max(len(part) for part in lengths), len(self._points)))
        for part in lengths:
            strip = buffer[: len(part)]
            for row, length in enumerate(part):
                running.grow_to(length, next(distances))
                strip[row] = short[length] if length in short else running.costs()
            yield strip


class _RunningSums:
    """Sums over the inner frames of all segments of one length, grown one frame at a time.

    For the segment that starts at i, ends at j and is l long, with D the squared distance:

        from_start[n, i]   sum of m^n D(i, i+m)
        from_end[n, j]     sum of m^n D(j-m, j)
        pairs[., i]        sum of the products of powers listed in `_pair_growth` times D(i+m, i+m'), m < m'

    All count from the segment's own end, never from frame 0: powers of global frame numbers would
    cancel and leave no digits.
    """

    def __init__(self, count: int, *, curved: bool):
        self._curved = curved
        self._powers = 4 if curved else 2
        self._length = 0
        self._distance = np.zeros(count)
        self._from_start = np.zeros((self._powers, count))
        self._from_end = np.zeros((self._powers, count))
        self._pairs = np.zeros((6, count))

    def grow_to(self, length: int, distance: FloatArray) -> None:
        """From length - 1 to length; `distance` holds D(j - length, j) for every j."""
        old, count = self._length, len(distance)
        if old:
            # Frames `old` apart were the ends and become a pair of an end and an inner frame.
            gained = float(old) ** np.arange(self._powers)[:, None] * self._distance[old:]
            if self._curved:
                self._pairs[:, : count - old] += _pair_growth(old) @ self._from_end[:, old:]
            self._from_start[:, : count - old] += gained
            self._from_end[:, old:] += gained
        self._length = length
        self._distance[:] = distance  # a row of distances does not outlive the next one

    def costs(self) -> FloatArray:
        """The cost of each segment of this length, by its last row."""
        length, count = self._length, len(self._distance)
        ends, inner, pairs = _weights(length, curved=self._curved)
        total = np.zeros(count)
        cost = total[length:]
        np.multiply(self._distance[length:], ends, out=cost)
        cost += inner @ self._from_start[:, : count - length]
        cost += inner @ self._from_end[:, length:]
        if self._curved:
            cost += pairs @ self._pairs[:, : count - length]
        np.maximum(cost, 0.0, out=cost)
        return total


def _weights(length: int, *, curved: bool) -> tuple[float, FloatArray, FloatArray]:
    """What D of the ends, the sums of one inner frame and the sums of two add to the cost."""
    l = float(length)  # noqa: E741
    ends = -(l * l - 1.0) / (6.0 * l)
    inner = np.array([1.0, -1.0 / l])
    if not curved:
        return ends, inner, np.zeros(0)
    a_square = (l**5 - l) / 30.0
    b_square = l * (l * l - 1.0) * (l * l - 4.0) * (l * l + 5.0) / 210.0
    # The residual of the chord takes part of the end frames away: a sum of residuals weighted with
    # `a` holds each end -a_end times; weighted with `b`, the start -b_end times and the end b_end times.
    a_end = (l**3 - l) / 12.0
    b_end = (l * l - 1.0) * (l * l - 4.0) / 60.0
    ends += a_end**2 / a_square - b_end**2 / b_square
    inner = np.array([1.0, -1.0 / l, 0.0, 0.0])
    inner -= a_end / a_square * np.array([0.0, l, -1.0, 0.0])
    inner -= b_end / b_square * np.array([0.0, l * l, -3.0 * l, 2.0])
    pairs = np.array([l**2, -l, 1.0, 0.0, 0.0, 0.0]) / a_square
    pairs += np.array([l**4, -3.0 * l**3, 9.0 * l**2, 2.0 * l**2, -6.0 * l, 4.0]) / b_square
    return ends, inner, pairs


def _pair_growth(new: int) -> FloatArray:
    """How the sums over pairs of inner frames m < m' grow when m' = `new` becomes an inner frame.

    The pairs' sums are those of  m m', m m'² + m² m', m² m'², m m'³ + m³ m', m² m'³ + m³ m'², m³ m'³
    times D. The old ones with m' = `new` are known as sums of (m' - m)^n D(m, m'), n = 0..3.
    """
    n = float(new)
    # Rows: sums of m, m², m³ times D out of the sums of (n - m)^0..3 times D.
    powers = np.array([[n, -1.0, 0.0, 0.0], [n**2, -2.0 * n, 1.0, 0.0], [n**3, -3.0 * n**2, 3.0 * n, -1.0]])
    products = np.array(
        [[n, 0, 0], [n**2, n, 0], [0, n**2, 0], [n**3, 0, n], [0, n**3, n**2], [0, 0, n**3]], dtype=np.float64
    )
    return products @ powers


def short_costs(points: FloatArray, longest: int, *, curved: bool) -> dict[int, FloatArray]:
    """Costs of short segments, exact to the last digits however smooth the motion is.

    The chord's residual does not notice a motion that is linear in time, the cubic's none that is
    cubic; so both are a quadratic form of the second (the fourth) differences of the frames, and need
    only the inner products of neighbouring differences.
    """
    order = 4 if curved else 2
    count = len(points)
    costs = {length: np.zeros(count) for length in range(1, min(order, longest + 1))}
    longest = min(longest, count - 1)
    if longest < order:
        return costs
    differences = np.diff(points, n=order, axis=0)
    span = longest - order + 1
    products = np.zeros((len(differences), span))  # [d, h] = difference d times difference d + h
    for apart in range(span):
        earlier, later = differences[: len(differences) - apart], differences[apart:]
        products[: len(earlier), apart] = np.einsum("ij,ij->i", earlier, later)
    for length in range(order, longest + 1):
        form = _difference_form(length, order)
        size = len(form)
        # [d, h, r] = products[d + r, h]: all pairs of differences inside the segment from d on.
        windows = sliding_window_view(products[:, :size], size, axis=0)
        folded = np.zeros((size, size))
        for apart in range(size):
            folded[apart, : size - apart] = np.diagonal(form, apart) * (1.0 if apart == 0 else 2.0)
        cost = np.zeros(count)
        cost[length:] = np.maximum(np.tensordot(windows, folded, axes=2), 0.0)
        costs[length] = cost
    return costs


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
