# SPDX-License-Identifier: GPL-3.0-or-later
"""Choose frames again: others for another way of keying, or more keys than were offered."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.translations import pgettext_n as n_
from bpy.props import IntProperty, StringProperty

from ..bridge.distil import reductions
from ..bridge.distil.solving.best_frames import choose_again_in_steps
from ..handlers import wishes
from .stepped import SteppedOperator, Steps


class POSEWRIGHT_OT_choose_frames(SteppedOperator, bpy.types.Operator):
    """Choose other frames, for the way the motion is keyed now and for so many keys"""

    bl_idname = "posewright.choose_frames"
    bl_label = "Choose Frames Again"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}  # noqa: RUF012
    doing = n_("Choosing frames")
    stopped = n_("Cancelled: the frames stay as they are")

    armature: StringProperty(name="Armature", description="The armature whose keys are chosen")
    count: IntProperty(name="Keys", description="How many keys it gets", min=1, default=2)

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return cls.is_idle()

    def steps(self, context: bpy.types.Context) -> Steps:
        return choose_again_in_steps(bpy.data.objects[self.armature], context.scene, self.count)


def begin(armature: str, count: int) -> None:
    """Choose again in the background, if the armature is still there."""
    found: Any = bpy.data.objects.get(armature)
    if found is None or reductions.find(found) is None:
        return
    window = bpy.context.window_manager.windows[0]
    with bpy.context.temp_override(window=window):
        bpy.ops.posewright.choose_frames("INVOKE_DEFAULT", armature=armature, count=count)


def register() -> None:
    wishes.answer_with(begin)


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_choose_frames,)
