# SPDX-License-Identifier: GPL-3.0-or-later
"""An armature as a `Character`, read from Blender and remembered until the armature or its meshes change."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ...core import anatomy
from ...core.anatomy import Bones, Character
from ...core.motion import FloatArray
from ..bones import are_visible, parent_rows
from .held import held_once_found
from .owner import described
from .said import corrections_of
from .skin import shape_of, skin_at_rest, skins_of, without_cages

MOST_REMEMBERED = 32

_remembered: OrderedDict[tuple[Any, ...], Character] = OrderedDict()


@held_once_found
def describe(armature: bpy.types.Object) -> Character:
    """What the armature is, found by the places of its bones at rest and by its mesh, or as the user says.

    Directions are in the world, the ground is a height in it. Asking again costs little: the bones are read,
    and only if they, the scale or turn of the object or its meshes have changed is it found out anew.
    """
    armature = described(armature)
    axes = axes_of(armature)
    bones = read_bones(armature, axes)
    skins = without_cages(skins_of(armature))
    key = _key(armature, bones, skins)
    found = _remembered.pop(key, None) or _described(armature, bones, axes, skins)
    if found.stands or not found.legs:  # or it may stand in a pose that is shown later
        _remember(key, found)
    level = found.ground + float(found.up @ np.array(armature.matrix_world.translation))
    found = replace(found, ground=level)
    said = corrections_of(armature, axes)
    return anatomy.corrected(found, said, _parents(bones)) if said else found


def _parents(bones: Bones) -> dict[str, str | None]:
    above = (None if row < 0 else bones.names[row] for row in bones.parents.tolist())
    return dict(zip(bones.names, above, strict=True))


def _remember(key: tuple[Any, ...], found: Character) -> None:
    _remembered[key] = found
    while len(_remembered) > MOST_REMEMBERED:
        _remembered.popitem(last=False)


def forget() -> None:
    """Let go of everything that is remembered."""
    _remembered.clear()


def height_of(armature: bpy.types.Object) -> float:
    """How high the character is, in scene units."""
    return describe(armature).height


def own_height_of(armature: bpy.types.Object) -> float:
    """How high the character is, in units of its armature."""
    return height_of(armature) / float(np.cbrt(abs(np.linalg.det(axes_of(described(armature))))))


def read_bones(armature: bpy.types.Object, axes: FloatArray) -> Bones:
    """The bones at rest, turned and scaled as in the world."""
    bones, count = armature.data.bones, len(armature.data.bones)
    ends = np.empty((2, 3 * count), np.float32)
    deforms = np.empty(count, bool)
    bones.foreach_get("head_local", ends[0])
    bones.foreach_get("tail_local", ends[1])
    bones.foreach_get("use_deform", deforms)
    names = bones.keys()
    places = ends.reshape(2, count, 3).astype(np.float64) @ axes.T
    return Bones.of(
        names,
        parent_rows(armature),
        places[0],
        places[1],
        deforms=deforms,
        visible=are_visible(armature),
        shaped=np.fromiter((bone.custom_shape is not None for bone in armature.pose.bones), bool, count),
    )


def axes_of(armature: bpy.types.Object) -> FloatArray:
    """(3, 3) what turns and scales places of the armature into the world."""
    axes = np.array(armature.matrix_world.to_3x3(), np.float64)
    # What is scaled to nothing at this frame, to pop up at another, has its size at rest.
    return axes if abs(np.linalg.det(axes)) > 1e-18 else np.eye(3)


def _key(armature: bpy.types.Object, bones: Bones, skins: list[bpy.types.Object]) -> tuple[Any, ...]:
    return (
        armature.session_uid,
        bones.names,
        *(
            np.ascontiguousarray(values).tobytes()
            for values in (
                bones.parents,
                bones.heads,
                bones.tails,
                bones.deforms,
                bones.visible,
                bones.shaped,
            )
        ),
        tuple(map(shape_of, skins)),
    )


def _described(
    armature: bpy.types.Object, bones: Bones, axes: FloatArray, skins: list[bpy.types.Object]
) -> Character:
    rows = {name: row for row, name in enumerate(bones.names)}
    skin = skin_at_rest(armature, skins, rows, axes)
    if skin is not None:
        weighted = np.zeros(len(bones), bool)
        weighted[np.unique(skin.owners[skin.owners >= 0])] = True
        bones = replace(bones, weighted=weighted if weighted.any() else None)
    directions = (axes / np.linalg.norm(axes, axis=0)).T
    found = anatomy.describe(bones, directions, skin)
    if found.stands or not found.legs:
        return found
    # Nobody stands like this. The pose that is shown may tell more.
    heads = shown_heads(armature) @ axes.T
    return anatomy.as_shown(found, replace(bones, heads=heads), directions)


def shown_heads(armature: bpy.types.Object) -> FloatArray:
    """(B, 3) where the bones begin now, in the armature."""
    heads = np.empty(3 * len(armature.pose.bones), np.float32)
    armature.pose.bones.foreach_get("head", heads)
    return heads.reshape(-1, 3).astype(np.float64)
