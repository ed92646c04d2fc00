# SPDX-License-Identifier: GPL-3.0-or-later
"""How ghosts look: their bodies, the paths between them and the numbers above them.

`ghost_overlay` says what is drawn, and when.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import blf
import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

from ..bridge.pictures import ghosts as source
from ..core.picture import crowding
from .solid_shader import hiding_what_is_behind, solid_batch, solid_shader

STRONG = 0.95  # opacity of the ghost at the current frame
DEEPER = 0.6  # how much darker colours are on a bright background
GREY = (0.55, 0.55, 0.55)  # of what lies between keys
FAINTER = 0.35  # how strong that is, as a share of the other ghosts
CROWDED = 0.8  # widths of a pose: ghosts that are nearer to each other are in each other's way


@dataclass(eq=False)
class Shown:
    """What is drawn for one armature, and its batches once there is a graphics context to make them in."""

    wanted: source.Wanted
    data: source.GhostData | None
    bodies: list[Any] = field(default_factory=list)
    between: list[Any] = field(default_factory=list)
    dots: list[Any] = field(default_factory=list)
    paths: list[Any] = field(default_factory=list)

    def make_batches(self, data: source.GhostData) -> None:
        if self.bodies:
            return
        self.bodies = [solid_batch(each.corners, each.shades, each.faces) for each in data.bodies]
        self.between = [solid_batch(each.corners, each.shades, each.faces) for each in data.between]
        self.dots = [solid_batch(each.corners, each.shades) for each in data.dots]
        shader = gpu.shader.from_builtin("POLYLINE_SMOOTH_COLOR")
        for path in data.paths:
            opaque = np.concatenate([path.colours, np.ones((len(path.colours), 1), np.float32)], axis=1)
            content: dict[str, Any] = {"pos": path.points, "color": opaque}
            self.paths.append(batch_for_shader(shader, "LINE_STRIP", content))


def draw_solids(shown: Shown, data: source.GhostData, settings: Any, context: bpy.types.Context) -> None:
    shown.make_batches(data)
    colours = data.colours * (DEEPER if _is_light(context) else 1.0)
    gpu.state.blend_set("ALPHA")
    try:
        with hiding_what_is_behind():
            _draw_bodies(shown, data, colours, settings, context)
            _draw_between(shown, data, settings, context)
            _draw_paths(shown, colours, context)
    finally:
        gpu.state.blend_set("NONE")


def _draw_bodies(
    shown: Shown, data: source.GhostData, colours: np.ndarray, settings: Any, context: bpy.types.Context
) -> None:
    """The ghosts of keys, the one of the current frame the strongest, those in its way faded."""
    shifts = _shifts(np.arange(len(data.frames)), data, settings, context)
    strongest = nearest(data.frames, context.scene.frame_current_final)
    shader = solid_shader()
    shader.bind()
    shader.uniform_float(
        "projection", gpu.matrix.get_projection_matrix() @ gpu.matrix.get_model_view_matrix()
    )
    strengths = _strengths(data, settings, shifts, context)
    for row in _far_to_near(data.centres + shifts, context):
        opacity = STRONG if row == strongest else settings.opacity * strengths[row]
        if opacity == 0.0:
            continue
        shader.uniform_float("tint", (*colours[row], opacity))
        shader.uniform_float("shift", shifts[row])
        shown.bodies[row].draw(shader)


def _draw_between(shown: Shown, data: source.GhostData, settings: Any, context: bpy.types.Context) -> None:
    """Poses between the keys: grey, and without hiding the ghosts of keys behind them."""
    shader = solid_shader()
    shifts = _shifts(data.between_places, data, settings, context)
    shader.uniform_float("tint", (*GREY, FAINTER * settings.opacity))
    gpu.state.depth_mask_set(False)
    for row in _far_to_near(data.between_centres + shifts, context):
        shader.uniform_float("shift", shifts[row])
        shown.between[row].draw(shader)
    gpu.state.depth_mask_set(True)


def _draw_paths(shown: Shown, colours: np.ndarray, context: bpy.types.Context) -> None:
    """Where the bones really go: not spread out."""
    shader = solid_shader()
    for row, batch in enumerate(shown.dots):
        shader.uniform_float("tint", (*colours[row], 1.0))
        shader.uniform_float("shift", (0.0, 0.0, 0.0))
        batch.draw(shader)
    if not shown.paths:
        return
    lines = gpu.shader.from_builtin("POLYLINE_SMOOTH_COLOR")
    lines.bind()
    lines.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
    lines.uniform_float("lineWidth", 2.0 * context.preferences.system.ui_scale)
    for batch in shown.paths:
        batch.draw(lines)


def _strengths(
    data: source.GhostData, settings: Any, shifts: np.ndarray, context: bpy.types.Context
) -> np.ndarray:
    """(P,) how much of each ghost is left where others are in its way; all of it if they are to be alike."""
    if settings.opacity == 1.0:
        return np.ones(len(data.frames))
    now = context.scene.frame_current_final
    return crowding.strengths(data.centres + shifts, data.frames, now, CROWDED * data.width)


def nearest(frames: np.ndarray, frame: float) -> int:
    """The ghost that the current frame belongs to."""
    return int(np.argmin(np.abs(frames - frame)))


def _shifts(
    places: np.ndarray, data: source.GhostData, settings: Any, context: bpy.types.Context
) -> np.ndarray:
    """(P, 3) how far what stands at some places among the ghosts is moved aside."""
    if settings.spread == 0.0:
        return np.zeros((len(places), 3))
    if settings.direction == "VIEW":
        along = np.array(context.region_data.view_matrix)[0, :3]
    else:
        along = np.eye(3)["XYZ".index(settings.direction)]
    return places[:, None] * (settings.spread * data.width * along)


def _far_to_near(places: np.ndarray, context: bpy.types.Context) -> np.ndarray:
    """So that near ghosts let far ones shine through."""
    return np.argsort(places @ np.array(context.region_data.view_matrix)[2, :3], kind="stable")


def draw_labels(data: source.GhostData, settings: Any, context: bpy.types.Context) -> None:
    """The numbers of frames. Where they would run into each other, the nearest in time are kept."""
    size = 11.0 * context.preferences.system.ui_scale
    places = handles(data, settings, context)
    font = 0
    ink, halo = _label_colours(context)
    blf.size(font, size)
    blf.enable(font, blf.SHADOW)
    blf.shadow(font, 3, *halo)
    blf.shadow_offset(font, 0, 0)
    blf.color(font, *ink)
    try:
        taken: list[tuple[float, float, float]] = []
        for row in np.argsort(np.abs(data.frames - context.scene.frame_current_final), kind="stable"):
            if not np.isfinite(places[row]).all():
                continue
            text = f"{data.frames[row]:g}"
            width = _text_width(text, size)
            x, y = places[row, 0] - width / 2.0, places[row, 1]
            if any(
                x < right + 4 and left < x + width + 4 and abs(y - other) < size
                for left, right, other in taken
            ):
                continue
            taken.append((x, x + width, y))
            blf.position(font, x, y, 0.0)
            blf.draw(font, text)
    finally:
        blf.disable(font, blf.SHADOW)


@lru_cache(maxsize=1024)
def _text_width(text: str, size: float) -> float:
    """Measuring takes as long as drawing."""
    blf.size(0, size)
    return blf.dimensions(0, text)[0]


def _label_colours(context: bpy.types.Context) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Ink and the glow round it, so that numbers can be read on every theme."""
    white, black = (1.0, 1.0, 1.0, 1.0), (0.0, 0.0, 0.0, 1.0)
    return (black, white) if _is_light(context) else (white, black)


def _is_light(context: bpy.types.Context) -> bool:
    """Whether the viewport's background is bright."""
    shading = context.space_data.shading
    if shading.background_type == "VIEWPORT":
        return sum(shading.background_color) / 3.0 > 0.4
    return sum(context.preferences.themes[0].view_3d.space.gradients.high_gradient) / 3.0 > 0.55


def _on_screen(points: np.ndarray, context: bpy.types.Context) -> np.ndarray:
    """(P, 2) pixels of the region; not a number for what is behind the viewer."""
    matrix = np.array(context.region_data.perspective_matrix)
    flat = points @ matrix[:, :3].T + matrix[:, 3]
    ahead = flat[:, 3] > 1e-6
    places = np.full((len(points), 2), np.nan)
    places[ahead] = flat[ahead, :2] / flat[ahead, 3:]
    return (places * 0.5 + 0.5) * (context.region.width, context.region.height)


def handles(data: source.GhostData, settings: Any, context: bpy.types.Context) -> np.ndarray:
    """(P, 2) the pixels just above the ghosts, where each can be taken hold of."""
    shifts = _shifts(np.arange(len(data.tops)), data, settings, context)
    return _on_screen(data.tops + shifts, context)
