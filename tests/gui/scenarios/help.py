# SPDX-License-Identifier: GPL-3.0-or-later
"""The question mark of a panel opens its page in a window; the next page comes in the same window."""

import bpy

FROM_THE_RIGHT = 61  # pixels


def pages_shown():
    return [
        area.spaces.active.text.name
        for window in bpy.context.window_manager.windows
        for area in window.screen.areas
        if area.type == "TEXT_EDITOR" and area.spaces.active.text is not None
    ]


def scenario(ui):
    with ui.override():
        bpy.ops.object.armature_add()
    yield from ui.open_sidebar()
    yield from ui.widen_sidebar()
    yield 0.3
    areas = [area.ui_type for area in ui.window.screen.areas]
    bpy.context.view_layer.update()

    # As far from the sidebar's right edge in every Blender, however wide each makes it.
    place = yield from ui.find("posewright.help", column=1.0 - FROM_THE_RIGHT / ui.region("UI").width)
    yield from ui.move(*place)
    yield 1.5
    ui.screenshot("tooltip")
    yield from ui.click(*place)
    yield from ui.until(pages_shown, what="the page")
    yield 1.0
    ui.screenshot("page")
    assert pages_shown() == ["Posewright Tour"]
    assert [area.ui_type for area in ui.window.screen.areas] == areas, "in a window of its own"
    windows = len(bpy.context.window_manager.windows)

    with ui.override():
        bpy.ops.posewright.help(page="perform")
    yield 0.5
    ui.screenshot("next page")
    assert pages_shown() == ["Posewright Perform"]
    assert len(bpy.context.window_manager.windows) == windows
