# SPDX-License-Identifier: GPL-3.0-or-later
"""Hips and limbs of a motion without an armature, told by the names of its joints and what hangs from what.

A skeleton is given as the names and the parents of a `Motion`'s joints: the tail of every bone has the name
of the bone, and the head of a bone that does not begin at its parent's tail is a joint "... head".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..checks import IntArray
from ..errors import InputError
from .names import CENTRE, LEFT, is_end, is_mechanism, is_twist, part_of, side_of

# The joint at which a bone begins that is called after a part of a limb.
JOINTS = {"forearm": "elbow", "hand": "hand", "shin": "knee", "leg": "knee", "foot": "foot"}
LIMB_JOINTS = tuple(dict.fromkeys(JOINTS.values()))


def nine_joints_by_name(names: Sequence[str], parents: IntArray) -> dict[str, int]:
    """The rows of "hips", "left elbow", "right elbow", "left hand" and so on.

    An elbow is where the forearm begins, a knee where the shin does: the head of a bone, not its tail.

    Raises:
        InputError: a limb cannot be told from the bone names.
    """
    bones = _limb_bones(names)
    wanted = [(side, joint) for joint in LIMB_JOINTS for side in ("left", "right")]
    missing = [" ".join(limb) for limb in wanted if limb not in bones]
    if missing:
        raise InputError(
            "No bone looks like the {missing}: the nine-joint preset knows names such as LeftForeArm, "
            "forearm.L or lowerarm_l. Set the joint weights by hand instead.",
            missing=missing[0],
        )
    joints = {"hips": hips_by_name(names, parents)}
    return joints | {" ".join(limb): head_of(names, parents, bones[limb]) for limb in wanted}


def hips_by_name(names: Sequence[str], parents: IntArray) -> int:
    """The joint that a body is carried by: where the bone begins that both legs hang from.

    A root far from the body, which rigs have for travelling, has no legs of its own. Without legs to tell
    it is the first joint without a parent.
    """
    bones = _limb_bones(names)
    left, right = (bones.get((side, "knee")) for side in ("left", "right"))
    if left is None or right is None:
        return int(np.flatnonzero(parents < 0)[0])
    above = set(upwards(parents, left))
    carrying = next((row for row in upwards(parents, right) if row in above), None)
    return int(np.flatnonzero(parents < 0)[0]) if carrying is None else head_of(names, parents, carrying)


def head_of(names: Sequence[str], parents: IntArray, row: int) -> int:
    """The joint at which the bone begins whose tail is the joint `row`.

    A bone that does not begin at its parent's tail has a joint "... head" of its own; a bone with neither
    is known by its tail alone.
    """
    own = f"{names[row]} head"
    if own in names:
        return list(names).index(own)
    return row if parents[row] < 0 or names[row].endswith(" head") else int(parents[row])


def upwards(parents: IntArray, row: int) -> Iterator[int]:
    """A joint and all that it hangs from."""
    while row >= 0:
        yield row
        row = int(parents[row])


def limb_of(name: str) -> tuple[str, str] | None:
    """("left", "elbow") for LeftForeArm, mixamorig:LeftForeArm, DEF-forearm.L, lowerarm_l and the like."""
    side, joint = side_of(name), JOINTS.get(part_of(name) or "")
    if side == CENTRE or joint is None or is_mechanism(name) or is_end(name) or is_twist(name):
        return None
    return "left" if side == LEFT else "right", joint


def _limb_bones(names: Sequence[str]) -> dict[tuple[str, str], int]:
    """The rows of the bones that look like limbs; the first where several do."""
    found: dict[tuple[str, str], int] = {}
    for row, name in enumerate(names):
        limb = None if name.endswith((" head", " side")) else limb_of(name)
        if limb is not None:
            found.setdefault(limb, row)
    return found
