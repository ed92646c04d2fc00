# SPDX-License-Identifier: GPL-3.0-or-later
"""A cache of what was read from pose actions and solved from markers: both are asked for at every redraw."""

from __future__ import annotations

import bpy
import numpy as np

from ....core import InputError
from .. import sets
from ..making import empties
from ..posing.dials import Dial, Dials, are_there, changing, found_on
from ..posing.pose_actions import dials_of_action, is_whole_body, pose_of_action
from ..posing.poses import Pose, merged, rest_pose
from .mapping import SetMapping

# By numbers that Blender never reuses in a session, so nothing here refers to Blender's data.
_poses: dict[int, Pose] = {}
_dials: dict[int, Dials] = {}
_mappings: dict[tuple[int, str], tuple[tuple[int, ...], SetMapping]] = {}


def forget_pose(session_uid: int) -> None:
    """An action was changed: read it again when it is wanted."""
    _poses.pop(session_uid, None)
    _dials.pop(session_uid, None)
    for key, (uids, _) in list(_mappings.items()):
        if session_uid in uids:
            del _mappings[key]


def forget_everything() -> None:
    """Another file, an undo step or another armature: nothing known is certain."""
    _poses.clear()
    _dials.clear()
    _mappings.clear()


def mapping_of(armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup) -> SetMapping:
    """The set ready for use, solved again only where markers or poses changed."""
    keys = sets.usable_keys(spatial_set)
    if not keys:
        raise InputError(
            'The spatial set "{spatial_set}" has no keys: pose the character and Set Key.',
            spatial_set=spatial_set.name,
        )
    # Whether a switch acts depends on what the keys of other sets say about it.
    uids = tuple(key.pose.session_uid for key in (*keys, *_keys_of_others(armature, spatial_set)))
    places = empties.places_of(armature, [key.marker for key in keys])
    where = (armature.session_uid, spatial_set.name)
    known = _mappings.get(where)
    if (
        known is None
        or known[0] != uids
        or known[1].names != tuple(key.name for key in keys)
        or not are_there(armature, known[1].dials)
    ):
        dials = acting_dials(armature, spatial_set)
        mapping = SetMapping([key.name for key in keys], places, _poses_of(keys), dials)
    elif np.array_equal(known[1].places, places):
        return known[1]
    else:
        mapping = known[1].moved(places)
    _mappings[where] = (uids, mapping)
    return mapping


def acting_dials(armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup) -> list[Dials]:
    """How the keys of a set turn the dials that act in it: those that they do not all set alike.

    A switch that another set has otherwise acts as well: one set may be made for inverse kinematics.
    """
    keys = sets.usable_keys(spatial_set)
    said = [_dials_of(key.pose) for key in (*keys, *_keys_of_others(armature, spatial_set))]
    if not any(each.which for each in said):
        return [Dials()] * len(keys)
    own = found_on(armature, {dial for each in said for dial in each.which})
    said = [Dials.of({own[d]: value for d, value in each.as_dict().items() if d in own}) for each in said]
    acting: set[Dial] = {dial for dial in changing(said) if dial.is_switch} | changing(said[: len(keys)])
    return [each.only(acting) for each in said[: len(keys)]]


def missing_dials(armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup) -> list[str]:
    """Shape keys and properties that keys do not set alike and the character does not have any more."""
    said = [_dials_of(key.pose) for key in sets.usable_keys(spatial_set)]
    gone = [dial for dial in changing(said) if not are_there(armature, [dial])]
    found = found_on(armature, gone) if gone else {}
    return sorted({f'"{dial.name}"' for dial in gone if dial not in found})


def dials_at_key(
    armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup, key: bpy.types.PropertyGroup
) -> Dials:
    """How a key sets the dials that act in its set."""
    names = [each.name for each in sets.usable_keys(spatial_set)]
    return acting_dials(armature, spatial_set)[names.index(key.name)]


def _keys_of_others(
    armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup
) -> list[bpy.types.PropertyGroup]:
    others = [each for each in sets.settings_of(armature).sets if each.name != spatial_set.name]
    return [key for each in others for key in sets.usable_keys(each)]


def _poses_of(keys: list[bpy.types.PropertyGroup]) -> list[Pose]:
    """The poses of keys; that of a whole body has the bones at rest that only other keys hold."""
    poses = [_pose(key.pose) for key in keys]
    held = dict.fromkeys(bone for pose in poses for bone in pose.bones)
    return [
        merged(rest_pose(held), pose) if is_whole_body(key.pose) and len(pose.bones) < len(held) else pose
        for key, pose in zip(keys, poses, strict=True)
    ]


def _pose(action: bpy.types.Action) -> Pose:
    if action.session_uid not in _poses:
        _poses[action.session_uid] = pose_of_action(action)
    return _poses[action.session_uid]


def _dials_of(action: bpy.types.Action) -> Dials:
    if action.session_uid not in _dials:
        _dials[action.session_uid] = dials_of_action(action)
    return _dials[action.session_uid]


def held_bones(spatial_set: bpy.types.PropertyGroup) -> set[str]:
    """The bones that any key of a set says something about."""
    return {bone for key in sets.usable_keys(spatial_set) for bone in _pose(key.pose).bones}


def held_parts(armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup) -> set[str | Dial]:
    """The bones that any key of a set says something about, and the dials that act in it."""
    return held_bones(spatial_set) | {
        dial for each in acting_dials(armature, spatial_set) for dial in each.which
    }
