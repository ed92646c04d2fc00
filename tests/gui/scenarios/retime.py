# SPDX-License-Identifier: GPL-3.0-or-later
"""Distil beside the curves: its tab in the Graph Editor, and poses that are tapped while the scene plays."""

import bpy
from bone_selection import select_only
from installed import part


def scenario(ui):
    ui.clear()
    rig = ui.mocap("13_11")
    yield from ui.frame_all()
    bpy.ops.object.mode_set(mode="POSE")
    rig.data.bones.active = rig.data.bones[0]
    select_only(rig, rig.pose.bones[0].name)  # the Graph Editor shows the curves of selected bones
    ui.area("DOPESHEET_EDITOR").ui_type = "FCURVES"
    edge = ui.area("GRAPH_EDITOR")
    top = edge.y + edge.height
    yield from ui.drag((600, top), (600, top + 420))
    with ui.override(area="GRAPH_EDITOR"):
        bpy.ops.wm.context_set_boolean(data_path="space_data.show_region_ui", value=True)
    yield 0.5
    ui.region("UI", "GRAPH_EDITOR").active_panel_category = "Posewright"
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 9
    with ui.override(area="GRAPH_EDITOR"):
        bpy.ops.graph.view_all()
    yield from ui.move(*ui.middle("WINDOW", "GRAPH_EDITOR"))
    yield 1.0
    ui.screenshot("retime_graph_editor")

    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.sync_mode = 1, 4000, "FRAME_DROP"
    scene.frame_set(1)
    before = columns(rig)
    with ui.override(area="GRAPH_EDITOR"):
        bpy.ops.ed.undo_push(message="ready")
        bpy.ops.posewright.retime_by_tapping("INVOKE_DEFAULT")
    middle = ui.middle("WINDOW", "GRAPH_EDITOR")
    taps = []
    for _ in range(3):
        yield 0.4
        assert ui.window.screen.is_animation_playing, "it plays while poses are tapped"
        earliest = scene.frame_current
        yield from ui.press("SPACE", middle)
        taps.append((earliest, scene.frame_current))
    ui.screenshot("retime_tapping")
    yield from ui.press("RET", middle)
    yield 0.3
    assert not ui.window.screen.is_animation_playing
    after = columns(rig)
    assert len(after) == len(before)
    moved = [round(b) for b in after[:3]]
    assert all(low <= place <= high for place, (low, high) in zip(moved, taps, strict=True)), (moved, taps)
    shift = after[2] - before[2]
    follows = (abs(b - a - shift) < 1e-3 for a, b in zip(before[2:], after[2:], strict=True))
    assert all(follows), "the rest follows"
    ui.screenshot("retimed")
    with ui.override(area="GRAPH_EDITOR"):
        bpy.ops.ed.undo()
    yield 0.3
    rig = bpy.context.object
    assert columns(rig) == before, "one undo brings all of them back"


def columns(rig):
    actions = part("bridge.actions")
    curve = next(curve for curve in actions.curves_of(rig) if len(curve.keyframe_points) > 2)
    return [point.co.x for point in curve.keyframe_points]
