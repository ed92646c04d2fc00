# SPDX-License-Identifier: GPL-3.0-or-later
"""The cursor, the markers with their names and weights, and the trail of a recording, over the viewport."""

from __future__ import annotations

from typing import Any

import blf
import bpy
import gpu
import numpy as np
from mathutils import Vector

from ..bridge.spatial import empties, mapping_cache, sets
from ..core import InputError
from .flat_shapes import Colour, draw_discs, draw_labels, draw_line, on_screen

RED: Colour = (0.95, 0.12, 0.08, 1.0)
YELLOW: Colour = (1.0, 0.8, 0.1, 1.0)
SHADOW: Colour = (0.35, 0.05, 0.03, 0.9)

# World places (n, 3) the cursor went through while recording, and what to say while performing.
_trail = np.empty((0, 3))
_banner: str = ""
_ground: float | None = None  # the height on which the cursor throws its shadow, while it is dragged
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
        _draw_set(context, armature, spatial_set)
        _draw_message(context, _banner or sets.settings_of(armature).message)
    finally:
        gpu.state.blend_set("NONE")


def _draw_set(
    context: bpy.types.Context, armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup
) -> None:
    scale = context.preferences.system.ui_scale
    cursor = _place_of(context, sets.cursor_in_use(spatial_set))
    seen = [
        (marker, key.name, weight, min(max(weight, 0.0), 1.0))
        for key, weight in _weighted_keys(armature, spatial_set)
        if (marker := _place_of(context, key.marker)) is not None
    ]
    # Text comes last: drawing it turns blending off.
    for marker, _, _, strength in seen:
        if cursor is not None and strength > 0.005:
            draw_line([cursor, marker], (*YELLOW[:3], 0.1 + 0.8 * strength), (1.0 + 3.0 * strength) * scale)
    discs = [(marker, (4.5 + 5.0 * strength) * scale, YELLOW) for marker, _, _, strength in seen]
    draw_discs(discs if cursor is None else [*discs, (cursor, 9.0 * scale, RED)])
    draw_labels(
        [
            (
                marker + Vector((14, -4)) * scale,
                f"{name}  {round(100 * weight)}%",
                11 * scale,
                0.65 + 0.35 * strength,
            )
            for marker, name, weight, strength in seen
        ]
    )


def _weighted_keys(
    armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup
) -> list[tuple[bpy.types.PropertyGroup, float]]:
    """The keys with their current weights: zeros without a cursor, or if the keys cannot be solved."""
    keys = sets.usable_keys(spatial_set)
    weights = np.zeros(len(keys))
    try:
        mapping = mapping_cache.mapping_of(armature, spatial_set)
        cursor = sets.cursor_in_use(spatial_set)
        if cursor is not None:
            weights = mapping.weights(empties.place_of(armature, cursor))
    except InputError:
        pass  # the message says what is wrong with the keys
    return list(zip(keys, weights.tolist(), strict=True))


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


def _draw_message(context: bpy.types.Context, text: str) -> None:
    if text:
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
    set_banner("")
