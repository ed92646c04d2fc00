# SPDX-License-Identifier: GPL-3.0-or-later
"""A path is drawn on the ground with the mouse, and the bear walks along it; Esc leaves nothing behind."""

import bpy
import numpy as np
from bears import add_bear
from mathutils import Euler


def stroke(ui, places, *, let_go=True):
    """Draw through places of the ground, slowly enough for a hand."""
    pixels = [ui.on_screen(place) for place in places]
    yield from ui.move(*pixels[0])
    ui.window.event_simulate(type="LEFTMOUSE", value="PRESS", x=pixels[0][0], y=pixels[0][1])
    yield None
    for x, y in pixels[1:]:
        yield from ui.move(x, y)
    if let_go:
        ui.window.event_simulate(type="LEFTMOUSE", value="RELEASE", x=pixels[-1][0], y=pixels[-1][1])
        yield 0.1


def scenario(ui):
    ui.clear()
    with ui.override():
        bear = add_bear()
        bpy.ops.ed.undo_push(message="Bear")
    view = ui.area().spaces.active
    view.region_3d.view_rotation = Euler((0.9, 0.0, 0.5)).to_quaternion()
    view.region_3d.view_distance, view.region_3d.view_location = 11.0, (0.0, -2.0, 0.5)
    view.overlay.show_relationship_lines = False
    yield from ui.open_sidebar("Perform")
    t = np.linspace(0.0, 1.0, 30)
    path = np.stack([2.0 * np.sin(2 * np.pi * t) - 1.0, -5.0 * t, 0.0 * t], axis=1)

    yield from draw_a_walk(ui)
    yield from stroke(ui, path[:20], let_go=False)
    ui.screenshot("drawing")
    yield from ui.press("ESC")
    yield from ui.settle()
    assert not has_action(bear), "Esc leaves nothing behind"
    assert bear.posewright.spatial.set_index == 0

    yield from draw_a_walk(ui)
    yield from stroke(ui, path)
    yield from ui.until(lambda: has_action(bear), what="the walk")
    yield from ui.settle()
    end = round(bear.animation_data.action.frame_range[1])
    scene = bpy.context.scene
    places = []
    for frame in (1, end // 2, end):
        scene.frame_set(frame)
        places.append(np.array(bear.matrix_world.translation))
        yield from ui.settle()
        ui.screenshot(f"walk-{len(places)}")
    for place in places:
        assert np.linalg.norm(path - place, axis=1).min() < 0.25, "it is on the path"
    assert np.linalg.norm(places[-1] - path[-1]) < 0.15

    yield from ui.press("Z", ctrl=True)
    yield from ui.settle()
    bear = bpy.data.objects["Bear"]
    assert not has_action(bear), "one undo takes it back"
    assert bear.posewright.spatial.set_index == 0


def has_action(rig):
    return rig.animation_data is not None and rig.animation_data.action is not None


def draw_a_walk(ui):
    with ui.override():
        bpy.ops.posewright.spatial_doodle("INVOKE_DEFAULT")
    yield from ui.settle()
