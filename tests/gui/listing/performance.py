# SPDX-License-Identifier: GPL-3.0-or-later
"""A bear that is acted with: the cursor is dragged from marker to marker; the film goes back the same way."""

import bpy
import numpy as np
from film import FRAMES, Film, tidy


def scenario(ui):
    ui.clear()
    with ui.override():
        bpy.ops.posewright.bear_add()
    bear = bpy.context.object
    tidy(ui, color_type="MATERIAL")
    yield 1.0
    yield from ui.open_sidebar("Perform")
    with ui.override():
        bpy.ops.view3d.view_axis(type="FRONT")
    yield from ui.frame_all()
    yield 1.0
    spatial_set = bear.posewright.spatial.sets[0]
    with ui.override():
        bpy.ops.posewright.perform("INVOKE_DEFAULT")
    yield 0.2
    x, y = start = ui.on_screen(spatial_set.cursor.matrix_world.translation)
    markers = [key.marker.matrix_world.translation for key in spatial_set.keys[:4]]
    places = [start, *(ui.on_screen(marker) for marker in markers)]
    yield from ui.move(x, y)
    ui.window.event_simulate(type="LEFTMOUSE", value="PRESS", x=x, y=y)
    yield None
    film = Film(ui)
    for share in np.linspace(0.0, 1.0, FRAMES // 2):
        yield from ui.move(*along(places, share))
        yield from film.take()
    yield from ui.press("ESC")


def along(places, share):
    """From place to place, slower near each."""
    at = share * (len(places) - 1)
    row = min(int(at), len(places) - 2)
    eased = (1.0 - np.cos(np.pi * (at - row))) / 2.0
    (x0, y0), (x1, y1) = places[row], places[row + 1]
    return round(x0 + (x1 - x0) * eased), round(y0 + (y1 - y0) * eased)
