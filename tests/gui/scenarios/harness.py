# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps that other scenarios rely on work, shown on a panel made here."""

import bpy


class POSEWRIGHT_OT_count_presses(bpy.types.Operator):
    bl_idname = "posewright.count_presses"
    bl_label = "Count Presses"
    presses = 0

    def execute(self, context):
        POSEWRIGHT_OT_count_presses.presses += 1
        return {"FINISHED"}


class POSEWRIGHT_PT_harness(bpy.types.Panel):
    bl_label = "Harness"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Harness"

    def draw(self, context):
        self.layout.label(text="A label is no button")
        self.layout.operator("posewright.count_presses")
        self.layout.prop(context.scene, "frame_current")
        self.layout.prop(context.scene.render, "use_border")


def scenario(ui):
    for cls in (POSEWRIGHT_OT_count_presses, POSEWRIGHT_PT_harness):
        bpy.utils.register_class(cls)
    yield from ui.open_sidebar("Harness")
    narrow = ui.region("UI").width
    yield from ui.widen_sidebar()
    assert ui.region("UI").width > narrow + 100

    for presses in (1, 2):
        yield 1.0  # two presses at once would be a double click
        yield from ui.press_button("posewright.count_presses")
        yield from ui.until(lambda n=presses: POSEWRIGHT_OT_count_presses.presses == n, what="a press")

    before = bpy.context.scene.frame_current
    x, y = yield from ui.find("frame_current")
    yield from ui.drag((x, y), (x + 60, y))
    assert bpy.context.scene.frame_current > before
    ui.screenshot("panel")

    yield from ui.press("A")
    assert len(bpy.context.selected_objects) == len(bpy.context.scene.objects)
    yield from ui.press("X")
    yield from ui.press("ESC")
    assert len(bpy.context.scene.objects) == 3, "Esc leaves the menu that asks whether to delete"

    cube = bpy.data.objects["Cube"]
    yield from ui.click(*ui.on_screen(cube.location))
    assert bpy.context.selected_objects == [cube]

    missing = ""
    try:
        yield from ui.find("posewright.is_not_there")
    except AssertionError as error:
        missing = str(error)
    assert "count_presses" in missing, "it says what is there instead"
