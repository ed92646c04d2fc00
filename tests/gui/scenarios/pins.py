# SPDX-License-Identifier: GPL-3.0-or-later
"""A dance at few keys: its hips are lowered with feet that slide and with pins, and a pin is dragged."""

import bpy
import numpy as np
from installed import part

CLIP = "Samba_Dancing.fbx"


def rig():
    """The armature as it is now: undo makes every older reference useless."""
    return bpy.data.objects[RIG[0]]


RIG = [""]


def planted_foot(frame):
    """Where the feet that stand in a frame are, as Blender shows them, and where they stood, in metres."""
    stances, reductions = part("bridge.distil.feet.stances"), part("bridge.distil.reductions")
    reduction = reductions.get(rig())
    frames = reduction.analysis().frames
    row = int(np.searchsorted(frames, frame))
    found = []
    for bone, some in stances.contacts_of(reduction).items():
        for each in some:
            if each.first <= row <= each.last:
                now = stances.posed_now(rig(), frames[[row]], [bone]).end(rig(), bone)[0]
                found.append((now, each.place))
    return found


def off(frame):
    return max(np.linalg.norm(now - stood) for now, stood in planted_foot(frame))


def columns():
    actions = part("bridge.actions")
    return np.unique(actions.key_frames(actions.curves_of(rig())).round(3))


def lower_hips(frame):
    """By ten centimetres, and press I."""
    bpy.context.scene.frame_set(int(frame))
    hips = next(bone for bone in rig().pose.bones if bone.name.endswith("Hips"))
    world = rig().matrix_world @ hips.matrix
    world.translation.z -= 0.1
    hips.matrix = rig().matrix_world.inverted() @ world
    hips.keyframe_insert("location")
    bpy.ops.ed.undo_push(message="Pose")


def side_view(ui):
    with ui.override():
        bpy.ops.view3d.view_axis(type="RIGHT")
        bpy.ops.view3d.view_selected()
    space = ui.area().spaces.active
    space.overlay.show_relationship_lines = False
    yield 0.6


def scenario(ui):
    ui.clear()
    bpy.context.view_layer.objects.active = ui.character(CLIP)
    RIG[0] = bpy.context.view_layer.objects.active.name
    bpy.context.preferences.system.viewport_aa = "OFF"
    yield from ui.frame_all()
    yield from ui.open_sidebar()
    bpy.ops.posewright.analyze()
    rig().posewright.key_count = 22
    at = next(frame for frame in columns()[5:-5] if len(planted_foot(frame)) == 2)
    bpy.context.scene.frame_set(int(at))
    bpy.ops.ed.undo_push(message="Analyzed")
    yield from side_view(ui)

    lower_hips(at)
    yield 0.5
    assert off(at) > 0.08, "without pins the feet go down with the hips"
    ui.screenshot("pins-1-without")
    yield from ui.press("Z", ctrl=True)
    yield 0.5

    rig().posewright.hold = "PINS"
    assert rig().posewright.problem == ""
    bpy.ops.ed.undo_push(message="Pins")
    lower_hips(at)
    yield 0.5
    assert off(at) < 0.005, "with pins they stay"
    ui.screenshot("pins-2-with")

    rig().posewright.key_count = 30
    bpy.context.scene.frame_set(int(at))
    yield 0.5
    assert off(at) < 0.005, "and so with another number of keys"

    pin = next(thing for thing in bpy.context.scene.objects if thing.name.endswith("LeftFoot pin"))
    name, before = pin.name, pin.matrix_world.translation.copy()
    for thing in bpy.context.selected_objects:
        thing.select_set(False)
    pin.select_set(True)
    bpy.context.view_layer.objects.active = pin
    x, y = ui.middle()
    yield from ui.press("G", at=(x, y))
    yield from ui.press("Z", at=(x, y))
    for step in range(10):
        yield from ui.move(x, y + 6 * step)
    yield from ui.press("RET", at=(x, y + 60))
    yield from ui.press("I", at=(x, y + 60))
    yield 0.5
    pin = bpy.data.objects[name]
    assert (pin.matrix_world.translation - before).z > 0.02, "the pin was moved by G Z and the mouse"
    foot = next(now for now, _ in planted_foot(at) if np.linalg.norm(now - np.array(before)) < 0.3)
    assert np.linalg.norm(foot - np.array(pin.matrix_world.translation)) < 0.005, "its foot went along"
    ui.screenshot("pins-3-a-pin-moved")
    yield from ui.press("Z", ctrl=True)
    yield from ui.press("Z", ctrl=True)
    yield 0.5
    bpy.context.view_layer.objects.active = rig()
    rig().posewright.show_original = True
    yield 0.5
    ui.screenshot("pins-4-original")
    rig().posewright.show_original = False
    bpy.ops.posewright.restore()
    assert not [thing for thing in bpy.data.objects if thing.name.endswith(" pin")]
