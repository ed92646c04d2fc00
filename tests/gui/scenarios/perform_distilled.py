# SPDX-License-Identifier: GPL-3.0-or-later
"""A long take of many bones is distilled beside the window, and Esc at any moment keeps all of it.

What Esc takes goes to perform_distilled.txt beside the screenshots.
"""

import threading

import bpy
import numpy as np
from distil_cancel import Watch, make_drawing_cheap
from installed import part

from benchmarks.random_character import random_character

jobs = part("operators.background_job")
FRAMES = 1400  # nearly a minute of animation


def scenario(ui):
    ui.clear()
    with ui.override():
        random_character(bones=100, keys=30, random=np.random.default_rng(5))
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_all()
    make_drawing_cheap(ui)
    settings().show = False
    settings().record_keys, settings().record_error, settings().record_speed = "DISTIL", 0.01, 4.0
    bpy.context.scene.render.fps = 240  # so that it does not take a minute to perform
    yield from ui.open_sidebar("Perform")
    with ui.override():
        bpy.ops.ed.undo_push(message="ready")
    place = cursor().location.copy()

    figures = ["Below half, hearing Esc includes writing the keys on every frame, in steps as well."]
    for wanted in (0.0, 0.41, 0.5, 0.6, 0.7):
        job = yield from take(ui)
        watch = Watch(ui, job, wanted)
        yield from ui.until(lambda job=job: not job.open, seconds=90.0, what="the take")
        assert watch.pressed is not None, "Esc was pressed on its way"
        figures.append(str(watch))
        keys = keys_of_curves()
        assert {len(each) for each in keys} == {len(keys[0])}
        assert len(keys[0]) > FRAMES, "a key on every frame"
        assert np.array_equal(keys[0][:, 0], np.arange(1, len(keys[0]) + 1))
        assert (cursor().location - place).length > 0.05, "the cursor is where it was performed to"
        yield from after_the_take()
        yield from undo(ui)
        assert rig().animation_data is None or rig().animation_data.action is None, "one undo takes it back"
        assert (cursor().location - place).length < 1e-5
    print("\n".join(figures))
    (ui.screenshots / f"{ui.name}.txt").write_text("\n".join(figures) + "\n")

    # Saved meanwhile, the file has a key on every frame; distilling goes on if it had begun.
    for wanted in (0.0, 0.55):
        job = yield from take(ui)
        yield from ui.until(lambda job=job, wanted=wanted: job.share >= wanted, what="its share")
        with ui.override():
            bpy.ops.wm.save_as_mainfile(filepath=str(ui.temporary / "meanwhile.blend"), copy=True)
        saved = keys_of_curves()
        assert {len(each) for each in saved} == {len(saved[0])}
        assert len(saved[0]) > FRAMES
        assert not settings().live, "in that file the take plays"
        yield from ui.until(lambda job=job: not job.open, seconds=90.0, what="the take")
        assert (len(keys_of_curves()[0]) < FRAMES) == (wanted > 0.5)
        yield from after_the_take()
        yield from undo(ui)
        assert rig().animation_data is None or rig().animation_data.action is None, "one undo takes it back"

    # Waited for, it has few keys; meanwhile keys and clicks do nothing.
    job = yield from take(ui)
    yield from ui.until(lambda: job.share > 0.5, what="the distilling")
    ui.screenshot("writing")
    ui.window.event_simulate(type="X", value="PRESS", x=ui.middle()[0], y=ui.middle()[1])
    ui.window.event_simulate(type="X", value="RELEASE", x=ui.middle()[0], y=ui.middle()[1])
    yield from ui.until(lambda: not job.open, seconds=90.0, what="the distilling")
    keys = keys_of_curves()
    assert 2 < len(keys[0]) < FRAMES, "few keys"
    assert keys[0][-1, 0] > FRAMES
    yield from after_the_take()
    yield from undo(ui)
    assert rig().animation_data is None or rig().animation_data.action is None, "one undo takes it back"
    yield from bake(ui)


def bake(ui):
    """Bake Cursor does its work beside the window as well; there Esc leaves everything as it was."""
    scene = bpy.context.scene
    for frame, place in ((1, (0.5, 0.2, 0.1)), (200, (-0.6, 0.3, 0.4)), (400, (0.2, -0.7, -0.3))):
        cursor().location = place
        cursor().keyframe_insert("location", frame=frame)
    scene.frame_end = 400
    scene.frame_set(9)
    with ui.override():
        bpy.ops.ed.undo_push(message="the cursor is animated")
    actions = len(bpy.data.actions)
    for wanted in (0.05, 0.65, None):
        yield from ui.move(*ui.middle())
        with ui.override():
            bpy.ops.posewright.bake_cursor("INVOKE_DEFAULT")
        yield from ui.settle()
        ui.window.event_simulate(type="RET", value="PRESS", x=ui.middle()[0], y=ui.middle()[1])
        ui.window.event_simulate(type="RET", value="RELEASE", x=ui.middle()[0], y=ui.middle()[1])
        for _ in range(200):
            if jobs.running() is not None:
                break
            yield 0.005
        job = jobs.running()
        assert job is not None, "it is being baked"
        watch = None if wanted is None else Watch(ui, job, wanted)
        yield from ui.until(lambda job=job: not job.open, seconds=90.0, what="the bake")
        yield 0.2
        assert scene.frame_current == 9
        if watch is not None:
            assert watch.pressed is not None, "Esc was pressed on its way"
            assert rig().animation_data is None or rig().animation_data.action is None
            assert len(bpy.data.actions) == actions
    baked = keys_of_curves()[0]
    assert 2 < len(baked) < 400
    with ui.override():
        bpy.ops.screen.repeat_last()
    assert jobs.running() is None, "what is repeated, or adjusted afterwards, is done at once"
    assert np.array_equal(keys_of_curves()[0], baked)
    yield from undo(ui)
    yield from undo(ui)
    assert rig().animation_data is None or rig().animation_data.action is None


def rig():
    return bpy.data.objects["Rig"]


def settings():
    return rig().posewright.spatial


def cursor():
    return settings().sets[0].cursor


def keys_of_curves():
    data = rig().animation_data
    bag = data.action.layers[0].strips[0].channelbag(data.action_slot)
    return [np.array([tuple(key.co) for key in curve.keyframe_points]) for curve in bag.fcurves]


def take(ui):
    """Record a long drag; the job that writes it."""
    with ui.override():
        bpy.ops.posewright.perform("INVOKE_DEFAULT", record=True)
    yield from ui.settle()
    x, y = ui.on_screen(cursor().matrix_world.translation)
    yield from ui.move(x, y)
    ui.window.event_simulate(type="LEFTMOUSE", value="PRESS", x=x, y=y)
    yield from ui.settle()
    step = 0
    while bpy.context.scene.frame_current <= FRAMES:
        step += 1
        yield from ui.move(round(x + 90 * np.sin(step / 3)), round(y + 60 * np.sin(step / 4)))
        yield 0.02
    ui.window.event_simulate(type="LEFTMOUSE", value="RELEASE", x=x + 50, y=y + 40)
    for _ in range(200):
        if jobs.running() is not None:
            return jobs.running()
        yield 0.005
    raise AssertionError("the take is not being written")


def after_the_take():
    yield 0.2
    assert jobs.running() is None
    assert not [each for each in threading.enumerate() if each.name == "Posewright"]
    assert bpy.context.scene.frame_current == 1
    assert not settings().live


def undo(ui):
    with ui.override():
        bpy.ops.ed.undo()
    yield 0.2
