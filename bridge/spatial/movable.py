# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones an animator can move: on a control rig most bones are mechanism, hidden or locked."""

from __future__ import annotations

import bpy

from ..bones import selected_bones, visible_bones
from .poses import current_pose, posed_bones


def whole_body_bones(armature: bpy.types.Object) -> list[str]:
    """What the pose of the whole body has to hold: bones that can be moved, and all that are not at rest."""
    bones = armature.pose.bones
    visible, selected = visible_bones(armature), set(selected_bones(armature))
    wanted = {name for name in visible if name in selected or not _is_locked(bones[name])}
    wanted |= posed_bones(current_pose(armature, bones.keys()))
    names = [name for name in bones.keys() if name in wanted]  # noqa: SIM118  keys() of Blender's is fast
    return names or list(bones.keys())


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
