# SPDX-License-Identifier: GPL-3.0-or-later
"""Reduce many: all actions of the armature, or all selected armatures, to the wanted error."""

from __future__ import annotations

from typing import ClassVar

import bpy

from ..bridge.distil import many
from ..bridge.distil.analysis import run
from .armature_operator import ArmatureOperator, report_problems


class POSEWRIGHT_OT_reduce_actions(ArmatureOperator, bpy.types.Operator):
    """Make a reduced action, within the wanted error, of every action that moves this armature's bones"""

    bl_idname = "posewright.reduce_actions"
    bl_label = "Reduce All Actions"

    @classmethod
    def why_not(cls, _armature: bpy.types.Object) -> str:
        return ""

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        wanted = armature.posewright.wanted_error / 100.0
        figures = run(many.reduce_actions_in_steps(armature, context.scene, wanted, beside=False))
        report(self, "actions", figures, wanted)


class POSEWRIGHT_OT_reduce_selected(bpy.types.Operator):
    """Analyze all selected armatures and reduce each to the active one's wanted error"""

    bl_idname = "posewright.reduce_selected"
    bl_label = "Reduce Selected Armatures"
    bl_options: ClassVar[set[str]] = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if selected_armatures(context):
            return True
        cls.poll_message_set("Select armatures that have actions")
        return False

    def execute(self, context: bpy.types.Context) -> set[str]:
        armatures = selected_armatures(context)
        active = context.active_object
        wanted = (active if active in armatures else armatures[0]).posewright.wanted_error / 100.0

        def work() -> None:
            figures = run(many.reduce_armatures_in_steps(armatures, context.scene, wanted, beside=False))
            report(self, "armatures", figures, wanted)

        return report_problems(self, work)


def selected_armatures(context: bpy.types.Context) -> list[bpy.types.Object]:
    return [
        each
        for each in context.selected_objects
        if each.type == "ARMATURE"
        and each.animation_data is not None
        and each.animation_data.action is not None
    ]


def report(operator: bpy.types.Operator, what: str, figures: list, wanted: float) -> None:
    keys, frames = sum(each.keys for each in figures), sum(each.frames for each in figures)
    missed = sum(each.mean_share > wanted for each in figures)
    summary = f"{len(figures)} {what} reduced from {frames} frames to {keys} keys"
    if missed:
        operator.report({"WARNING"}, f"{summary}; {missed} not within {wanted:.2%} even with the most keys")
    else:
        operator.report({"INFO"}, summary)


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_reduce_actions, POSEWRIGHT_OT_reduce_selected)
