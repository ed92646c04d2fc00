# SPDX-License-Identifier: GPL-3.0-or-later
"""Bone weights: fill the list from a preset."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty

from ..bridge.distil.solving import weight_presets
from .armature_operator import ArmatureOperator


class POSEWRIGHT_OT_bone_weights(ArmatureOperator, bpy.types.Operator):
    """Fill the list of bone weights from a preset; each can be changed afterwards"""

    bl_idname = "posewright.bone_weights"
    bl_label = "Set Bone Weights"

    preset: EnumProperty(
        name="Preset",
        description="Which bones count more than others; hands and feet are known by their names",
        items=weight_presets.PRESETS,
    )

    @classmethod
    def why_not(cls, _armature: bpy.types.Object) -> str:
        return ""

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        weight_presets.set_weights(armature, weight_presets.preset_weights(armature, self.preset))


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_bone_weights,)
