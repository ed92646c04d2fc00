# SPDX-License-Identifier: GPL-3.0-or-later
"""The slopes of a loop where it begins again: one at both ends, and no more hitch than the motion itself has.

What is seen of a seam is how much the joints' step from one row to the next differs before and after it. With
one slope at both ends that is as much as the curves bend there, and a cubic that follows a long way may bend
more than the motion does. Whether it does, only the joints tell: turns of hip and knee may add up or cancel.
Where it does, all channels bend less by one share, so that what they do together survives. Where that is of
no use, since joints go round in circles faster than they should, the two steps become more like the motion's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..motion import FloatArray
from .aligned_handles import Stiffness, closed_slopes
from .bezier import BoolArray
from .segments import Segments

Joints = Callable[[FloatArray], FloatArray]  # from the channels of poses, (P, C), to places, (P, J, D)
Slopes = tuple[FloatArray, FloatArray]  # (S, C) each, at the start and the end of segments

# Of the hitch that the motion has: what is seen may have other joints than those that are looked at.
SHARE_OF_HITCH = 0.98
EXACT = 1.0 + 1e-6  # what is up to the motion's own is left alone
SHARE_OF_SPEED = 0.95  # that of the two steps is a little below the motion's, so that their hitch is, too
# What it may cost: to hitch no more than the motion, a share of how much that moves; where it is out of
# reach, to hitch less, a share of the squared error that there is anyway: the distance is doubled at most.
SHARE_OF_MOTION, SHARE_OF_ERROR = 0.15**2, 3.0
TRIED = 9  # so many shares are tried at once, and then as many between the best two


@dataclass(frozen=True, eq=False)
class Seam:
    """Where a loop begins again.

    Attributes:
        kinks: (C,) see `seam_kinks`.
        ends: (2, C) the first and the last pose.
        speeds: (2, C) how fast the motion is in its first and its last step.
        steps: (2, 1) how long these are.
        influence: (C,) what a squared unit of each channel costs where it is seen.
        motion: what standing still would cost.
        joints: what tells where joints are.
    """

    kinks: FloatArray
    ends: FloatArray
    speeds: FloatArray
    steps: FloatArray
    influence: FloatArray
    motion: float
    joints: Joints

    @classmethod
    def of(
        cls, values: FloatArray, frames: FloatArray, kinks: FloatArray, influence: FloatArray, joints: Joints
    ) -> Seam:
        steps = np.diff(frames)[[0, -1], None]
        speeds = (values[[1, -1]] - values[[0, -2]]) / steps
        motion = float(np.sum((values - values.mean(axis=0)) ** 2, axis=0) @ influence)
        return cls(kinks, values[[0, -1]], speeds, steps, influence, motion, joints)

    def closed(self, stiffness: Stiffness, slopes: Slopes, corners: BoolArray) -> Slopes:
        """Slopes that agree at the seam, for those with the least error if the curves were no loop."""
        missing = self.kinks - (slopes[1][-1] - slopes[0][0])
        return closed_slopes(stiffness, *slopes, corners, _closing(len(slopes[0]))[None], missing[None])

    def smoothed(
        self,
        segments: Segments,
        stiffness: Stiffness,
        slopes: Slopes,
        values: FloatArray,
        corners: BoolArray,
        error: float,
    ) -> Slopes:
        """Slopes with which joints hitch no more than they should, if that costs little enough.

        Args:
            slopes: that agree at the seam.
            values: (K, C) of the keys.
            error: squared, that slopes have without the seam, in the unit of `influence`.
        """
        by_slopes, by_values = self._speeds_by(segments, values)
        speeds = by_values + _counted(by_slopes, slopes)
        least = float(self._hitches(speeds[None])[0])
        if least * SHARE_OF_HITCH <= EXACT:
            return slopes
        for_less = SHARE_OF_ERROR * error
        budgets = max(SHARE_OF_MOTION * self.motion, for_less), for_less
        closing, agreed = _closing(len(segments.lengths)), np.zeros_like(self.kinks)
        straight = [closing, by_slopes[0] - by_slopes[1]], [agreed, speeds[1] - speeds[0]]
        alike = [closing, *by_slopes], [agreed, *(SHARE_OF_SPEED * self.speeds - speeds)]
        found = slopes
        for conditions, missing in (straight, alike):
            if least <= 1.0:
                break
            goal = closed_slopes(stiffness, *slopes, corners, np.stack(conditions), np.stack(missing))
            change = goal[0] - slopes[0], goal[1] - slopes[1]
            cost = float(stiffness.costs(*change) @ self.influence)
            for budget in budgets:
                most = 1.0 if cost <= budget else float(np.sqrt(budget / cost))
                share, hitch = self._least_share(speeds, _counted(by_slopes, change), most)
                if hitch <= 1.0 or (budget == for_less and hitch < least):
                    found, least = (slopes[0] + share * change[0], slopes[1] + share * change[1]), hitch
                    break
        return found

    def _least_share(self, speeds: FloatArray, change: FloatArray, most: float) -> tuple[float, float]:
        """Which share of a change is enough for the joints, or else best, and how much they hitch then."""
        least, hitch = 0.0, np.inf
        for _ in range(2):
            shares = np.linspace(least, most, TRIED)
            hitches = self._hitches(speeds + shares[:, None, None] * change)
            enough = int(np.argmax(hitches <= max(1.0, hitches.min())))
            least, most, hitch = shares[max(enough - 1, 0)], shares[enough], hitches[enough]
        return float(most), float(hitch)

    def _hitches(self, speeds: FloatArray) -> FloatArray:
        """(T,) how many times as much as they may joints hitch, in the mean or at most; see `_changes`."""
        return (self._changes(speeds) / self._allowed).max(axis=1)

    @cached_property
    def _allowed(self) -> FloatArray:
        return np.maximum(SHARE_OF_HITCH * self._changes(self.speeds[None])[0], np.finfo(float).tiny)

    def _changes(self, speeds: FloatArray) -> FloatArray:
        """(T, 2) how much the velocity of joints changes, in the mean and at most, for speeds (T, 2, C)."""
        beside = self.ends + self.steps * [[1.0], [-1.0]] * speeds
        first, last, *_ = places = self.joints(np.concatenate([self.ends, *beside]))
        after, before = (places[2::2] - first) / self.steps[0], (last - places[3::2]) / self.steps[1]
        changes = np.linalg.norm(after - before, axis=2)
        return np.stack([changes.mean(axis=1), changes.max(axis=1)], axis=1)

    def _speeds_by(self, segments: Segments, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(2, 2, S, 1) what slopes, and (2, C) what values, make of the speeds of the first and last step."""
        u, w = (self.steps[:, 0] / segments.lengths[[0, -1]]).tolist()
        by_slopes = np.zeros((2, 2, len(segments.lengths), 1))
        by_slopes[0, :, 0, 0] = (1.0 - u) ** 2, -u * (1.0 - u)
        by_slopes[1, :, -1, 0] = -w * (1.0 - w), (1.0 - w) ** 2
        rises = (values[[1, -1]] - values[[0, -2]]) / self.steps
        return by_slopes, rises * [[(3.0 - 2.0 * u) * u * u], [(3.0 - 2.0 * w) * w * w]]


def _counted(by_slopes: FloatArray, slopes: Slopes) -> FloatArray:
    """(2, C) what these slopes come to in the speeds of the first and the last step."""
    return np.einsum("nksx,ksc->nc", by_slopes, np.stack(slopes))


def _closing(segments: int) -> FloatArray:
    """(2, S, 1) how much each slope makes the end steeper than the beginning."""
    closing = np.zeros((2, segments, 1))
    closing[0, 0], closing[1, -1] = -1.0, 1.0
    return closing
