# SPDX-License-Identifier: GPL-3.0-or-later
"""A dot above every ghost: a click goes to its pose.

Only the dots can be clicked, never the ghosts themselves: whoever selects bones among them is not disturbed.
"""

from __future__ import annotations

import math
from typing import ClassVar

import bpy
import gpu
import numpy as np
from mathutils import Vector

from . import ghost_drawing, ghost_overlay
from .flat_shapes import WHITE, Colour, draw_discs

RADIUS, HOVERED = 4.0, 6.5  # at a scale of one
REACH = 9.0  # how far from its middle a dot can be clicked
BELOW = 8.0  # the number of the frame


def _dots(context: bpy.types.Context) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """The frames of the ghosts, (P, 2) where their dots are, and (P, 3) their colours."""
    found = ghost_overlay.handles(context)
    if found is None:
        return None
    data, places = found
    return data.frames, places - [0.0, BELOW * context.preferences.system.ui_scale], data.colours


def _dot_at(context: bpy.types.Context, location: tuple[int, int]) -> tuple[int, float] | None:
    """The number of the dot below a pixel of the region, the current one first, and its frame."""
    found = _dots(context)
    if found is None:
        return None
    frames, places, _ = found
    distances = np.nan_to_num(np.linalg.norm(places - location, axis=1), nan=np.inf)
    distances[ghost_drawing.nearest(frames, context.scene.frame_current_final)] -= 0.5
    row = int(np.argmin(distances))
    if distances[row] > REACH * context.preferences.system.ui_scale:
        return None
    return row, float(frames[row])


class POSEWRIGHT_GT_ghost_handles(bpy.types.Gizmo):
    """Dots above ghosts"""

    bl_idname = "POSEWRIGHT_GT_ghost_handles"
    __slots__ = ("_hovered",)

    def setup(self) -> None:
        self._hovered = -1

    def draw(self, context: bpy.types.Context) -> None:
        found = _dots(context)
        if found is None:
            return
        _, places, colours = found
        scale = context.preferences.system.ui_scale
        hovered = self._hovered if self.is_highlight else -1
        rows = [row for row in range(len(places)) if np.isfinite(places[row]).all() and row != hovered]
        gpu.state.blend_set("ALPHA")
        try:
            draw_discs([(Vector(places[row]), RADIUS * scale, _opaque(colours[row])) for row in rows])
            if 0 <= hovered < len(places):
                at = Vector(places[hovered])
                draw_discs([(at, HOVERED * scale, WHITE), (at, RADIUS * scale, _opaque(colours[hovered]))])
        finally:
            gpu.state.blend_set("NONE")

    def test_select(self, context: bpy.types.Context, location: tuple[int, int]) -> int:
        found = _dot_at(context, location)
        row = -1 if found is None else found[0]
        if row != self._hovered:
            self._hovered = row
            context.area.tag_redraw()
        return -1 if found is None else 0

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        found = _dot_at(context, (event.mouse_region_x, event.mouse_region_y))
        if found is not None:
            context.scene.frame_set(math.floor(found[1]), subframe=found[1] % 1.0)
        return {"FINISHED"}

    def modal(self, _context: bpy.types.Context, _event: bpy.types.Event, _tweak: set[str]) -> set[str]:
        return {"FINISHED"}  # Blender asks only gizmos that have this to be invoked


def _opaque(colour: np.ndarray) -> Colour:
    red, green, blue = (float(part) for part in colour)
    return red, green, blue, 1.0


class POSEWRIGHT_GGT_ghost_handles(bpy.types.GizmoGroup):
    """Dots above ghosts in 3D viewports"""

    bl_idname = "POSEWRIGHT_GGT_ghost_handles"
    bl_label = "Ghosts"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options: ClassVar[set[str]] = {"PERSISTENT", "SHOW_MODAL_ALL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.scene.posewright.ghosts.show and ghost_overlay.shown_armature(context) is not None

    def setup(self, _context: bpy.types.Context) -> None:
        self.gizmos.new(POSEWRIGHT_GT_ghost_handles.bl_idname)


register, unregister = bpy.utils.register_classes_factory(
    (POSEWRIGHT_GT_ghost_handles, POSEWRIGHT_GGT_ghost_handles)
)
