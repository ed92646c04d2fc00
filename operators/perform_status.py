# SPDX-License-Identifier: GPL-3.0-or-later
"""What the window says while a character is performed: in the status bar, the header and the view."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_n as n_
from mathutils import Vector

from ..drawing import spatial_overlay
from . import screen_drag

# What the keys do, each with its icon.
HELP = (
    ("MOUSE_LMB_DRAG", n_("Move the cursor")),
    *screen_drag.HELP,
    ("EVENT_R", n_("Record")),
    ("NONE", n_("1 to 9: Switch Set")),
    ("EVENT_RETURN", n_("Keep")),
    ("EVENT_ESC", n_("Undo All")),
)
DRAGGED_IN = {
    "KEYS": n_("in the plane of the keys"),
    "GROUND": n_("level with the ground"),
    "SCREEN": n_("along the screen"),
}


def recording(frame: int, rounds: int) -> str:
    """What is said while a frame is recorded, after some rounds of a loop."""
    if rounds:
        return iface_("RECORDING  frame {frame}  round {round}").format(frame=frame, round=rounds + 1)
    return iface_("RECORDING  frame {frame}").format(frame=frame)


def where(lock: str, drag_in: str) -> str:
    """Where the cursor goes when it is dragged."""
    plane = DRAGGED_IN[drag_in]
    return iface_("locked to {axis}").format(axis=lock) if lock else iface_(plane)


def show(area: bpy.types.Area, state: str, cursor: Vector) -> None:
    """Say what is going on, with the place of the cursor."""
    x, y, z = cursor
    header = iface_("Perform   {state}   cursor {x:.2f} {y:.2f} {z:.2f}")
    area.header_text_set(header.format(state=state, x=x, y=y, z=z))
    spatial_overlay.set_banner(state)
    area.tag_redraw()


def clear_headers() -> None:
    """In all viewports: it is not known any more which of them the performance was in."""
    for screen in bpy.data.screens:
        for area in screen.areas:
            if area.type == "VIEW_3D":
                area.header_text_set(None)
                area.tag_redraw()
