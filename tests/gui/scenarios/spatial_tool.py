# SPDX-License-Identifier: GPL-3.0-or-later
"""The tool in the toolbar: drag cursor and markers in Pose Mode, test with the right button, set, perform."""

import bpy
import numpy as np
from bears import add_bear
from bone_selection import select_only, selected


def pose_of(rig):
    return np.array([bone.matrix_basis for bone in rig.pose.bones])


def scenario(ui):
    ui.clear()
    with ui.override():
        rig = add_bear()
        bpy.ops.view3d.view_all()
        rig.posewright.spatial.live = False
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.wm.tool_set_by_id(name="posewright.spatial_tool_pose")
    ui.area().spaces.active.overlay.show_relationship_lines = False
    yield from ui.settle()
    acting = rig.posewright.spatial.sets[0]
    rig.pose.bones["head"].rotation_quaternion = (0.9, 0.2, 0.2, 0.3)  # work that is not kept in a key yet
    yield from ui.settle()
    yield from move_cursor_and_marker(ui, acting)
    yield from select_a_bone(ui, rig)
    yield from test_keys(ui, rig, acting)
    yield from set_and_perform(ui, rig, acting)


def place(thing):
    return np.array(thing.matrix_world.translation)


def move_cursor_and_marker(ui, acting):
    marker = acting.keys["look left"].marker
    to = ui.on_screen(marker.matrix_world.translation)
    yield from ui.drag(ui.on_screen(acting.cursor.matrix_world.translation), to)
    yield from ui.settle()
    assert np.linalg.norm(place(acting.cursor) - place(marker)) < 0.03, "from this side, too"
    before = place(marker)
    away = ui.on_screen(marker.matrix_world.translation)
    yield from ui.drag(ui.on_screen(acting.cursor.matrix_world.translation), (away[0] - 90, away[1] + 160))
    yield from ui.drag(away, (away[0], away[1] + 60))
    yield from ui.settle()
    assert np.linalg.norm(place(marker) - before) > 0.05
    assert acting.key_index == acting.keys.find("look left")


def select_a_bone(ui, rig):
    acting = rig.posewright.spatial.sets[0]
    select_only(rig)
    head = rig.pose.bones["head"]
    middle = rig.matrix_world @ ((head.head + head.tail) / 2)
    rig.show_in_front = True
    yield from ui.settle()
    yield from ui.click(*ui.on_screen(middle))
    assert "head" in selected(rig), "the left button still selects bones"
    assert acting.cursor is not None


def test_keys(ui, rig, acting):
    before, cursor = pose_of(rig), acting.cursor
    was = place(cursor)
    start = ui.on_screen(cursor.matrix_world.translation)
    yield from ui.move(*start)
    ui.window.event_simulate(type="RIGHTMOUSE", value="PRESS", x=start[0], y=start[1])
    yield from ui.settle()
    for step in range(1, 8):
        yield from ui.move(start[0] + 12 * step, start[1] - 15 * step)
    yield from ui.settle()
    assert np.abs(pose_of(rig) - before).max() > 0.05, "it acts while the button is held"
    ui.screenshot("testing")
    ui.window.event_simulate(type="RIGHTMOUSE", value="RELEASE", x=start[0] + 84, y=start[1] - 105)
    yield from ui.settle()
    assert np.abs(pose_of(rig) - before).max() < 1e-6, "the pose that was worked on is back"
    assert np.abs(place(cursor) - was).max() < 1e-6
    ui.screenshot("tested")


def set_and_perform(ui, rig, acting):
    count = len(acting.keys)
    start = ui.on_screen(acting.cursor.matrix_world.translation)
    yield from ui.drag(start, (start[0] - 40, start[1] + 25))
    yield from ui.press("RET")
    yield from ui.settle()
    assert len(acting.keys) == count + 1
    yield from ui.press("P")
    yield from ui.settle()
    before = place(acting.cursor)
    shadow = ui.on_screen((before[0], before[1], 0.0))
    ui.screenshot("shadow")
    yield from ui.drag(shadow, (shadow[0] + 60, shadow[1] + 10))
    yield from ui.settle()
    after = place(acting.cursor)
    assert abs(after[2] - before[2]) < 1e-3, "its shadow takes it along over the ground"
    assert np.linalg.norm(after - before) > 0.1
    yield from ui.press("D")
    yield from ui.settle()
    assert rig.posewright.spatial.drag_in == "GROUND"
    yield from ui.press("RET")
    yield from ui.settle()
