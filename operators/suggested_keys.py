# SPDX-License-Identifier: GPL-3.0-or-later
"""Suggested keys: to the number of keys that the algorithm itself finds in the motion."""

from __future__ import annotations

import bpy

from ..bridge.distil import reduced_action
from .armature_operator import ArmatureOperator


class POSEWRIGHT_OT_suggested_keys(ArmatureOperator, bpy.types.Operator):
    """Go to the number of keys that the algorithm found by itself; only Saliency suggests one"""

    bl_idname = "posewright.suggested_keys"
    bl_label = "Use Suggested Keys"

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        reduced_action.bake_suggested(armature)


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_suggested_keys,)
