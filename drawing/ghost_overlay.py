# SPDX-License-Identifier: GPL-3.0-or-later
"""Ghosts: the key poses of the active armature over the viewport.

What is drawn is gathered outside of drawing (sampling an armature changes Blender's data for a moment,
which a draw callback must not) and only when the keys or the settings change; a redraw then costs one draw
call a ghost. Nothing is registered for drawing while ghosts are off.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import blf
import bpy
import gpu
import numpy as np
from bpy.app.handlers import persistent
from gpu_extras.batch import batch_for_shader

from ..bridge.character import armature_of
from ..bridge.pictures import ghosts as source
from ..bridge.preferred import preferences
from ..bridge.stages import is_temporary
from ..core import InputError
from ..core.picture import crowding
from .solid_shader import hiding_what_is_behind, solid_batch, solid_shader

STRONG = 0.95  # opacity of the ghost at the current frame
WAIT = 0.1  # seconds between two attempts to gather ghosts while the user moves something
DEEPER = 0.6  # how much darker colours are on a bright background
GREY = (0.55, 0.55, 0.55)  # of what lies between keys
FAINTER = 0.35  # how strong that is, as a share of the other ghosts
CROWDED = 0.8  # widths of a pose: ghosts that are nearer to each other are in each other's way


@dataclass(eq=False)
class _Shown:
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


@dataclass
class _State:
    """The only thing this module keeps: draw callbacks, and what they draw by the name of the armature."""

    callbacks: list[Any] = field(default_factory=list)
    shown: dict[str, _Shown] = field(default_factory=dict)
    outdated: set[str] = field(default_factory=set)
    asked: dict[str, source.Wanted] = field(default_factory=dict)
    gathering: bool = False

    def clear(self) -> None:
        for collection in (self.callbacks, self.shown, self.outdated, self.asked):
            collection.clear()


_state = _State()


# When to draw


def synchronise() -> None:
    """Have draw callbacks exactly while some scene shows ghosts, or the filmstrip with the same poses."""
    if any(scene.posewright.ghosts.show or scene.posewright.ghosts.filmstrip for scene in bpy.data.scenes):
        _start()
    else:
        _stop()
    redraw()


def redraw() -> None:
    """Have every viewport drawn again."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def information(armature: bpy.types.Object) -> source.GhostData | None:
    """What is shown of an armature now, for the panel."""
    shown = _state.shown.get(armature.name)
    return None if shown is None else shown.data


def _start() -> None:
    if _state.callbacks or bpy.app.background:
        return
    add = bpy.types.SpaceView3D.draw_handler_add
    _state.callbacks = [
        add(_draw_solids, (), "WINDOW", "POST_VIEW"),
        add(_draw_labels, (), "WINDOW", "POST_PIXEL"),
    ]
    bpy.app.handlers.depsgraph_update_post.append(_on_change)


def _stop() -> None:
    if _on_change in bpy.app.handlers.depsgraph_update_post:
        bpy.app.handlers.depsgraph_update_post.remove(_on_change)
    for callback in _state.callbacks:
        bpy.types.SpaceView3D.draw_handler_remove(callback, "WINDOW")
    if bpy.app.timers.is_registered(_gather_asked):
        bpy.app.timers.unregister(_gather_asked)
    _state.clear()


def shown_armature(context: bpy.types.Context) -> bpy.types.Object | None:
    """The active armature, or the one that the active object is a mesh or child of."""
    return armature_of(context.object)


# What to draw


def wanted_for(armature: bpy.types.Object, settings: Any) -> source.Wanted:
    data = armature.animation_data
    action = data.action if data is not None else None
    return source.Wanted(
        armature=armature.name,
        action="" if action is None else action.name,
        most=settings.most,
        between=settings.between,
        skin=settings.skin,
        path_bones=source.path_bones(armature) if settings.paths else (),
        colours=_preferred_colours(),
    )


def _preferred_colours() -> tuple[tuple[float, ...], tuple[float, ...]] | None:
    preferred = preferences()
    if preferred is None or not (preferred.is_property_set("early") or preferred.is_property_set("late")):
        return None
    return tuple(preferred.early), tuple(preferred.late)


def up_to_date(armature: bpy.types.Object, settings: Any) -> _Shown | None:
    """What to draw now; where it is missing or outdated it is asked for, and the old drawn meanwhile."""
    wanted = wanted_for(armature, settings)
    shown = _state.shown.get(armature.name)
    if shown is None or shown.wanted != wanted or armature.name in _state.outdated:
        _state.asked[armature.name] = wanted
        if not bpy.app.timers.is_registered(_gather_asked):
            bpy.app.timers.register(_gather_asked, first_interval=0.0)
    return shown


def _gather_asked() -> float | None:
    """Runs between two redraws: once, or again after a while if the user is just moving something."""
    if _is_transforming():
        return WAIT
    # What was written and not yet noticed is gathered now: noticed later, it would be gathered a second time.
    bpy.context.view_layer.update()
    asked, _state.asked = _state.asked, {}
    _state.gathering = True
    try:
        for name, wanted in asked.items():
            armature = bpy.data.objects.get(name)
            if armature is None or armature.type != "ARMATURE" or armature.data.is_editmode:
                continue
            _state.outdated.discard(name)
            _state.shown[name] = _Shown(wanted, _gathered(armature, wanted))
    finally:
        _state.gathering = False
    for name in [name for name in _state.shown if name not in bpy.data.objects]:
        del _state.shown[name]
    redraw()
    return None


