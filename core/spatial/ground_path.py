# SPDX-License-Identifier: GPL-3.0-or-later
"""`GroundPath`: a way over the ground that was drawn, evened out and known by its length."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks import FloatArray, numbers
from ..errors import InputError
from ..smooth import smoothed_between_ends

FINE = 8  # samples in the length over which it is evened out
MOST = 200_000  # samples


class GroundPath:
    """Where the way is, and where it heads, at any length along it.

    Args:
        places: (n, 2) that were drawn.
        softness: the length over which corners and the tremble of a hand are evened out.

    Attributes:
        length: of the way.
        lengths: (n,) how far along it each of the places is.
    """

    def __init__(self, places: ArrayLike, softness: float):
        drawn = numbers(places, "places of the path", (None, 2))
        far = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(drawn, axis=0), axis=1))])
        if far[-1] <= 0.0:
            raise InputError("The path has no length: draw it over the ground.")
        count = int(np.clip(np.ceil(FINE * far[-1] / softness), 2, MOST))
        even = np.linspace(0.0, far[-1], count + 1)
        points = np.stack([np.interp(even, far, column) for column in drawn.T], axis=1)
        self._points = smoothed_between_ends(points, softness * count / far[-1])
        steps = np.linalg.norm(np.diff(self._points, axis=0), axis=1)
        self._far = np.concatenate([[0.0], np.cumsum(steps)])
        self.length = float(self._far[-1])
        self.lengths = np.interp(far, even, self._far)
        ahead = np.gradient(self._points, axis=0)
        self._headings = np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0]))

    def places(self, lengths: FloatArray) -> FloatArray:
        """(F, 2) where it is."""
        return np.stack([np.interp(lengths, self._far, column) for column in self._points.T], axis=1)

    def headings(self, lengths: FloatArray) -> FloatArray:
        """(F,) where it goes, in radians from the x axis and without jumps."""
        return np.interp(lengths, self._far, self._headings)
