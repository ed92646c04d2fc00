# SPDX-License-Identifier: GPL-3.0-or-later
"""Which armature is meant when something else of a character is chosen."""

from __future__ import annotations

import bpy


def armature_of(thing: bpy.types.Object | None) -> bpy.types.Object | None:
    """The armature itself, the one that deforms a mesh, or the nearest that something hangs from.

    Importers may leave an empty active that holds the whole character: then the only armature below it.
    """
    found = thing
    while found is not None and found.type != "ARMATURE":
        found = found.find_armature() or found.parent
    if found is None and thing is not None and thing.type == "EMPTY":
        below = [each for each in thing.children_recursive if each.type == "ARMATURE"]
        found = below[0] if len(below) == 1 else None
    return found
