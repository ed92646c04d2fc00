# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded frames are right: in real time, in slow motion, and to a scene that plays with sound."""

import math
import struct
import time
import wave

import bpy
import numpy as np
from bears import add_bear

HELD = 1.5  # seconds that the cursor stands still before and after it jumps


def scenario(ui):
    ui.clear()
    with ui.override():
        add_bear().posewright.spatial.live = False
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_all()
    ui.area().spaces.active.shading.type = "WIREFRAME"
    bpy.context.preferences.system.viewport_aa = "OFF"
    scene = bpy.context.scene
    scene.render.fps = 25
    scene.frame_set(11)
    with ui.override():
        bpy.ops.ed.undo_push(message="ready")
    yield from ui.settle()
    for speed in (1.0, 0.25):
        settings().record_speed = speed
        with ui.override():
            bpy.ops.ed.undo_push(message="speed")
        yield from jump(ui, rate=25 * speed)
    settings().record_with_scene = True
    with ui.override():
        bpy.ops.ed.undo_push(message="to the scene")
    for sync, kept in (("NONE", "NONE"), ("AUDIO_SYNC", "AUDIO_SYNC")):
        bpy.context.scene.sync_mode = sync
        yield from jump(ui, rate=25, played=kept)
    add_sound(ui, bpy.context.scene)
    bpy.context.scene.sync_mode = "NONE"
    with ui.override():
        bpy.ops.ed.undo_push(message="with sound")
    yield from jump(ui, rate=25, played="AUDIO_SYNC")
    yield from end_of_the_range(ui)
    yield from outside_the_range(ui)
    yield from beside_playback(ui)


def rig():
    return bpy.data.objects["Bear"]


def settings():
    return rig().posewright.spatial


def simulate(ui, kind, value, at):
    ui.window.event_simulate(type=kind, value=value, x=at[0], y=at[1])


def begin(ui):
    """Press Record, and press the button at the cursor; returns where that is."""
    with ui.override():
        bpy.ops.posewright.perform("INVOKE_DEFAULT", record=True)
    yield from ui.settle()
    at = ui.on_screen(settings().sets[0].cursor.matrix_world.translation)
    yield from ui.move(*at)
    simulate(ui, "LEFTMOUSE", "PRESS", at)
    return at


def jump(ui, rate, played=""):
    """Record a cursor that stands still, jumps once and stands still.

    Events are handled when Blender comes round to it, which takes long without a graphics card. So every
    moment is known by a time at which it was not yet, and a time at which it was.
    """
    scene = bpy.context.scene
    at = yield from begin(ui)
    pressed = time.perf_counter()
    yield from ui.until(lambda: scene.frame_current > 11, what="time to go on")
    going = time.perf_counter()
    yield HELD
    if played:
        assert ui.window.screen.is_animation_playing
        assert scene.sync_mode == played
    there = (at[0] + 200, at[1] + 100)
    cursor = settings().sets[0].cursor
    x, still_at = cursor.location.x, scene.frame_current
    yield from ui.settle()
    yield from ui.move(*there)
    yield from ui.until(lambda: cursor.location.x > x + 0.1, what="the jump")
    yield from ui.settle()
    there_at = scene.frame_current
    yield HELD
    held, held_at = time.perf_counter(), scene.frame_current
    simulate(ui, "LEFTMOUSE", "RELEASE", there)
    yield from ui.until(lambda: scene.frame_current == 11, what="the end of the take")
    over = time.perf_counter()
    yield from ui.settle()
    assert not ui.window.screen.is_animation_playing
    assert scene.frame_current == 11, "back to where it began"
    frames, values = recorded("head")
    assert frames[0] == 11
    assert np.array_equal(frames, np.arange(11, frames[-1] + 1)), "a key on every frame"
    assert frames[-1] >= held_at, "recorded until the button was let go"
    length = frames[-1] - 11
    slack = 0.15 if played else 0.0  # of Blender's playback, which skips whole frames to keep up
    least, most = (held - going) * rate * (1.0 - slack) - 2, (over - pressed) * rate * (1.0 + slack) + 2
    assert least <= length <= most, f"{length} frames, between {least:.1f} and {most:.1f} were performed"
    moved = frames[1:][np.abs(np.diff(values, axis=0)).max(axis=1) > 1e-4]
    assert len(moved), "the jump was recorded"
    assert still_at - 1 <= moved[0] <= moved[-1] <= there_at + 1, f"{moved}, not {still_at} to {there_at}"
    with ui.override():
        bpy.ops.ed.undo()
    yield from ui.settle()


def recorded(bone):
    data = rig().animation_data
    bag = data.action.layers[0].strips[0].channelbag(data.action_slot)
    curves = [curve for curve in bag.fcurves if f'"{bone}"' in curve.data_path]
    keys = np.array([[tuple(key.co) for key in curve.keyframe_points] for curve in curves])
    return keys[0, :, 0], keys[:, :, 1].T


def add_sound(ui, scene):
    path = ui.temporary / "beat.wav"
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        notes = (round(8000 * math.sin(0.3 * n) * (n % 4000 < 800)) for n in range(8000 * 8))
        sound.writeframes(b"".join(struct.pack("<h", note) for note in notes))
    editor = scene.sequence_editor_create()
    editor.strips.new_sound(name="beat", filepath=str(path), channel=1, frame_start=1)


def end_of_the_range(ui):
    """Playback that comes to the end of the range ends the recording there."""
    scene = bpy.context.scene
    scene.frame_end = 30
    yield from begin(ui)
    yield from ui.until(lambda: rig().animation_data and rig().animation_data.action, what="the end")
    yield from ui.settle()
    simulate(ui, "LEFTMOUSE", "RELEASE", ui.middle())
    yield from ui.settle()
    frames, _ = recorded("head")
    assert (frames[0], frames[-1]) == (11, 30), frames
    assert scene.sync_mode == "NONE", "as it was"
    with ui.override():
        bpy.ops.ed.undo()
    yield from ui.settle()


def outside_the_range(ui):
    scene = bpy.context.scene
    scene.frame_end = 30
    scene.frame_set(40)
    before = tuple(settings().sets[0].cursor.location)
    at = yield from begin(ui)
    yield from ui.settle()
    simulate(ui, "LEFTMOUSE", "RELEASE", at)
    yield from ui.settle()
    assert not ui.window.screen.is_animation_playing
    assert rig().animation_data is None or rig().animation_data.action is None
    assert scene.frame_current == 40
    assert tuple(settings().sets[0].cursor.location) == before
    ui.screenshot("outside the range")


def beside_playback(ui):
    """A take that keeps its own time stops the scene's, which would show other frames in between."""
    scene = bpy.context.scene
    settings().record_with_scene = False
    scene.frame_set(11)
    with ui.override():
        bpy.ops.screen.animation_play()
    assert ui.window.screen.is_animation_playing
    at = yield from begin(ui)
    yield from ui.until(lambda: scene.frame_current > 30, what="a take that goes beyond the range")
    assert not ui.window.screen.is_animation_playing
    yield from ui.press("ESC", at=at)
    yield from ui.settle()
    simulate(ui, "LEFTMOUSE", "RELEASE", at)
    assert rig().animation_data is None or rig().animation_data.action is None
