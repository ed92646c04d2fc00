# SPDX-License-Identifier: GPL-3.0-or-later
"""A character in the poses that it is shown in: where it looks then, and where its ground is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..checks import FloatArray
from .character import Character
from .describing import describe
from .skeleton_tree import Bones

WORLD_UP = np.array([0.0, 0.0, 1.0])


def as_shown(found: Character, bones: Bones, axes: FloatArray) -> Character:
    """What was found at rest with what the pose tells that is shown: what is up, the front, the ground.

    For bodies that nobody sees stand at rest, such as those whose bones all lie along one axis. The pose
    tells where legs bend, too, and on all fours which they are and how high it is.

    Args:
        bones: with heads as they are shown, in the world.
        axes: see `describe`.
    """
    shown = describe(bones, axes)
    if not shown.stands:
        return found
    if len(shown.legs) > len(found.legs) and _lies_level(shown, bones):
        found = replace(found, legs=shown.legs, arms=shown.arms, spine=shown.spine, height=shown.height)
    elif [leg.bones[0] for leg in shown.legs] == [leg.bones[0] for leg in found.legs]:
        found = replace(found, legs=shown.legs)  # which bend at knees and ankles
    return replace(
        found,
        up=shown.up,
        front=facing(shown, bones.names, bones.heads[None])[0],
        ground=shown.ground,
        sole=shown.sole,
        left_is_left=shown.left_is_left,
        stands=True,
    )


def _lies_level(character: Character, bones: Bones) -> bool:
    """Whether it is longer than high from the hips to the head: who stands up from the ground has arms."""
    if character.hips is None or character.head is None:
        return False
    rows = [bones.names.index(bone) for bone in (character.hips, character.head)]
    along = bones.heads[rows[1]] - bones.heads[rows[0]]
    return float(np.linalg.norm(along)) > 2.0**0.5 * abs(float(along @ character.up))


def facing(
    character: Character, names: Sequence[str], heads: FloatArray, up: FloatArray = WORLD_UP
) -> FloatArray:
    """(F, 3) level unit vectors: where the character looks in each pose; its own front where nothing tells.

    Args:
        names: B bones.
        heads: (F, B, 3) where they begin, in the world.
        up: what is level goes across it.
    """
    front = np.array([0.0, -1.0, 0.0]) if character.front is None else character.front
    looks = np.broadcast_to(front, (len(heads), 3)).copy()
    rows = {name: row for row, name in enumerate(names)}
    limbs = [limb for limb in (*character.legs, *character.arms) if limb.upper in rows]
    left = [rows[limb.upper] for limb in limbs if limb.side == "left"]
    right = [rows[limb.upper] for limb in limbs if limb.side == "right"]
    if not left or not right:
        return looks
    across = heads[:, left].mean(axis=1) - heads[:, right].mean(axis=1)
    if character.looks_aside:
        cosine, sine = np.cos(character.looks_aside), np.sin(character.looks_aside)
        across = across @ np.array([[cosine, sine, 0.0], [-sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    ahead = np.cross(across, up) * (1.0 if character.left_is_left else -1.0)
    lengths = np.linalg.norm(ahead, axis=1)
    clear = lengths > 1e-3 * character.height  # or it lies on its side
    looks[clear] = ahead[clear] / lengths[clear, None]
    return looks


def ground_below(character: Character, names: Sequence[str], heads: FloatArray) -> float:
    """How high the ground is in the world: as the user says, or what the lowest sole of all poses touches."""
    if character.said_ground is not None:
        return character.said_ground
    rows = {name: row for row, name in enumerate(names)}
    legs = [rows[bone] for leg in character.legs for bone in leg.bones if bone in rows]
    body = [rows[bone] for bone in character.body if bone in rows] or list(range(len(names)))
    return float(heads[:, legs or body, 2].min()) - character.sole
