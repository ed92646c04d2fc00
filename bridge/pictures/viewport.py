# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses as a 3D viewport shows the character: rendered by the graphics card, one pose at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import gpu
import numpy as np
from mathutils import Matrix

from ...core import InputError
from ...core.motion import FloatArray
from ...core.picture import Canvas, Figures, Paint, Poses, View
from .. import stages
from ..character import skins_of
from . import meshes


def draw_character(
    context: bpy.types.Context,
    armature: bpy.types.Object,
    poses: Poses,
    view: View,
    arrange: Callable[[Figures, Paint], Canvas],
) -> Canvas:
    """The character's skin in the shading of the largest viewport of the window, arranged by `arrange`."""
    area = _viewport(context)
    skins = skins_of(armature)
    if not skins:
        raise InputError(
            "{armature} deforms no visible mesh: draw its skeleton instead.", armature=armature.name
        )
    corners = meshes.sample_skin(armature, poses.frames)
    if corners is None:
        raise InputError(
            "The meshes of {armature} are too detailed to draw {poses} times: show fewer poses or "
            "draw the skeleton instead.",
            armature=armature.name,
            poses=len(poses),
        )
    figures = Figures.of(poses, view, [each[0].astype(np.float64) for each in corners])
    space: Any = area.spaces.active
    with stages.evaluation_scene(armature) as scene, _plain(space):
        for skin in skins:
            if skin.name not in scene.objects:
                scene.collection.objects.link(skin)
        region = next(each for each in area.regions if each.type == "WINDOW")
        return arrange(figures, _Painter(scene, space, region))


def can_draw_character(context: bpy.types.Context, armature: bpy.types.Object, count: int) -> bool:
    """Whether there is a mesh, simple enough to draw so many times, and a viewport to draw it with."""
    if bpy.app.background or context.window is None or not _viewports(context):
        return False
    return bool(meshes.skins_of(armature)) and meshes.is_simple_enough(armature, count)


def _viewport(context: bpy.types.Context) -> bpy.types.Area:
    if bpy.app.background or context.window is None:
        raise InputError("The character can be drawn only in a window: draw its skeleton instead.")
    areas = _viewports(context)
    if not areas:
        raise InputError("No 3D viewport is open to draw the character with: open one, or draw the skeleton.")
    return max(areas, key=lambda area: area.width * area.height)


def _viewports(context: bpy.types.Context) -> list[bpy.types.Area]:
    return [area for area in context.window.screen.areas if area.type == "VIEW_3D"]


@contextmanager
def _plain(space: bpy.types.SpaceView3D) -> Iterator[None]:
    """The viewport without grid, bones and the like."""
    overlays = space.overlay.show_overlays
    space.overlay.show_overlays = False
    try:
        yield
    finally:
        space.overlay.show_overlays = overlays


class _Painter:
    """Draws one figure after the other as it is asked for them."""

    def __init__(self, scene: bpy.types.Scene, space: bpy.types.SpaceView3D, region: bpy.types.Region):
        self._scene, self._space, self._region = scene, space, region

    def __call__(
        self,
        canvas: Canvas,
        figures: Figures,
        row: int,
        ground: tuple[float, float],
        scale: float,
        _theme: Any,
        opacity: float,
    ) -> None:
        stages.set_frame(self._scene, float(figures.poses.frames[row]))
        # Whole pixels, with one to spare on every side for soft edges.
        (low_x, low_y), (high_x, high_y) = figures.low[row] * scale, figures.high[row] * scale
        left, right = np.floor(ground[0] + low_x) - 1, np.ceil(ground[0] + high_x) + 1
        top, bottom = np.floor(ground[1] - high_y) - 1, np.ceil(ground[1] - low_y) + 1
        box = np.array([left - ground[0], right - ground[0], ground[1] - bottom, ground[1] - top]) / scale
        box += np.repeat(figures.offsets[row], 2)
        width, height = int(right - left), int(bottom - top)
        layer = Canvas(width, height)
        layer.pixels[:] = self._rendered(figures, row, box, width, height)
        canvas.paste(layer, int(left), int(top), opacity)

    def _rendered(self, figures: Figures, row: int, box: FloatArray, width: int, height: int) -> np.ndarray:
        """(H, W, 4) premultiplied pixels of what lies in the `box` (left, right, low, high) of the screen."""
        view, projection = _matrices(figures, row, box)
        offscreen = gpu.types.GPUOffScreen(width, height)
        try:
            offscreen.draw_view3d(
                self._scene,
                self._scene.view_layers[0],
                self._space,
                self._region,
                view,
                projection,
                do_color_management=True,
                draw_background=False,
            )
            read: Any = offscreen.texture_color.read()
            # Of several dimensions older versions (4.3) tell numpy the steps in the wrong order.
            read.dimensions = width * height * 4
            pixels = np.array(read, dtype=np.float32).reshape(height, width, 4)
        finally:
            offscreen.free()
        return pixels[::-1] / (255.0 if pixels.max(initial=0.0) > 1.5 else 1.0)


def _matrices(figures: Figures, row: int, box: FloatArray) -> tuple[Matrix, Matrix]:
    """World to view, and view to the box, as the graphics card wants them."""
    one = figures.view.of_row(row)
    axes = one.axes if one.axes.ndim == 2 else one.axes[0]
    turn = np.eye(4)
    turn[:3, :3] = axes
    if one.eyes is not None:
        turn[:3, 3] = -axes @ one.eyes[0]
    reach = 4.0 * figures.poses.size
    nearness = figures.heads[row, :, 2]
    near, far = -float(nearness.max()) - reach, -float(nearness.min()) + reach
    if one.eyes is None:
        return Matrix(turn.tolist()), _parallel(box, near, far)
    near = max(near, 1e-3 * figures.distance)
    return Matrix(turn.tolist()), _perspective(box * (near / figures.distance), near, far)


def _parallel(box: FloatArray, near: float, far: float) -> Matrix:
    left, right, low, high = box
    matrix = np.diag([2.0 / (right - left), 2.0 / (high - low), -2.0 / (far - near), 1.0])
    matrix[:3, 3] = (
        -(right + left) / (right - left),
        -(high + low) / (high - low),
        -(far + near) / (far - near),
    )
    return Matrix(matrix.tolist())


def _perspective(box: FloatArray, near: float, far: float) -> Matrix:
    left, right, low, high = box
    matrix = np.zeros((4, 4))
    matrix[0, 0], matrix[0, 2] = 2.0 * near / (right - left), (right + left) / (right - left)
    matrix[1, 1], matrix[1, 2] = 2.0 * near / (high - low), (high + low) / (high - low)
    matrix[2, 2], matrix[2, 3] = -(far + near) / (far - near), -2.0 * far * near / (far - near)
    matrix[3, 2] = -1.0
    return Matrix(matrix.tolist())
