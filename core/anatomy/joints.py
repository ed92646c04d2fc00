# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints of a motion that belong to parts of a character."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..checks import FloatArray
from ..errors import InputError
from ..motion import Motion
from .character import Character, Limb


def joint_at_head(motion: Motion, bone: str) -> int | None:
    """The row of the joint that a bone begins at; None if the bone was not sampled."""
    row = _row(motion.names, bone)
    return None if row is None or motion.parents[row] < 0 else int(motion.parents[row])


def joint_at_tail(motion: Motion, bone: str) -> int | None:
    return _row(motion.names, bone)


def root_joint(motion: Motion, character: Character) -> int:
    """The joint that carries the body: the hips, not a bone on the ground above them."""
    row = None if character.hips is None else joint_at_head(motion, character.hips)
    return motion.root if row is None else row


def nine_joints(motion: Motion, character: Character) -> tuple[int, ...]:
    """The rows of root, elbows, hands, knees and feet.

    On all fours the front legs stand for arms.

    Raises:
        InputError: the character has no such limbs.
    """
    limbs = (*character.legs, *character.arms)[:4]
    if len(limbs) < 4:
        missing = "legs" if not character.legs else "arms"
        raise InputError(
            f"No {missing} were found, which nine joints need: correct what was found of the character, or "
            "set the joint weights by hand."
        )
    rows = [root_joint(motion, character)]
    for limb in limbs:
        rows += [joint_at_head(motion, limb.lower), _end(motion, limb)]
    if None in rows:
        raise InputError("Some of the nine joints do not count: let the bones of arms and legs count.")
    return tuple(row for row in rows if row is not None)


def nine_joint_weights(motion: Motion, character: Character) -> FloatArray:
    """(J,) one for each of the nine joints, zero for the others."""
    weights = np.zeros(len(motion.names))
    weights[list(nine_joints(motion, character))] = 1.0
    return weights


def _end(motion: Motion, limb: Limb) -> int | None:
    """Where hand or foot begin; where there is none, where the lower half ends."""
    return joint_at_tail(motion, limb.lower) if limb.end is None else joint_at_head(motion, limb.end)


def _row(names: Sequence[str], name: str) -> int | None:
    return names.index(name) if name in names else None
