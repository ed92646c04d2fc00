# SPDX-License-Identifier: GPL-3.0-or-later
"""The filmstrip: key poses along the bottom of the viewport. A click goes there, dragging retimes.

It is a gizmo, so that Blender itself tells when the mouse is over it. The poses are those that ghosts show;
they are drawn into one picture when the keys change, and a redraw shows that picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import blf
import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader
from mathutils import Matrix, Vector

from ..bridge.character.part_names import called
from ..bridge.distil import reductions
from ..bridge.distil.reductions import Reduction
from ..bridge.pictures.ghosts import GhostData
from ..bridge.pictures.transitions import known_leads
from ..core import InputError
from ..core.leading import Lead
from ..core.picture.colours import THEMES
from ..core.picture.contact_plot import Lane
from ..core.picture.strip import Strip, cell_projections
from . import ghost_drawing, ghost_overlay
from .contact_lanes import lanes_of
from .flat_shapes import Colour, draw_line, draw_text
from .solid_shader import hiding_what_is_behind, solid_shader

CELL = (62.0, 84.0)  # at a scale of one
CAPTION = 18.0  # below the pose: colour of the time, and the number of the frame
LEADS = 16.0  # above the poses: who leads
LANE = 8.0  # for the contacts of one foot, below the poses
FINER = 2  # the picture has so many times more pixels, for smooth edges
BACKGROUND: Colour = (0.08, 0.08, 0.08, 0.72)
CURRENT: Colour = (1.0, 1.0, 1.0, 0.9)
EDITED: Colour = (1.0, 0.62, 0.2, 1.0)


@dataclass(eq=False)
class _Picture:
    """All poses side by side, of the data that it was drawn from."""

    data: GhostData
    scale: float
    buffer: Any

    @classmethod
    def drawn(cls, shown: Any, scale: float) -> _Picture:
        data = shown.data
        shown.make_batches(data)
        width, height = (int(FINER * scale * side) for side in (CELL[0], CELL[1] - CAPTION))
        count = len(data.bodies)
        buffer: Any = gpu.types.GPUOffScreen(count * width, height)
        projections = cell_projections([body.corners for body in data.bodies], data.axes, width / height)
        with buffer.bind(), hiding_what_is_behind():
            framebuffer: Any = gpu.state.active_framebuffer_get()
            framebuffer.clear(color=(0.0, 0.0, 0.0, 0.0), depth=1.0)
            shader = solid_shader()
            shader.bind()
            shader.uniform_float("shift", (0.0, 0.0, 0.0))
            for row in range(count):
                # The framebuffer's own method takes no arguments in Blender 4.3.
                gpu.state.viewport_set(row * width, 0, width, height)
                shader.uniform_float("projection", Matrix(projections[row]))
                shader.uniform_float("tint", (*data.colours[row], 1.0))
                shown.bodies[row].draw(shader)
        return cls(data, scale, buffer)

    def show(self, strip: Strip, bottom: float, height: float) -> None:
        count = len(self.data.bodies)
        left, right = strip.left, strip.left + strip.count * strip.width
        u0, u1 = strip.first / count, (strip.first + strip.count) / count
        shader = gpu.shader.from_builtin("IMAGE")
        corners = [(left, bottom), (right, bottom), (right, bottom + height), (left, bottom + height)]
        places = [(u0, 0.0), (u1, 0.0), (u1, 1.0), (u0, 1.0)]
        batch = batch_for_shader(shader, "TRI_FAN", {"pos": corners, "texCoord": places})
        shader.bind()
        shader.uniform_sampler("image", self.buffer.texture_color)
        batch.draw(shader)


def _shown(context: bpy.types.Context) -> Any | None:
    """The ghosts' poses of the active character, once they are gathered."""
    armature = ghost_overlay.shown_armature(context)
    if armature is None or armature.data.is_editmode:
        return None
    shown = ghost_overlay.up_to_date(armature, context.scene.posewright.ghosts)
    return None if shown is None or shown.data is None or not shown.data.bodies else shown


def _strip(context: bpy.types.Context, frames: np.ndarray) -> Strip:
    scale = context.preferences.system.ui_scale
    left, right = 0.0, float(context.region.width)
    for region in context.area.regions:  # tools and sidebar lie over the viewport
        if region.type == "TOOLS" and region.width > 1:
            left = region.x + region.width - context.region.x
        if region.type == "UI" and region.width > 1:
            right = region.x - context.region.x
    current = ghost_drawing.nearest(frames, context.scene.frame_current_final)
    room = (left + 8.0 * scale, right - 8.0 * scale)
    bottom = (10.0 + LANE * len(_lanes(context))) * scale
    return Strip.fitting(room, bottom, (CELL[0] * scale, CELL[1] * scale), len(frames), current)


