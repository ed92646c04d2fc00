# SPDX-License-Identifier: GPL-3.0-or-later
"""What Posewright draws over the viewport, where Blender turns such things on and off: its Overlays."""

from __future__ import annotations

import bpy


class POSEWRIGHT_PT_overlays(bpy.types.Panel):
    """What Posewright draws over the viewport"""

    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_parent_id = "VIEW3D_PT_overlay"
    bl_label = "Key Poses"

    def draw(self, context: bpy.types.Context) -> None:
        settings = context.scene.posewright.ghosts
        self.layout.active = context.space_data.overlay.show_overlays
        row = self.layout.row(align=True)
        row.prop(settings, "show")
        row.prop(settings, "filmstrip")


CLASSES: tuple[type, ...] = (POSEWRIGHT_PT_overlays,)
