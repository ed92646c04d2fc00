# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones by name: which the user has selected, in every version of Blender, and which a channel moves."""

from __future__ import annotations

import re
from typing import Any

import bpy

BONE_PATH = re.compile(r'(?:pose\.)?bones\["((?:[^"\\]|\\.)*)"\]')


def selected_bones(armature: bpy.types.Object) -> list[str]:
    """From Blender 5.0 on every posed armature has its own selection; before, its data has."""
    bones: Any = armature.pose.bones
    if "select" in bpy.types.PoseBone.bl_rna.properties:
        return [bone.name for bone in bones if bone.select]
    return [bone.name for bone in bones if bone.bone.select]


def bone_of(path: str) -> str | None:
    """The bone whose channel has this path."""
    found = BONE_PATH.match(path)
    return bpy.utils.unescape_identifier(found[1]) if found else None
