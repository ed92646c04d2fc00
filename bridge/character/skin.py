# SPDX-License-Identifier: GPL-3.0-or-later
"""The meshes of a character, and where their points are when it is at rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import bpy
import numpy as np
from mathutils import Matrix

from ...core.anatomy import Skin
from ...core.motion import FloatArray, IntArray

FEW = 4  # so many points of a mesh, about, tell whether it was edited
MOST_ASKED = 4000  # so many points of a mesh are asked which bone moves them; each costs a microsecond or two


def skins_of(armature: bpy.types.Object) -> list[bpy.types.Object]:
    """The visible meshes that the armature deforms, or that its bones carry, be it by way of empties."""
    found: set[bpy.types.Object] = set()
    hanging = {armature}
    while hanging:
        new = {item for item in _users_of(hanging) if is_deformed_by(item, armature)} - found
        hanging = {item for item in new if _carrying_bone(armature, item) is not None}
        found |= new
    seen = [item for item in found if item.type == "MESH" and not item.hide_viewport]
    return sorted(seen, key=lambda item: item.name_full)


def without_cages(skins: list[bpy.types.Object]) -> list[bpy.types.Object]:
    """The meshes but for those drawn as wire, such as cages that others follow; all of them if all are."""
    return [item for item in skins if item.display_type not in {"WIRE", "BOUNDS"}] or skins


def _users_of(items: set[bpy.types.Object]) -> set[bpy.types.Object]:
    # Blender itself looks for who uses them: in a file of many objects that is much faster.
    users: Any = bpy.data.user_map(subset=items, key_types={"OBJECT"}, value_types={"OBJECT"})
    return set().union(*users.values())


def is_deformed_by(item: bpy.types.Object, armature: bpy.types.Object) -> bool:
    """Whether a mesh goes along with the bones of an armature."""
    if any(
        each.type == "ARMATURE" and each.object == armature and each.show_viewport for each in item.modifiers
    ):
        return True
    skinned = item.parent == armature and item.parent_type == "ARMATURE"
    return skinned or _carrying_bone(armature, item) is not None


def shape_of(item: bpy.types.Object) -> tuple[Any, ...]:
    """What is another when a mesh is edited, weighted, scaled or moved: a few points tell, it is asked often.

    What is animated moves without being another.
    """
    vertices: Any = item.data.vertices
    step = max(len(vertices) // FEW, 1)
    some = [vertices[row] for row in range(0, len(vertices), step)]
    points = tuple((each.co[:], len(each.groups)) for each in some)
    placed = [each for each in _hanging(item) if each.animation_data is None]
    places = tuple(tuple(map(tuple, each.matrix_parent_inverse @ each.matrix_basis)) for each in placed)
    groups = tuple(item.vertex_groups.keys())
    return item.session_uid, len(vertices), item.parent_bone, groups, points, places


def _hanging(item: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """Something and all that it hangs from, up to the first armature."""
    each = cast("bpy.types.Object | None", item)
    while each is not None and each.type != "ARMATURE":
        yield each
        each = each.parent


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
        owners.append(_owners(armature, item, rows))
    if not points:
        return None
    return Skin(np.concatenate(points) @ axes.T, np.concatenate(owners))


def _rest_matrix(armature: bpy.types.Object, item: bpy.types.Object) -> Matrix:
    """From a mesh to the armature at rest."""
    bone = _carrying_bone(armature, item)
    if bone is None:
        return armature.matrix_world.inverted_safe() @ item.matrix_world
    end = Matrix.Translation((0.0, bone.length, 0.0))
    local = Matrix()
    for each in _hanging(item):
        local = each.matrix_parent_inverse @ each.matrix_basis @ local
    return bone.matrix_local @ end @ local


def _carrying_bone(armature: bpy.types.Object, item: bpy.types.Object) -> bpy.types.Bone | None:
    """The bone that something is parented to, or what it hangs from is; none if an armature deforms it.

    What hangs from another armature goes along with that: a rider is no part of the horse.
    """
    if any(each.type == "ARMATURE" and each.object is not None for each in item.modifiers):
        return None
    chain = list(_hanging(item))
    if not chain or chain[-1].parent != armature or chain[-1].parent_type != "BONE":
        return None
    return armature.data.bones.get(chain[-1].parent_bone)


def _owners(armature: bpy.types.Object, item: bpy.types.Object, rows: Mapping[str, int]) -> IntArray:
    """(V,) the row of the bone that moves each point most, -1 for none; neighbours answer for each other."""
    count = len(item.data.vertices)
    if (bone := _carrying_bone(armature, item)) is not None:
        return np.full(count, rows[bone.name], np.int64)
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
