# SPDX-License-Identifier: GPL-3.0-or-later
"""What was found of the active character, over the viewport: ground, front, hips, spine, limbs, feet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import gpu
import numpy as np
from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_n as n_
from mathutils import Vector

from ..bridge.character import Sketch, armature_of, sketch
from ..languages import OURS
from .flat_shapes import WHITE, Colour, draw_discs, draw_line, draw_text, on_screen

# Left is blue and right orange, as in every picture (core/picture/colours.py).
LEFT: Colour = (0.35, 0.8, 1.0, 1.0)
RIGHT: Colour = (1.0, 0.45, 0.3, 1.0)
MIDDLE: Colour = (1.0, 0.85, 0.3, 1.0)
GROUND: Colour = (0.75, 0.75, 0.75, 0.9)
FRONT: Colour = (0.45, 0.95, 0.45, 1.0)
COLOURS = {"L": LEFT, "R": RIGHT}

_handle: Any = None


def draw() -> None:
    context = bpy.context
    armature = armature_of(context.object)
    if armature is None or not armature.posewright.character.show:
        return
    if not context.space_data.overlay.show_overlays or armature.data.is_editmode:
        return
    drawn = sketch(armature)
    if drawn is None:
        return
    gpu.state.blend_set("ALPHA")
    try:
        _draw(context, drawn)
    finally:
        gpu.state.blend_set("NONE")


def _draw(context: bpy.types.Context, drawn: Sketch) -> None:
    scale = context.preferences.system.ui_scale
    for points, colour, width in _lines(drawn):
        seen = [on_screen(context, point) for point in points]
        ahead = [point for point in seen if point is not None]
        if len(ahead) == len(seen):
            draw_line(ahead, colour, width * scale)
    marks = [(word, place) for word, at in drawn.places if (place := on_screen(context, at)) is not None]
    draw_discs([(place, 5.0 * scale, COLOURS.get(word, MIDDLE)) for word, place in marks])
    tip = on_screen(context, drawn.arrow[1])
    for word, place in [*marks, *([(n_("Front"), tip)] if tip is not None else [])]:
        draw_text(place + Vector((9, -4)) * scale, iface_(word, OURS), 11 * scale, WHITE[3])


def _lines(drawn: Sketch) -> Iterator[tuple[np.ndarray, Colour, float]]:
    yield drawn.ring, GROUND, 2.0
    yield drawn.arrow, FRONT, 3.0
    for lines, colour in ((drawn.middle, MIDDLE), (drawn.left, LEFT), (drawn.right, RIGHT)):
        for points in lines:
            yield points, colour, 4.0


def register() -> None:
    global _handle
    _handle = bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", "POST_PIXEL")


def unregister() -> None:
    global _handle
    bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
    _handle = None
