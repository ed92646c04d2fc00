# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of poses, as something that can be taken from one motion and given to another.

A change has a number for every channel, and zeros where nothing was changed. It is added; a quaternion is
turned in the axes of its bone's parent, and its four numbers are those of the turn, less those of no turn. So
a change that is faded, by a factor or between moments, stays a change.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import rotations
from ..motion import FloatArray, IntArray
from ..reconstruct import monotone_cubic

_NO_TURN = np.array([1.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class PoseChanges:
    """How the channels of a motion are changed. All arrays have channels last, (F, C).

    Attributes:
        turns: (G, 4) the channels that make up each quaternion.
    """

    turns: IntArray

    def between(self, before: FloatArray, after: FloatArray) -> FloatArray:
        """What has to be changed to come from one motion to another."""
        change = after - before
        if len(self.turns):
            unit = rotations.normalized_quaternion
            turn = rotations.quaternion_multiply(
                unit(after[:, self.turns]), rotations.quaternion_inverse(unit(before[:, self.turns]))
            )
            change[:, self.turns] = _less_no_turn(turn)
        return change

    def changed(self, values: FloatArray, change: FloatArray) -> FloatArray:
        """The motion with a change; what has none stays exactly as it is."""
        result = values + change
        if len(self.turns):
            still = np.all(change[:, self.turns] == 0.0, axis=-1, keepdims=True)
            turned = rotations.quaternion_multiply(_turn(change[:, self.turns]), values[:, self.turns])
            result[:, self.turns] = np.where(still, values[:, self.turns], turned)
        return result

    def together(self, first: FloatArray, then: FloatArray) -> FloatArray:
        """One change after another."""
        change = first + then
        if len(self.turns):
            turn = rotations.quaternion_multiply(_turn(then[:, self.turns]), _turn(first[:, self.turns]))
            change[:, self.turns] = _less_no_turn(turn)
        return change

    def normalized(self, values: FloatArray) -> FloatArray:
        """The same poses with unit quaternions."""
        result = values.copy()
        if len(self.turns):
            result[:, self.turns] = rotations.normalized_quaternion(values[:, self.turns])
        return result

    def whole(self, channels: np.ndarray) -> np.ndarray:
        """(..., C) which channels, where those of a quaternion go together."""
        result = channels.copy()
        if len(self.turns):
            result[..., self.turns] = np.any(channels[..., self.turns], axis=-1, keepdims=True)
        return result


def _turn(change: FloatArray) -> FloatArray:
    return rotations.normalized_quaternion(change + _NO_TURN)


def _less_no_turn(turn: FloatArray) -> FloatArray:
    """The short way round at first, and from there on without jumps."""
    return rotations.continuous_quaternion(np.where(turn[:1, :, :1] < 0.0, -turn, turn)) - _NO_TURN


def eased(columns: FloatArray, changes: FloatArray, frames: FloatArray) -> FloatArray:
    """(F, C) changes that hold at key columns, (n,) and (n, C), and go over into each other smoothly."""
    return monotone_cubic(columns, changes, np.clip(frames, columns[0], columns[-1]))


def interpolated(times: FloatArray, changes: FloatArray, wanted: FloatArray) -> FloatArray:
    """(Q, C) changes that are known at (n,) times, straight in between; the outer ones go on."""
    inside = np.clip(wanted, times[0], times[-1])
    after = np.clip(np.searchsorted(times, inside), 1, len(times) - 1)
    share = ((inside - times[after - 1]) / (times[after] - times[after - 1]))[:, None]
    return changes[after - 1] * (1.0 - share) + changes[after] * share
