# SPDX-License-Identifier: GPL-3.0-or-later
"""Joint weights derived from the skeleton: from its hierarchy and from its bones' names."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ..anatomy import nine_joints_by_name
from ..fitting.influence import joints_below
from ..motion import FloatArray, Motion


def hierarchical_weights(motion: Motion) -> FloatArray:
    """(J,) the number of joints that each joint moves, itself included, with mean one.

    Turning a joint carries along everything below it, so an error at the hip shows in the whole leg.
    """
    moved = joints_below(motion.parents).sum(axis=1)
    return moved / moved.mean()


def nine_joint_weights(motion: Motion, joints: Mapping[str, int] | None = None) -> FloatArray:
    """(J,) one for the hips, the elbows, the hands, the knees and the feet; zero for the others.

    These nine are the joints that Tanuwijaya and Ohno speak of; they describe everyday movement and
    leave out fingers, toes and the joints of the spine, which move with them.

    Args:
        joints: where they are, as `anatomy.nine_joints` gives it; told by names and parents if left out.
    """
    weights = np.zeros(len(motion.names))
    weights[list((joints or nine_joints_by_name(motion.names, motion.parents)).values())] = 1.0
    return weights


# Ready-made joint weights that a panel can offer; each may refuse a skeleton with an `InputError`.
PRESETS: dict[str, Callable[[Motion], FloatArray]] = {
    "equal": lambda motion: np.ones(len(motion.names)),
    "nine joints": nine_joint_weights,
    "hierarchy": hierarchical_weights,
}
