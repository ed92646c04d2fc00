# SPDX-License-Identifier: GPL-3.0-or-later
"""Joint weights derived from the skeleton: from its hierarchy and from its bones' names."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from ..errors import InputError
from ..influence import joints_below
from ..motion import FloatArray, Motion

# What rigs call the bone whose position stands for a joint, side and numbers left out.
LIMBS = {
    "elbow": {"forearm", "lowerarm", "elbow", "lowarm"},
    "hand": {"hand", "wrist"},
    "knee": {"leg", "lowerleg", "shin", "calf", "knee", "lowleg"},
    "foot": {"foot", "ankle"},
}
SIDES = {"left": "left", "l": "left", "right": "right", "r": "right"}

# Words in front of bone names that say which rig or which layer of it a bone belongs to.
PREFIXES = {"mixamorig", "def", "org", "bip", "biped", "valvebiped", "j", "cc", "base", "character", "b"}


def hierarchical_weights(motion: Motion) -> FloatArray:
    """(J,) the number of joints that each joint moves, itself included, with mean one.

    Turning a joint carries along everything below it, so an error at the hip shows in the whole leg.
    """
    moved = joints_below(motion.parents).sum(axis=1)
    return moved / moved.mean()


def nine_joint_weights(motion: Motion) -> FloatArray:
    """(J,) one for the root, the elbows, the hands, the knees and the feet; zero for the others.

    These nine are the joints that Tanuwijaya and Ohno speak of; they describe everyday movement and
    leave out fingers, toes and the joints of the spine, which move with them.

    Raises:
        InputError: a limb cannot be told from the bone names.
    """
    found: dict[tuple[str, str], int] = {}
    for row, name in enumerate(motion.names):
        limb = limb_of(name)
        if limb is not None:
            found.setdefault(limb, row)
    wanted = [(side, joint) for joint in LIMBS for side in ("left", "right")]
    missing = [" ".join(limb) for limb in wanted if limb not in found]
    if missing:
        raise InputError(
            f"No bone looks like the {missing[0]}: the nine-joint preset knows names such as LeftForeArm, "
            "forearm.L or lowerarm_l. Set the joint weights by hand instead."
        )
    weights = np.zeros(len(motion.names))
    weights[[motion.root, *(found[limb] for limb in wanted)]] = 1.0
    return weights


def limb_of(name: str) -> tuple[str, str] | None:
    """("left", "elbow") for LeftForeArm, mixamorig:LeftForeArm, DEF-forearm.L, lowerarm_l and the like."""
    words = _words(name)
    sides = {SIDES[word] for word in words if word in SIDES}
    part = "".join(word for word in words if word not in SIDES and word not in PREFIXES)
    if len(sides) != 1:
        return None
    for joint, parts in LIMBS.items():
        if part in parts:
            return sides.pop(), joint
    return None


def _words(name: str) -> Sequence[str]:
    """The words of a bone name in lower case, without numbers: LeftForeArm has left, fore and arm."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return [word.lower() for word in re.findall(r"[A-Za-z]+", apart)]


# Ready-made joint weights that a panel can offer; each may refuse a skeleton with an `InputError`.
PRESETS: dict[str, Callable[[Motion], FloatArray]] = {
    "equal": lambda motion: np.ones(len(motion.names)),
    "nine joints": nine_joint_weights,
    "hierarchy": hierarchical_weights,
}
