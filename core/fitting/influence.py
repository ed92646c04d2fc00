# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the joints of a character move when one of its channels is off."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..motion import CHANNEL_KINDS, FloatArray, IntArray, Motion

# Squared angle, in radians, for a small squared change of the channel.
_SQUARED_ANGLE = {"euler": 1.0, "axis_angle": 1.0, "quaternion": 4.0}

# Arms hardly change length relative to each other: some frames tell as much as all.
_FRAMES_LOOKED_AT = 64


def channel_influence(motion: Motion, joints: ArrayLike, kinds: Sequence[str]) -> FloatArray:
    """(C,) squared joint distance, weighed and summed over joints, for a squared unit of each channel.

    A channel of a bone moves the bone's joint and all joints below it: by the same way for a
    location, by angle times distance from the joint above for a rotation (across its axis at most,
    so this is the upper bound), by distance alone for a scale.

    Args:
        motion: whose `weights` say how much each joint counts.
        joints: (C,) the joint at the tip of each channel's bone, -1 for channels of the whole object.
        kinds: one of `CHANNEL_KINDS` for each channel; "other" has no influence on joints and gets 0.
    """
    tips = np.asarray(joints, dtype=np.int64)
    if len(tips) != len(kinds):
        raise InputError(
            "{tips} joints are named for {kinds} channels: name one for each.",
            tips=len(tips),
            kinds=len(kinds),
        )
    if np.any(tips < -1) or np.any(tips >= len(motion.parents)):
        raise InputError(
            "Joints must be numbers from -1 (the object) to {last}.", last=len(motion.parents) - 1
        )
    unknown = sorted(set(kinds) - set(CHANNEL_KINDS))
    if unknown:
        raise InputError(
            "There is no kind of channel {unknown!r}: choose from {choices}.",
            unknown=unknown[0],
            choices=", ".join(CHANNEL_KINDS),
        )
    below = joints_below(motion.parents) * motion.weights
    below = np.vstack([below, motion.weights])  # the last row, reached as -1, is the whole object
    mass = below.sum(axis=1)
    reach = _squared_reach(motion, below, mass)
    scale = {"location": mass, "scale": reach, "other": np.zeros(len(mass))}
    scale |= {kind: factor * reach for kind, factor in _SQUARED_ANGLE.items()}
    return np.array([scale[kind][tip] for tip, kind in zip(tips, kinds, strict=True)])


def joints_below(parents: IntArray) -> FloatArray:
    """(J, J) 1 where the column's joint is the row's joint or hangs below it."""
    count = len(parents)
    below = np.zeros((count, count))
    ancestor = np.arange(count)
    while np.any(ancestor >= 0):
        hanging = np.flatnonzero(ancestor >= 0)
        below[ancestor[hanging], hanging] = 1.0
        ancestor = np.where(ancestor >= 0, parents[ancestor], -1)
    return below


def _squared_reach(motion: Motion, below: FloatArray, mass: FloatArray) -> FloatArray:
    """(J + 1,) weighed squared distances of the joints below from the joint above, averaged over frames."""
    step = max(1, len(motion) // _FRAMES_LOOKED_AT)
    positions = motion.positions[::step] - motion.positions[::step].mean(axis=1, keepdims=True)
    pivots = np.where((motion.parents >= 0)[:, None], positions[:, motion.parents], positions)
    pivots = np.concatenate([pivots, np.zeros_like(pivots[:, :1])], axis=1)
    squares = np.sum(positions**2, axis=2) @ below.T
    middle = np.einsum("rj,fjx->frx", below, positions)
    spread = squares - 2.0 * np.sum(pivots * middle, axis=2) + mass * np.sum(pivots**2, axis=2)
    return np.maximum(spread.mean(axis=0), 0.0)
