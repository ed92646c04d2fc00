# SPDX-License-Identifier: GPL-3.0-or-later
"""The tool in the toolbar: pose, place, set, test and perform without leaving the viewport."""

from __future__ import annotations

from typing import Any

import bpy

from ..bridge.spatial import sets

# Operators, the events that call them, and their properties. What finds nothing under the mouse lets the
# event go on to whatever selects.
KEYMAP: tuple[tuple[str, dict[str, Any], dict[str, Any] | None], ...] = (
    ("posewright.spatial_grab", {"type": "LEFTMOUSE", "value": "PRESS"}, None),
    ("posewright.spatial_test", {"type": "RIGHTMOUSE", "value": "PRESS"}, None),
    ("posewright.spatial_key_add", {"type": "RET", "value": "PRESS"}, None),
    ("posewright.perform", {"type": "P", "value": "PRESS"}, None),
    (
        "posewright.perform",
        {"type": "P", "value": "PRESS", "shift": True},
        {"properties": [("record", True)]},
    ),
)


class SpatialTool(bpy.types.WorkSpaceTool):
    """For the modes in which a character can be performed."""

    bl_space_type = "VIEW_3D"
    bl_label = "Spatial Keys"
    bl_description = (
        "Place poses in space and act with them.\n"
        "Drag the red cursor or a yellow marker with the left button; hold the right one on the cursor to "
        "test what the keys do. Return sets a key, P performs, Shift P records"
    )
    bl_icon = "ops.curve.extrude_cursor"
    bl_keymap = KEYMAP
    bl_options = {"KEYMAP_FALLBACK"}  # noqa: RUF012  what is not ours selects, as with any tool

    @staticmethod
    def draw_settings(context: bpy.types.Context, layout: bpy.types.UILayout, _tool: Any) -> None:
        armature = sets.character_of(context.object)
        if armature is None:
            layout.operator("posewright.bear_add")
        elif sets.active_set(armature) is None:
            layout.operator("posewright.spatial_set_add")
            layout.operator_menu_enum("posewright.spatial_set_ready", "kind")
        else:
            settings = sets.settings_of(armature)
            layout.operator("posewright.spatial_key_add", icon="KEY_HLT").bones = "ALL"
            layout.prop(settings, "drag_in")
            layout.prop(settings, "drag_absolute")
            layout.prop(settings, "drag_third")
            layout.prop(settings, "live")
            layout.operator("posewright.perform", icon="VIEW_PAN").record = False
            layout.operator("posewright.perform", text="Record", icon="REC").record = True


class PoseSpatialTool(SpatialTool):
    bl_context_mode = "POSE"
    bl_idname = "posewright.spatial_tool_pose"


class ObjectSpatialTool(SpatialTool):
    bl_context_mode = "OBJECT"
    bl_idname = "posewright.spatial_tool"


TOOLS = (ObjectSpatialTool, PoseSpatialTool)


def register() -> None:
    for tool in TOOLS:
        bpy.utils.register_tool(tool, separator=True)


def unregister() -> None:
    for tool in TOOLS:
        bpy.utils.unregister_tool(tool)
