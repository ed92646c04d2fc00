# SPDX-License-Identifier: GPL-3.0-or-later
"""Walking by hand: the bear steps as the cursor circles, its feet hold on, and the view goes along."""

import bpy
import numpy as np
from bears import apply_pose, build_bear, posed
from bone_selection import select_only
from mathutils import Vector

# A stride: where the cursor is, how the legs swing about the world's x axis, how high the hips are. The leg
# that swings forward is lifted, the other one stands, and soles stay flat.
APART = {"thigh.L": (-28, 0, 0), "foot.L": (28, 0, 0), "thigh.R": (28, 0, 0), "foot.R": (-28, 0, 0)}
LIFTED = {"thigh.R": (-35, 0, 0), "shin.R": (60, 0, 0), "foot.R": (-25, 0, 0)}


def other_leg(turns):
    return {
        bone.replace(".L", ".?").replace(".R", ".L").replace(".?", ".R"): turn for bone, turn in turns.items()
    }


STRIDE = {
    "left forward": ((0.5, -0.6, 1.2), APART, -0.04),
    "right lifts": ((0, -0.6, 1.7), LIFTED, 0.0),
    "right forward": ((-0.5, -0.6, 1.2), other_leg(APART), -0.04),
    "left lifts": ((0, -0.6, 0.7), other_leg(LIFTED), 0.0),
}
TURNS = 2


def scenario(ui):
    ui.clear()
    with ui.override():
        rig = build_bear()
        make_walk(rig)
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_all()
        for _ in range(2):
            bpy.ops.view3d.view_orbit(type="ORBITLEFT")
    view = ui.area().spaces.active.region_3d
    bpy.context.preferences.system.viewport_aa = "OFF"
    settings = rig.posewright.spatial
    settings.record_speed = 0.5
    scene = bpy.context.scene
    yield from ui.settle()
    looked_at = view.view_location.copy()
    yield from walk_and_cancel(ui, rig, view)
    assert (view.view_location - looked_at).length < 1e-4, "Esc brings the view back"
    with ui.override():
        bpy.ops.ed.undo_push(message="ready")
        bpy.ops.posewright.perform("INVOKE_DEFAULT", record=True)
    yield from ui.settle()
    cursor = settings.sets[0].cursor
    x, y = ui.on_screen(cursor.matrix_world.translation)
    yield from ui.move(x, y)
    ui.window.event_simulate(type="LEFTMOUSE", value="PRESS", x=x, y=y)
    yield from ui.settle()
    middle = ui.on_screen(rig.matrix_world @ Vector((0, -0.6, 1.2)))
    radius = x - middle[0]
    steps, at = 24, (x, y)
    for step in range(1, TURNS * steps + 1):
        angle = 2 * np.pi * step / steps
        at = round(middle[0] + radius * np.cos(angle)), round(middle[1] + radius * np.sin(angle))
        yield from ui.move(*at)
    yield from ui.settle()
    travelled = rig.matrix_world.translation.copy()
    assert travelled.y < -0.5, f"it walks on, and came to {tuple(travelled)}"
    assert (view.view_location - looked_at - travelled).length < 0.05, "the view goes along"
    on_screen = ui.on_screen(cursor.matrix_world.translation)
    assert max(abs(a - b) for a, b in zip(on_screen, at, strict=True)) <= 12, (
        "the cursor stays under the hand"
    )
    ui.screenshot("walking")
    ui.window.event_simulate(type="LEFTMOUSE", value="RELEASE", x=at[0], y=at[1])
    yield from ui.until(lambda: rig.animation_data and rig.animation_data.action, what="the recording")
    yield from ui.settle()
    assert (view.view_location - looked_at).length < 1e-4, "the view is back at the start, as the bear is"
    assert scene.frame_current == 1
    check_feet(rig, scene)
    scene.frame_set(round(rig.animation_data.action.frame_range[1] * 0.6))
    yield from ui.settle()
    ui.screenshot("recorded")


def walk_and_cancel(ui, rig, view):
    before = view.view_location.copy()
    cursor = rig.posewright.spatial.sets[0].cursor
    with ui.override():
        bpy.ops.posewright.perform("INVOKE_DEFAULT")
    yield from ui.settle()
    x, y = ui.on_screen(cursor.matrix_world.translation)
    yield from ui.move(x, y)
    ui.window.event_simulate(type="LEFTMOUSE", value="PRESS", x=x, y=y)
    yield from ui.settle()
    for step in range(1, 9):
        yield from ui.move(x - 40 * step, y + 10 * step)
        yield from ui.settle()
    assert (view.view_location - before).length > 0.05, "the view went along"
    yield from ui.press("ESC", at=(x, y))
    ui.window.event_simulate(type="LEFTMOUSE", value="RELEASE", x=x, y=y)
    yield from ui.settle()
    assert rig.location.length < 1e-5


def make_walk(rig):
    bpy.ops.posewright.spatial_set_add(name="Walk")
    for name, (place, turns, height) in STRIDE.items():
        apply_pose(rig, posed(rig, turns, (0, 0, height)))
        bpy.ops.posewright.spatial_key_add(name=name, place=place)
    select_only(rig, *(bone.name for bone in rig.pose.bones if bone.name.startswith("foot")))
    bpy.ops.posewright.spatial_contact_add(end="TAIL")
    settings = rig.posewright.spatial
    settings.use_locomotion, settings.ground = True, 0.04
    settings.sets[0].key_index = 0
    bpy.ops.posewright.spatial_key_go_to()


def check_feet(rig, scene):
    """In every frame the lowest contact of the frame before is still where it was, or another one holds."""
    first, last = (round(frame) for frame in rig.animation_data.action.frame_range)
    assert last - first > 24
    places = []
    for frame in range(first, last + 1):
        scene.frame_set(frame)
        ends = [
            end
            for bone in ("foot.L", "foot.R")
            for end in (rig.pose.bones[bone].tail, rig.pose.bones[bone].head)
        ]
        places.append([rig.matrix_world @ end for end in ends])
    places = np.array(places)
    slides = np.linalg.norm(np.diff(places[:, :, :2], axis=0), axis=2).min(axis=1)
    down = places[:-1, :, 2].min(axis=1) < 0.04 + 0.01
    assert down.any()
    assert slides[down].max() < 2e-3, f"a foot slides by {slides[down].max():.4f}"
    assert places[-1, :, 1].mean() - places[0, :, 1].mean() < -0.5, "and the recording travels"
