# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes that are kept: each recording as a muted track of the NLA, to be compared, chosen or thrown away."""

from __future__ import annotations

from typing import Any

import bpy

from ...core import InputError
from .. import actions
from . import live

TAKE = "posewright_take"  # marks the action of a take


def keep(armature: bpy.types.Object) -> Any:
    """Keep what the character plays as its next take; the new track."""
    data: Any = armature.animation_data
    number = 1 + max((_number(track) for track in takes_of(armature)), default=0)
    handle = actions.slot_handle(actions.slot_of(armature))
    action = actions.copy_slots(data.action, [handle], f"{armature.name} take {number}")
    action[TAKE], action[actions.PERFORMED] = number, True
    tracks = data.nla_tracks
    track = tracks.new(prev=tracks[-1]) if len(tracks) else tracks.new()
    track.name, track.mute = f"Take {number}", True
    strip = track.strips.new(action.name, int(action.frame_range[0]), action)
    if actions.HAS_SLOTS:
        strip.action_slot = actions.slot_with_handle(action, handle)
    return track


def takes_of(armature: bpy.types.Object) -> list[Any]:
    """The tracks of the takes that were kept, in the order in which they were recorded."""
    tracks = [] if armature.animation_data is None else list(armature.animation_data.nla_tracks)
    return sorted((track for track in tracks if _number(track)), key=_number)


def playing(armature: bpy.types.Object) -> int | None:
    """The number of the take that plays, unless it was changed or another action plays."""
    data = armature.animation_data
    action = None if data is None else data.action
    chosen = [n for n, track in enumerate(takes_of(armature)) if _action(track) == action]
    return chosen[0] if chosen and action is not None else None


def choose(armature: bpy.types.Object, index: int) -> None:
    """Let the character play a take. Recording over it works on a copy: the take stays as it is."""
    action = _action(_at(armature, index))
    handle = actions.slot_handle(_at(armature, index).strips[0].action_slot) if actions.HAS_SLOTS else 0
    before = armature.animation_data.action
    if before is not None:
        before.use_fake_user = True  # it may be nobody else's
    actions.assign(armature, action, actions.slot_with_handle(action, handle))
    live.give_way(armature)


def delete(armature: bpy.types.Object, index: int) -> None:
    """Throw a take away; one that plays goes on playing."""
    track = _at(armature, index)
    action = _action(track)
    track.strips.remove(track.strips[0])
    if not len(track.strips):  # the user may have put more on it
        armature.animation_data.nla_tracks.remove(track)
    if action.users - int(action.use_fake_user) <= 0:
        bpy.data.actions.remove(action)


def _at(armature: bpy.types.Object, index: int) -> Any:
    takes = takes_of(armature)
    if not 0 <= index < len(takes):
        raise InputError(f"There is no take number {index + 1}: {armature.name} has {len(takes)}.")
    return takes[index]


def _action(track: Any) -> Any:
    return track.strips[0].action if len(track.strips) else None


def _number(track: Any) -> int:
    """The number of the take that a track holds, 0 if it holds none."""
    action = _action(track)
    return 0 if action is None else int(action.get(TAKE, 0))
