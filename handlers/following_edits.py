# SPDX-License-Identifier: GPL-3.0-or-later
"""What follows an edit as soon as the animator lets go: detail, pins of a duplicate, keys for an original."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

import bpy
from bpy.app.handlers import persistent

from ..bridge.distil import reduced_action, reductions
from ..bridge.distil.editing import shown_original
from ..bridge.everything import armatures
from ..bridge.stages import is_temporary
from ..core import InputError
from . import busy

REST = 0.1  # seconds until the next look, while the animator is still at it

_edited: set[int] = set()  # the numbers of actions whose keys may be others by now


@persistent
def after_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    if not is_temporary(scene) and depsgraph.id_type_updated("ACTION"):
        _ask(each.id.original for each in depsgraph.updates if isinstance(each.id, bpy.types.Action))


@persistent
def after_undo(*_: object) -> None:
    """What the layer was made for when that step was stored may have been edited meanwhile."""
    _ask(bpy.data.actions)


@persistent
def before_load(*_: object) -> None:
    _edited.clear()
    shown_original.forget()


@persistent
def after_load(*_: object) -> None:
    """A file may show an original."""
    for thing in armatures():
        last = thing.posewright.last_reduced
        if last is not None and reductions.playing_action(thing) == last.posewright.source:
            with suppress(InputError):
                shown_original.remember(reductions.get(thing))


def _ask(actions: Iterable[bpy.types.Action]) -> None:
    """Actions with a layer or pins are looked at; others too, if an original was shown."""
    everything = shown_original.is_remembered()
    _edited.update(
        each.session_uid
        for each in actions
        if everything or each.posewright.residual is not None or each.posewright.pins
    )
    if _edited and not bpy.app.background and not bpy.app.timers.is_registered(_turn):
        bpy.app.timers.register(_turn, first_interval=REST)


def _turn() -> float | None:
    window = bpy.context.window_manager.windows[0]
    with bpy.context.temp_override(window=window):  # timers have none
        if busy.has_to_wait():
            return REST
        follow()
    return None


def follow() -> None:
    """Let what was edited have its consequences."""
    for thing in armatures() if _edited else ():
        action = reductions.playing_action(thing)
        if action is not None and action.session_uid in _edited:
            with suppress(InputError):  # the slider will say so
                if not shown_original.take_over(thing):
                    reduced_action.follow_edits(thing)
    _edited.clear()


def unregister() -> None:
    if bpy.app.timers.is_registered(_turn):
        bpy.app.timers.unregister(_turn)
    _edited.clear()
    shown_original.forget()


HANDLERS = (
    (bpy.app.handlers.depsgraph_update_post, after_update),
    (bpy.app.handlers.undo_post, after_undo),
    (bpy.app.handlers.redo_post, after_undo),
    (bpy.app.handlers.load_pre, before_load),
    (bpy.app.handlers.load_post, after_load),
)
