# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion as curves over time, for the algorithms that were written for joint angles."""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from ..motion import FloatArray, Motion
from .algorithm import Option
from .weights import hierarchical_weights

# A body hardly changes its size: some frames tell as much as all.
FRAMES_LOOKED_AT = 64

OPTION = Option(
    "auto",
    "Which curves to look at: the animated channels (rotations, and the root's place), the positions of "
    "the joints, or their positions as seen from the root (body). Automatic takes channels if there are any",
    choices=("auto", "channels", "positions", "body"),
)


def motion_curves(motion: Motion, source: str, *, hierarchy: bool = False) -> tuple[FloatArray, FloatArray]:
    """(F, C) curves that start at zero, and (C,) how much each counts, always above zero.

    Args:
        source: a choice of `OPTION`.
        hierarchy: let a channel count for all the joints that its joint moves. Positions need no such
            weights: they show by themselves what a parent does to its children.
    """
    if source == "auto":
        source = "positions" if motion.channels is None or not motion.channels.size else "channels"
    if source == "channels":
        curves, weights = _channels(motion, hierarchy)
    else:
        seen = motion.in_space("root") if source == "body" else motion
        curves, weights = seen.positions.reshape(len(motion), -1), np.repeat(motion.weights, 3)
    used = weights > 0.0
    if not np.any(used):
        raise InputError("No channel belongs to a joint with a weight: look at positions instead.")
    if not np.all(used):
        curves = curves[:, used]
    # Starting at zero costs no digits, and the same motion elsewhere gives the same numbers.
    return curves - curves[0], weights[used]


def _channels(motion: Motion, hierarchy: bool) -> tuple[FloatArray, FloatArray]:
    if motion.channels is None or not motion.channels.size:
        raise InputError("This motion has no animated channels to look at: choose positions instead.")
    curves = motion.channels
    if motion.kinds is not None:
        lengths = np.array([kind == "location" for kind in motion.kinds])
        curves = np.where(lengths, curves / body_radius(motion), curves)
    if motion.owners is None:
        return curves, np.ones(curves.shape[1])
    weights = motion.weights * hierarchical_weights(motion) if hierarchy else motion.weights
    return curves, np.where(motion.owners < 0, 1.0, weights[motion.owners])


def body_radius(motion: Motion) -> float:
    """How far a joint is from the hips, typically: turning the body by a radian moves joints about as far.

    In this unit lengths can be compared with angles, whatever unit the character was made in.
    """
    hips = motion.root
    step = max(1, len(motion) // FRAMES_LOOKED_AT)
    seen = motion.positions[::step] - motion.positions[::step, [hips]]
    apart = np.delete(np.linalg.norm(seen, axis=2), hips, axis=1)
    return float(np.median(apart) if apart.size else 0.0) or 1.0
