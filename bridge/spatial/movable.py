# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones an animator can move: on a control rig most bones are mechanism, hidden or locked."""

from __future__ import annotations

from typing import Any

import bpy

from ..bones import selected_bones
from .poses import current_pose, posed_bones

HIDDEN_ON_POSE_BONE = bpy.app.version >= (5, 0, 0)


def whole_body_bones(armature: bpy.types.Object) -> list[str]:
    """What the pose of the whole body has to hold: bones that can be moved, and all that are not at rest."""
    bones = armature.pose.bones
    wanted = {bone.name for bone in bones if _can_be_moved(bone)} | set(selected_bones(armature))
    wanted |= posed_bones(current_pose(armature, bones.keys()))
    names = [name for name in bones.keys() if name in wanted]  # noqa: SIM118  keys() of Blender's is fast
    return names or list(bones.keys())


def _can_be_moved(bone: bpy.types.PoseBone) -> bool:
    return _is_visible(bone) and not _is_locked(bone)


def _is_visible(bone: bpy.types.PoseBone) -> bool:
    """Whether it is shown in Pose Mode, so that it can be selected there."""
    owner: Any = bone if HIDDEN_ON_POSE_BONE else bone.bone
    if owner.hide:
        return False
    collections = bone.bone.collections
    return not len(collections) or any(each.is_visible_effectively for each in collections)


def _is_locked(bone: bpy.types.PoseBone) -> bool:
    return all((*bone.lock_location, *bone.lock_rotation, *bone.lock_scale))


def is_constrained(armature: bpy.types.Object, name: str) -> bool:
    """Whether a constraint poses the bone or one that it hangs from."""
    bone = armature.pose.bones[name]
    return any(
        not constraint.mute and constraint.influence > 0.0
        for link in (bone, *bone.parent_recursive)
        for constraint in link.constraints
    )
