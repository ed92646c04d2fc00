# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes on top of each other: Esc in the second keeps the first, undo and redo go one take at a time."""

import bpy
import numpy as np
from bears import add_bear
from bone_selection import select_only


def scenario(ui):
    ui.clear()
    with ui.override():
        add_bear().posewright.spatial.live = False
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_all()
        bpy.ops.ed.undo_push(message="ready")
    yield from ui.settle()
    nothing = keys()
    yield from take(ui, 160, 60)
    first = keys()
    assert len(first) > 12, "all that moves of the whole body"

    settings().record_selected = True
    select_only(rig(), "head")
    with ui.override():
        bpy.ops.ed.undo_push(message="the head alone")
    before = shown()
    yield from take(ui, -150, 100, end="ESC")
    assert same(keys(), first), "Esc in the middle of the second take keeps the first"
    assert all(np.array_equal(one, other) for one, other in zip(shown(), before, strict=True))

    yield from take(ui, -150, 100)
    second = keys()
    assert same(only(second, "head", False), only(first, "head", False)), "other bones keep the first take"
    assert not same(only(second, "head"), only(first, "head"))

    settings().record_selected = False
    with ui.override():
        bpy.ops.ed.undo_push(message="the whole body again")
    yield from take(ui, 60, -150)
    third = keys()
    assert not same(third, second)
    poses = sum(len(each.keys) for each in settings().sets)
    assert len(bpy.data.actions) == poses + 2, "all takes go to one action, the path to another"

    for verb, steps in (("undo", (second, second, first, first, nothing)), ("redo", (first, first, second))):
        for number, expected in enumerate(steps):
            with ui.override():
                getattr(bpy.ops.ed, verb)()
            yield from ui.settle()
            assert same(keys(), expected), f"{verb} {number + 1}"
    assert rig().posewright.spatial.sets[0].cursor is not None
    yield from take(ui, 100, 100)
    assert not same(keys(), second), "and on it goes from there"


def rig():
    return bpy.data.objects["Bear"]


def settings():
    return rig().posewright.spatial


def keys():
    """Every key of the character, by channel."""
    data = rig().animation_data
    if data is None or data.action is None:
        return {}
    bag = data.action.layers[0].strips[0].channelbag(data.action_slot)
    return {
        (curve.data_path, curve.array_index): np.array([tuple(key.co) for key in curve.keyframe_points])
        for curve in bag.fcurves
    }


def only(found, bone, wanted=True):
    return {channel: points for channel, points in found.items() if (f'"{bone}"' in channel[0]) == wanted}


def same(one, other):
    return one.keys() == other.keys() and all(np.array_equal(one[channel], other[channel]) for channel in one)


def shown():
    """Pose, cursor and frame."""
    pose = np.array([bone.matrix_basis for bone in rig().pose.bones])
    return pose, np.array(settings().sets[0].cursor.location), np.array(bpy.context.scene.frame_current)


def take(ui, across, up, end=""):
    """Record a drag of the cursor; `end` is a key to press instead of letting go."""
    with ui.override():
        bpy.ops.posewright.perform("INVOKE_DEFAULT", record=True)
    yield from ui.settle()
    x, y = ui.on_screen(settings().sets[0].cursor.matrix_world.translation)
    yield from ui.move(x, y)
    ui.window.event_simulate(type="LEFTMOUSE", value="PRESS", x=x, y=y)
    yield from ui.settle()
    for step in range(1, 4):
        yield from ui.move(x + across * step // 3, y + up * step // 3)
    yield from ui.until(lambda: bpy.context.scene.frame_current > 5, what="time to go on")
    at = (x + across, y + up)
    if end:
        yield from ui.press(end, at=at)
    ui.window.event_simulate(type="LEFTMOUSE", value="RELEASE", x=at[0], y=at[1])
    yield from ui.until(lambda: bpy.context.scene.frame_current == 1, what="the end of the take")
    yield from ui.settle()
