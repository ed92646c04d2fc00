# SPDX-License-Identifier: GPL-3.0-or-later
"""The cursor, the markers with their names and weights, and the trail of a recording, over the viewport."""

from __future__ import annotations

from typing import Any

import blf
import bpy
import gpu
import numpy as np
from bpy.app.translations import pgettext_iface as iface_
from mathutils import Vector

from ..bridge.spatial import sets
from ..bridge.spatial.blending import key_figures, mapping_cache
from ..bridge.spatial.blending.mapping import SetMapping
from ..bridge.spatial.making import empties
from ..core import InputError
from .flat_shapes import Colour, draw_discs, draw_labels, draw_line, draw_plates, draw_sticks, on_screen

RED: Colour = (0.95, 0.12, 0.08, 1.0)
YELLOW: Colour = (1.0, 0.8, 0.1, 1.0)
GREEN: Colour = (0.25, 0.9, 0.45, 1.0)
RING = 22.0  # pixels from what holds on to the ground, where the view looks
SHADOW: Colour = (0.35, 0.05, 0.03, 0.9)

TEXT = 11.0  # pixels high
FAINTEST = 0.85  # words and picture of a key that does not count
LABEL = Vector((14.0, -4.0))  # from a marker to the words beside it
# Pixels of the picture above them and around what it shows; no picture is larger than such a share of the
# character on the screen, or it would hide it, and none is too small to see a pose in.
PICTURE, MARGIN, OF_CHARACTER, SMALLEST = 46.0, 3.0, 0.2, 18.0
MANY_KEYS, COUNTS = 24, 0.05  # where there are more keys, only those that count so much have a picture

# World places (n, 3) the cursor went through while recording, and what to say while performing.
_trail = np.empty((0, 3))
_banner: str = ""
_ground: float | None = None  # the height on which the cursor throws its shadow, while it is dragged
_standing: Vector | None = None  # where a foot holds on to the ground, while walking
_redraws = 0
_handle: Any = None


def redraws() -> int:
    """How often a viewport was drawn so far: events between two redraws are handled in one turn."""
    return _redraws


def set_trail(places: np.ndarray | None) -> None:
    """Show where the cursor went; None for nothing."""
    global _trail
    _trail = np.empty((0, 3)) if places is None else places


def set_ground(level: float | None) -> None:
    """Show the shadow of the cursor on the ground at some height; None for nothing."""
    global _ground
    _ground = level


def set_standing(place: Vector | None) -> None:
    """Show where a character that walks holds on to the ground; None for nothing."""
    global _standing
    _standing = place


def set_banner(text: str) -> None:
    """A line at the top of the viewport, while performing."""
    global _banner
    _banner = text


def draw() -> None:
    global _redraws
    _redraws += 1
    context = bpy.context
    if not context.space_data.overlay.show_overlays:
        return
    armature = sets.character_of(context.object)
    if armature is None or not sets.settings_of(armature).show:
        return
    spatial_set = sets.active_set(armature)
    if spatial_set is None:
        return
    gpu.state.blend_set("ALPHA")
    try:
        _draw_trail(context)
        _draw_shadow(context, sets.cursor_in_use(spatial_set))
        _draw_standing(context)
        _draw_set(context, armature, spatial_set)
        _draw_message(context, _banner or sets.settings_of(armature).message)
    finally:
        gpu.state.blend_set("NONE")


def _draw_set(
    context: bpy.types.Context, armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup
) -> None:
    scale = context.preferences.system.ui_scale
    cursor = _place_of(context, sets.cursor_in_use(spatial_set))
    mapping = _mapping(armature, spatial_set)
    keys = sets.usable_keys(spatial_set)
    weights = _weights(armature, spatial_set, mapping, len(keys))
    places = [_place_of(context, key.marker) for key in keys]
    rows = [row for row, place in enumerate(places) if place is not None]
    seen = [(places[row], keys[row].name, weights[row], min(max(weights[row], 0.0), 1.0)) for row in rows]
    # Text comes last: drawing it turns blending off.
    for marker, _, _, strength in seen:
        if cursor is not None and strength > 0.005:
            draw_line([cursor, marker], (*YELLOW[:3], 0.1 + 0.8 * strength), (1.0 + 3.0 * strength) * scale)
    discs = [(marker, (4.5 + 5.0 * strength) * scale, YELLOW) for marker, _, _, strength in seen]
    draw_discs(discs if cursor is None else [*discs, (cursor, 9.0 * scale, RED)])
    if mapping is not None:
        pictured = [n for n, (*_, strength) in enumerate(seen) if len(seen) <= MANY_KEYS or strength > COUNTS]
        figures = key_figures.figures_of(armature, mapping)[[rows[n] for n in pictured]]
        corners = np.array([seen[n][0] + LABEL * scale for n in pictured])
        _draw_pictures(context, armature, figures, corners, np.array([seen[n][3] for n in pictured]))
    draw_labels(
        [
            (
                marker + LABEL * scale,
                f"{name}  {round(100 * weight)}%",
                TEXT * scale,
                FAINTEST + (1.0 - FAINTEST) * strength,
            )
            for marker, name, weight, strength in seen
        ]
    )


