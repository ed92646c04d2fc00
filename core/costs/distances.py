# SPDX-License-Identifier: GPL-3.0-or-later
"""Squared distances between frames, arranged by how many rows the two are apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from threading import local

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..motion import FloatArray
from ..workers import each
from .contract import MANY

# A product of _ROWS frames with the frames that lie a range of _LENGTHS before them.
_ROWS = 128
_LENGTHS = 1024


def distance_rows(points: FloatArray, longest: int, beat: Callable[[], None]) -> Iterator[FloatArray]:
    """For l = 1, 2 ... longest the squared distances |p[j] - p[j - l]|², indexed by j.

    The first l entries of a row mean nothing. A row is only valid until the next one is asked for.
    """
    count = len(points)
    # Memory is asked for once: fresh pages cost as much time as the numbers that are put in them.
    strip = np.empty((min(_LENGTHS, longest), count))
    room = _Room(len(strip))
    for first in range(1, longest + 1, _LENGTHS):
        wanted = strip[: longest + 1 - first]
        runs = [slice(row, min(row + _ROWS, count)) for row in range(first, count, _ROWS)]
        each(partial(_fill, points, first, wanted, room), runs, beat, alone=count < MANY)
        yield from wanted


class _Room(local):
    """Where the products of some rows are put, for every thread its own."""

    def __init__(self, lengths: int):
        self.square = np.empty((_ROWS, _ROWS + lengths))


def _fill(points: FloatArray, first: int, strip: FloatArray, room: _Room, rows: slice) -> None:
    """Some columns of strip[l - first, j], the squared distances for lengths from `first` on."""
    lengths, height = len(strip), rows.stop - rows.start
    oldest = rows.start - first - lengths + 1
    missing = max(-oldest, 0)
    square = room.square[:height, : height + lengths - 1]
    square[:, :missing] = 0.0
    _products(points[rows], points[max(oldest, 0) : rows.stop - first], square[:, missing:])
    # The distance to the frame l rows earlier moves one column to the right with every row: a view
    # whose rows start one entry later each time lines the lengths up.
    row, column = square.strides
    skewed = as_strided(square, (height, lengths), (row + column, column))
    strip[:, rows] = skewed[:, ::-1].T


def _products(later: FloatArray, earlier: FloatArray, out: FloatArray) -> None:
    """All squared distances between two runs of frames.

    |a - b|² = |a|² + |b|² - 2ab loses the digits that a and b share, so both are first moved to
    where the later run is.
    """
    centre = later[0]
    later, earlier = later - centre, earlier - centre
    # The squares ride along in the product: (-2a, |a|², 1) (b, 1, |b|²).
    left = np.column_stack([-2.0 * later, np.einsum("ij,ij->i", later, later), np.ones(len(later))])
    right = np.column_stack([earlier, np.ones(len(earlier)), np.einsum("ij,ij->i", earlier, earlier)])
    np.matmul(left, right.T, out=out)
    np.maximum(out, np.zeros(out.shape[1]), out=out)  # with a single 0.0 numpy takes twice the time


def near_distances(points: FloatArray, longest: int, beat: Callable[[], None]) -> FloatArray:
    """near[l, j] = |p[j] - p[j - l]|² for l up to `longest`, from the differences themselves."""
    near = np.zeros((longest + 1, len(points)))

    def fill(length: int) -> None:
        apart = points[length:] - points[:-length]
        near[length, length:] = np.einsum("ij,ij->i", apart, apart)

    each(fill, range(1, longest + 1), beat, alone=len(points) < MANY)
    return near


def square_distances(points: FloatArray, squares: FloatArray, beat: Callable[[], None]) -> None:
    """Fill the symmetric matrix of all squared distances."""
    fill = partial(_fill_square, points, squares)
    each(fill, range(0, len(points), _ROWS), beat, alone=len(points) < MANY)


def _fill_square(points: FloatArray, squares: FloatArray, first: int) -> None:
    """_ROWS rows from `first` on, right of the diagonal, and the columns that mirror them."""
    stop = min(first + _ROWS, len(points))
    block = squares[first:stop, first:]
    _products(points[first:stop], points[first:], block)
    own = block[:, : stop - first]
    own[:] = np.maximum(own, own.T)
    for column in range(0, block.shape[1], _ROWS):  # in squares that fit into the cache
        tile = block[:, column : column + _ROWS]
        squares[first + column : first + column + tile.shape[1], first:stop] = tile.T
