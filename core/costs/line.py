# SPDX-License-Identifier: GPL-3.0-or-later
"""Largest-distance costs: `minimax` and `sum`.

A segment costs the largest distance of its inner frames from the straight line through its two keys,
the measure of the Salient Poses paper. It needs only squared distances D between frames:

    distance(m)² = D(i,m) - (D(i,j) + D(i,m) - D(j,m))² / (4 D(i,j))

and where both keys are the same pose, the distance to that pose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..motion import FloatArray


class LineCosts:
    """Joined by the larger of two costs if `largest` (`minimax`), else by their sum (`sum`)."""

    def __init__(self, points: FloatArray, *, largest: bool):
        self._points = points
        self.join = np.maximum if largest else np.add

    def strips(self, lengths: Sequence[range]) -> Iterator[FloatArray]:
        table = line_table(self._points)
        count = len(table)
        for part in lengths:
            strip = np.zeros((len(part), count))
            for row, length in enumerate(part):
                strip[row, length:] = np.diagonal(table, length)
            yield strip


def line_table(points: FloatArray) -> FloatArray:
    count = len(points)
    squares = np.array([np.einsum("ij,ij->i", points - point, points - point) for point in points])
    table = np.zeros((count, count))
    for j in range(2, count):
        for_i = squares[:j, :j]
        base = squares[j, :j, None]
        apart = base + for_i - squares[j, None, :j]
        height = for_i - np.divide(apart**2, 4.0 * base, out=np.zeros_like(apart), where=base > 0.0)
        inner = np.triu(np.maximum(height, 0.0), 1)
        table[:j, j] = np.sqrt(inner.max(axis=1))
    return table
