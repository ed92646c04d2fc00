# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that reach for a target after the poses are blended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ...core.spatial import Effector, JointLimits, Skeleton, solve_ik
from . import sets
from .poses import Pose, current_pose
from .skeletons import skeleton_of, with_poses

AXES = "xyz"


@dataclass(frozen=True)
class Reach:
    """A bone of a set that reaches. `target` is the row of its target, or -1 for the set's own cursor."""

    bone: str
    chain: int
    target: int


@dataclass(frozen=True, eq=False)
class Body:
    """What reaching needs to know of an armature: its bones, their limits, and how it stands now."""

    skeleton: Skeleton
    limits: JointLimits
    pose: Pose  # of all bones


def body_of(armature: bpy.types.Object) -> Body:
    bones = armature.pose.bones
    return Body(skeleton_of(armature), _limits(bones), current_pose(armature, bones.keys()))


def reaches_of(
    armature: bpy.types.Object, all_sets: Sequence[bpy.types.PropertyGroup]
) -> tuple[tuple[tuple[Reach, ...], ...], np.ndarray]:
    """What reaches in each set, and (T, 3) where the targets are in the space of the armature."""
    targets: list[np.ndarray] = []
    found: list[tuple[Reach, ...]] = []
    for spatial_set in all_sets:
        reaches = []
        for effector in spatial_set.effectors:
            if effector.bone not in armature.pose.bones:
                continue
            row = -1 if effector.target is None else len(targets)
            if effector.target is not None:
                targets.append(sets.place_of(armature, effector.target))
            reaches.append(Reach(effector.bone, effector.chain_length, row))
        found.append(tuple(reaches))
    return tuple(found), np.array(targets).reshape(-1, 3)


def reached(
    body: Body, pose: Pose, reaches: Sequence[Reach], targets: np.ndarray, cursor: np.ndarray
) -> Pose:
    """The pose with its bones turned so that what reaches comes to its target.

    Only bones that the pose holds turn, and from what it says, so the result depends on the cursors alone.
    """
    whole = with_poses(body.pose, pose)
    held, number = set(pose.bones), {bone: n for n, bone in enumerate(whole.bones)}
    effectors = [
        Effector(number[each.bone], cursor if each.target < 0 else targets[each.target], chain=chain)
        for each in reaches
        if (chain := _chain(body.skeleton, whole.bones, number[each.bone], each.chain, held))
    ]
    if not effectors:
        return pose
    found = solve_ik(
        body.skeleton,
        whole.rotations,
        effectors,
        translations=whole.locations,
        scales=whole.scales,
        limits=body.limits,
    )
    return Pose(whole.bones, found.rotations, whole.locations, whole.scales).only(pose.bones)


def _chain(skeleton: Skeleton, names: Sequence[str], bone: int, length: int, held: set[str]) -> int:
    """How many bones from this one up may turn: at most `length` (0: any), as long as the set holds them."""
    count = 0
    for link in skeleton.chain(bone, length):
        if names[link] not in held:
            break
        count += 1
    return count


def _limits(bones: bpy.types.bpy_prop_collection) -> JointLimits:
    """The locks and limits that Blender's own inverse kinematics has for each bone."""
    locked = np.zeros((len(bones), 3), dtype=bool)
    lowest, highest = np.full((len(bones), 3), -np.inf), np.full((len(bones), 3), np.inf)
    for row, bone in enumerate(bones):
        for n, axis in enumerate(AXES):
            locked[row, n] = getattr(bone, f"lock_ik_{axis}")
            if getattr(bone, f"use_ik_limit_{axis}"):
                lowest[row, n] = getattr(bone, f"ik_min_{axis}")
                highest[row, n] = getattr(bone, f"ik_max_{axis}")
    return JointLimits(locked, lowest, highest)
