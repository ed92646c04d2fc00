# SPDX-License-Identifier: GPL-3.0-or-later
"""The slopes of a loop where it begins again: one at both ends, and no more bend than the motion itself has.

What is seen of a seam is how much a step from one row to the next differs before and after it. With one slope
at both ends that is as much as the curves bend there, and a cubic that follows a long way may bend more than
the motion does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..motion import FloatArray
from .aligned_handles import Stiffness, closed_slopes
from .bezier import BoolArray
from .segments import Segments

# Rotations are not places: so that joints do not bend more, channels bend a little less.
SHARE_OF_BEND = 0.85
# What that may cost, as a share of the squared error that there is anyway, so that the distance is doubled at
# most, and keys that follow the motion exactly bend as it does.
SHARE_OF_ERROR = 3.0


@dataclass(frozen=True, eq=False)
class Seam:
    """Where a loop begins again.

    Attributes:
        kinks: (C,) see `seam_kinks`.
        bend: (C,) how much faster each channel moves in its first step than in its last.
        steps: how long these are.
        influence: (C,) what a squared unit of each channel costs where it is seen.
    """

    kinks: FloatArray
    bend: FloatArray
    steps: tuple[float, float]
    influence: FloatArray

    @classmethod
    def of(cls, values: FloatArray, frames: FloatArray, kinks: FloatArray, influence: FloatArray) -> Seam:
        steps = float(frames[1] - frames[0]), float(frames[-1] - frames[-2])
        bend = (values[1] - values[0]) / steps[0] - (values[-1] - values[-2]) / steps[1]
        return cls(kinks, bend, steps, influence)

    def slopes(
        self,
        segments: Segments,
        stiffness: Stiffness,
        slopes: tuple[FloatArray, FloatArray],
        values: FloatArray,
        corners: BoolArray,
        *,
        error: float,
        flat: bool,
    ) -> tuple[FloatArray, FloatArray]:
        """(S, C) each, at the start and the end of segments.

        Args:
            slopes: those with the least error if the curves were no loop.
            values: (K, C) of the keys.
            error: squared, that the slopes have, in the unit of `influence`.
            flat: whether the curves are level at the seam.
        """
        closing = np.zeros((2, len(segments.lengths), 1))
        closing[0, 0], closing[1, -1] = -1.0, 1.0
        missing = self.kinks - (slopes[1][-1] - slopes[0][0])
        first, last = closed_slopes(stiffness, *slopes, corners, closing[None], missing[None])
        if flat:
            return first, last
        bending, bend = self._bending(segments, values)
        bend = bend + np.einsum("ksx,ksc->c", bending, np.stack([first, last]))
        if self.influence @ bend**2 <= SHARE_OF_BEND**2 * (self.influence @ self.bend**2):
            return first, last
        most = SHARE_OF_BEND * np.abs(self.bend)
        missing = np.stack([np.zeros_like(bend), np.clip(bend, -most, most) - bend])
        bent = closed_slopes(stiffness, first, last, corners, np.stack([closing, bending]), missing)
        moved = np.stack(bent) - np.stack([first, last])
        cost, allowed = float(stiffness.costs(*moved) @ self.influence), SHARE_OF_ERROR * error
        if cost > allowed:
            moved *= np.sqrt(allowed / cost)
        return first + moved[0], last + moved[1]

    def _bending(self, segments: Segments, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(2, S, 1) how much of the bend each slope makes, and (C,) how much there is without slopes."""
        lengths, (after, before) = segments.lengths, self.steps
        u, w = after / lengths[0], before / lengths[-1]
        bending = np.zeros((2, len(lengths), 1))
        bending[0, 0] += (1.0 - u) ** 2
        bending[1, 0] -= u * (1.0 - u)
        bending[0, -1] += w * (1.0 - w)
        bending[1, -1] -= (1.0 - w) ** 2
        leaves = (values[1] - values[0]) * (3.0 - 2.0 * u) * u * u / after
        arrives = (values[-1] - values[-2]) * (3.0 - 2.0 * w) * w * w / before
        return bending, leaves - arrives
