# SPDX-License-Identifier: GPL-3.0-or-later
"""The way from a character to its first recorded take, by the mouse alone; what the hand does is counted."""

from __future__ import annotations

import bpy
import numpy as np


class Hand:
    """Presses what a user would, and counts it: a click, a key or a drag each."""

    def __init__(self, ui) -> None:
        self.ui = ui
        self.count = 0

    def button(self, operator, column=0.5):
        yield from self.ui.press_button(operator, column=column)
        yield from self.ui.settle()
        self.count += 1

    def ready_set(self, letter, rig):
        """The menu of ready sets, below Add Spatial Set, and the letter of one."""
        ui = self.ui
        x, y = yield from ui.find("posewright.spatial_set_add")
        below = (x, y - 26)
        yield from ui.click(*below)
        ui.screenshot("menu")
        yield from ui.press(letter, at=below)
        self.count += 2
        yield from ui.until(lambda: len(rig.posewright.spatial.sets) == 1, what="the ready set")
        yield from ui.settle()

    def keys(self, *names):
        for name in names:
            yield from self.ui.press(name)
        yield from self.ui.settle()
        self.count += len(names)

    def click(self, x, y):
        yield from self.ui.click(x, y)
        yield from self.ui.settle()
        self.count += 1

    def record(self, rig, by, seconds=5.0):
        """Press Record and drag the cursor to and fro, so long; waits until the take is written."""
        ui = self.ui
        before = None if rig.animation_data is None else rig.animation_data.action
        yield from self.button("posewright.perform", column=0.75)
        spatial = rig.posewright.spatial
        cursor = spatial.sets[spatial.set_index].cursor
        x, y = ui.on_screen(cursor.matrix_world.translation)
        yield from ui.move(x, y)
        ui.window.event_simulate(type="LEFTMOUSE", value="PRESS", x=x, y=y)
        yield from ui.settle()
        first, scene = bpy.context.scene.frame_current, bpy.context.scene
        wanted = seconds * scene.render.fps / scene.render.fps_base
        step = 0
        while scene.frame_current - first <= wanted:
            step += 1
            swing = np.sin(step / 12.0)
            yield from ui.move(round(x + by[0] * swing), round(y + by[1] * swing))
            if step == 20:
                ui.screenshot("recording")
        ui.window.event_simulate(type="LEFTMOUSE", value="RELEASE", x=x, y=y)
        self.count += 1

        def written():
            data = rig.animation_data
            return data is not None and data.action is not None and data.action != before

        yield from ui.until(written, seconds=60.0, what="the recording")
        yield from ui.settle()


def turned(rig, bone, frames):
    """(F, 3, 3) how a bone is turned in some frames, as it plays."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(int(frame))
        found.append(np.array(rig.pose.bones[bone].matrix.to_3x3().normalized()))
    return np.array(found)
