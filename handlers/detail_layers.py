# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers of detail fall silent the moment an armature is given another action, however that happens.

Without us they do so one update later: see `bridge/distil/detail_layer/detail_gate.py`.
"""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent

from ..bridge.distil import reductions
from ..bridge.distil.detail_layer import detail_gate
from ..bridge.everything import armatures
from ..bridge.stages import is_temporary


class _Layers:
    """The armatures that have layers, by name, with the action that each played when last looked at."""

    def __init__(self) -> None:
        self.gates: frozenset[str] = frozenset()
        self.played: dict[str, int] = {}

    def look(self) -> None:
        """Files without any layer, which are most, cost a look at their actions alone."""
        gates = frozenset(action.posewright.gate for action in bpy.data.actions) - {""}
        if gates != self.gates:
            self.gates = gates
            self.played = {
                thing.name_full: _number(thing)
                for thing in (armatures() if gates else ())
                if any(detail_gate.strips_of(thing))
            }

    def settle_changed(self) -> None:
        """Tell the layers of every armature that plays another action than before."""
        for name, before in list(self.played.items()):
            armature = bpy.data.objects.get(name)
            if armature is not None and _number(armature) != before:
                self.played[name] = _number(armature)
                detail_gate.settle(armature)


_layers = _Layers()


def _number(armature: bpy.types.Object) -> int:
    """Of the action that an armature plays."""
    action = reductions.playing_action(armature)
    return 0 if action is None else action.session_uid


@persistent
def before_update(scene: bpy.types.Scene, *_: object) -> None:
    if not is_temporary(scene):
        _layers.settle_changed()


@persistent
def after_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    if not is_temporary(scene) and depsgraph.id_type_updated("ACTION"):
        _layers.look()


@persistent
def after_jump(*_: object) -> None:
    """Undo, redo or another file."""
    _layers.gates, _layers.played = frozenset(), {}
    _layers.look()


HANDLERS = (
    (bpy.app.handlers.depsgraph_update_pre, before_update),
    (bpy.app.handlers.frame_change_pre, before_update),
    (bpy.app.handlers.depsgraph_update_post, after_update),
    (bpy.app.handlers.undo_post, after_jump),
    (bpy.app.handlers.redo_post, after_jump),
    (bpy.app.handlers.load_post, after_jump),
)
