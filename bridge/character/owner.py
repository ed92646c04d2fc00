# SPDX-License-Identifier: GPL-3.0-or-later
"""Which armature is meant when something else of a character is chosen."""

from __future__ import annotations

import bpy


def armature_of(thing: bpy.types.Object | None) -> bpy.types.Object | None:
    """The armature itself, the one that deforms a mesh, or the nearest that something hangs from."""
    while thing is not None and thing.type != "ARMATURE":
        thing = thing.find_armature() or thing.parent
    return thing
