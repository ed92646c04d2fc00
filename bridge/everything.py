# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches that cannot be narrowed to a selection or a scene; no other file goes through all objects.

Who plays an action, whose markers these are and which mesh has these shape keys is true of a whole file:
characters in other scenes, in hidden collections and in none count. Blender keeps no list of it. Nothing here
is called on every frame or update, but where something was found to have changed.
"""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np


def armatures() -> list[bpy.types.Object]:
    """Those of the file: Blender tells what its objects are much faster than each of them does."""
    if not bpy.data.armatures:
        return []
    kinds = np.empty(len(bpy.data.objects), np.int32)
    bpy.data.objects.foreach_get("type", kinds)
    armature = bpy.types.Object.bl_rna.properties["type"].enum_items["ARMATURE"].value
    return [bpy.data.objects[int(row)] for row in np.flatnonzero(kinds == armature)]


def objects_with(data: bpy.types.ID) -> Iterator[bpy.types.Object]:
    """The objects that show a mesh, or whatever else it is."""
    return (thing for thing in bpy.data.objects if thing.data == data)


def objects() -> Iterator[bpy.types.Object]:
    """All of them."""
    return iter(bpy.data.objects)
