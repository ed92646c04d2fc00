# SPDX-License-Identifier: GPL-3.0-or-later
"""Discs, lines and words over a viewport, in pixels of its region."""

from __future__ import annotations

from collections.abc import Sequence

import blf
import bpy
import gpu
import numpy as np
from bpy_extras.view3d_utils import location_3d_to_region_2d
from gpu_extras.batch import batch_for_shader
from mathutils import Vector

Colour = tuple[float, float, float, float]

DARK: Colour = (0.05, 0.05, 0.05, 0.75)
WHITE: Colour = (1.0, 1.0, 1.0, 1.0)
PLATE: Colour = (0.05, 0.05, 0.05, 0.85)  # colours are mixed as light: less of it would be grey on white

# A round disc as 24 triangles (24, 3, 2) from its middle.
ANGLES = np.linspace(0.0, 2.0 * np.pi, 25)
RIM = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)
WEDGES = np.stack([np.zeros((24, 2)), RIM[:-1], RIM[1:]], axis=1)


def on_screen(context: bpy.types.Context, place: Vector | np.ndarray) -> Vector | None:
    """The pixel of a place in the world; None for what is behind the viewer."""
    return location_3d_to_region_2d(context.region, context.region_data, Vector(place))


def draw_discs(discs: Sequence[tuple[Vector, float, Colour]]) -> None:
    """All discs with their dark rims, later ones on top, in one go: a set may have many."""
    if not discs:
        return
    layers = [layer for at, radius, fill in discs for layer in ((at, radius + 1.5, DARK), (at, radius, fill))]
    middles = np.array([at.to_2d() for at, _, _ in layers])
    radii = np.array([radius for _, radius, _ in layers])
    corners = middles[:, None, None] + radii[:, None, None, None] * WEDGES
    points = np.zeros((len(layers), *WEDGES.shape[:2], 3), dtype=np.float32)
    points[..., :2] = corners
    fills = np.array([fill for _, _, fill in layers], dtype=np.float32)
    colours = np.repeat(fills, points[0].size // 3, axis=0)
    shader = gpu.shader.from_builtin("FLAT_COLOR")
    shader.bind()
    batch_for_shader(shader, "TRIS", {"pos": points.reshape(-1, 3), "color": colours}).draw(shader)


def draw_line(points: Sequence[Vector], colour: Colour, width: float) -> None:
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    flat = [(point.x, point.y, 0.0) for point in points]
    shader.bind()
    shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
    shader.uniform_float("lineWidth", width)
    shader.uniform_float("color", colour)
    batch_for_shader(shader, "LINE_STRIP", {"pos": flat}).draw(shader)


def draw_sticks(sticks: np.ndarray, colours: np.ndarray, width: float) -> None:
    """Any number of lines (n, 2, 2), each with its colour (n, 4), in one go."""
    points = np.zeros((2 * len(sticks), 3), dtype=np.float32)
    points[:, :2] = sticks.reshape(-1, 2)
    shader = gpu.shader.from_builtin("POLYLINE_FLAT_COLOR")
    shader.bind()
    shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
    shader.uniform_float("lineWidth", width)
    both = np.repeat(colours.astype(np.float32), 2, axis=0)
    batch_for_shader(shader, "LINES", {"pos": points, "color": both}).draw(shader)


Label = tuple[Vector, str, float, float]  # where it begins, the words, their size and their strength
Plate = tuple[float, float, float, float]  # left, low, right and high


def draw_labels(labels: Sequence[Label]) -> None:
    """Words on dark plates, which light meshes do not swallow; all plates in one go."""
    plates: list[Plate] = []
    for at, text, size, _ in labels:
        blf.size(0, size)
        width, height = blf.dimensions(0, text)
        high = at.y + max(height, 0.7 * size) + 0.3 * size
        plates.append((at.x - 0.4 * size, at.y - 0.35 * size, at.x + width + 0.4 * size, high))
    draw_plates(plates)
    for label in labels:
        draw_text(*label)


def draw_plates(plates: Sequence[Plate]) -> None:
    """Dark and half transparent, for what shall be seen on anything."""
    corners: list[tuple[float, float, float]] = []
    for left, low, right, high in plates:
        rim = [(left, low, 0.0), (right, low, 0.0), (right, high, 0.0), (left, high, 0.0)]
        corners += [rim[n] for n in (0, 1, 2, 0, 2, 3)]
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    shader.bind()
    shader.uniform_float("color", PLATE)
    batch_for_shader(shader, "TRIS", {"pos": corners}).draw(shader)


def draw_text(at: Vector, text: str, size: float, strength: float, colour: Colour = WHITE) -> None:
    """Drawing it turns blending off: let it come last."""
    blf.size(0, size)
    blf.enable(0, blf.SHADOW)
    blf.shadow(0, 3, 0.0, 0.0, 0.0, 0.9)
    blf.position(0, at.x, at.y, 0.0)
    blf.color(0, *colour[:3], strength)
    blf.draw(0, text)
    blf.disable(0, blf.SHADOW)
