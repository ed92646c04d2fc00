# SPDX-License-Identifier: GPL-3.0-or-later
"""Lock extremes: keep the current keys and add breakdowns between them; and unlock them again."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_n as n_

from ..bridge.distil import tiers
from .armature_operator import ArmatureOperator, active_armature
from .stepped import SteppedArmatureOperator, Steps


class POSEWRIGHT_OT_lock_extremes(SteppedArmatureOperator, bpy.types.Operator):
    """Keep the current keys as extremes; from now on the slider adds breakdowns between them"""

    bl_idname = "posewright.lock_extremes"
    bl_label = "Lock Extremes"
    doing = n_("Looking for breakdowns")

    @classmethod
    def why_not(cls, armature: bpy.types.Object) -> str:
        if tiers.is_locked(armature):
            return "The extremes are locked already"
        return super().why_not(armature)

    def steps(self, context: bpy.types.Context) -> Steps:
        return tiers.lock_in_steps(active_armature(context), context.scene)


class POSEWRIGHT_OT_unlock_extremes(ArmatureOperator, bpy.types.Operator):
    """Forget the breakdowns and choose extremes anew"""

    bl_idname = "posewright.unlock_extremes"
    bl_label = "Unlock Extremes"

    @classmethod
    def why_not(cls, armature: bpy.types.Object) -> str:
        return "" if tiers.is_locked(armature) else "No extremes are locked"

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        tiers.unlock(armature)


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_lock_extremes, POSEWRIGHT_OT_unlock_extremes)
