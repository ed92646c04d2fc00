# SPDX-License-Identifier: GPL-3.0-or-later
"""Analyze: find the best keys for every number of keys."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_n as n_
from bpy.app.translations import pgettext_rpt as rpt_

from ..bridge.distil import lone_strip
from ..bridge.distil.analyse import analyse_in_steps
from ..bridge.distil.baked_first import what_plays
from ..bridge.distil.reductions import Reduction
from .armature_operator import active_armature, what_is_missing
from .stepped import SteppedArmatureOperator, Steps


class Analyzing(SteppedArmatureOperator):
    """What finds keys, whatever part of the action is looked at."""

    doing = n_("Analyzing")

    @classmethod
    def why_not(cls, armature: bpy.types.Object) -> str:
        if what_plays.is_baked_first(armature) or lone_strip.find(armature) is not None:
            return ""
        return what_is_missing(armature)

    def steps(self, context: bpy.types.Context) -> Steps:
        return analyse_in_steps(active_armature(context), context.scene)

    def finished(self, _context: bpy.types.Context, result: Reduction) -> None:
        analysis = result.analysis()
        counts = analysis.solutions.counts
        found = rpt_("{fewest} to {most} keys from {frames} frames")
        self.report({"INFO"}, found.format(fewest=counts[0], most=counts[-1], frames=len(analysis.frames)))


class POSEWRIGHT_OT_analyze(Analyzing, bpy.types.Operator):
    """Find the best keys of the armature's action, for every number of keys, and reduce it to a few"""

    bl_idname = "posewright.analyze"
    bl_label = "Analyze"


class POSEWRIGHT_OT_analyze_selected_keys(Analyzing, bpy.types.Operator):
    """Reduce the part from the first to the last selected key; the rest of the action stays as it is"""

    bl_idname = "posewright.analyze_selected_keys"
    bl_label = "Distil Between Selected Keys"

    def steps(self, context: bpy.types.Context) -> Steps:
        asked = active_armature(context).posewright
        before, asked.range_from = asked.range_from, "SELECTED"
        try:
            return (yield from super().steps(context))
        except BaseException:
            asked.range_from = before
            raise


class POSEWRIGHT_OT_leave_out_first_pose(Analyzing, bpy.types.Operator):
    """Analyze again from where the motion begins, without the T-pose before it; the source keeps that"""

    bl_idname = "posewright.leave_out_first_pose"
    bl_label = "Leave Out T-Pose"

    def steps(self, context: bpy.types.Context) -> Steps:
        asked = active_armature(context).posewright
        before, asked.leave_out_first_pose = asked.leave_out_first_pose, True
        try:
            return (yield from super().steps(context))
        except BaseException:
            asked.leave_out_first_pose = before
            raise


CLASSES: tuple[type, ...] = (
    POSEWRIGHT_OT_analyze,
    POSEWRIGHT_OT_analyze_selected_keys,
    POSEWRIGHT_OT_leave_out_first_pose,
)
