# SPDX-License-Identifier: GPL-3.0-or-later
"""Ghosts: the key poses of the active armature over the viewport.

What is drawn is gathered outside of drawing (sampling an armature changes Blender's data for a moment,
which a draw callback must not) and only when the keys or the settings change; a redraw then costs one draw
call a ghost. Nothing is registered for drawing while ghosts are off.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from bpy.app.handlers import persistent

from ..bridge.character import armature_of
from ..bridge.pictures import ghosts as source
from ..bridge.preferred import preferences
from ..bridge.stages import is_temporary
from ..core import InputError
from . import ghost_drawing
from .ghost_drawing import Shown

WAIT = 0.1  # seconds between two attempts to gather ghosts while the user moves something


@dataclass
class _State:
    """The only thing this module keeps: draw callbacks, and what they draw by the name of the armature."""

    callbacks: list[Any] = field(default_factory=list)
    shown: dict[str, Shown] = field(default_factory=dict)
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


def up_to_date(armature: bpy.types.Object, settings: Any) -> Shown | None:
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
            _state.shown[name] = Shown(wanted, _gathered(armature, wanted))
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


def _visible(context: bpy.types.Context) -> tuple[Shown, source.GhostData, Any] | None:
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
    found = _visible(bpy.context)
    if found is not None:
        shown, data, settings = found
        ghost_drawing.draw_solids(shown, data, settings, bpy.context)


def _draw_labels() -> None:
    found = _visible(bpy.context)
    if found is not None and found[2].labels:
        _, data, settings = found
        ghost_drawing.draw_labels(data, settings, bpy.context)


def handles(context: bpy.types.Context) -> tuple[source.GhostData, np.ndarray] | None:
    """The ghosts that are seen, and (P, 2) the pixels where each can be taken hold of."""
    found = _visible(context)
    if found is None:
        return None
    _, data, settings = found
    return data, ghost_drawing.handles(data, settings, context)


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
