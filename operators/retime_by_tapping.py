# SPDX-License-Identifier: GPL-3.0-or-later
"""Retime by acting: play, tap at each pose, and the key columns move to the taps."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_n as n_
from bpy.app.translations import pgettext_rpt as rpt_

from ..bridge.distil import reductions
from ..bridge.distil.editing import retiming
from ..drawing.status_bar import clear_status, show_status
from .armature_operator import ArmatureOperator, active_armature, report_problems
from .fixed_frames import numbers

TAPS = ("SPACE", "LEFTMOUSE")
HELP = (
    ("EVENT_SPACEKEY", n_("Tap at Each Pose")),
    ("EVENT_RETURN", n_("Move the Keys There")),
    ("EVENT_ESC", n_("Cancel")),
)


class POSEWRIGHT_OT_retime_by_tapping(ArmatureOperator, bpy.types.Operator):
    """Play from here and tap Space at each pose: the keys from the current frame on move to your taps"""

    bl_idname = "posewright.retime_by_tapping"
    bl_label = "Retime by Tapping"

    frames: bpy.props.StringProperty(
        name="Frames",
        description="Where the poses from the current frame on go, as frame numbers with spaces between",
        options={"SKIP_SAVE"},
    )

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        count = retiming.retime(armature, context.scene.frame_current, numbers(self.frames))
        self.report({"INFO"}, rpt_("{count} poses moved").format(count=count))

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        if self.frames or context.screen is None:
            return self.execute(context)
        self._begin, self._taps = context.scene.frame_current, []
        self._room = int((retiming.columns_of(reductions.get(active_armature(context))) >= self._begin).sum())
        if not context.screen.is_animation_playing:
            bpy.ops.screen.animation_play()
        show_status(HELP)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if event.type == "ESC" or not self._is_valid(context):
            return self._end(context, keep=False)
        if event.type in {"RET", "NUMPAD_ENTER"}:
            return self._end(context, keep=True)
        if event.type in TAPS and event.value == "PRESS" and not event.is_repeat:
            if self._taps and context.scene.frame_current < self._taps[-1]:
                return self._end(context, keep=True)  # playback began anew: later taps mean nothing
            self._taps.append(context.scene.frame_current)
            if len(self._taps) >= self._room:
                return self._end(context, keep=True)
        return {"RUNNING_MODAL"} if event.type in TAPS else {"PASS_THROUGH"}

    def _is_valid(self, context: bpy.types.Context) -> bool:
        armature = active_armature(context)
        return armature is not None and reductions.find(armature) is not None

    def _end(self, context: bpy.types.Context, *, keep: bool) -> set[str]:
        if context.screen.is_animation_playing:
            bpy.ops.screen.animation_play()  # stops it
        context.scene.frame_set(self._begin)
        clear_status()
        if not keep:
            return {"CANCELLED"}
        self.frames = " ".join(f"{frame:g}" for frame in self._taps)
        return report_problems(self, lambda: self.work(context, active_armature(context)))

    def cancel(self, _context: bpy.types.Context) -> None:
        clear_status()


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_retime_by_tapping,)
