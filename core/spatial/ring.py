# SPDX-License-Identifier: GPL-3.0-or-later
"""`Ring`: a closed way through the places of keys, such as the four of a walk."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks import FloatArray, numbers
from ..errors import InputError

FLAT = (
    0.05  # of its longest extent: places with less to the side lie on a line, and nothing goes around there
)


class Ring:
    """The way around the middle of some places, through each of them; through four in a square, a circle.

    Args:
        places: (n, 3) three or more; the way begins at the first and goes towards the side of the second.
    """

    def __init__(self, places: ArrayLike):
        given = numbers(places, "places of the keys", (None, 3))
        if len(given) < 3:
            raise InputError(
                "Three keys or more are needed to go around: there are {count}.", count=len(given)
            )
        self._middle = given.mean(axis=0)
        around = given - self._middle
        _, extents, axes = np.linalg.svd(around, full_matrices=False)
        if extents[1] < FLAT * extents[0]:
            raise InputError("The keys lie on a line: place them in a circle to go around.")
        first = around[0] - (around[0] @ axes[2]) * axes[2]
        first /= max(float(np.linalg.norm(first)), 1e-12)
        self._axes = np.stack([first, np.cross(axes[2], first), axes[2]])
        if around[1] @ self._axes[1] < 0.0:
            self._axes[1:] *= -1.0
        seen = around @ self._axes.T
        angles = np.arctan2(seen[:, 1], seen[:, 0]) % (2.0 * np.pi)
        order = np.argsort(angles)
        self._angles = angles[order]
        self._radii = np.hypot(seen[order, 0], seen[order, 1])
        self._heights = seen[order, 2]

    def at(self, rounds: ArrayLike) -> FloatArray:
        """(F, 3) the places after so many rounds, each on from the first place; negative ones go back."""
        angles = 2.0 * np.pi * np.asarray(rounds, np.float64)
        radii, heights = (
            np.interp(angles, self._angles, values, period=2.0 * np.pi)
            for values in (self._radii, self._heights)
        )
        flat = np.stack([radii * np.cos(angles), radii * np.sin(angles), heights], axis=-1)
        return self._middle + flat @ self._axes
