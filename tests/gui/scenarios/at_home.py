# SPDX-License-Identifier: GPL-3.0-or-later
"""Where people look in Blender: the pie on a key that they chose, the Overlays, the preferences."""

import bpy
from installed import PACKAGE

PIE = "POSEWRIGHT_MT_quick"


def shortcut():
    keymap = bpy.context.window_manager.keyconfigs.user.keymaps["3D View"]
    items = [item for item in keymap.keymap_items if item.idname == "wm.call_menu_pie"]
    return next(item for item in items if item.properties.name == PIE)


def scenario(ui):
    ui.clear()
    rig = ui.mocap("02_01")
    yield from ui.frame_all()
    assert shortcut().type == "NONE", "no key is taken from anybody"

    shortcut().type = "F6"
    shortcut().value = "PRESS"
    yield 0.3
    x, y = ui.middle()
    yield from ui.press("F6")
    yield 2.5
    ui.screenshot("pie")
    yield from ui.click(x, y + 120)  # Analyze is north
    yield from ui.until(lambda: rig.posewright.reduced, what="the analysis")
    yield from ui.press("F6")
    yield 2.5
    ui.screenshot("pie after the analysis")
    yield from ui.press("ESC")

    with ui.override("HEADER"):
        bpy.ops.wm.call_panel(name="VIEW3D_PT_overlay", keep_open=True)
    yield 0.8
    ui.screenshot("overlays")
    yield from ui.press("ESC")

    bpy.context.window_manager.addon_search = "posewright"
    with ui.override():
        bpy.ops.screen.userpref_show(section="ADDONS")
    yield 0.5
    bpy.ops.preferences.addon_expand(module=PACKAGE)
    yield 1.0
    ui.screenshot("preferences")
