# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones by name: which the user has selected, in every version of Blender, and which a channel moves."""

from __future__ import annotations

import re
from typing import Any

import bpy
import numpy as np

from ..core.motion import IntArray

BONE_PATH = re.compile(r'(?:pose\.)?bones\["((?:[^"\\]|\\.)*)"\]')


def selected_bones(armature: bpy.types.Object) -> list[str]:
    """From Blender 5.0 on every posed armature has its own selection; before, its data has."""
    bones: Any = armature.pose.bones
    if "select" in bpy.types.PoseBone.bl_rna.properties:
        return [bone.name for bone in bones if bone.select]
    return [bone.name for bone in bones if bone.bone.select]


def parent_rows(armature: bpy.types.Object) -> IntArray:
    """(B,) the row of the bone above each bone, -1 for none; bones below others come after them."""
    bones: Any = armature.data.bones
    rows = {name: row for row, name in enumerate(bones.keys())}
    above = (bone.parent for bone in bones)
    return np.array([-1 if parent is None else rows[parent.name] for parent in above], np.int64)


def bone_of(path: str) -> str | None:
    """The bone whose channel has this path."""
    found = BONE_PATH.match(path)
    return bpy.utils.unescape_identifier(found[1]) if found else None
