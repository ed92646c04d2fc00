# SPDX-License-Identifier: GPL-3.0-or-later
"""`hold`: the squared distance to the key before, which is what stepped keys play.

    cost(i, j) = sum over i <= m < j of w(m) D(i, m)

with w the weights of the frames. The last frame is a key and plays itself. When a pose is reached does not
matter, only for how many frames it is held, so frame numbers are not asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..motion import FloatArray
from ..progress import Heartbeat
from .distances import distance_rows
from .squared import SHORT


class HoldCosts:
    """A segment that grows by a frame costs the distance of that frame more."""

    join: np.ufunc = np.add

    def __init__(
        self,
        points: FloatArray,
        _frames: FloatArray,
        beat: Heartbeat,
        *,
        weights: FloatArray | None = None,
    ):
        self._points = points
        self._weights = np.ones(len(points)) if weights is None else weights
        self._beat = beat

    def fill(self, lengths: Sequence[range], strips: Sequence[FloatArray]) -> Iterator[int]:
        costs = np.zeros(len(self._points))
        distances = distance_rows(self._points, lengths[-1][-1], self._beat)
        for number, (part, strip) in enumerate(zip(lengths, strips, strict=True)):
            for row, length in enumerate(part):
                distance = next(distances)[length:]
                if length <= SHORT:  # neighbours are so near that their products would lose digits
                    apart = self._points[length:] - self._points[:-length]
                    distance = np.einsum("ij,ij->i", apart, apart)
                strip[row, row:] = costs[: len(distance)]
                costs[: len(distance)] += self._weights[length:] * distance
            yield number
