# SPDX-License-Identifier: GPL-3.0-or-later
"""Extend Scene Range: let the scene play the whole action."""

from __future__ import annotations

import bpy

from ..bridge.distil import scene_range
from .armature_operator import ArmatureOperator, what_is_missing


class POSEWRIGHT_OT_extend_scene(ArmatureOperator, bpy.types.Operator):
    """Let the scene play the whole action: its end moves out to the last key, and its start to the first"""

    bl_idname = "posewright.extend_scene"
    bl_label = "Extend Scene Range"

    @classmethod
    def why_not(cls, armature: bpy.types.Object) -> str:
        return what_is_missing(armature)

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        scene_range.extend(armature.animation_data.action, context.scene)


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_extend_scene,)
