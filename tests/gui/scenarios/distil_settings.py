# SPDX-License-Identifier: GPL-3.0-or-later
"""All of Distil's panels open, on a character with ghosts and its keys in the timeline."""

import bpy
from bone_selection import select
from installed import part


def open_all_panels():
    """Closed panels open by a click whose place nobody knows beforehand; under new names they begin open."""
    for cls in (*part("panels.distil").CLASSES, *part("panels.distil_settings").CLASSES):
        if "DEFAULT_CLOSED" in getattr(cls, "bl_options", ()):
            bpy.utils.unregister_class(cls)
            cls.bl_options, cls.bl_idname = set(), f"{cls.__name__}_open"
            bpy.utils.register_class(cls)


def scenario(ui):
    ui.clear()
    rig = ui.mocap("13_11")
    rig.data.display_type = "STICK"
    select(rig.pose.bones)  # the timeline shows keys of selected bones
    edge = ui.area("DOPESHEET_EDITOR")
    top = edge.y + edge.height
    yield from ui.drag((600, top), (600, top + 90))
    view = ui.area().spaces.active
    view.overlay.show_relationship_lines = False
    view.region_3d.view_perspective = "ORTHO"
    with ui.override():
        bpy.ops.view3d.view_axis(type="RIGHT")
    yield from ui.frame_all()
    view.region_3d.view_distance = 3.9
    view.region_3d.view_location = (0.0, 0.4, 0.85)
    yield from ui.open_sidebar()
    yield from ui.press_button("posewright.analyze")
    yield from ui.until(lambda: rig.posewright.reduced, what="the analysis")
    rig.posewright.key_count = 9
    bpy.context.scene.posewright.ghosts.show = True
    bpy.context.scene.frame_set(330)
    with ui.override(area="DOPESHEET_EDITOR"):
        bpy.ops.action.view_all()
    ui.window.cursor_warp(ui.window.width - 20, 20)  # out of the picture
    yield 2.0
    ui.screenshot("ghosts")

    bpy.context.scene.posewright.ghosts.show = False
    bpy.ops.posewright.bone_weights(preset="hand")
    bpy.ops.posewright.fixed_frame_add(frames="40, 120, 260")
    rig.posewright.range_from = "NUMBERS"
    rig.posewright.show_markers = True
    open_all_panels()
    yield from ui.widen_sidebar(60)
    yield from ui.move(ui.window.width - 20, 20)
    yield 2.0
    ui.screenshot("top")
    # Scroll down to the rest, with the mouse beside the lists, which would scroll themselves.
    x, y = ui.region("UI").x + 6, ui.middle("UI")[1]
    for place in ("middle", "bottom"):
        for _ in range(12):
            ui.window.event_simulate(type="WHEELDOWNMOUSE", value="PRESS", x=x, y=y)
            yield 0.03
        yield from ui.move(ui.window.width - 20, 20)
        yield 1.5
        ui.screenshot(place)
