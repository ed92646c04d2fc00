# SPDX-License-Identifier: GPL-3.0-or-later
"""The character as it is shown now: where it is, where it looks and what it stands on."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ...core import anatomy
from ...core.anatomy import Character
from ...core.anatomy.shown import WORLD_UP
from ...core.motion import FloatArray
from .bone_ends import ends_of
from .description import axes_of, describe, shown_heads

STANDS = 0.5  # where what is up for a character is less up in the world, it lies


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


def up_and_front(
    armature: bpy.types.Object, character: Character | None = None
) -> tuple[FloatArray, FloatArray]:
    """What is up and ahead for the body as it is shown: in the world if it stands, for itself if it lies."""
    character = character or describe(armature)
    up = _up(armature, character)
    matrix = np.array(armature.matrix_world, np.float64)
    heads = shown_heads(armature) @ matrix[:3, :3].T + matrix[:3, 3]
    return up, anatomy.facing(character, armature.pose.bones.keys(), heads[None], up)[0]


def _up(armature: bpy.types.Object, character: Character) -> FloatArray:
    """Files have bodies lie at rest, or stand on their heads, that are shown upright: the hips tell."""
    if character.up @ WORLD_UP >= STANDS:
        return WORLD_UP
    up, axes = character.up, axes_of(armature)
    if character.hips is not None:
        hips = armature.pose.bones[character.hips]
        turn = hips.matrix.to_quaternion() @ hips.bone.matrix_local.to_quaternion().inverted()
        up = axes @ np.array(turn.to_matrix()) @ np.linalg.solve(axes, up)
        up /= np.linalg.norm(up)
    return WORLD_UP if up @ WORLD_UP >= STANDS else up


def shown_ends(armature: bpy.types.Object) -> tuple[FloatArray, FloatArray]:
    """(B, 3) where the bones begin and end in the world, in the pose that is shown, keyed or not."""
    flat = np.empty(16 * len(armature.pose.bones), np.float32)
    armature.pose.bones.foreach_get("matrix", flat)
    matrices = flat.reshape(-1, 4, 4).astype(np.float64)  # column by column
    heads = matrices[:, 3, :3]
    ends = heads + np.einsum("bj,bjk->bk", ends_of(armature).along, matrices[:, :3, :3])
    world = np.array(armature.matrix_world, np.float64)
    return heads @ world[:3, :3].T + world[:3, 3], ends @ world[:3, :3].T + world[:3, 3]
