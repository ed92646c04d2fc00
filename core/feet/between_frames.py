# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet between two whole frames that are held in both.

Joints that are turned evenly from one frame to the next carry a foot on a bow, and off its place where they
turn far. Where that would be seen, the leg is worked out at the thirds between the frames as well, and curves
are bent to go through there: keys stay on whole frames.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..checks import FloatArray, IntArray
from ..rotations import between, continuous_quaternion, matrix_to_quaternion

THIRDS = np.array([1.0, 2.0]) / 3.0
SEEN = 5e-4  # of a leg's length: how far a foot may be off its place between two frames


def bowed(turned: Iterable[FloatArray], corrected: Iterable[FloatArray]) -> np.ndarray:
    """(F - 1,) whether a foot goes on a bow that is seen after each frame.

    Half a leg that turns by some angle carries its end off by an eighth of the angle's square, and what is
    corrected in whole frames and evenly between them is off by an eighth of how unevenly it changes.

    Args:
        turned: how the bones of the leg are turned in the world, (F, 3, 3) each.
        corrected: how far each was turned from what plays, (F, 3, 3).
    """
    off = np.zeros(1)
    for rotations in turned:
        steps = matrix_to_quaternion(rotations[1:] @ rotations[:-1].swapaxes(1, 2))
        off = off + np.sum(_angles(steps) ** 2, axis=1) / 8.0
    for rotations in corrected:
        uneven = np.diff(_angles(continuous_quaternion(matrix_to_quaternion(rotations))), n=2, axis=0)
        most = np.pad(np.linalg.norm(uneven, axis=1), 1)
        off = off + np.maximum(most[:-1], most[1:]) / 8.0
    return off > SEEN


def _angles(quaternions: FloatArray) -> FloatArray:
    """(F, 3) small turns about three axes."""
    return 2.0 * quaternions[:, 1:]


def at_times(rows: FloatArray, times: FloatArray, wanted: FloatArray) -> FloatArray:
    """(Q, ...) what some rows (F, ...) are at other times, straight between them."""
    after = np.clip(np.searchsorted(times, wanted), 1, len(times) - 1)
    share = (wanted - times[after - 1]) / (times[after] - times[after - 1])
    return rows[after - 1] + share.reshape(-1, *[1] * (rows.ndim - 1)) * (rows[after] - rows[after - 1])


def at_thirds(rows: FloatArray, gaps: IntArray) -> FloatArray:
    """(2 G, ...) what some rows (F, ...) are, straight, at the thirds after each of G rows."""
    share = np.tile(THIRDS, len(gaps)).reshape(-1, *[1] * (rows.ndim - 1))
    before = np.repeat(gaps, 2)
    return (1.0 - share) * rows[before] + share * rows[before + 1]


def turned_at_thirds(rotations: FloatArray, gaps: IntArray) -> FloatArray:
    """(2 G, 3, 3) how something is turned, evenly, at the thirds after each of G rows."""
    before = np.repeat(gaps, 2)
    return between(rotations[before], rotations[before + 1], np.tile(THIRDS, len(gaps)))


def with_thirds(rows: FloatArray, thirds: FloatArray, gaps: IntArray) -> FloatArray:
    """(F + 2 G, ...) rows in the order of time."""
    return np.insert(rows, np.repeat(gaps + 1, 2), thirds, axis=0)


def handles_through(values: FloatArray, thirds: FloatArray, gaps: IntArray) -> tuple[FloatArray, FloatArray]:
    """(F, C) values of the handles before and after each row, at a third of the way to the next one.

    Curves with them go straight from row to row, and where there are thirds through these.

    Args:
        values: (F, C). thirds: (2 G, C) those at the thirds after G rows.
    """
    steps = np.diff(values, axis=0) / 3.0
    left, right = values.copy(), values.copy()
    left[1:] -= steps
    right[:-1] += steps
    start, third, two, end = values[gaps], thirds[::2], thirds[1::2], values[gaps + 1]
    right[gaps] = (-5.0 * start + 18.0 * third - 9.0 * two + 2.0 * end) / 6.0
    left[gaps + 1] = (2.0 * start - 9.0 * third + 18.0 * two - 5.0 * end) / 6.0
    return left, right
