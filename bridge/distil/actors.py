# SPDX-License-Identifier: GPL-3.0-or-later
"""Somebody who plays an action to be looked at, while the user sees what was shown before."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import bpy

from .. import actions, character, stages
from ..stand_ins import follows_itself, stand_in
from . import reductions
from .detail_layer import detail_gate


@contextmanager
def actor(armature: bpy.types.Object, action: bpy.types.Action, handle: int) -> Iterator[bpy.types.Object]:
    """An armature that plays an action through the slot of this handle, ready to be sampled again and again.

    It is a stand-in, or the armature itself where that is one or where none will do.
    """
    itself = character.is_stand_in(armature) or follows_itself(armature)
    with _swapped(armature) if itself else stand_in(armature) as playing:
        actions.assign(playing, action, actions.slot_with_handle(action, handle))
        detail_gate.settle(playing)
        with stages.evaluation_scene(playing):
            yield playing


@contextmanager
def itself_playing(armature: bpy.types.Object, action: bpy.types.Action, handle: int) -> Iterator[None]:
    """The armature itself plays an action for a while, if it plays another, and comes back to that."""
    if reductions.playing_action(armature) == action:
        yield
        return
    last = armature.posewright.last_reduced
    with _swapped(armature):
        actions.assign(armature, action, actions.slot_with_handle(action, handle))
        detail_gate.settle(armature)
        try:
            yield
        finally:
            with suppress(ReferenceError):
                armature.posewright.last_reduced = last


@contextmanager
def _swapped(armature: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """The armature itself; afterwards it plays again what it played."""
    data: Any = armature.animation_data or armature.animation_data_create()
    shown, slot = data.action, actions.slot_of(armature)
    try:
        yield armature
    finally:
        with suppress(ReferenceError):  # it was deleted meanwhile
            actions.assign(armature, shown, slot)
            detail_gate.settle(armature)