def _draw_pictures(
    context: bpy.types.Context,
    armature: bpy.types.Object,
    figures: np.ndarray,
    labels: np.ndarray,
    strengths: np.ndarray,
) -> None:
    """The pose of each key above its label (K, 2), as it would be seen from here; all of them in one go."""
    if not figures.size:
        return
    scale = context.preferences.system.ui_scale
    axes = np.array(context.region_data.view_matrix.to_3x3() @ armature.matrix_world.to_3x3())
    flat = figures @ axes[:2].T
    low, high = flat.min(axis=(1, 2)), flat.max(axis=(1, 2))
    extent = max(float((high - low).max()), 1e-9)  # of all alike, so that they can be compared
    size = min(PICTURE * scale, OF_CHARACTER * extent * _pixels_a_unit(context, armature))
    if size < SMALLEST * scale:
        return
    corners = labels + np.array([-0.4, 1.2]) * TEXT * scale
    draw_plates([(left, below, left + size, below + size) for left, below in corners])
    flat = (flat - (low + high)[:, None, None] / 2.0) * ((size - 2.0 * MARGIN * scale) / extent)
    sticks = flat + corners[:, None, None] + size / 2.0
    colours = np.ones((*sticks.shape[:2], 4))
    colours[..., 3] = FAINTEST + (1.0 - FAINTEST) * strengths[:, None]
    draw_sticks(sticks.reshape(-1, 2, 2), colours.reshape(-1, 4), 2.0 * scale)


def _pixels_a_unit(context: bpy.types.Context, armature: bpy.types.Object) -> float:
    """How large a unit of the world is on the screen where the character stands."""
    place = armature.matrix_world.translation
    across = context.region_data.view_rotation @ Vector((1.0, 0.0, 0.0))
    here, there = on_screen(context, place), on_screen(context, place + across)
    return 0.0 if here is None or there is None else (there - here).length


def _mapping(armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup) -> SetMapping | None:
    """None if the keys cannot be solved: a message says what is wrong with them."""
    try:
        return mapping_cache.mapping_of(armature, spatial_set)
    except InputError:
        return None


def _weights(
    armature: bpy.types.Object,
    spatial_set: bpy.types.PropertyGroup,
    mapping: SetMapping | None,
    count: int,
) -> list[float]:
    """How much each key counts now: nothing without a cursor, or if the keys cannot be solved."""
    cursor = sets.cursor_in_use(spatial_set)
    if mapping is None or cursor is None:
        return [0.0] * count
    return mapping.weights(empties.place_of(armature, cursor)).tolist()


def _draw_trail(context: bpy.types.Context) -> None:
    points = [on_screen(context, place) for place in _trail]
    seen = [point for point in points if point is not None]
    if len(seen) > 1:
        draw_line(seen, (*RED[:3], 0.8), 2.0 * context.preferences.system.ui_scale)


def _draw_shadow(context: bpy.types.Context, cursor: bpy.types.Object | None) -> None:
    """A line from the cursor down to the ground, and its shadow there, which can be dragged."""
    if cursor is None or _ground is None:
        return
    place, scale = cursor.matrix_world.translation, context.preferences.system.ui_scale
    shadow = on_screen(context, Vector((place.x, place.y, _ground)))
    above = on_screen(context, place)
    if shadow is not None and above is not None:
        draw_line([above, shadow], (*RED[:3], 0.5), 1.5 * scale)
        draw_discs([(shadow, 7.0 * scale, SHADOW)])


def _draw_standing(context: bpy.types.Context) -> None:
    """A point where it holds, and a ring on the ground around it."""
    view, scale = context.region_data, context.preferences.system.ui_scale
    if _standing is None or view is None:
        return
    size = RING * scale * view.view_distance / max(context.region.height, 1)
    angles = np.linspace(0.0, 2.0 * np.pi, 33)
    ring = np.stack([np.cos(angles), np.sin(angles), np.zeros(33)], axis=1) * size + np.array(_standing)
    points = [on_screen(context, Vector(place)) for place in (_standing, *ring)]
    seen = [point for point in points if point is not None]
    if len(seen) == len(points):
        draw_line(seen[1:], GREEN, 2.5 * scale)
        draw_discs([(seen[0], 4.0 * scale, GREEN)])


def _draw_message(context: bpy.types.Context, sentence: str) -> None:
    if sentence:
        text = iface_(sentence)  # as the panel says it
        scale = context.preferences.system.ui_scale
        blf.size(0, 13 * scale)
        width, _ = blf.dimensions(0, text)
        at = Vector(((context.region.width - width) / 2.0, 24 * scale))
        draw_labels([(at, text, 13 * scale, 1.0)])


def _place_of(context: bpy.types.Context, thing: bpy.types.Object | None) -> Vector | None:
    return None if thing is None else on_screen(context, thing.matrix_world.translation)


def register() -> None:
    global _handle
    _handle = bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", "POST_PIXEL")


def unregister() -> None:
    global _handle
    bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
    _handle = None
    set_trail(None)
    set_ground(None)
    set_standing(None)
    set_banner("")
    key_figures.forget_figures()
