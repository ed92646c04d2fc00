# SPDX-License-Identifier: GPL-3.0-or-later
"""What is used all the time, as a pie under the mouse, for a shortcut that the preferences offer."""

from __future__ import annotations

import bpy

from ..bridge.distil import reductions
from ..operators.armature_operator import active_armature
from ..properties.preferences import PIE, PIE_KEYMAP


class POSEWRIGHT_MT_quick(bpy.types.Menu):
    """Distil and perform"""

    bl_idname = PIE
    bl_label = "Posewright"

    def draw(self, context: bpy.types.Context) -> None:
        """West, east, south, north, and the corners in reading order."""
        pie = self.layout.menu_pie()
        ghosts = context.scene.posewright.ghosts
        for text, icon, direction in (
            ("Previous Sweet Spot", "TRIA_LEFT", "PREVIOUS"),
            ("Next Sweet Spot", "TRIA_RIGHT", "NEXT"),
        ):
            pie.operator("posewright.sweet_spot", text=text, icon=icon).direction = direction
        armature = active_armature(context)
        if armature is not None and reductions.find(armature) is not None:
            pie.prop(armature.posewright, "show_original", icon="ARROW_LEFTRIGHT")
        else:
            pie.separator()
        pie.operator("posewright.analyze", icon="KEYFRAME_HLT")
        pie.prop(ghosts, "show", icon="GHOST_ENABLED")
        pie.prop(ghosts, "filmstrip", icon="SEQ_STRIP_META")
        pie.operator("posewright.restore", icon="LOOP_BACK")
        pie.operator("posewright.perform", icon="VIEW_PAN")


def register() -> None:
    """A shortcut without a key: the preferences show it, and whoever wants one gives it a key there."""
    configuration = bpy.context.window_manager.keyconfigs.addon
    if configuration is None:  # without a window
        return
    keymap = configuration.keymaps.new(name=PIE_KEYMAP, space_type="VIEW_3D")
    keymap.keymap_items.new("wm.call_menu_pie", "NONE", "PRESS").properties.name = PIE


def unregister() -> None:
    configuration = bpy.context.window_manager.keyconfigs.addon
    keymap = None if configuration is None else configuration.keymaps.get(PIE_KEYMAP)
    for item in [] if keymap is None else list(keymap.keymap_items):
        if item.idname == "wm.call_menu_pie" and item.properties.name == PIE:
            keymap.keymap_items.remove(item)


CLASSES: tuple[type, ...] = (POSEWRIGHT_MT_quick,)
