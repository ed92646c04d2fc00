# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys get their poses: the one that is shown, of all bones or some, or the mirrored one of another key."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ....core import InputError
from ...bones import selected_bones
from .. import live
from ..posing.dials import Dials, current_dials, dials_of
from ..posing.movable import whole_body_bones
from ..posing.pose_actions import action_of_pose, dials_of_action, is_whole_body, pose_of_action
from ..posing.poses import current_pose, merged
from . import editing, empties
from .mirror import mirrored_dials, mirrored_name, mirrored_pose, plane_of


def set_key(
    armature: bpy.types.Object,
    spatial_set: bpy.types.PropertyGroup,
    place: Iterable[float],
    name: str,
    bones: str,
) -> None:
    """Attach the current pose of the whole body (ALL), of the SELECTED bones or of SHAPES to a place."""
    editing.refuse_taken_place(armature, spatial_set, place)
    names = _wanted_bones(armature, bones)
    pose, dials = current_pose(armature, names), _wanted_dials(armature, bones, names)
    action = action_of_pose(armature, pose, name, whole_body=bones == "ALL", dials=dials)
    editing.add_key(armature, spatial_set, action, place, name)
    live.forget_edits(armature)


def update_key(armature: bpy.types.Object, key: bpy.types.PropertyGroup, bones: str) -> None:
    """Give a key the current pose of the bones it holds (HELD), or of those that `set_key` knows."""
    old, was_whole = pose_of_action(key.pose), is_whole_body(key.pose)
    choice = "ALL" if bones == "HELD" and was_whole else bones
    names = old.bones if choice == "HELD" else _wanted_bones(armature, choice)
    pose = merged(old, current_pose(armature, names)).only(armature.pose.bones.keys())
    whole_body = was_whole or bones == "ALL"
    held = dials_of_action(key.pose)
    if choice == "HELD":
        dials = current_dials(armature, held.which)
    else:
        dials = Dials.of(held.as_dict() | _wanted_dials(armature, choice, names).as_dict())
    action = action_of_pose(armature, pose, key.name, whole_body=whole_body, dials=dials)
    editing.replace_pose(key, action)
    live.forget_edits(armature)


def mirror_key(
    armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup, key: bpy.types.PropertyGroup
) -> None:
    """Add the mirrored pose of a key at the mirrored place, or bring it up to date."""
    name = mirrored_name(key.name)
    place = plane_of(armature).mirrored(empties.place_of(armature, key.marker))
    mirrored = mirrored_pose(armature, pose_of_action(key.pose))
    dials = mirrored_dials(armature, dials_of_action(key.pose))
    pose = action_of_pose(armature, mirrored, name, whole_body=is_whole_body(key.pose), dials=dials)
    try:
        editing.set_mirrored_key(armature, spatial_set, key, pose, place, name)
    except InputError:
        bpy.data.actions.remove(pose)
        raise


def _wanted_bones(armature: bpy.types.Object, choice: str) -> list[str]:
    """All bones that can be moved or are posed, or the selected ones, which must be some."""
    if not armature.pose.bones:
        raise InputError("{armature} has no bones: add some in Edit Mode first.", armature=armature.name)
    if choice == "SHAPES":
        return []
    if choice != "SELECTED":
        return whole_body_bones(armature)
    names = selected_bones(armature)
    if not names:
        raise InputError("No bone is selected: select the bones to keep, or choose the whole body.")
    return names


def _wanted_dials(armature: bpy.types.Object, choice: str, bones: Iterable[str]) -> Dials:
    """How shape keys and custom properties are set: all, only shape keys, or the properties of bones."""
    dials = dials_of(armature)
    if choice == "SHAPES":
        dials = [dial for dial in dials if dial.mesh]
        if not dials:
            raise InputError(
                "No mesh of {armature} has shape keys to set: add some to a mesh that it deforms.",
                armature=armature.name,
            )
    elif choice == "SELECTED":
        dials = [dial for dial in dials if dial.bone in set(bones)]
    return current_dials(armature, dials)
