# SPDX-License-Identifier: GPL-3.0-or-later
"""Squared distances between all frames, and exact ones between frames that are near in time."""

from __future__ import annotations

import numpy as np

from ..costs.distances import squared_distances
from ..motion import FloatArray
from ..progress import Heartbeat

_ROWS = 128  # frames whose distances to all others are computed in one operation


def near_distances(points: FloatArray, longest: int, beat: Heartbeat) -> FloatArray:
    """near[l, j] = |p[j] - p[j - l]|² for l up to `longest`, from the differences themselves."""
    near = np.zeros((longest + 1, len(points)))
    for length in range(1, longest + 1):
        apart = points[length:] - points[:-length]
        near[length, length:] = np.einsum("ij,ij->i", apart, apart)
        beat()
    return near


def square_distances(points: FloatArray, squares: FloatArray, beat: Heartbeat) -> None:
    """Fill the symmetric matrix of all squared distances."""
    for first in range(0, len(points), _ROWS):
        stop = min(first + _ROWS, len(points))
        block = squares[first:stop, first:]  # from the diagonal on
        squared_distances(points[first:stop], points[first:], block)
        own = block[:, : stop - first]
        own[:] = np.maximum(own, own.T)
        for column in range(0, block.shape[1], _ROWS):  # mirrored in squares that fit into the cache
            tile = block[:, column : column + _ROWS]
            squares[first + column : first + column + tile.shape[1], first:stop] = tile.T
        beat()
