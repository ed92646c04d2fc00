# SPDX-License-Identifier: GPL-3.0-or-later
"""Lock extremes: keep the current keys and add breakdowns between them; and unlock them again."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_n as n_

from ..bridge.distil import reductions
from ..bridge.distil.solving import extremes
from .armature_operator import ArmatureOperator, active_armature
from .stepped import SteppedArmatureOperator, Steps


class POSEWRIGHT_OT_lock_extremes(SteppedArmatureOperator, bpy.types.Operator):
    """Keep the current keys as extremes; from now on the slider adds breakdowns between them"""

    bl_idname = "posewright.lock_extremes"
    bl_label = "Lock Extremes"
    doing = n_("Looking for breakdowns")

    @classmethod
    def why_not(cls, armature: bpy.types.Object) -> str:
        if _are_locked(armature):
            return "The extremes are locked already"
        return super().why_not(armature)

    def steps(self, context: bpy.types.Context) -> Steps:
        return extremes.lock_in_steps(active_armature(context), context.scene)


class POSEWRIGHT_OT_unlock_extremes(ArmatureOperator, bpy.types.Operator):
    """Forget the breakdowns and choose extremes anew"""

    bl_idname = "posewright.unlock_extremes"
    bl_label = "Unlock Extremes"

    @classmethod
    def why_not(cls, armature: bpy.types.Object) -> str:
        return "" if _are_locked(armature) else "No extremes are locked"

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        extremes.unlock(armature)


def _are_locked(armature: bpy.types.Object) -> bool:
    reduction = reductions.find(armature)
    return reduction is not None and extremes.are_locked(reduction)


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_lock_extremes, POSEWRIGHT_OT_unlock_extremes)
