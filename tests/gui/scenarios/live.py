# SPDX-License-Identifier: GPL-3.0-or-later
"""Live in the window: the pose follows G on the cursor, and R on a bone turns live off and says so."""

import bpy
import numpy as np
from bears import add_bear
from bone_selection import select_only


def pose_of(rig):
    return np.array([bone.matrix for bone in rig.pose.bones])


def open_all_panels():
    """Panels that start closed, opened, so that the screenshot shows them drawn."""
    for panel in bpy.types.Panel.__subclasses__():
        if panel.__name__.startswith("POSEWRIGHT_PT_spatial") and "DEFAULT_CLOSED" in getattr(
            panel, "bl_options", ()
        ):
            bpy.utils.unregister_class(panel)
            panel.bl_options = set()
            bpy.utils.register_class(panel)


def fill_the_panels(rig):
    settings = rig.posewright.spatial
    select_only(rig, "foot.L", "foot.R")
    bpy.ops.posewright.spatial_contact_add()
    select_only(rig, "forearm.L")
    bpy.ops.posewright.spatial_reach_add()
    settings.sets[0].effectors.remove(0)


def scenario(ui):
    ui.clear()
    open_all_panels()
    with ui.override():
        rig = add_bear()
        fill_the_panels(rig)
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_all()
    yield from ui.open_sidebar("Perform")
    yield 0.3
    cursor = rig.posewright.spatial.sets[0].cursor
    with ui.override():
        bpy.ops.object.select_all(action="DESELECT")
        cursor.select_set(True)
        bpy.context.view_layer.objects.active = cursor
    before = pose_of(rig)
    x, y = ui.on_screen(cursor.matrix_world.translation)
    yield from ui.press("G", at=(x, y))
    yield from ui.move(x - 60, y + 40)
    yield from ui.move(x - 120, y + 80)
    yield 0.3
    assert np.abs(pose_of(rig) - before).max() > 0.05, "the pose follows while the cursor is being moved"
    ui.screenshot("moving")
    yield from ui.press("ESC", at=(x - 120, y + 80))
    yield 0.3
    assert np.allclose(pose_of(rig), before, atol=1e-5), "and comes back with it"
    assert rig.posewright.spatial.live

    with ui.override():
        bpy.ops.object.select_all(action="DESELECT")
        rig.select_set(True)
        bpy.context.view_layer.objects.active = rig
        bpy.ops.object.mode_set(mode="POSE")
        select_only(rig, "head")
    x, y = ui.middle()
    yield from ui.press("R", at=(x, y))
    yield from ui.move(x + 80, y + 40)
    yield from ui.click(x + 80, y + 40)
    yield 0.3
    assert not rig.posewright.spatial.live
    assert "edited" in rig.posewright.spatial.message
    assert np.abs(pose_of(rig) - before).max() > 0.05, "the edit stays"
    ui.screenshot("edited")
