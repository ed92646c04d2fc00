# SPDX-License-Identifier: GPL-3.0-or-later
"""Performing by hand: keys set, the cursor dragged, a take recorded, played and undone; Esc undoes all."""

import bpy
import numpy as np
from bears import KEYS, MIRRORED, apply_pose, build_bear, posed


def pose_of(rig):
    return np.array([bone.matrix_basis for bone in rig.pose.bones])


def look_from_the_front(ui):
    space = ui.area().spaces.active
    space.overlay.show_relationship_lines = False
    space.shading.color_type = "MATERIAL"
    with ui.override():
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_all()
    yield 0.5


def scenario(ui):
    ui.clear()
    with ui.override():
        rig = build_bear()
    yield from ui.open_sidebar("Perform")
    yield from ui.widen_sidebar(80)
    yield from look_from_the_front(ui)
    yield from set_keys(ui, rig)
    yield from look_from_the_front(ui)
    ui.screenshot("ready")
    yield from perform_and_cancel(ui, rig)
    yield from perform_and_keep(ui, rig)
    yield from record(ui)


def set_keys(ui, rig):
    settings = rig.posewright.spatial
    yield from ui.press_button("posewright.spatial_set_add")
    spatial_set = settings.sets[0]
    for name, (place, turns, hips) in KEYS.items():
        apply_pose(rig, posed(rig, turns, hips))
        spatial_set.cursor.location = place
        with ui.override():
            bpy.ops.posewright.spatial_key_add(name=name)
        yield None
    for name in MIRRORED:
        spatial_set.key_index = spatial_set.keys.find(name)
        with ui.override():
            bpy.ops.posewright.spatial_key_mirror()
        yield None
    assert len(spatial_set.keys) == len(KEYS) + len(MIRRORED)
    with ui.override():
        spatial_set.key_index = 0
        bpy.ops.posewright.spatial_key_go_to()
        bpy.ops.ed.undo_push(message="ready")


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
    for step in range(4):
        yield from ui.move(x + 45 * step, y + 15 * step)
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


def record(ui):
    rig = bpy.data.objects["Bear"]
    settings = rig.posewright.spatial
    settings.record_keys = "DISTIL"
    cursor = settings.sets[0].cursor
    yield from start(ui, record=True)
    x, y = ui.on_screen(cursor.matrix_world.translation)
    yield from press(ui, (x, y))
    for step in range(24):
        angle = step / 24 * 2 * np.pi
        yield from ui.move(round(x + 230 * np.sin(angle)), round(y + 190 * np.sin(2 * angle)))
        if step == 15:
            yield 0.3
            ui.screenshot("recording")
    frame = bpy.context.scene.frame_current
    assert frame > 10, "time goes on while recording"
    yield from release(ui, (x, y))
    yield from ui.until(lambda: bpy.context.scene.frame_current == 1, what="the end of the take")
    rig = bpy.data.objects["Bear"]
    action = rig.animation_data.action
    first, last = action.frame_range
    assert first == 1
    assert last >= frame, "until the button was let go"
    assert bpy.context.scene.frame_current == 1
    seen = []
    for frame in np.linspace(1, last, 12).astype(int).tolist():
        bpy.context.scene.frame_set(frame)
        seen.append(pose_of(rig))
    assert np.ptp(np.array(seen), axis=0).max() > 0.3, "it plays what was performed"
    yield 0.5
    ui.screenshot("recorded")
    with ui.override():
        bpy.ops.ed.undo()
    yield 0.2
    rig = bpy.data.objects["Bear"]
    assert rig.animation_data is None or rig.animation_data.action is None, "undo takes the recording back"
