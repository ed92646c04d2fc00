# SPDX-License-Identifier: GPL-3.0-or-later
"""A stroke of constant speed is recorded with constant speed, however seldom Blender redraws.

While Blender draws, the mouse goes on: all its events of that time are handled at once afterwards.
"""

from typing import Any

import bpy
import numpy as np
from distil_cancel import make_drawing_cheap
from installed import part

from tests.blender.spatial_bear import BONES

EVENTS_A_SECOND = 125  # of a plain mouse
SECONDS = 3.0
WAY = round(EVENTS_A_SECOND * SECONDS)  # a pixel an event, so that pixels themselves make no stairs


def scenario(ui):
    ui.clear()
    with ui.override():
        build(ui)
        bpy.ops.view3d.view_axis(type="FRONT")
    view = ui.area().spaces.active.region_3d
    view.view_perspective, view.view_distance, view.view_location = "ORTHO", 8.0, (0.0, 0.0, 1.0)
    make_drawing_cheap(ui)
    bpy.context.scene.render.fps = 24
    bpy.context.scene.frame_end = 400
    with ui.override():
        bpy.ops.ed.undo_push(message="ready")
    figures = []
    for redraws in (3, 10, 60):
        speeds = yield from stroke(ui, redraws)
        assert len(speeds) > 30
        off = np.abs(speeds / np.median(speeds) - 1.0).max()
        figures.append(f"{redraws} redraws a second: speed within {off:.1%} of constant")
        print(figures[-1])
        (ui.screenshots / f"{ui.name}.txt").write_text("\n".join(figures) + "\n")
        assert off < 0.05, figures[-1]
        with ui.override():
            bpy.ops.ed.undo()
        yield from ui.settle()


def build(ui):
    """Two keys on a line that only move the body: what is recorded is linear in the cursor."""
    data = bpy.data.armatures.new("Bear")
    rig = bpy.data.objects.new("Bear", data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (head, tail, parent) in BONES.items():
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
        bone.parent = data.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.posewright.spatial_set_add(name="Slide")
    for x in (-2.0, 2.0):
        rig.pose.bones["body"].location.x = x / 4
        settings().sets[0].cursor.location = (x, 0.0, 1.0)
        bpy.ops.posewright.spatial_key_add(name=f"at {x}")
    settings().sets[0].cursor.location = (-1.5, 0.0, 1.0)


def settings():
    return bpy.data.objects["Bear"].posewright.spatial


class Hand:
    """Moves evenly; Blender gets its events when it has drawn, and time goes on only with its redraws."""

    def __init__(self, ui, redraws):
        self.ui, self.step, self.now = ui, 1.0 / redraws, 0.0
        self.start, self.began, self.sent = None, 0.0, 0

    def clock(self):
        return self.now

    def press(self, start):
        self.start, self.began = start, self.now
        self.ui.window.event_simulate(type="LEFTMOUSE", value="PRESS", x=start[0], y=start[1])

    def draws(self):
        if bpy.context.area != self.ui.area():
            return
        self.now += self.step
        while self.start is not None and self.sent / EVENTS_A_SECOND < min(self.now - self.began, SECONDS):
            self.sent += 1
            x = self.start[0] + round(WAY * self.sent / EVENTS_A_SECOND / SECONDS)
            self.ui.window.event_simulate(type="MOUSEMOVE", value="NOTHING", x=x, y=self.start[1])

    @property
    def is_done(self):
        return self.now - self.began > SECONDS + 2.0 * self.step


def stroke(ui, redraws):
    """The speeds between the frames of a take."""
    hand = Hand(ui, redraws)
    take_clock: Any = part("operators.take_clock")
    take_clock.perf_counter = hand.clock
    with ui.override():
        bpy.ops.posewright.perform("INVOKE_DEFAULT", record=True)
    yield from ui.settle()
    start = tuple(round(value) for value in ui.on_screen(settings().sets[0].cursor.matrix_world.translation))
    yield from ui.move(*start)
    handler = bpy.types.SpaceView3D.draw_handler_add(hand.draws, (), "WINDOW", "POST_PIXEL")
    hand.press(start)
    yield from ui.until(lambda: hand.is_done, what="the stroke", seconds=60.0)
    ui.window.event_simulate(type="LEFTMOUSE", value="RELEASE", x=start[0] + WAY, y=start[1])
    yield from ui.until(lambda: bpy.data.objects["Bear"].animation_data is not None, what="the take")
    bpy.types.SpaceView3D.draw_handler_remove(handler, "WINDOW")
    yield from ui.settle()
    data = bpy.data.objects["Bear"].animation_data
    bag = data.action.layers[0].strips[0].channelbag(data.action_slot)
    curve = bag.fcurves.find('pose.bones["body"].location', index=0)
    steps = np.diff([point.co[1] for point in curve.keyframe_points])
    moved = np.flatnonzero(np.abs(steps) > 1e-6)
    slack = 3 + round(24 / redraws)  # it begins and ends somewhere between two redraws
    return steps[moved[0] : moved[-1] + 1][slack:-slack]
