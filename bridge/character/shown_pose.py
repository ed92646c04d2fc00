# SPDX-License-Identifier: GPL-3.0-or-later
"""The character as it is shown now: where it is, where it looks and what it stands on."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ...core import anatomy
from ...core.anatomy import Character
from ...core.motion import FloatArray
from .bone_ends import ends_of
from .description import describe, shown_heads


@dataclass(frozen=True, eq=False)
class Shown:
    """In the world.

    Attributes:
        front: level unit vector.
        ground: the height of the ground.
        middle: where the hips are.
    """

    front: FloatArray
    ground: float
    middle: FloatArray


def shown(armature: bpy.types.Object, character: Character | None = None) -> Shown:
    """From the pose that Blender has evaluated last; nothing is evaluated for this."""
    character = character or describe(armature)
    names = armature.pose.bones.keys()
    matrix = np.array(armature.matrix_world, np.float64)
    heads = shown_heads(armature) @ matrix[:3, :3].T + matrix[:3, 3]
    if not len(heads):
        return Shown(np.array([0.0, -1.0, 0.0]), float(matrix[2, 3]), matrix[:3, 3])
    middle = heads[names.index(character.hips)] if character.hips is not None else heads.mean(axis=0)
    return Shown(
        anatomy.facing(character, names, heads[None])[0],
        anatomy.ground_below(character, names, heads[None]),
        middle,
    )


def shown_ends(armature: bpy.types.Object) -> tuple[FloatArray, FloatArray]:
    """(B, 3) where the bones begin and end in the world, in the pose that is shown, keyed or not."""
    flat = np.empty(16 * len(armature.pose.bones), np.float32)
    armature.pose.bones.foreach_get("matrix", flat)
    matrices = flat.reshape(-1, 4, 4).astype(np.float64)  # column by column
    heads = matrices[:, 3, :3]
    ends = heads + np.einsum("bj,bjk->bk", ends_of(armature).along, matrices[:, :3, :3])
    world = np.array(armature.matrix_world, np.float64)
    return heads @ world[:3, :3].T + world[:3, 3], ends @ world[:3, :3].T + world[:3, 3]
