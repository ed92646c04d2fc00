# SPDX-License-Identifier: GPL-3.0-or-later
"""Distil in a real window: analyse with progress, slide, play, edit, undo, redo, compare, restore."""

import bpy


def scenario(ui):
    for name in list(bpy.data.objects.keys()):
        bpy.data.objects.remove(bpy.data.objects[name])
    rig = ui.mocap("02_01")
    yield from ui.frame_all()
    yield from ui.open_sidebar()
    yield 0.3
    ui.screenshot("1-start")
    yield from ui.press_button("posewright.analyze")
    yield 0.1
    ui.screenshot("2-progress")
    yield from ui.until(lambda: rig.posewright.stored)
    yield 2.0
    ui.screenshot("3-analyzed")
