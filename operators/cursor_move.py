# SPDX-License-Identifier: GPL-3.0-or-later
"""Move the control cursor with the mouse in any mode: in Pose Mode Blender lets nobody click an empty."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_n as n_

from ..bridge.character import shown
from ..bridge.spatial import sets
from ..bridge.spatial.drag_planes import drag_plane
from ..bridge.spatial.making import empties
from ..bridge.spoken import spoken
from ..core import InputError
from ..drawing import spatial_overlay
from ..drawing.status_bar import clear_status, show_status
from . import screen_drag
from .screen_drag import AXES, DEPTH_KEYS, ScreenDrag, view_for, view_under
from .spatial_common import SetOperator, character_in

# What the keys do, each with its icon.
HELP = (
    ("MOUSE_LMB", n_("Put It Here")),
    *screen_drag.HELP,
    ("EVENT_ESC", n_("Cancel")),
)
# What still does its usual thing: the view can be turned.
PASSED = ("MIDDLEMOUSE", "TRACKPADPAN", "TRACKPADZOOM")


class POSEWRIGHT_OT_spatial_cursor_move(SetOperator, bpy.types.Operator):
    """Move the control cursor with the mouse, also in Pose Mode; with Live off the pose stays as it is"""

    bl_idname = "posewright.spatial_cursor_move"
    bl_label = "Move Cursor"
    keeps_sets = True

    def execute(self, _context: bpy.types.Context) -> set[str]:
        self.report({"ERROR"}, "Moving needs a mouse: a script can set the location of the cursor itself.")
        return {"CANCELLED"}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if context.area is None or context.area.type != "VIEW_3D":
            self.report(
                {"ERROR"}, "The cursor is moved in a 3D viewport: put the mouse over one and try again."
            )
            return {"CANCELLED"}
        armature = character_in(context)
        cursor = empties.cursor_of(armature, sets.active_set(armature))
        try:
            empties.refuse_driven(armature, cursor)
        except InputError as problem:
            self.report({"ERROR"}, spoken(problem))
            return {"CANCELLED"}
        self._before, self._lock = cursor.location.copy(), ""
        self._is_under_mouse = False
        self._start = cursor.matrix_world.translation.copy()
        plane = drag_plane(armature)
        self._drag = ScreenDrag(view_for(context.area, event), self._start, event, plane=plane)
        show_status(HELP)
        spatial_overlay.set_ground(shown(armature).ground)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        armature = character_in(context)
        cursor = None if armature is None else sets.cursor_in_use(sets.active_set(armature))
        if cursor is None or context.area is None:
            self.cancel(context)
            return {"CANCELLED"}
        if event.type in {"ESC", "RIGHTMOUSE"}:
            cursor.location = self._before
            self.cancel(context)
            return {"CANCELLED"}
        if event.type in {"LEFTMOUSE", "RET", "NUMPAD_ENTER"} and event.value == "PRESS":
            self.cancel(context)
            return {"FINISHED"}
        if event.type in PASSED:
            return {"PASS_THROUGH"}
        if event.type == "D" and event.value == "PRESS":
            screen_drag.change_drag(armature)
            self._drag.change_plane(drag_plane(armature))
        if self._drag_on(context.area, event):
            empties.move_to(armature, cursor, armature.matrix_world.inverted_safe() @ self._drag.place)
        return {"RUNNING_MODAL"}

    def cancel(self, _context: bpy.types.Context) -> None:
        """Nothing in the window speaks of it any more."""
        clear_status()
        spatial_overlay.set_ground(None)

    def _drag_on(self, area: bpy.types.Area, event: bpy.types.Event) -> bool:
        """Whether an event moves the cursor."""
        if event.type in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE"}:
            return self._follow_mouse(area, event)
        if event.type in DEPTH_KEYS and event.value != "RELEASE":
            self._drag.push(DEPTH_KEYS[event.type], event.shift)
        elif event.type in AXES and event.value == "PRESS":
            self._lock = "" if self._lock == event.type else event.type
            self._drag.lock_to(self._lock, self._start)  # as Blender's own Move does it
            self._is_under_mouse = False
        else:
            return False
        return True

    def _follow_mouse(self, area: bpy.types.Area, event: bpy.types.Event) -> bool:
        """From a button in the sidebar nothing moves until the mouse is in the view, and then it jumps there.

        Along an axis there is no place under the mouse: it moves as far as the mouse does.
        """
        if self._lock or self._is_under_mouse:
            self._drag.move(event)
        elif view_under(area, event) is not None:
            self._drag.jump_to_mouse(event)
            self._is_under_mouse = True
        else:
            return False
        return True


CLASSES = (POSEWRIGHT_OT_spatial_cursor_move,)
