# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses placed in space by likeness, and the way through that space which plays a motion again."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ..checks import FloatArray, numbers
from ..errors import InputError

DAMPING = 1e-3  # of the first step; each that makes it worse is taken back and damped more
ROUNDS = 6


class Likeness:
    """The three directions in which the poses of a motion differ most (principal components).

    Poses that are alike get places near each other, as in Costa and Esperanca 2019.

    Args:
        poses: (F, D) numbers that tell poses apart, all in one unit: places of joints.
        guides: (F, 3) what should grow along each direction, such as how far the body is to the left: a
            direction by itself has no sign.

    Complexity: O(F D min(F, D)).
    """

    def __init__(self, poses: ArrayLike, guides: ArrayLike):
        features = numbers(poses, "poses", (None, None))
        if len(features) < 2:
            raise InputError("One pose is like no other: give at least two.")
        self._middle = features.mean(axis=0)
        away = features - self._middle
        _, sizes, directions = np.linalg.svd(away, full_matrices=False)
        if sizes[0] <= 1e-9 * max(float(np.abs(features).max()), 1e-30):
            raise InputError("All poses are the same: nothing tells where to place them.")
        found = np.zeros((3, features.shape[1]))
        found[: len(directions[:3])] = directions[:3]
        lead = numbers(guides, "guides", (len(features), 3))
        grows = np.sum((away @ found.T) * (lead - lead.mean(axis=0)), axis=0)
        self._directions = np.where(grows < 0.0, -1.0, 1.0)[:, None] * found
        self.told = float((sizes[:3] ** 2).sum() / (sizes**2).sum())  # the share of all differences
        self._reach = float(np.abs(away @ self._directions.T).max())

    def places(self, poses: ArrayLike) -> FloatArray:
        """(n, 3) for poses (n, D); of the motion itself, none is farther than 1 along any direction."""
        features = numbers(poses, "poses", (None, len(self._middle)))
        return (features - self._middle) @ self._directions.T / self._reach


def places_that_play(
    play: Callable[[FloatArray], FloatArray], wanted: FloatArray, start: FloatArray, step: float
) -> FloatArray:
    """(F, 3) places near `start` for which `play` (F, 3) -> (F, D) comes nearest to `wanted` (F, D).

    Every row by itself, by damped least squares (Levenberg and Marquardt) with slopes over a small `step`. No
    row ever becomes worse than it was at the start.
    """
    places, played = start.copy(), play(start)
    errors = ((played - wanted) ** 2).sum(axis=1)
    damping = np.full(len(start), DAMPING)
    for _ in range(ROUNDS):
        slopes = np.stack([(play(places + step * axis) - played) / step for axis in np.eye(3)], axis=2)
        squares = np.einsum("fdi,fdj->fij", slopes, slopes)
        size = np.trace(squares, axis1=1, axis2=2)
        squares += (damping * size + 1e-12 * size.max(initial=1e-30))[:, None, None] * np.eye(3)
        toward = np.einsum("fdi,fd->fi", slopes, wanted - played)
        tried = places + np.linalg.solve(squares, toward[..., None])[..., 0]
        shown = play(tried)
        left = ((shown - wanted) ** 2).sum(axis=1)
        better = left < errors
        places[better], played[better], errors[better] = tried[better], shown[better], left[better]
        damping *= np.where(better, 0.3, 10.0)
    return places
