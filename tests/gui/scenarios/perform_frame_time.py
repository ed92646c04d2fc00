# SPDX-License-Identifier: GPL-3.0-or-later
"""What a frame costs in the window while a character of 100 bones with 30 keys is dragged.

The figures go to perform_frame_time.txt beside the screenshots. They are for reading, and decide nothing.
"""

import time
from typing import Any

import bpy
import numpy as np
from installed import part

from benchmarks.random_character import random_character

BONES, KEYS, SECONDS = 100, 30, 6.0


def scenario(ui):
    ui.clear()
    with ui.override():
        rig = random_character(BONES, KEYS, np.random.default_rng(5))
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_all()
    yield from ui.settle()
    lines = [f"Blender {bpy.app.version_string}, {BONES} bones, {KEYS} keys; median milliseconds"]
    still = yield from measured(ui, ui.area().tag_redraw)
    lines.append(f"the view drawn again without any change: {still['frame']:.0f}")
    with ui.override():
        bpy.ops.posewright.perform("INVOKE_DEFAULT")
    yield from ui.settle()
    x, y = ui.on_screen(rig.posewright.spatial.sets[0].cursor.matrix_world.translation)
    yield from ui.move(x, y)
    ui.window.event_simulate(type="LEFTMOUSE", value="PRESS", x=x, y=y)
    yield from ui.settle()
    before = np.array([bone.matrix_basis for bone in rig.pose.bones])
    steps = iter(range(100000))

    def drag():
        at = round(x + 90 * np.sin(next(steps) / 4 + 1)), round(y + 60 * np.cos(next(steps) / 4))
        ui.window.event_simulate(type="MOUSEMOVE", value="NOTHING", x=at[0], y=at[1])

    dragged = yield from measured(ui, drag)
    assert np.abs(np.array([bone.matrix_basis for bone in rig.pose.bones]) - before).max() > 0.05
    lines.append(
        f"a step of dragging: {dragged['frame']:.0f}, of which Posewright takes {dragged['pose']:.1f} "
        f"for the pose and {dragged['draw']:.1f} for markers and weights"
    )
    yield from ui.press("ESC")
    report = "\n".join(lines)
    print(report)
    (ui.screenshots / "perform_frame_time.txt").write_text(report + "\n")


def measured(ui, step):
    """Median milliseconds from one drawing of the view to the next, and of our parts in it."""
    drawing: Any = part("drawing.spatial_overlay")
    live: Any = part("bridge.spatial.live")
    spent = {"pose": [], "draw": []}
    drawn = []
    posed, drew = live.follow, drawing._draw_set
    live.follow, drawing._draw_set = timed(posed, spent["pose"]), timed(drew, spent["draw"])
    space = bpy.types.SpaceView3D
    handle = space.draw_handler_add(lambda: drawn.append(time.perf_counter()), (), "WINDOW", "POST_PIXEL")
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        step()
        yield 0.001
    space.draw_handler_remove(handle, "WINDOW")
    live.follow, drawing._draw_set = posed, drew
    # Most updates find the pose as it should be; those that had to pose take longest.
    posing = sorted(spent["pose"])[-max(1, len(drawn)) :]
    return {
        "frame": np.median(np.diff(drawn)) * 1e3,
        "pose": np.median(posing) * 1e3 if posing else 0.0,
        "draw": np.median(spent["draw"]) * 1e3 if spent["draw"] else 0.0,
    }


def timed(function, spent):
    def call(*args, **options):
        began = time.perf_counter()
        try:
            return function(*args, **options)
        finally:
            spent.append(time.perf_counter() - began)

    return call