def _is_transforming() -> bool:
    """Whether something follows the mouse: it should not have to wait for ghosts."""
    return any(
        operator.bl_idname.startswith("TRANSFORM_OT")
        for window in bpy.context.window_manager.windows
        for operator in window.modal_operators
    )


def _gathered(armature: bpy.types.Object, wanted: source.Wanted) -> source.GhostData | None:
    try:
        return source.gather(armature, wanted)
    except InputError:
        return None  # nothing to show; the panel says so


@persistent
def _on_change(scene: bpy.types.Scene, graph: bpy.types.Depsgraph) -> None:
    """Keys that change and armatures that are moved outdate their ghosts."""
    if _state.gathering or not _state.shown or is_temporary(scene):
        return
    moved = {
        update.id.name
        for update in graph.updates
        if isinstance(update.id, bpy.types.Object) and update.is_updated_transform
    }
    keys_changed = graph.id_type_updated("ACTION")
    outdated = {name for name in _state.shown if keys_changed or name in moved}
    if outdated - _state.outdated:
        _state.outdated |= outdated
        redraw()


@persistent
def _on_other_file(*_: Any) -> None:
    _stop()
    synchronise()


@persistent
def _on_undo(*_: Any) -> None:
    _state.outdated |= set(_state.shown)
    synchronise()


# Drawing


def _visible(context: bpy.types.Context) -> tuple[_Shown, source.GhostData, Any] | None:
    settings = context.scene.posewright.ghosts
    if not settings.show or not context.space_data.overlay.show_overlays:
        return None
    armature = shown_armature(context)
    if armature is None or armature.data.is_editmode:
        return None
    shown = up_to_date(armature, settings)
    if shown is None or shown.data is None:
        return None
    return shown, shown.data, settings


def _draw_solids() -> None:
    context = bpy.context
    found = _visible(context)
    if found is None:
        return
    shown, data, settings = found
    shown.make_batches(data)
    colours = data.colours * (DEEPER if is_light(context) else 1.0)
    gpu.state.blend_set("ALPHA")
    try:
        with hiding_what_is_behind():
            _draw_bodies(shown, data, colours, settings, context)
            _draw_between(shown, data, settings, context)
            _draw_paths(shown, colours, context)
    finally:
        gpu.state.blend_set("NONE")


def _draw_bodies(
    shown: _Shown, data: source.GhostData, colours: np.ndarray, settings: Any, context: bpy.types.Context
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


def _draw_between(shown: _Shown, data: source.GhostData, settings: Any, context: bpy.types.Context) -> None:
    """Poses between the keys: grey, and without hiding the ghosts of keys behind them."""
    shader = solid_shader()
    shifts = _shifts(data.between_places, data, settings, context)
    shader.uniform_float("tint", (*GREY, FAINTER * settings.opacity))
    gpu.state.depth_mask_set(False)
    for row in _far_to_near(data.between_centres + shifts, context):
        shader.uniform_float("shift", shifts[row])
        shown.between[row].draw(shader)
    gpu.state.depth_mask_set(True)


def _draw_paths(shown: _Shown, colours: np.ndarray, context: bpy.types.Context) -> None:
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


def _draw_labels() -> None:
    context = bpy.context
    found = _visible(context)
    if found is None or not found[2].labels:
        return
    _, data, settings = found
    size = 11.0 * context.preferences.system.ui_scale
    ink, halo = label_colours(context)
    places = _on_screen(data.tops + _shifts(np.arange(len(data.tops)), data, settings, context), context)
    font = 0
    blf.size(font, size)
    blf.enable(font, blf.SHADOW)
    blf.shadow(font, 3, *halo)
    blf.shadow_offset(font, 0, 0)
    blf.color(font, *ink)
    try:
        taken: list[tuple[float, float, float]] = []
        # The nearest in time first: where numbers would run into each other, these are kept.
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


def label_colours(context: bpy.types.Context) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Ink and the glow round it, so that numbers can be read on every theme."""
    white, black = (1.0, 1.0, 1.0, 1.0), (0.0, 0.0, 0.0, 1.0)
    return (black, white) if is_light(context) else (white, black)


def is_light(context: bpy.types.Context) -> bool:
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


def handles(context: bpy.types.Context) -> tuple[source.GhostData, np.ndarray] | None:
    """The ghosts that are seen, and (P, 2) the pixels just above them, where each can be taken hold of."""
    found = _visible(context)
    if found is None:
        return None
    _, data, settings = found
    tops = data.tops + _shifts(np.arange(len(data.tops)), data, settings, context)
    return data, _on_screen(tops, context)


# Registration

_HANDLERS = (
    (bpy.app.handlers.load_post, _on_other_file),
    (bpy.app.handlers.undo_post, _on_undo),
    (bpy.app.handlers.redo_post, _on_undo),
)


def register() -> None:
    for handlers, function in _HANDLERS:
        handlers.append(function)
    # While an add-on is being enabled Blender's data cannot be read yet.
    bpy.app.timers.register(_synchronise_once, first_interval=0.0)


def _synchronise_once() -> None:
    synchronise()


def unregister() -> None:
    if bpy.app.timers.is_registered(_synchronise_once):
        bpy.app.timers.unregister(_synchronise_once)
    for handlers, function in _HANDLERS:
        if function in handlers:
            handlers.remove(function)
    _stop()
