# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints of a motion that belong to parts of a character."""

from __future__ import annotations

from collections.abc import Sequence

from ..checks import IntArray
from ..errors import InputError
from .character import Character, Limb


def joint_at_head(names: Sequence[str], parents: IntArray, bone: str) -> int | None:
    """The row of the joint that a bone begins at; None if the bone was not sampled."""
    row = joint_at_tail(names, bone)
    return None if row is None or parents[row] < 0 else int(parents[row])


def joint_at_tail(names: Sequence[str], bone: str) -> int | None:
    return names.index(bone) if bone in names else None


def hips_joint(names: Sequence[str], parents: IntArray, character: Character) -> int | None:
    """The joint that carries the body: the hips, not a bone on the ground above them."""
    return None if character.hips is None else joint_at_head(names, parents, character.hips)


def nine_joints(names: Sequence[str], parents: IntArray, character: Character) -> dict[str, int]:
    """The rows of "hips", and of "left knee", "left foot", "left elbow", "left hand" and their like.

    On all fours the front legs stand for arms.

    Raises:
        InputError: the character has no such limbs.
    """
    limbs = (*character.legs, *character.arms)[:4]
    if len(limbs) < 4:
        missing = "legs" if not character.legs else "arms"
        raise InputError(
            "No {missing} were found, which nine joints need: correct what was found of the character, or "
            "set the joint weights by hand.",
            missing=missing,
        )
    rows = {"hips": hips_joint(names, parents, character)}
    for place, limb in enumerate(limbs):
        middle, end = ("knee", "foot") if place < 2 else ("elbow", "hand")
        rows[f"{limb.side} {middle}"] = joint_at_head(names, parents, limb.lower)
        rows[f"{limb.side} {end}"] = _end(names, parents, limb)
    found = {name: row for name, row in rows.items() if row is not None}
    if len(found) < len(rows):
        raise InputError("Some of the nine joints do not count: let the bones of arms and legs count.")
    return found


def _end(names: Sequence[str], parents: IntArray, limb: Limb) -> int | None:
    """Where hand or foot begin; where there is none, where the lower half ends."""
    if limb.end is None:
        return joint_at_tail(names, limb.lower)
    return joint_at_head(names, parents, limb.end)
