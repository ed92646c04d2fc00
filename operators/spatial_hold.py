# SPDX-License-Identifier: GPL-3.0-or-later
"""What the toolbar's tool does while a button is held: move a cursor or a marker, or test the keys."""

from __future__ import annotations

from typing import ClassVar

import bpy
from bpy.app.translations import pgettext_n as n_
from mathutils import Vector

from ..bridge.spatial import sets
from ..bridge.spatial.drag_planes import drag_plane
from ..bridge.spatial.making import editing, empties
from ..bridge.spatial.session import Gone, Session
from ..bridge.spoken import spoken
from ..core import InputError
from ..drawing.status_bar import clear_status, show_status
from . import screen_drag
from .screen_drag import DEPTH_KEYS, ScreenDrag, is_under, view_under
from .spatial_common import SetOperator, character_in

MOVING = (("MOUSE_LMB_DRAG", n_("Move")), *screen_drag.HELP[:2], ("EVENT_ESC", n_("Cancel")))
TESTING = (("MOUSE_RMB_DRAG", n_("Test")), *screen_drag.HELP[:2])


class HeldDrag(SetOperator):
    """A drag from the press of a button to its release. Where there is nothing to drag the press goes on."""

    keeps_sets = True
    button: ClassVar[str]

    def execute(self, _context: bpy.types.Context) -> set[str]:
        self.report({"ERROR"}, "This needs a mouse: a script can set the location of the cursor itself.")
        return {"CANCELLED"}

    def begin(self, context: bpy.types.Context, event: bpy.types.Event, place: Vector) -> None:
        armature = character_in(context)
        assert armature is not None  # poll saw to it
        region = view_under(context.area, event)
        assert region is not None  # it was pressed there
        self._drag = ScreenDrag(region, place, event, plane=drag_plane(armature))
        context.window_manager.modal_handler_add(self)  # type: ignore[arg-type]

    def drags_on(self, event: bpy.types.Event) -> bool:
        """Whether an event moves what is dragged."""
        if event.type in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE"}:
            self._drag.move(event)
        elif event.type in DEPTH_KEYS and event.value != "RELEASE":
            self._drag.push(DEPTH_KEYS[event.type], event.shift)
        else:
            return False
        return True

    def is_released(self, event: bpy.types.Event) -> bool:
        return event.type == self.button and event.value == "RELEASE"


def _under(
    context: bpy.types.Context, event: bpy.types.Event, things: list[bpy.types.Object | None]
) -> bpy.types.Object | None:
    """The first of some cursors and markers that the mouse is on."""
    region = None if context.area is None else view_under(context.area, event)
    if region is None:
        return None
    for thing in things:
        if thing is not None and is_under(region, thing.matrix_world.translation, event):
            return thing
    return None


class POSEWRIGHT_OT_spatial_grab(HeldDrag, bpy.types.Operator):
    """Move the control cursor or a marker under the mouse, also in Pose Mode"""

    bl_idname = "posewright.spatial_grab"
    bl_label = "Move Cursor or Marker"
    button = "LEFTMOUSE"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        armature = character_in(context)
        assert armature is not None  # poll saw to it
        active = sets.active_set(armature)
        markers = [sets.marker_in_use(key) for key in active.keys]
        thing = _under(context, event, [sets.cursor_in_use(active), *markers])
        if thing is None:
            return {"PASS_THROUGH"}
        if thing == sets.cursor_in_use(active):
            try:
                empties.refuse_driven(armature, thing)
            except InputError as problem:
                self.report({"ERROR"}, spoken(problem))
                return {"CANCELLED"}
        editing.show_in_list(thing)
        self._name, self._before = thing.name, thing.location.copy()
        self.begin(context, event, thing.matrix_world.translation.copy())
        show_status(MOVING)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        armature, thing = character_in(context), bpy.data.objects.get(self._name)
        if armature is None or thing is None:
            clear_status()
            return {"CANCELLED"}
        if event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            thing.location = self._before
            clear_status()
            return {"CANCELLED"}
        if self.is_released(event):
            clear_status()
            return {"FINISHED"}
        if self.drags_on(event):
            empties.move_to(armature, thing, armature.matrix_world.inverted_safe() @ self._drag.place)
        return {"RUNNING_MODAL"}

    def cancel(self, _context: bpy.types.Context) -> None:
        clear_status()


class POSEWRIGHT_OT_spatial_test(HeldDrag, bpy.types.Operator):
    """Hold the button on the control cursor and drag to see what the keys do; let go to go on posing"""

    bl_idname = "posewright.spatial_test"
    bl_label = "Test Keys"
    bl_options: ClassVar[set[str]] = {"INTERNAL"}  # all is as before when it is over: nothing to undo
    button = "RIGHTMOUSE"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        armature = character_in(context)
        assert armature is not None  # poll saw to it
        if _under(context, event, [sets.cursor_in_use(sets.active_set(armature))]) is None:
            return {"PASS_THROUGH"}
        try:
            self._session = Session(armature, context.scene)
        except InputError as problem:
            self.report({"ERROR"}, spoken(problem))
            return {"CANCELLED"}
        self.begin(context, event, self._session.cursor_place())
        show_status(TESTING)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        try:
            if self.is_released(event) or event.type == "ESC":
                self.cancel(context)
                return {"CANCELLED"}
            if self.drags_on(event):
                self._session.move_cursor(self._drag.place)
        except (Gone, ReferenceError):
            clear_status()
            return {"CANCELLED"}
        return {"RUNNING_MODAL"}

    def cancel(self, _context: bpy.types.Context) -> None:
        """The pose that was worked on, and the cursor, are as they were."""
        clear_status()
        self._session.restore()


CLASSES = (POSEWRIGHT_OT_spatial_grab, POSEWRIGHT_OT_spatial_test)
