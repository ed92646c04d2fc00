# SPDX-License-Identifier: GPL-3.0-or-later
"""Showing what was made, where there is a window to show it in."""

from __future__ import annotations

from typing import Any

import bpy


def in_image_editor(context: bpy.types.Context, image: bpy.types.Image) -> None:
    """Show an image in an Image Editor that is open, or in a new window as Blender does with a render."""
    if bpy.app.background or context.window is None:
        return
    space = _open_editor(context) or new_editor(context, "IMAGE_EDITOR")
    if space is not None:
        space.image = image


def _open_editor(context: bpy.types.Context) -> bpy.types.SpaceImageEditor | None:
    spaces = (
        area.spaces.active
        for window in context.window_manager.windows
        for area in window.screen.areas
        if area.type == "IMAGE_EDITOR" and area.ui_type == "IMAGE_EDITOR"
    )
    return next(spaces, None)


def new_editor(context: bpy.types.Context, kind: str) -> Any | None:
    """An editor in a window of its own, or None where no window can be opened."""
    known = set(context.window_manager.windows)
    bpy.ops.wm.window_new()
    window = next((each for each in context.window_manager.windows if each not in known), None)
    if window is None:
        return None
    area = window.screen.areas[0]
    area.ui_type = kind
    return area.spaces.active
