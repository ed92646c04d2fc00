# SPDX-License-Identifier: GPL-3.0-or-later
"""A newcomer's first minute: one click adds the bear, a second performs it, a third records."""

import bpy
import numpy as np


def scenario(ui):
    ui.clear()
    yield from ui.open_sidebar("Perform")
    yield from ui.widen_sidebar(80)
    ui.screenshot("empty")
    yield from ui.press_button("posewright.bear_add")  # click 1
    bear = bpy.context.view_layer.objects.active
    assert bear.posewright.spatial.live
    yield from ui.frame_all()
    ui.screenshot("added")
    yield from ui.press_button("posewright.perform", column=0.75)  # click 2: Record
    before = np.array(bear.pose.bones["head"].matrix)
    start = ui.on_screen(bear.posewright.spatial.sets[0].cursor.matrix_world.translation)
    yield from ui.drag(start, (start[0] + 160, start[1] + 60))  # the drag
    yield from ui.until(lambda: bear.animation_data and bear.animation_data.action, what="the recording")
    bpy.context.scene.frame_set(round(bear.animation_data.action.frame_range[1]))
    assert np.abs(np.array(bear.pose.bones["head"].matrix) - before).max() > 0.1
    yield from ui.settle()
    ui.screenshot("recorded")
    with ui.override():
        bpy.ops.posewright.spatial_set_switch(index=1)
        bear.posewright.spatial.live = True
    yield from ui.settle()
    ui.screenshot("walk")
