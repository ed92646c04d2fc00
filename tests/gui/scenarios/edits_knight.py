# SPDX-License-Identifier: GPL-3.0-or-later
"""A game character lies down: an arm and the hips edited at nine keys, a column dragged, then slid."""

import bpy
import edits
import numpy as np
from bone_selection import select
from installed import part

CLIP, ACTION = "Knight.glb", "Lie_Down"


def lifted(location):
    location.y += 0.3
    return location


def scenario(ui):
    ui.clear()
    knight = ui.character(CLIP)
    bpy.context.view_layer.objects.active = knight
    actions, channels = part("bridge.actions"), part("bridge.distil.channels")
    action = next(each for each in bpy.data.actions if each.name.startswith(ACTION))
    actions.assign(knight, action, channels.slots_for(knight, action)[0])
    ui.area("DOPESHEET_EDITOR").ui_type = "DOPESHEET"
    ui.open_panel("POSEWRIGHT_PT_distil_edits")
    bpy.ops.object.mode_set(mode="POSE")
    yield from ui.frame_all()
    yield from ui.open_sidebar()
    bpy.ops.posewright.analyze()
    knight.posewright.key_count = 12
    kinds = {point.type for curve in actions.curves_of(knight) for point in curve.keyframe_points}
    assert "MOVING_HOLD" in kinds, "it lies still in the end"
    knight.posewright.key_count = 9
    bpy.ops.ed.undo_push(message="Analyzed")
    yield 0.5
    ui.screenshot("knight-1-nine-keys")

    columns = edits.columns()
    at = columns[3]
    gaps = np.diff(columns)
    wide = int(np.argmax(gaps[4:])) + 4
    by = int(min(6.0, gaps[wide] - 1.0))
    yield from edits.pose(ui, "hips", "location", lifted, at)
    yield from edits.pose(ui, "upperarm.l", "rotation_quaternion", edits.turned, at)
    wanted = edits.place(at, "hand.l")
    select(edits.rig().pose.bones)
    yield from edits.drag_column(ui, columns[wide], by)
    bpy.context.scene.frame_set(int(at))
    yield 0.4
    ui.screenshot("knight-2-edited")
    height = part("bridge.sampling").height_of(edits.rig())
    for name, value, shot in (
        ("key_count", 30, "3-thirty-keys"),
        ("key_count", 9, "4-and-back"),
        ("detail", 1.0, "5-detail"),
        ("interpolation", "STEPPED", "6-stepped"),
    ):
        setattr(edits.rig().posewright, name, value)
        bpy.context.scene.frame_set(int(at))
        yield 0.5
        assert edits.rig().posewright.problem == ""
        assert np.linalg.norm(edits.place(at, "hand.l") - wanted) < 1e-3 * height
        ui.screenshot(f"knight-{shot}")
