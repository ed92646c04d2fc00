# SPDX-License-Identifier: GPL-3.0-or-later
"""The meshes of a character, and where their points are when it is at rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from ...core.anatomy import Skin
from ...core.motion import FloatArray, IntArray

MOST_ASKED = 4000  # so many points of a mesh are asked which bone moves them; each costs a microsecond or two


def skins_of(armature: bpy.types.Object) -> list[bpy.types.Object]:
    """The visible meshes that the armature deforms."""
    # Blender itself looks for who uses the armature: in a file of many objects that is much faster.
    users: Any = bpy.data.user_map(subset={armature}, key_types={"OBJECT"}, value_types={"OBJECT"})
    found = [
        item
        for item in users.get(armature, ())
        if item.type == "MESH" and not item.hide_viewport and is_deformed_by(item, armature)
    ]
    return sorted(found, key=lambda item: item.name_full)


def is_deformed_by(item: bpy.types.Object, armature: bpy.types.Object) -> bool:
    """Whether a mesh goes along with the bones of an armature."""
    if any(
        each.type == "ARMATURE" and each.object == armature and each.show_viewport for each in item.modifiers
    ):
        return True
    return item.parent == armature and item.parent_type in {"ARMATURE", "BONE"}


def skin_at_rest(
    armature: bpy.types.Object, items: Sequence[bpy.types.Object], rows: Mapping[str, int], axes: FloatArray
) -> Skin | None:
    """All points of some meshes at rest, in axes of the world around the armature's origin.

    Args:
        rows: the row of each bone, by name.
        axes: (3, 3) what turns and scales places of the armature into the world.
    """
    points, owners = [], []
    for item in items:
        count = len(item.data.vertices)
        if not count:
            continue
        local = np.empty(3 * count, np.float32)
        item.data.vertices.foreach_get("co", local)
        matrix = np.array(_rest_matrix(armature, item))
        points.append(local.reshape(-1, 3).astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3])
        owners.append(_owners(item, rows))
    if not points:
        return None
    return Skin(np.concatenate(points) @ axes.T, np.concatenate(owners))


def _rest_matrix(armature: bpy.types.Object, item: bpy.types.Object) -> Matrix:
    """From a mesh to the armature at rest."""
    bone = armature.data.bones.get(item.parent_bone) if item.parent == armature else None
    if item.parent_type == "BONE" and bone is not None:
        end = Matrix.Translation((0.0, bone.length, 0.0))
        return bone.matrix_local @ end @ item.matrix_parent_inverse @ item.matrix_basis
    return armature.matrix_world.inverted_safe() @ item.matrix_world


def _owners(item: bpy.types.Object, rows: Mapping[str, int]) -> IntArray:
    """(V,) the row of the bone that moves each point most, -1 for none; neighbours answer for each other."""
    count = len(item.data.vertices)
    if item.parent_type == "BONE":
        return np.full(count, rows.get(item.parent_bone, -1), np.int64)
    groups = [rows.get(group.name, -1) for group in item.vertex_groups]
    step = -(-count // MOST_ASKED)
    vertices: Any = item.data.vertices
    asked = [_owner(vertices[n].groups, groups) for n in range(0, count, step)]
    return np.repeat(np.array(asked, np.int64), step)[:count]


def _owner(weights: Any, groups: Sequence[int]) -> int:
    heaviest, owner = 0.0, -1
    for each in weights:
        if each.weight > heaviest and each.group < len(groups) and groups[each.group] >= 0:
            heaviest, owner = each.weight, groups[each.group]
    return owner
