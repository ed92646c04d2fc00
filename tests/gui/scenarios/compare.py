# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparing algorithms from the button: the dialog, Esc on the way, and the plot at the end."""

import bpy
import numpy as np
from installed import part

FRAMES = 140


def arm():
    for name in list(bpy.data.objects.keys()):
        bpy.data.objects.remove(bpy.data.objects[name])
    rig = bpy.data.objects.new("Arm", bpy.data.armatures.new("Arm"))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    for number in range(4):
        bone = rig.data.edit_bones.new(f"bone {number}")
        bone.head, bone.tail = (0, 0, number * 0.4), (0, 0, number * 0.4 + 0.4)
        bone.parent = rig.data.edit_bones.get(f"bone {number - 1}")
    bpy.ops.object.mode_set(mode="OBJECT")
    for number, bone in enumerate(rig.pose.bones):
        bone.rotation_mode = "XYZ"
        for frame in range(1, FRAMES + 1):
            bone.rotation_euler = (np.sin(frame / (5.0 + number)), 0.4 * np.cos(frame / 13.0) ** 3, 0.0)
            bone.keyframe_insert("rotation_euler", frame=frame)
    rig.animation_data.action.name = "Wave"
    return rig


def what_there_is():
    kinds = (bpy.data.objects, bpy.data.actions, bpy.data.scenes, bpy.data.images, bpy.data.texts)
    return [sorted(each.keys()) for each in kinds]


def scenario(ui):
    jobs = part("operators.background_job")
    with ui.override():
        rig = arm()
    yield from ui.open_sidebar()
    before = what_there_is()
    areas = [area.ui_type for area in ui.window.screen.areas]

    yield from ui.press_button("posewright.compare")
    yield 0.5
    ui.screenshot("dialog")
    yield from ui.press("RET")
    yield from ui.until(lambda: jobs.running() is not None, what="the work to begin")
    yield from ui.press("ESC")
    yield from ui.until(lambda: jobs.running() is None, what="the work to stop")
    assert what_there_is() == before, "Esc leaves everything as it was"
    assert [area.ui_type for area in ui.window.screen.areas] == areas

    yield from ui.press_button("posewright.compare")
    yield 0.5
    yield from ui.press("RET")
    yield from ui.until(lambda: "Wave comparison" in bpy.data.images, seconds=120, what="the plot")
    yield 1.0
    ui.screenshot("plot")
    table = bpy.data.texts["Wave comparison.txt"].as_string()
    assert "Blender Decimate" in table
    assert [area.ui_type for area in ui.window.screen.areas] == areas
    assert ui.window.scene.name == "Scene"
    assert rig.animation_data.action.name == "Wave"
    assert what_there_is()[:3] == before[:3]
    [editor] = [
        area
        for window in bpy.context.window_manager.windows
        for area in window.screen.areas
        if area.type == "IMAGE_EDITOR"
    ]
    space, plot = editor.spaces.active, bpy.data.images["Wave comparison"]
    assert space.image == plot
    region = next(region for region in editor.regions if region.type == "WINDOW")
    for size, room in zip(plot.size, (region.width, region.height), strict=True):
        assert size * space.zoom[0] <= room, "all of it is seen, from its left edge on"
