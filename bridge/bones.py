# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones the user has selected, in every version of Blender."""

from __future__ import annotations

from typing import Any

import bpy


def selected_bones(armature: bpy.types.Object) -> list[str]:
    """From Blender 5.0 on every posed armature has its own selection; before, its data has."""
    bones: Any = armature.pose.bones
    if "select" in bpy.types.PoseBone.bl_rna.properties:
        return [bone.name for bone in bones if bone.select]
    return [bone.name for bone in bones if bone.bone.select]
