# SPDX-License-Identifier: GPL-3.0-or-later
"""Back to keys: the reduced action that was worked on last."""

from __future__ import annotations

import bpy

from ..bridge.distil import reduced_action
from .armature_operator import ArmatureOperator


class POSEWRIGHT_OT_back_to_keys(ArmatureOperator, bpy.types.Operator):
    """Play the reduced action that you worked on before you chose another one"""

    bl_idname = "posewright.back_to_keys"
    bl_label = "Back to Keys"

    @classmethod
    def why_not(cls, armature: bpy.types.Object) -> str:
        return "" if armature.posewright.last_reduced else "There are no keys to go back to"

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        reduced_action.back_to_keys(armature)


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_back_to_keys,)
