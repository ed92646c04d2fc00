# SPDX-License-Identifier: GPL-3.0-or-later
"""Squared distances between frames, arranged by how many rows the two are apart."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..motion import FloatArray
from ..progress import Heartbeat

# A product of _ROWS frames with the frames that lie a range of _LENGTHS before them.
_ROWS = 128
_LENGTHS = 1024


def distance_rows(points: FloatArray, longest: int, beat: Heartbeat) -> Iterator[FloatArray]:
    """For l = 1, 2 ... longest the squared distances |p[j] - p[j - l]|², indexed by j.

    The first l entries of a row mean nothing. A row is only valid until the next one is asked for.
    """
    count = len(points)
    # Allocated once: the page faults of fresh memory take as long as the arithmetic.
    strip = np.empty((min(_LENGTHS, longest), count))
    square = np.empty((_ROWS, _ROWS + len(strip)))
    for first in range(1, longest + 1, _LENGTHS):
        wanted = strip[: longest + 1 - first]
        for row in range(first, count, _ROWS):
            _fill(points, first, wanted, square, slice(row, min(row + _ROWS, count)))
            beat()
        yield from wanted


def _fill(points: FloatArray, first: int, strip: FloatArray, square: FloatArray, rows: slice) -> None:
    """Some columns of strip[l - first, j], the squared distances for lengths from `first` on."""
    lengths, height = len(strip), rows.stop - rows.start
    oldest = rows.start - first - lengths + 1
    missing = max(-oldest, 0)
    square = square[:height, : height + lengths - 1]
    square[:, :missing] = 0.0
    squared_distances(points[rows], points[max(oldest, 0) : rows.stop - first], square[:, missing:])
    # The distance to the frame l rows earlier moves one column to the right with every row: a view
    # whose rows start one entry later each time lines the lengths up.
    row, column = square.strides
    skewed = as_strided(square, (height, lengths), (row + column, column))
    strip[:, rows] = skewed[:, ::-1].T


def squared_distances(later: FloatArray, earlier: FloatArray, out: FloatArray) -> None:
    """All squared distances between two runs of frames.

    |a - b|² = |a|² + |b|² - 2ab loses the digits that a and b share, so both are first moved to
    where the later run is.
    """
    centre = later[0]
    later, earlier = later - centre, earlier - centre
    # The squared norms are further columns of the product: (-2a, |a|², 1) (b, 1, |b|²).
    left = np.column_stack([-2.0 * later, np.einsum("ij,ij->i", later, later), np.ones(len(later))])
    right = np.column_stack([earlier, np.ones(len(earlier)), np.einsum("ij,ij->i", earlier, earlier)])
    np.matmul(left, right.T, out=out)
    np.maximum(out, 0.0, out=out)
