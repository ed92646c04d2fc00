# SPDX-License-Identifier: GPL-3.0-or-later
"""Reduce many: all actions of the armature, or all selected armatures, to the wanted error."""

from __future__ import annotations

from typing import ClassVar

import bpy
from bpy.app.translations import pgettext_n as n_
from bpy.app.translations import pgettext_rpt as rpt_

from ..bridge.character import armature_of
from ..bridge.distil import many, measuring
from .armature_operator import active_armature
from .stepped import KEEP_DONE, SteppedArmatureOperator, SteppedOperator, Steps


class POSEWRIGHT_OT_reduce_actions(SteppedArmatureOperator, bpy.types.Operator):
    """Make a reduced action, within the wanted error, of every action that moves this armature's bones"""

    bl_idname = "posewright.reduce_actions"
    bl_label = "Reduce All Actions"
    doing = n_("Reducing actions")
    esc = KEEP_DONE

    @classmethod
    def why_not(cls, armature: bpy.types.Object) -> str:
        return ""

    def steps(self, context: bpy.types.Context) -> Steps:
        armature = active_armature(context)
        self.wanted = armature.posewright.wanted_error / 100.0
        self.outcome = many.Outcome()
        return many.reduce_actions_in_steps(armature, context.scene, self.wanted, self.outcome)

    def finished(self, _context: bpy.types.Context, result: many.Outcome) -> None:
        report(self, rpt_("{count} actions reduced from {frames} frames to {keys} keys"), result, self.wanted)

    def stopped_early(self, context: bpy.types.Context, why: str) -> set[str]:
        if not self.outcome.figures:
            return super().stopped_early(context, why)
        kept = rpt_("Stopped: {count} actions are finished and stay reduced, the others are as they were")
        self.report({"INFO"}, kept.format(count=len(self.outcome.figures)))
        return {"FINISHED"}  # there is something to undo


class POSEWRIGHT_OT_reduce_selected(SteppedOperator, bpy.types.Operator):
    """Analyze all selected armatures and reduce each to the active one's wanted error"""

    bl_idname = "posewright.reduce_selected"
    bl_label = "Reduce Selected Armatures"
    bl_options: ClassVar[set[str]] = {"REGISTER", "UNDO"}
    doing = n_("Reducing armatures")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not selected_armatures(context):
            cls.poll_message_set("Select armatures that have actions")
            return False
        return cls.is_idle()

    def steps(self, context: bpy.types.Context) -> Steps:
        armatures = selected_armatures(context)
        active = active_armature(context)
        self.wanted = (active if active in armatures else armatures[0]).posewright.wanted_error / 100.0
        return many.reduce_armatures_in_steps(armatures, context.scene, self.wanted)

    def finished(self, _context: bpy.types.Context, result: many.Outcome) -> None:
        report(
            self, rpt_("{count} armatures reduced from {frames} frames to {keys} keys"), result, self.wanted
        )


def selected_armatures(context: bpy.types.Context) -> list[bpy.types.Object]:
    armatures = dict.fromkeys(map(armature_of, context.selected_objects))
    return [
        each
        for each in armatures
        if each is not None and each.animation_data is not None and each.animation_data.action is not None
    ]


def report(operator: bpy.types.Operator, done: str, outcome: many.Outcome, wanted: float) -> None:
    figures = outcome.figures
    keys, frames = sum(each.keys for each in figures), sum(each.frames for each in figures)
    missed = sum(each.mean_share > wanted for each in figures)
    summary = done.format(count=len(figures), frames=frames, keys=keys)
    if missed:
        but = rpt_("{summary}; {missed} not within {wanted} even with the most keys")
        summary = but.format(summary=summary, missed=missed, wanted=measuring.percent(wanted))
    if outcome.left_out:
        but = rpt_("{summary}; {count} left out: {why}")
        summary = but.format(summary=summary, count=len(outcome.left_out), why=outcome.left_out[0])
    operator.report({"WARNING" if missed or outcome.left_out else "INFO"}, summary)


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_reduce_actions, POSEWRIGHT_OT_reduce_selected)
