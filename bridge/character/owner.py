# SPDX-License-Identifier: GPL-3.0-or-later
"""Which armature is meant when something else of a character is chosen."""

from __future__ import annotations

from typing import Any

import bpy

# On a copy of an armature: the name of the one that it stands for, and the file that this is linked from.
STANDS_FOR, LINKED_FROM = "posewright_stands_for", "posewright_linked_from"


def let_stand_for(copy: bpy.types.Object, armature: bpy.types.Object) -> None:
    copy[STANDS_FOR] = armature.name
    copy[LINKED_FROM] = "" if armature.library is None else armature.library.filepath


def is_stand_in(thing: bpy.types.Object) -> bool:
    return STANDS_FOR in thing


def described(armature: bpy.types.Object) -> bpy.types.Object:
    """The armature whose size and meshes tell about this one: itself, unless it is a stand-in."""
    if not is_stand_in(armature):
        return armature
    objects: Any = bpy.data.objects
    return objects.get((armature[STANDS_FOR], armature.get(LINKED_FROM) or None)) or armature


def name_of(armature: bpy.types.Object) -> str:
    """What the user calls it, also while something stands in for it."""
    return described(armature).name


def _deforming(thing: bpy.types.Object) -> bpy.types.Object | None:
    """The armature that deforms something; of several one that is animated, as where one only corrects."""
    several = [each.object for each in thing.modifiers if isinstance(each, bpy.types.ArmatureModifier)]
    animated = [each for each in several if each is not None and _is_animated(each)]
    return animated[0] if len(animated) == 1 else thing.find_armature()


def _is_animated(armature: bpy.types.Object) -> bool:
    data = armature.animation_data
    return data is not None and (data.action is not None or len(data.nla_tracks) > 0)


def armature_of(thing: bpy.types.Object | None) -> bpy.types.Object | None:
    """The armature itself, the one that deforms a mesh, or the nearest that something hangs from.

    Importers may leave an empty active that holds the whole character: then the only armature below it.
    """
    found = thing
    while found is not None and found.type != "ARMATURE":
        found = _deforming(found) or found.parent
    if found is None and thing is not None and thing.type == "EMPTY":
        # What stands in for one while it is measured hangs from the same empty.
        armatures = (each for each in thing.children_recursive if each.type == "ARMATURE")
        below = [each for each in armatures if not is_stand_in(each)]
        found = below[0] if len(below) == 1 else None
    return found
