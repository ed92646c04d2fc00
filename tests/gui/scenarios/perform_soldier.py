# SPDX-License-Identifier: GPL-3.0-or-later
"""From an imported character to a recorded take by the mouse alone: a ready set, Record, and the drag."""

import bpy
import numpy as np


def scenario(ui):
    ui.clear()
    rig = ui.character("Soldier.glb")
    bpy.context.view_layer.objects.active = rig
    with ui.override():
        bpy.ops.view3d.view_axis(type="BACK")  # it looks along +Y
        bpy.ops.view3d.view_all()
    space = ui.area().spaces.active
    space.overlay.show_relationship_lines = False
    yield from ui.open_sidebar("Perform")
    yield from ui.widen_sidebar(80)
    clicks = 0
    x, y = yield from ui.find("posewright.spatial_set_add")
    yield from ui.click(x, y - 26)  # the menu below it
    clicks += 1
    ui.screenshot("menu")
    yield from ui.press("L", at=(x, y - 26))  # Look
    clicks += 1
    yield from ui.until(lambda: len(rig.posewright.spatial.sets) == 1, what="the ready set")
    yield from ui.settle()
    ui.screenshot("ready")
    scene = bpy.context.scene
    head = rig.pose.bones["mixamorig:Head"]
    yield from ui.press_button("posewright.perform", column=0.75)  # Record
    clicks += 1
    start = ui.on_screen(rig.posewright.spatial.sets[0].cursor.matrix_world.translation)
    yield from ui.drag(start, (start[0] + 150, start[1] + 40), steps=30)
    clicks += 1
    action = rig.animation_data.action
    yield from ui.until(lambda: rig.animation_data.action != action, what="the recording")
    yield from ui.settle()
    scene.frame_set(1)
    before = np.array(head.matrix)
    scene.frame_set(round(rig.animation_data.action.frame_range[1]))
    assert np.abs(np.array(head.matrix) - before).max() > 0.05
    assert clicks == 4, "with the drag"
    ui.screenshot("recorded")
