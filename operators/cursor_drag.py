# SPDX-License-Identifier: GPL-3.0-or-later
"""`CursorDrag`: a hand on a control cursor or on its shadow, and what its device gives as a third axis."""

from __future__ import annotations

import bpy
from mathutils import Vector

from ..bridge.spatial.drag_planes import LEVEL
from ..bridge.spatial.session import Session
from .screen_drag import DEPTH_KEYS, ScreenDrag, is_under, view_for

PRESSED = 0.5  # how deep the full pressure of a pen goes, in heights of the character
PUSHED = 0.5  # how far the cap of a 3D mouse goes in a second at full tilt, in heights of the character


class CursorDrag:
    """From the press of the button to its release; begins where the cursor is, or jumps to the mouse.

    Args:
        ground: how high the shadow lies.
        travelled: how far the view has travelled with the character.
    """

    def __init__(
        self,
        session: Session,
        area: bpy.types.Area,
        event: bpy.types.Event,
        *,
        lock: str,
        ground: float,
        travelled: Vector,
    ):
        self._session = session
        region, place = view_for(area, event), session.cursor_place()
        plane, self._lift = session.drag_plane(), Vector()
        shadow = Vector((place.x, place.y, ground))
        if is_under(region, shadow + travelled, event):
            place, plane, self._lift = shadow, LEVEL, place - shadow
        self._drag = ScreenDrag(region, place, event, lock, travelled, plane)
        self._lock, self._height = lock, session.height
        self._depth = 0.0  # along the third axis
        if session.settings.drag_absolute and not self._lift.length:
            self._drag.jump_to_mouse(event)
            session.move_cursor(self.place)

    @property
    def place(self) -> Vector:
        """Where the cursor belongs now."""
        deeper = Vector() if self._lock else self._drag.away * self._depth
        return self._drag.place + self._lift + deeper

    def follow(self, event: bpy.types.Event) -> bool:
        """Move the cursor as the hand did; whether it was the hand's event."""
        third = self._session.settings.drag_third
        if event.type in DEPTH_KEYS:
            if event.value != "RELEASE":
                self._drag.push(DEPTH_KEYS[event.type], event.shift)
        elif event.type == "NDOF_MOTION" and third == "NDOF":
            self._depth -= _pulled(event) * PUSHED * self._height
        elif event.type in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE"}:
            self._drag.move(event)
            if third == "PRESSURE" and event.is_tablet:
                self._depth = event.pressure * PRESSED * self._height
        else:
            return False
        self._session.move_cursor(self.place)
        return True

    def lock_to(self, axis: str) -> None:
        self._lock = axis
        self._drag.lock_to(axis)

    def change_plane(self) -> None:
        self._drag.change_plane(self._session.drag_plane())

    def travel(self, travelled: Vector) -> None:
        """The view has travelled so far."""
        self._drag.travelled = travelled


def _pulled(event: bpy.types.Event) -> float:
    """How far the cap of a 3D mouse was pulled towards the eye; Blender tells it from 5.0 on."""
    motion = getattr(event, "ndof_motion", None)
    return 0.0 if motion is None else motion.translation[2] * min(motion.time_delta, 0.1)
