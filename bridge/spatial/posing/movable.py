# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones an animator can move: on a control rig most bones are mechanism, hidden or locked."""

from __future__ import annotations

import bpy

from ...bones import WIDTHS, selected_bones, visible_bones
from .pose_actions import driven_channels
from .poses import current_pose, posed_bones

# Constraints that let animators choose what a control hangs from: they change nothing as long as that stands.
INSTEAD_OF_PARENTS = ("ARMATURE", "CHILD_OF")
ELSEWHERE = 1e-4


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


def is_constrained(armature: bpy.types.Object, name: str, *, by_limits: bool = True) -> bool:
    """Whether a constraint poses the bone or one that it hangs from, or, if that counts, limits its pose."""
    bone = armature.pose.bones[name]
    return any(
        _acts(link, constraint) and (by_limits or not constraint.type.startswith("LIMIT_"))
        for link in (bone, *bone.parent_recursive)
        for constraint in link.constraints
    )


def is_driven(armature: bpy.types.Object, name: str) -> bool:
    """Whether drivers turn or move the bone or one that it hangs from."""
    bone = armature.pose.bones[name]
    rows = [armature.pose.bones.find(link.name) for link in (bone, *bone.parent_recursive)]
    return bool(driven_channels(armature)[rows, : -WIDTHS["scale"]].any())


def _acts(link: bpy.types.PoseBone, constraint: bpy.types.Constraint) -> bool:
    if constraint.mute or constraint.influence <= 0.0:
        return False
    return constraint.type not in INSTEAD_OF_PARENTS or _is_carried_off(link)


def _is_carried_off(link: bpy.types.PoseBone) -> bool:
    """Whether a bone is elsewhere now than its parent takes it."""
    space = link.bone.matrix_local
    if link.parent is not None:
        space = link.parent.matrix @ link.parent.bone.matrix_local.inverted_safe() @ space
    off = link.matrix - space @ link.matrix_basis
    return max(abs(value) for row in off for value in row) > ELSEWHERE * max(1.0, link.length)