class POSEWRIGHT_GT_filmstrip(bpy.types.Gizmo):
    """Key poses side by side"""

    bl_idname = "POSEWRIGHT_GT_filmstrip"
    __slots__ = ("_picture",)
    dragged: ClassVar[tuple[float, int] | None] = None  # the frame of a pose, and how far it was dragged

    def setup(self) -> None:
        self._picture = None

    def draw(self, context: bpy.types.Context) -> None:
        shown = _shown(context)
        if shown is None:
            return
        scale = context.preferences.system.ui_scale
        if self._picture is None or self._picture.data is not shown.data or self._picture.scale != scale:
            self._picture = _Picture.drawn(shown, scale)
        strip = _strip(context, shown.data.frames)
        gpu.state.blend_set("ALPHA")
        try:
            lanes = _lanes(context)
            low = LANE * scale * len(lanes)
            across = strip.count * strip.width
            _draw_rectangle(strip.left, strip.bottom - low, across, strip.height + low, BACKGROUND)
            self._picture.show(strip, strip.bottom + CAPTION * scale, strip.height - CAPTION * scale)
            _draw_bars(strip, shown.data, scale)
            _draw_lanes(
                strip, lanes, self._frames_shown(shown.data), context.scene.frame_current_final, scale
            )
            _draw_current(strip, ghost_drawing.nearest(shown.data.frames, context.scene.frame_current_final))
            _draw_numbers(strip, self._frames_shown(shown.data), _edited(context), scale)
            _draw_leads(strip, shown.data.frames, _leads(context, shown.data.frames), scale)
        finally:
            gpu.state.blend_set("NONE")

    def _frames_shown(self, data: GhostData) -> np.ndarray:
        """The frames of the poses; of the one that is dragged, where it will go."""
        frames = data.frames.copy()
        if self.dragged is not None:
            frame, by = self.dragged
            frames[ghost_drawing.nearest(frames, frame)] += by
        return frames

    def test_select(self, context: bpy.types.Context, location: tuple[int, int]) -> int:
        return -1 if pose_at(context, location) is None else 0


def pose_at(context: bpy.types.Context, location: tuple[int, int]) -> float | None:
    """The frame of the pose below a pixel of the region."""
    shown = _shown(context)
    if shown is None:
        return None
    cell = _strip(context, shown.data.frames).cell_at(*location)
    return None if cell is None else float(shown.data.frames[cell])


def show_dragged(context: bpy.types.Context, frame: float | None, by: int = 0) -> None:
    """Show that a pose is being dragged, or that none is any more."""
    POSEWRIGHT_GT_filmstrip.dragged = None if frame is None else (frame, by)
    if context.area is not None:
        context.area.tag_redraw()


def _reduction(context: bpy.types.Context) -> Reduction | None:
    armature = ghost_overlay.shown_armature(context)
    return None if armature is None else reductions.find(armature)


def _lanes(context: bpy.types.Context) -> tuple[Lane, ...]:
    """When feet stand, as far as that is known."""
    reduction = _reduction(context)
    try:
        return () if reduction is None else lanes_of(reduction)
    except InputError:
        return ()  # damaged: the panel says so


def _edited(context: bpy.types.Context) -> np.ndarray:
    """The frames that the animator has edited."""
    reduction = _reduction(context)
    try:
        return np.empty(0) if reduction is None else reduction.edits.keyed_frames
    except InputError:
        return np.empty(0)  # damaged: the panel says so


def _leads(context: bpy.types.Context, frames: np.ndarray) -> list[Lead]:
    """Who leads from pose to pose, once that was asked for."""
    armature = ghost_overlay.shown_armature(context)
    return [] if armature is None else known_leads(armature, frames)


def _draw_rectangle(left: float, bottom: float, width: float, height: float, colour: Colour) -> None:
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    corners = [
        (left, bottom),
        (left + width, bottom),
        (left + width, bottom + height),
        (left, bottom + height),
    ]
    shader.bind()
    shader.uniform_float("color", colour)
    batch_for_shader(shader, "TRI_FAN", {"pos": corners}).draw(shader)


