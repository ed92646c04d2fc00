# SPDX-License-Identifier: GPL-3.0-or-later
"""In another language a report is translated before its numbers are filled in."""

import bpy


def scenario(ui):
    view = bpy.context.preferences.view
    language = view.language
    view.language = "de_DE"
    view.use_translate_interface = view.use_translate_reports = True
    try:
        yield from in_german(ui)
    finally:
        view.language = language


def in_german(ui):
    with ui.override():
        bpy.ops.object.armature_add()
        bone = bpy.context.object.pose.bones[0]
        bone.rotation_mode = "XYZ"
        for frame in range(1, 41):
            bone.rotation_euler.x = (frame % 13) ** 2 / 100.0
            bone.keyframe_insert("rotation_euler", frame=frame)
        armature = bpy.context.object
    yield from ui.open_sidebar()
    yield from ui.widen_sidebar()
    yield from ui.press_button("posewright.analyze")
    yield from ui.until(lambda: armature.posewright.reduced, what="the analysis")
    yield 2.0
    ui.screenshot("sidebar")
    told = reports(ui)
    assert any(each.endswith(" Schlüsselbilder aus 40 Einzelbildern") for each in told), told


def reports(ui):
    """What the Info editor holds."""
    area = ui.area()
    kind = area.ui_type
    area.ui_type = "INFO"
    try:
        with bpy.context.temp_override(window=ui.window, area=area, region=area.regions[-1]):
            bpy.ops.info.select_all(action="SELECT")
            bpy.ops.info.report_copy()
    finally:
        area.ui_type = kind
    return bpy.context.window_manager.clipboard.splitlines()
