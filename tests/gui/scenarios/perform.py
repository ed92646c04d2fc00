# SPDX-License-Identifier: GPL-3.0-or-later
"""Performing by hand: keys set, the cursor dragged, a take recorded, played and undone; Esc undoes all."""

from math import radians

import bpy
import numpy as np
from mathutils import Euler

BONES = {
    "hips": ((0, 0, 0.9), (0, 0, 1.2), None),
    "spine": ((0, 0, 1.2), (0, 0, 1.7), "hips"),
    "head": ((0, 0, 1.7), (0, -0.05, 2.2), "spine"),
    "arm.L": ((0.25, 0, 1.6), (0.85, 0, 1.5), "spine"),
    "arm.R": ((-0.25, 0, 1.6), (-0.85, 0, 1.5), "spine"),
    "leg.L": ((0.2, 0, 0.9), (0.22, 0, 0), "hips"),
    "leg.R": ((-0.2, 0, 0.9), (-0.22, 0, 0), "hips"),
}
KEYS = {
    "rest": ((0, -1.2, 1.6), {}),
    "left": ((1.3, -1.0, 1.7), {"head": (0, 55, 0), "spine": (0, 25, -8), "arm.L": (0, 0, 50)}),
    "right": ((-1.3, -1.0, 1.7), {"head": (0, -55, 0), "spine": (0, -25, 8), "arm.R": (0, 0, -50)}),
    "up": (
        (0, -1.0, 2.7),
        {"head": (-35, 0, 0), "spine": (-12, 0, 0), "arm.L": (0, 0, 80), "arm.R": (0, 0, -80)},
    ),
    "down": ((0, -1.3, 0.5), {"head": (35, 0, 0), "spine": (35, 0, 0)}),
}


def build_bear(ui):
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    rig = bpy.data.objects.new("Bear", bpy.data.armatures.new("Bear"))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    with ui.override():
        bpy.ops.object.mode_set(mode="EDIT")
    for name, (head, tail, parent) in BONES.items():
        bone = rig.data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
        bone.parent = rig.data.edit_bones[parent] if parent else None
    with ui.override():
        bpy.ops.object.mode_set(mode="OBJECT")
    rig.data.display_type = "STICK"
    return rig


def pose_of(rig):
    return np.array([bone.matrix_basis for bone in rig.pose.bones])


def look_from_the_front(ui):
    with ui.override():
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_all()
    yield 0.5


def scenario(ui):
    rig = build_bear(ui)
    yield 0.3
    settings = rig.posewright.spatial
    yield from ui.open_sidebar()
    yield from ui.widen_sidebar(80)
    yield from look_from_the_front(ui)
    yield from ui.press_button("posewright.spatial_set_add")
    cursor = settings.sets[0].cursor
    assert cursor is not None
    for name, (place, turns) in KEYS.items():
        for bone in rig.pose.bones:
            angles = [radians(angle) for angle in turns.get(bone.name, (0, 0, 0))]
            bone.rotation_quaternion = Euler(angles).to_quaternion()
        cursor.location = place
        with ui.override():
            bpy.ops.posewright.spatial_key_add(name=name)
        yield 0.05
    assert len(settings.sets[0].keys) == len(KEYS)
    with ui.override():
        settings.sets[0].key_index = 0
        bpy.ops.posewright.spatial_key_go_to()
        bpy.ops.ed.undo_push(message="ready")
    yield from look_from_the_front(ui)
    ui.screenshot("ready")
    yield from perform_and_cancel(ui, rig)
    yield from perform_and_keep(ui, rig)
    yield from record(ui, rig)


def start(ui, **options):
    with ui.override():
        bpy.ops.posewright.perform("INVOKE_DEFAULT", **options)
    yield 0.1


def press(ui, point):
    yield from ui.move(*point)
    ui.window.event_simulate(type="LEFTMOUSE", value="PRESS", x=point[0], y=point[1])
    yield None


def release(ui, point):
    ui.window.event_simulate(type="LEFTMOUSE", value="RELEASE", x=point[0], y=point[1])
    yield 0.15


def perform_and_cancel(ui, rig):
    before, cursor = pose_of(rig), rig.posewright.spatial.sets[0].cursor
    place = cursor.location.copy()
    yield from start(ui)
    x, y = ui.on_screen(cursor.matrix_world.translation)
    yield from press(ui, (x, y))
    for step in range(10):
        yield from ui.move(x + 15 * step, y + 5 * step)
    assert cursor.location.x > place.x + 0.1
    assert abs(cursor.location.y - place.y) < 1e-4, "the cursor moves parallel to the screen"
    assert np.abs(pose_of(rig) - before).max() > 0.05, "the pose follows"
    yield from ui.press("ESC", at=(x + 135, y + 45))
    assert cursor.location == place
    assert np.allclose(pose_of(rig), before, atol=1e-6)
    assert not rig.posewright.spatial.live
    assert rig.animation_data is None


def perform_and_keep(ui, rig):
    cursor = rig.posewright.spatial.sets[0].cursor
    place = cursor.location.copy()
    yield from start(ui)
    x, y = ui.on_screen(cursor.matrix_world.translation)
    yield from press(ui, (x, y))
    ui.window.event_simulate(type="X", value="PRESS", x=x, y=y, unicode="x")
    yield None
    yield from ui.move(x + 60, y + 60)
    assert abs(cursor.location.z - place.z) < 1e-5, "locked to X"
    ui.window.event_simulate(type="X", value="PRESS", x=x + 60, y=y + 60, unicode="x")
    yield None
    for _ in range(3):
        ui.window.event_simulate(type="WHEELUPMOUSE", value="PRESS", x=x + 60, y=y + 60)
        yield None
    assert cursor.location.y > place.y + 0.01, "the wheel pushes it away"
    yield from release(ui, (x + 60, y + 60))
    yield from ui.press("RET")
    moved = cursor.location.copy()
    assert (moved - place).length > 0.1
    with ui.override():
        bpy.ops.ed.undo()
    yield 0.2
    rig = bpy.data.objects["Bear"]
    assert (rig.posewright.spatial.sets[0].cursor.location - place).length < 1e-5, "one step of undo"


def record(ui, rig):
    rig = bpy.data.objects["Bear"]
    settings = rig.posewright.spatial
    settings.record_keys = "DISTIL"
    cursor = settings.sets[0].cursor
    yield from start(ui, record=True)
    x, y = ui.on_screen(cursor.matrix_world.translation)
    yield from press(ui, (x, y))
    for step in range(60):
        angle = step / 60 * 2 * np.pi
        yield from ui.move(round(x + 230 * np.sin(angle)), round(y + 180 * np.sin(2 * angle)))
        if step == 33:
            ui.screenshot("recording")
    frame = bpy.context.scene.frame_current
    assert frame > 10, "time goes on while recording"
    yield from release(ui, (x, y))
    rig = bpy.data.objects["Bear"]
    action = rig.animation_data.action
    first, last = action.frame_range
    assert first == 1
    assert abs(last - frame) <= 2
    assert bpy.context.scene.frame_current == 1
    seen = []
    for frame in range(1, int(last), 6):
        bpy.context.scene.frame_set(frame)
        seen.append(pose_of(rig))
    assert np.ptp(np.array(seen), axis=0).max() > 0.3, "it plays what was performed"
    ui.screenshot("recorded")
    with ui.override():
        bpy.ops.ed.undo()
    yield 0.2
    rig = bpy.data.objects["Bear"]
    assert rig.animation_data is None or rig.animation_data.action is None, "undo takes the recording back"
