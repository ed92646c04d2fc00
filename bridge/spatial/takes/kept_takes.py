# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes that are kept: each recording as a muted track of the NLA, to be compared, chosen or thrown away.

A take of a face is kept with the shape keys of its meshes, as a track of the same number there.
"""

from __future__ import annotations

from typing import Any

import bpy

from ....core import InputError
from ... import actions, versions
from ...bones import WIDTHS, bone_of
from ...character import skins_of
from .. import live
from ..posing.dials import Dials, apply_dials, dials_of, owner_of
from ..posing.pose_actions import UNMOVED

TAKE = "posewright_take"  # marks the action of a take


def keep(armature: bpy.types.Object) -> None:
    """Keep what the character plays as its next take."""
    number = 1 + max(_takes(armature), default=0)
    for owner, name in _owners(armature):
        data: Any = owner.animation_data
        if data is not None and _is_performed(data.action):
            _keep_action(owner, f"{name} take {number}", number)


def _keep_action(owner: Any, name: str, number: int) -> None:
    handle = actions.slot_handle(actions.slot_of(owner))
    action = actions.copy_slots(owner.animation_data.action, [handle], name)
    action[TAKE], action[actions.PERFORMED] = number, True
    tracks = owner.animation_data.nla_tracks
    track = tracks.new(prev=tracks[-1]) if len(tracks) else tracks.new()
    track.name, track.mute = f"Take {number}", True
    strip = track.strips.new(action.name, int(action.frame_range[0]), action)
    versions.play_slot(strip, actions.slot_with_handle(action, handle))


def takes_of(armature: bpy.types.Object) -> list[Any]:
    """A track of each take that was kept, in the order in which they were recorded."""
    return [parts[0][1] for _, parts in sorted(_takes(armature).items())]


def playing(armature: bpy.types.Object) -> int | None:
    """The place in the list of the take that plays, unless it was changed or another action plays."""
    for index, (_, parts) in enumerate(sorted(_takes(armature).items())):
        if all(owner.animation_data.action == _action(track) for owner, track in parts):
            return index
    return None


def choose(armature: bpy.types.Object, index: int) -> None:
    """Let the character play a take. Recording over it works on a copy: the take stays as it is.

    What another take moved and this one does not, was at rest in it; and who walked in the other stood where
    the walk began.
    """
    chosen = {owner.session_uid: track for owner, track in _at(armature, index)}
    for owner, _ in _owners(armature):
        before = None if owner.animation_data is None else owner.animation_data.action
        track, was_a_take = chosen.get(owner.session_uid), _is_performed(before)
        if track is None and not was_a_take:
            continue  # what users have animated themselves
        moved, stood = (_paths(owner), _beginning(owner)) if was_a_take else (set(), [])
        if before is not None:
            before.use_fake_user = True  # it may be nobody else's
        action, slot = _played(track)
        actions.assign(owner, action, slot)
        rests = moved - _paths(owner)
        _put_to_rest(armature, owner, rests)
        for path, component, value in stood:
            if path in rests:
                getattr(owner, path)[component] = value
    live.give_way(armature)


def _played(track: Any | None) -> tuple[bpy.types.Action | None, Any]:
    """The action of a take and its slot, if there is one."""
    if track is None:
        return None, None
    action = _action(track)
    handle = actions.slot_handle(versions.played_slot(track.strips[0]))
    return action, actions.slot_with_handle(action, handle)


def _is_performed(action: bpy.types.Action | None) -> bool:
    return action is not None and bool(action.get(actions.PERFORMED))


def _paths(owner: Any) -> set[str]:
    return {curve.data_path for curve in actions.curves_of(owner)}


def _beginning(owner: Any) -> list[tuple[str, int, float]]:
    """Path, index and first value of what moves an object as a whole."""
    return [
        (curve.data_path, curve.array_index, curve.keyframe_points[0].co[1])
        for curve in actions.curves_of(owner)
        if curve.data_path in WIDTHS and len(curve.keyframe_points)
    ]


def _put_to_rest(armature: bpy.types.Object, owner: Any, paths: set[str]) -> None:
    dials = [each for each in dials_of(armature) if owner_of(armature, each.mesh) == owner]
    apply_dials(armature, Dials.of({dial: dial.rest for dial in dials if dial.path in paths}))
    for path in paths if owner == armature else ():
        bone, channel = armature.pose.bones.get(bone_of(path) or ""), path.rpartition(".")[2]
        if bone is not None and channel in UNMOVED:
            setattr(bone, channel, UNMOVED[channel])


def delete(armature: bpy.types.Object, index: int) -> None:
    """Throw a take away; one that plays goes on playing."""
    for owner, track in _at(armature, index):
        action = _action(track)
        track.strips.remove(track.strips[0])
        if not len(track.strips):  # the user may have put more on it
            owner.animation_data.nla_tracks.remove(track)
        if action.users - int(action.use_fake_user) <= 0:
            bpy.data.actions.remove(action)


def _owners(armature: bpy.types.Object) -> list[tuple[Any, str]]:
    """What can have takes, with a name for it: the armature, and the shape keys of its meshes."""
    meshes = [mesh for mesh in skins_of(armature) if mesh.data.shape_keys is not None]
    return [(armature, armature.name), *((mesh.data.shape_keys, mesh.name) for mesh in meshes)]


def _takes(armature: bpy.types.Object) -> dict[int, list[tuple[Any, Any]]]:
    """The tracks of each take by its number, with what they belong to."""
    found: dict[int, list[tuple[Any, Any]]] = {}
    for owner, _ in _owners(armature):
        for track in () if owner.animation_data is None else owner.animation_data.nla_tracks:
            number = _number(track)
            if number:
                found.setdefault(number, []).append((owner, track))
    return found


def _at(armature: bpy.types.Object, index: int) -> list[tuple[Any, Any]]:
    takes = sorted(_takes(armature).items())
    if not 0 <= index < len(takes):
        raise InputError(
            "There is no take number {number}: {armature} has {takes}.",
            number=index + 1,
            armature=armature.name,
            takes=len(takes),
        )
    return takes[index][1]


def _action(track: Any) -> Any:
    return track.strips[0].action if len(track.strips) else None


def _number(track: Any) -> int:
    """The number of the take that a track holds, 0 if it holds none."""
    action = _action(track)
    return 0 if action is None else int(action.get(TAKE, 0))
