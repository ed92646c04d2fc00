# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension's preferences: how a character is begun with, how ghosts look, and a key for the pie."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty

from ..bridge.preferred import EXTENSION
from ..core.picture import time_colours
from ..drawing import ghost_overlay
from .choices import INTERPOLATIONS
from .declared import ERROR_IN_PERCENT

PIE = "POSEWRIGHT_MT_quick"
PIE_KEYMAP = "3D View"


def _colours_changed(_self: Any, _context: bpy.types.Context) -> None:
    ghost_overlay.redraw()


def _colour(name: str, description: str, share: float) -> Any:
    return FloatVectorProperty(
        name=name,
        description=description,
        subtype="COLOR_GAMMA",
        min=0.0,
        max=1.0,
        default=tuple(time_colours(share)),
        update=_colours_changed,
    )


class PosewrightPreferences(bpy.types.AddonPreferences):
    """What is taken for a character that has no settings yet; files keep what they have"""

    bl_idname = EXTENSION

    wanted_error: FloatProperty(
        name="Wanted Error",
        description=(
            "After Analyze the slider stands at the fewest keys within this mean error, in percent of the "
            "character's height"
        ),
        **ERROR_IN_PERCENT,
    )
    first_interpolation: EnumProperty(
        name="Keyed As",
        description="How a character gets from pose to pose when it is analyzed for the first time",
        items=INTERPOLATIONS,
        default="SMOOTH",
    )
    sub_frames: BoolProperty(
        name="Sub-Frames",
        description="Let keys be between frames where the source has keys there",
    )
    early: _colour("Early", "Colour of the first ghosts", 0.0)
    late: _colour("Late", "Colour of the last ghosts", 1.0)

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        column = layout.column(heading="New Characters")
        for name in ("wanted_error", "first_interpolation", "sub_frames"):
            column.prop(self, name)
        column = layout.column(heading="Ghosts", align=True)
        column.prop(self, "early")
        column.prop(self, "late")
        self._draw_shortcut(context)

    def _draw_shortcut(self, context: bpy.types.Context) -> None:
        keymap: Any = context.window_manager.keyconfigs.user.keymaps.get(PIE_KEYMAP)
        for item in () if keymap is None else keymap.keymap_items:
            if item.idname == "wm.call_menu_pie" and item.properties.name == PIE:
                self.layout.prop(item, "type", text="Pie Menu", full_event=True)


CLASSES: tuple[type, ...] = (PosewrightPreferences,)
