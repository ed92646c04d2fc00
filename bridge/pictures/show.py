# SPDX-License-Identifier: GPL-3.0-or-later
"""Showing what was made, where there is a window to show it in."""

from __future__ import annotations

from typing import Any

import bpy


def in_image_editor(context: bpy.types.Context, image: bpy.types.Image) -> None:
    """Show an image in an Image Editor that is open, or in a new window as Blender does with a render."""
    if bpy.app.background or context.window is None:
        return
    if _open_editor(context) is None:
        new_editor(context, "IMAGE_EDITOR")
    found = _open_editor(context)
    if found is not None:
        window, area = found
        area.spaces.active.image = image
        _show_all_of_it(window, area)


def _open_editor(context: bpy.types.Context) -> tuple[bpy.types.Window, bpy.types.Area] | None:
    editors = (
        (window, area)
        for window in context.window_manager.windows
        for area in window.screen.areas
        if area.type == "IMAGE_EDITOR" and area.ui_type == "IMAGE_EDITOR"
    )
    return next(editors, None)


def _show_all_of_it(window: bpy.types.Window, area: bpy.types.Area) -> None:
    """Sheets are often wider than the editor, and would begin beyond its left edge."""
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=window, area=area, region=region):
        bpy.ops.image.view_all()


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
