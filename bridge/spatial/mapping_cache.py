# SPDX-License-Identifier: GPL-3.0-or-later
"""A cache of what was read from pose actions and solved from markers: both are asked for at every redraw."""

from __future__ import annotations

import bpy
import numpy as np

from ...core import InputError
from . import empties, sets
from .mapping import SetMapping
from .pose_actions import is_whole_body, pose_of_action
from .poses import Pose, merged, rest_pose

# By numbers that Blender never reuses in a session, so nothing here refers to Blender's data.
_poses: dict[int, Pose] = {}
_mappings: dict[tuple[int, str], tuple[tuple[int, ...], SetMapping]] = {}


def forget_pose(session_uid: int) -> None:
    """An action was changed: read it again when it is wanted."""
    _poses.pop(session_uid, None)
    for key, (uids, _) in list(_mappings.items()):
        if session_uid in uids:
            del _mappings[key]


def forget_everything() -> None:
    """Another file, an undo step or another armature: nothing known is certain."""
    _poses.clear()
    _mappings.clear()


def mapping_of(armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup) -> SetMapping:
    """The set ready for use, solved again only where markers or poses changed."""
    keys = sets.usable_keys(spatial_set)
    if not keys:
        raise InputError(f'The spatial set "{spatial_set.name}" has no keys: pose the character and Set Key.')
    uids = tuple(key.pose.session_uid for key in keys)
    places = np.array([empties.place_of(armature, key.marker) for key in keys])
    where = (armature.session_uid, spatial_set.name)
    known = _mappings.get(where)
    if known is None or known[0] != uids or known[1].names != tuple(key.name for key in keys):
        mapping = SetMapping([key.name for key in keys], places, _poses_of(keys))
    elif np.array_equal(known[1].places, places):
        return known[1]
    else:
        mapping = known[1].moved(places)
    _mappings[where] = (uids, mapping)
    return mapping


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


def held_bones(spatial_set: bpy.types.PropertyGroup) -> set[str]:
    """The bones that any key of a set says something about."""
    return {bone for key in sets.usable_keys(spatial_set) for bone in _pose(key.pose).bones}
