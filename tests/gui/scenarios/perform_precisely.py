# SPDX-License-Identifier: GPL-3.0-or-later
"""The cursor goes where the hand sends it: along the screen, a tenth with Shift, by axis, in depth."""

import bpy
import numpy as np
from bears import add_bear
from mathutils import Quaternion, Vector

PIXELS = 120  # of every drag


def scenario(ui):
    ui.clear()
    with ui.override():
        rig = add_bear()
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_all()
    yield 0.5
    with ui.override():
        bpy.ops.posewright.perform("INVOKE_DEFAULT")
    yield 0.2
    hand = Hand(ui, rig)
    yield from flat_view(ui, hand)
    yield from perspective(ui, hand)
    yield from ui.press("ESC")
    yield from ui.settle()
    assert tuple(hand.cursor.location) == hand.first, "Esc brings it back"


class Hand:
    """Holds the cursor, and says how far each gesture moved it."""

    def __init__(self, ui, rig):
        self.ui, self.cursor = ui, rig.posewright.spatial.sets[0].cursor
        self.first = tuple(self.cursor.location)
        self.at = (0, 0)

    def event(self, kind, value, **options):
        self.ui.window.event_simulate(type=kind, value=value, x=self.at[0], y=self.at[1], **options)
        yield from self.ui.settle()
        yield None

    def on_screen(self):
        bpy.context.view_layer.update()
        return self.ui.on_screen(self.cursor.matrix_world.translation)

    def grab(self):
        self.at = self.on_screen()
        yield from self.ui.move(*self.at)
        yield from self.event("LEFTMOUSE", "PRESS")

    def let_go(self):
        yield from self.event("LEFTMOUSE", "RELEASE")

    def moves(self, across, up, **modifiers):
        """The way of the cursor for a way of the mouse."""
        before = self.cursor.location.copy()
        for _ in range(4):
            self.at = (self.at[0] + across // 4, self.at[1] + up // 4)
            yield from self.event("MOUSEMOVE", "NOTHING", **modifiers)
        return self.cursor.location - before

    def presses(self, key, text="", **modifiers):
        before = self.cursor.location.copy()
        yield from self.event(key, "PRESS", unicode=text, **modifiers)
        if not key.startswith("WHEEL"):
            yield from self.event(key, "RELEASE", **modifiers)
        return self.cursor.location - before


def close(way, expected, accuracy=1e-4):
    assert np.allclose(way, expected, atol=accuracy), f"{tuple(way)} instead of {tuple(expected)}"


def metres_a_pixel(ui):
    """At the cursor, in a flat view from the front."""
    from bpy_extras.view3d_utils import region_2d_to_location_3d

    region, view = ui.region("WINDOW"), ui.area().spaces.active.region_3d
    left, right = (region_2d_to_location_3d(region, view, (x, 0), (0, 0, 0)) for x in (0, 100))
    return (right - left).length / 100


def flat_view(ui, hand):
    view = ui.area().spaces.active.region_3d
    assert view.view_perspective == "ORTHO"
    step = PIXELS * metres_a_pixel(ui)
    yield from hand.grab()
    close((yield from hand.moves(PIXELS, -PIXELS)), (step, 0, -step))
    close((yield from hand.moves(PIXELS, PIXELS, shift=True)), (0.1 * step, 0, 0.1 * step))
    close((yield from hand.moves(-PIXELS, 0)), (-step, 0, 0))

    for key, along in (("X", (1, 0, 0)), ("Z", (0, 0, 1))):
        close((yield from hand.presses(key, key.lower())), (0, 0, 0))
        close((yield from hand.moves(PIXELS, PIXELS)), Vector(along) * step)
        close((yield from hand.presses(key, key.lower())), (0, 0, 0))  # unlocked where it is
    close((yield from hand.presses("Z", ctrl=True)), (0, 0, 0))  # no lock, and no undo in the middle
    close((yield from hand.moves(-PIXELS, -PIXELS)), (-step, 0, -step))

    depth = 0.03 * view.view_distance
    close((yield from hand.presses("WHEELUPMOUSE")), (0, depth, 0))
    close((yield from hand.presses("PAGE_UP")), (0, depth, 0))
    close((yield from hand.presses("WHEELDOWNMOUSE", shift=True)), (0, -0.1 * depth, 0))
    close((yield from hand.presses("PAGE_DOWN")), (0, -depth, 0))
    close((yield from hand.moves(PIXELS, 0)), (step, 0, 0))
    yield from hand.let_go()
    close((yield from hand.moves(PIXELS, PIXELS)), (0, 0, 0))


def perspective(ui, hand):
    view = ui.area().spaces.active.region_3d
    view.view_perspective = "PERSP"
    view.view_rotation = Quaternion((0.82, 0.42, 0.18, 0.35)).normalized()
    view.update()
    bpy.context.object.posewright.spatial.drag_in = "SCREEN"
    yield from ui.settle()
    yield from hand.grab()
    way = yield from hand.moves(PIXELS, PIXELS // 2)
    ahead = view.view_rotation @ Vector((0, 0, -1))
    assert way.length > 0.05
    assert abs(way.dot(ahead)) < 1e-3 * way.length, f"{way} is not parallel to the screen"
    at = hand.on_screen()
    way = yield from hand.presses("WHEELUPMOUSE")
    eye = view.view_matrix.inverted().translation
    sight = (hand.cursor.matrix_world.translation - eye).normalized()
    close(way, sight * 0.03 * view.view_distance, 1e-3)
    now = hand.on_screen()
    assert max(abs(a - b) for a, b in zip(at, now, strict=True)) <= 1, f"in depth it went from {at} to {now}"
    yield from hand.presses("Y", "y")
    way = yield from hand.moves(PIXELS, PIXELS)
    assert abs(way.y) > 0.02
    close((way.x, 0, way.z), (0, 0, 0))
    yield from ui.settle()
    ui.screenshot("locked")
    yield from hand.let_go()
