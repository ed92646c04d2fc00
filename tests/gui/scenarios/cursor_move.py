# SPDX-License-Identifier: GPL-3.0-or-later
"""The control cursor moved with the mouse in Pose Mode, where nobody can click it; a marker clicked."""

import bpy
import numpy as np
from bears import add_bear


def bear():
    return bpy.data.objects["Bear"]


def active_set():
    return bear().posewright.spatial.sets[0]


def place():
    return np.array(active_set().cursor.location)


def pose_of(rig):
    return np.array([bone.matrix_basis for bone in rig.pose.bones])


def scenario(ui):
    ui.clear()
    with ui.override():
        rig = add_bear()
        bpy.context.view_layer.objects.active = rig
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_all()
    yield from ui.open_sidebar("Perform")
    yield from click_a_marker(ui)
    bear().posewright.spatial.live = False
    with ui.override():
        bpy.context.view_layer.objects.active = bear()
        bpy.ops.object.mode_set(mode="POSE")
        bear().pose.bones["head"].rotation_mode = "XYZ"
        bear().pose.bones["head"].rotation_euler.x = 0.4
    yield 0.3
    yield from move_and_keep(ui)
    yield from move_and_cancel(ui)
    yield from lock_to_depth(ui)
    yield from from_the_button(ui)


def click_a_marker(ui):
    key = active_set().keys[-1]
    x, y = ui.on_screen(key.marker.matrix_world.translation)
    yield from ui.click(x + 9, y)  # its rim, as an empty is clicked
    yield from ui.until(
        lambda: active_set().key_index == len(active_set().keys) - 1, what="the key in the list"
    )
    ui.screenshot("clicked")


def move(ui, by, *keys):
    """Start, go so far with the mouse, pressing keys before."""
    start = ui.middle()
    yield from ui.move(*start)
    with ui.override():
        bpy.ops.posewright.spatial_cursor_move("INVOKE_DEFAULT")
    yield 0.2
    for key in keys:
        yield from ui.press(key, start)
    yield from ui.move(start[0] + by[0] // 2, start[1] + by[1] // 2)
    yield from ui.move(start[0] + by[0], start[1] + by[1])
    yield 0.2


def move_and_keep(ui):
    before, pose = place(), pose_of(bear())
    yield from move(ui, (80, 40))
    ui.screenshot("moving")
    yield from ui.click(ui.middle()[0] + 80, ui.middle()[1] + 40)
    there = place() - before
    assert_under(ui, ui.middle()[0] + 80, ui.middle()[1] + 40)
    assert abs(there[1]) < 1e-4, "parallel to the screen"
    assert np.array_equal(pose_of(bear()), pose), "the pose that is being made stays"
    assert bpy.context.mode == "POSE"


def move_and_cancel(ui):
    before = place()
    yield from move(ui, (60, 0))
    assert not np.array_equal(place(), before)
    yield from ui.press("ESC", ui.middle())
    assert np.allclose(place(), before)


def lock_to_depth(ui):
    before = place()
    yield from move(ui, (0, 50), "Y")
    yield from ui.click(ui.middle()[0], ui.middle()[1] + 50)
    there = place() - before
    assert 0.02 < there[1] < 5.0, "away from the eye, as far as the mouse went up"
    assert np.allclose(there[[0, 2]], 0.0, atol=1e-4), there


def assert_under(ui, x, y):
    seen = np.array(ui.on_screen(active_set().cursor.matrix_world.translation))
    assert np.abs(seen - (x, y)).max() <= 1.5, f"the cursor is at {seen}, the mouse at {(x, y)}"


def from_the_button(ui):
    """The button is in the sidebar, far from the cursor: once in the view the cursor is under the mouse."""
    before = place()
    yield from ui.press_button("posewright.spatial_cursor_move")
    yield 0.2
    assert np.allclose(place(), before), "nothing moves while the mouse is over the sidebar"
    x, y = ui.middle()
    yield from ui.move(x + 60, y)
    yield from ui.move(x - 30, y + 50)
    yield 0.2
    assert_under(ui, x - 30, y + 50)
    ui.screenshot("from the button")
    yield from ui.click(x - 30, y + 50)
    assert_under(ui, x - 30, y + 50)
