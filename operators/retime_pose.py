# SPDX-License-Identifier: GPL-3.0-or-later
"""One key pose at another time."""

from __future__ import annotations

import math

import bpy
from bpy.props import FloatProperty

from ..bridge.distil.editing import retiming
from ..drawing import filmstrip
from .armature_operator import ArmatureOperator

PIXELS_A_FRAME = 6.0  # of dragging


class POSEWRIGHT_OT_retime_pose(ArmatureOperator, bpy.types.Operator):
    """Move a key pose to another frame; what lies between it and its neighbours follows"""

    bl_idname = "posewright.retime_pose"
    bl_label = "Retime Pose"

    frame: FloatProperty(name="Pose", description="The frame of the key pose that moves")
    to: FloatProperty(name="To", description="Where it goes; it stays between its neighbours")

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """From the filmstrip: a click goes to the pose, dragging moves it."""
        found = None if context.region is None else filmstrip.pose_at(context, _mouse(event))
        if found is None:
            return self.execute(context)
        self.frame = self.to = found
        self._start = event.mouse_region_x
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if event.type == "MOUSEMOVE":
            pixels = PIXELS_A_FRAME * context.preferences.system.ui_scale
            dragged = round((event.mouse_region_x - self._start) / pixels)
            self.to = self.frame + dragged
            filmstrip.show_dragged(context, self.frame, dragged)
        elif event.type == "LEFTMOUSE" and event.value == "RELEASE":
            filmstrip.show_dragged(context, None)
            return self.execute(context) if self.to != self.frame else self._go_there(context)
        elif event.type in {"ESC", "RIGHTMOUSE"}:
            filmstrip.show_dragged(context, None)
            return {"CANCELLED"}
        return {"RUNNING_MODAL"}

    def _go_there(self, context: bpy.types.Context) -> set[str]:
        context.scene.frame_set(math.floor(self.frame), subframe=self.frame % 1.0)
        return {"CANCELLED"}  # nothing that undo would have to bring back

    def cancel(self, context: bpy.types.Context) -> None:
        filmstrip.show_dragged(context, None)

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        retiming.move_pose(armature, self.frame, self.to)


def _mouse(event: bpy.types.Event) -> tuple[int, int]:
    return event.mouse_region_x, event.mouse_region_y


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_retime_pose,)