def _draw_bars(strip: Strip, data: GhostData, scale: float) -> None:
    for cell in strip.cells:
        red, green, blue = (float(part) for part in data.colours[cell])
        left = strip.left_of(cell) + 3.0 * scale
        _draw_rectangle(left, strip.bottom, strip.width - 6.0 * scale, 3.0 * scale, (red, green, blue, 1.0))


def _draw_lanes(
    strip: Strip, lanes: Sequence[Lane], frames: np.ndarray, current: float, scale: float
) -> None:
    """Bars where feet stand, the first lane on top; a line below what was said by hand."""
    high, theme = LANE * scale, THEMES["dark"]
    for row, lane in enumerate(lanes):
        low = strip.bottom - (row + 1) * high
        for stretches, bottom, thick, colour in (
            (lane.stretches, low + 2.0 * scale, high - 3.0 * scale, theme.side(lane.side)),
            (lane.by_hand, low + 0.5 * scale, scale, CURRENT),
        ):
            for left, right in strip.across(np.reshape(stretches, (-1, 2)), frames).tolist():
                if right > left:
                    _draw_rectangle(left, bottom, right - left, thick, colour)
    if lanes and frames[0] <= current <= frames[-1]:
        x = float(strip.across(current, frames))
        _draw_rectangle(x - scale, strip.bottom - len(lanes) * high, 2.0 * scale, len(lanes) * high, CURRENT)


def _draw_current(strip: Strip, cell: int) -> None:
    if cell not in strip.cells:
        return
    left, right = strip.left_of(cell) + 1.0, strip.left_of(cell) + strip.width - 1.0
    low, high = strip.bottom + 1.0, strip.bottom + strip.height - 1.0
    corners = [(left, low), (right, low), (right, high), (left, high), (left, low)]
    draw_line([Vector(corner) for corner in corners], CURRENT, 1.5)


def _draw_numbers(strip: Strip, frames: np.ndarray, edited: np.ndarray, scale: float) -> None:
    size = 11.0 * scale
    blf.size(0, size)
    for cell in strip.cells:
        text = f"{frames[cell]:g}"
        if np.any(np.abs(edited - frames[cell]) < 0.5):
            text = f"{text} *"
        width = blf.dimensions(0, text)[0]
        at = Vector((strip.left_of(cell) + (strip.width - width) / 2.0, strip.bottom + 6.0 * scale))
        draw_text(at, text, size, 1.0)


def _draw_leads(strip: Strip, frames: np.ndarray, found: Sequence[Lead], scale: float) -> None:
    """Above the border between two poses: who leads from one to the other, and by how many frames."""
    if not found:
        return
    bottom, high, size = strip.bottom + strip.height, LEADS * scale, 10.0 * scale
    _draw_rectangle(strip.left, bottom, strip.count * strip.width, high, BACKGROUND)
    ends = [(lead, ghost_drawing.nearest(frames, lead.first) + 1) for lead in found]
    shown = [(lead, strip.left_of(end)) for lead, end in ends if {end - 1, end} <= set(strip.cells)]
    for lead, border in shown:
        colour = THEMES["dark"].side(lead.side)
        _draw_rectangle(border - scale, bottom - 6.0 * scale, 2.0 * scale, 6.0 * scale, colour)
    blf.size(0, size)
    for lead, border in shown:
        text = f"{called(lead.part, in_short=True)} {lead.frames:.1f}"
        left = border - blf.dimensions(0, text)[0] / 2.0
        colour = THEMES["dark"].side(lead.side)
        draw_text(Vector((left, bottom + 4.0 * scale)), text, size, 1.0, colour)


class POSEWRIGHT_GGT_filmstrip(bpy.types.GizmoGroup):
    """The filmstrip in 3D viewports"""

    bl_idname = "POSEWRIGHT_GGT_filmstrip"
    bl_label = "Filmstrip"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options: ClassVar[set[str]] = {"PERSISTENT", "SHOW_MODAL_ALL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.scene.posewright.ghosts.filmstrip and ghost_overlay.shown_armature(context) is not None

    def setup(self, _context: bpy.types.Context) -> None:
        strip: Any = self.gizmos.new(POSEWRIGHT_GT_filmstrip.bl_idname)
        strip.target_set_operator("posewright.retime_pose")
        strip.use_draw_modal = True


_register_classes, _unregister_classes = bpy.utils.register_classes_factory(
    (POSEWRIGHT_GT_filmstrip, POSEWRIGHT_GGT_filmstrip)
)


def register() -> None:
    _register_classes()


def unregister() -> None:
    _unregister_classes()
