# SPDX-License-Identifier: GPL-3.0-or-later
"""Give actions a thumbnail that shows what happens in them."""

from __future__ import annotations

from typing import ClassVar

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import BoolProperty, EnumProperty, IntProperty

from ..bridge.pictures import previews
from ..bridge.spoken import spoken
from ..core import Cancelled, InputError
from ..handlers.busy import why_busy
from ..properties.options import algorithm_items
from .armature_operator import active_armature
from .pose_sheet import FADE_ITEMS


class POSEWRIGHT_OT_motion_thumbnail(bpy.types.Operator):
    """Draw what happens in an action as its preview, so that the Asset Browser shows it"""

    bl_idname = "posewright.motion_thumbnail"
    bl_label = "Motion Thumbnail"
    bl_options: ClassVar[set[str]] = {"REGISTER", "UNDO"}

    actions: EnumProperty(
        name="Actions",
        description="Which actions get a thumbnail",
        items=[
            ("ACTIVE", "Active", "The action of the active armature"),
            ("ALL", "All in File", "Every action that fits an armature of this file"),
        ],
    )
    algorithm: EnumProperty(
        name="Poses",
        description=(
            "How the poses of the picture are chosen. The default takes those that differ most, so "
            "that a repeated movement is shown once"
        ),
        items=algorithm_items(),
        default="keyposes",
    )
    key_count: IntProperty(
        name="Count",
        description=(
            "How many poses to show: more tell more, but small pictures get crowded. Zero for as many as go "
            "with the choice above: 12 for Saliency, as in its paper, and 5 for the others"
        ),
        default=0,
        min=0,
        max=24,
    )
    fade: EnumProperty(
        name="Fade",
        description="What makes poses faint: being early, or being less important",
        items=FADE_ITEMS,
    )
    as_asset: BoolProperty(
        name="Mark as Asset",
        description=(
            "Make the actions assets, so that the Asset Browser shows them: each in a catalogue of its "
            "character, which is added to those beside the file once that is saved"
        ),
        default=True,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        reason = why_busy() or ("" if bpy.data.actions else "There is no action in this file.")
        if reason:
            cls.poll_message_set(reason)
        return not reason

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        return context.window_manager.invoke_props_dialog(self, width=300)

    def execute(self, context: bpy.types.Context) -> set[str]:
        chosen = self._chosen(context)
        done, reasons = 0, []
        window_manager = context.window_manager
        window_manager.progress_begin(0, max(len(chosen), 1))
        try:
            for number, action in enumerate(chosen):
                window_manager.progress_update(number)
                try:
                    self._thumbnail(action, context)
                    done += 1
                except InputError as error:
                    reasons.append(spoken(error))
        except Cancelled:
            return {"CANCELLED"}
        finally:
            window_manager.progress_end()
        return self._reported(done, reasons)

    def _chosen(self, context: bpy.types.Context) -> list[bpy.types.Action]:
        if self.actions == "ALL":
            return previews.clips()
        armature = active_armature(context)
        data = armature.animation_data if armature is not None else None
        return [data.action] if data is not None and data.action is not None else []

    def _thumbnail(self, action: bpy.types.Action, context: bpy.types.Context) -> None:
        previews.thumbnail(
            action,
            active_armature(context),
            context,
            count=self.key_count,
            algorithm=self.algorithm,
            fade=self.fade.lower(),
            as_asset=self.as_asset,
        )

    def _reported(self, done: int, reasons: list[str]) -> set[str]:
        if not done:
            why = reasons[0] if reasons else "Select an armature that has an action, or choose all actions."
            self.report({"ERROR"}, why)
            return {"CANCELLED"}
        if reasons:
            left_out = rpt_("{count} thumbnails; {missing} left out: {why}")
            self.report({"WARNING"}, left_out.format(count=done, missing=len(reasons), why=reasons[0]))
        else:
            told = rpt_("1 thumbnail") if done == 1 else rpt_("{count} thumbnails").format(count=done)
            where = rpt_(": see Current File in the Asset Browser") if self.as_asset else ""
            self.report({"INFO"}, told + where)
        return {"FINISHED"}


CLASSES = (POSEWRIGHT_OT_motion_thumbnail,)
