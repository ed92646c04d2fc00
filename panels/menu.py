# SPDX-License-Identifier: GPL-3.0-or-later
"""A menu below Object > Animation and Pose > Animation. What is in a menu is found by F3."""

from __future__ import annotations

import bpy

DISTIL = (
    "posewright.analyze",
    "posewright.keys_below",
    "posewright.measure",
    "posewright.lock_extremes",
    "posewright.unlock_extremes",
    "posewright.restore",
    "posewright.apply",
    "posewright.reduce_actions",
    "posewright.reduce_selected",
    "posewright.fixed_frame_add",
)
PICTURES = (
    "posewright.pose_sheet",
    "posewright.motion_thumbnail",
    "posewright.compare",
)
PERFORM = (
    "posewright.spatial_set_add",
    "posewright.perform",
    "posewright.bake_cursor",
)


class POSEWRIGHT_MT_posewright(bpy.types.Menu):
    """Distil, pictures and performing"""

    bl_label = "Posewright"

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        for name in DISTIL:
            layout.operator(name)
        for direction, text in (("PREVIOUS", "Previous Sweet Spot"), ("NEXT", "Next Sweet Spot")):
            layout.operator("posewright.sweet_spot", text=text).direction = direction
        layout.operator_menu_enum("posewright.bone_weights", "preset")
        for names in (PICTURES, PERFORM):
            layout.separator()
            for name in names:
                layout.operator(name)


def draw_entry(self: bpy.types.Menu, _context: bpy.types.Context) -> None:
    self.layout.separator()
    self.layout.menu(POSEWRIGHT_MT_posewright.__name__)


CLASSES: tuple[type, ...] = (POSEWRIGHT_MT_posewright,)
