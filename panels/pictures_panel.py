# SPDX-License-Identifier: GPL-3.0-or-later
"""Ghosts, sheets, thumbnails and comparisons in the sidebar."""

from __future__ import annotations

from typing import ClassVar

import bpy
from bpy.app.translations import pgettext_iface as iface_

from ..drawing import ghost_overlay
from .help_link import HelpLink
from .room import draw_choice, names_beside, side_by_side
from .sidebar import SidebarPanel


class POSEWRIGHT_PT_pictures(HelpLink, SidebarPanel, bpy.types.Panel):
    """See the poses, not the numbers"""

    bl_label = "Pictures"
    help_page = "pictures"
    bl_order = 15  # below Distil, whose poses it shows

    def draw(self, context: bpy.types.Context) -> None:
        column = self.layout.column()
        column.operator("posewright.pose_sheet", icon="IMAGE_DATA")
        column.operator("posewright.motion_thumbnail", icon="ASSET_MANAGER")
        column.operator("posewright.compare", icon="GRAPH")
        column.operator("posewright.saliency_plot", icon="FCURVE")
        column.operator("posewright.leading_parts", icon="SORTTIME")
        column.prop(context.scene.posewright.ghosts, "filmstrip", icon="SEQ_STRIP_META", toggle=True)


class POSEWRIGHT_PT_ghosts(SidebarPanel, bpy.types.Panel):
    """Key poses over the scene"""

    bl_label = "Ghosts"
    bl_parent_id = "POSEWRIGHT_PT_pictures"
    bl_options: ClassVar[set[str]] = {"DEFAULT_CLOSED"}

    def draw_header(self, context: bpy.types.Context) -> None:
        self.layout.prop(context.scene.posewright.ghosts, "show", text="")

    def draw(self, context: bpy.types.Context) -> None:
        settings = context.scene.posewright.ghosts
        layout = self.layout
        names_beside(layout, context)
        layout.active = settings.show
        layout.prop(settings, "opacity")
        layout.prop(settings, "spread")
        row = layout.row()
        row.active = settings.spread > 0.0
        draw_choice(row, context, settings, "direction")
        column = layout.column(heading="Show")
        column.prop(settings, "labels")
        column.prop(settings, "paths")
        column.prop(settings, "skin")
        layout.prop(settings, "between")
        layout.prop(settings, "most")
        if settings.show:
            self._draw_hints(context, settings)

    def _draw_hints(self, context: bpy.types.Context, settings: bpy.types.PropertyGroup) -> None:
        armature = ghost_overlay.shown_armature(context)
        data = ghost_overlay.information(armature) if armature is not None else None
        hints = []
        if data is None:
            hints.append(iface_("Select an armature that has keys"))
        elif data.left_out:
            hints.append(iface_("{count} more keys are not shown").format(count=data.left_out))
        if data is not None and data.skin_left_out:
            hints.append(iface_("No skin, or too much of it to be fast"))
        if settings.paths and (armature is None or armature.mode != "POSE"):
            hints.append(iface_("Select bones in Pose Mode to see paths"))
        for hint in hints:
            self.layout.label(text=hint, icon="INFO", translate=False)


class POSEWRIGHT_PT_find_pose(SidebarPanel, bpy.types.Panel):
    """Where a character stands like it does now"""

    bl_label = "Find Pose"
    bl_parent_id = "POSEWRIGHT_PT_pictures"
    bl_options: ClassVar[set[str]] = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        search = context.scene.posewright.search
        layout = self.layout
        layout.prop(search, "folder", text="")
        row = side_by_side(layout, context)
        row.operator("posewright.index_folder", icon="FILE_REFRESH")
        row.operator("posewright.find_pose", icon="VIEWZOOM")
        layout.operator("posewright.make_library", icon="ASSET_MANAGER")
        column = layout.column(align=True)
        for find in search.finds:
            self._draw_find(column.split(factor=0.75, align=True), find)

    def _draw_find(self, row: bpy.types.UILayout, find: bpy.types.PropertyGroup) -> None:
        there = row.operator(
            "posewright.go_to_find",
            text=f"{find.file or find.action}  {find.frame:g}",
            icon="FILE" if find.file else "ACTION",
            translate=False,
        )
        there.action, there.file, there.frame = find.action, find.file, find.frame
        row.label(text=f"{find.distance:.1%}", translate=False)


CLASSES = (POSEWRIGHT_PT_pictures, POSEWRIGHT_PT_find_pose, POSEWRIGHT_PT_ghosts)
