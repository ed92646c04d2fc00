# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that reach for a target after the poses are blended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ....core.spatial import Effector, JointLimits, Skeleton, nearest_rotation, solve_ik
from ...character import describe
from ..posing.forward_kinematics import skeleton_of, with_poses
from ..posing.poses import Pose, current_pose
from .mapping import SetMapping

AXES = "xyz"
CURSOR, KEYS = -1, -2


@dataclass(frozen=True)
class Reach:
    """A bone of a set that reaches.

    `target` is the row of its target, CURSOR for the set's own cursor, or KEYS for where the keys put it;
    `turn` is the row of what it turns with, or -1 if it may be turned any way. What `moves` is brought there
    itself, and turns no chain.
    """

    bone: str
    chain: int
    target: int
    turn: int
    moves: bool


@dataclass(frozen=True, eq=False)
class Body:
    """What reaching needs to know of an armature: its bones, their limits, and how it stands now."""

    skeleton: Skeleton
    limits: JointLimits
    pose: Pose  # of all bones


def body_of(armature: bpy.types.Object) -> Body:
    bones = armature.pose.bones
    return Body(skeleton_of(armature), _limits(bones), current_pose(armature, bones.keys()))


def chain_for(armature: bpy.types.Object, name: str) -> int | None:
    """How many bones bend when one of an arm or a leg reaches: all up to its upper half; None elsewhere."""
    description = describe(armature)
    uppers = {limb.upper for limb in (*description.arms, *description.legs)}
    bone = armature.data.bones[name]
    for count, link in enumerate((bone, *bone.parent_recursive), start=1):
        if link.name in uppers:
            return count
    return None


def control_for(armature: bpy.types.Object, name: str) -> str | None:
    """The control that a bone follows by inverse kinematics; the bone itself if others follow it."""
    controls = ik_controls(armature)
    bone = armature.pose.bones[name]
    if name in controls.values():
        return name
    ends = (bone, bone.parent)  # a hand hangs from the forearm that reaches
    return next((controls[end.name] for end in ends if end is not None and end.name in controls), None)


def ik_controls(armature: bpy.types.Object) -> dict[str, str]:
    """What animators move, by the bones with which chains end that reach for it."""
    return {bone.name: found for bone in armature.pose.bones if (found := _ik_control(armature, bone))}


def _ik_control(armature: bpy.types.Object, bone: bpy.types.PoseBone) -> str | None:
    """What animators move to let a chain reach that ends with a bone; the chain does not hang from it."""
    constraints: Any = bone.constraints
    for each in constraints:
        acts = each.type == "IK" and not each.mute and each.influence > 0.0
        if not acts or each.target != armature or each.subtarget not in armature.pose.bones:
            continue
        goal = armature.pose.bones[each.subtarget]
        for link in (goal, *goal.parent_recursive):
            if not any(link.lock_location) and not len(link.constraints):
                return None if link in bone.parent_recursive else link.name
    return None


def reaches_of(
    armature: bpy.types.Object, all_sets: Sequence[bpy.types.PropertyGroup]
) -> tuple[tuple[tuple[Reach, ...], ...], np.ndarray]:
    """What reaches in each set, and (T, 3, 4) axes and places of the targets in the space of the armature."""
    targets: list[np.ndarray] = []
    found: list[tuple[Reach, ...]] = []
    for spatial_set in all_sets:
        reaches = []
        for effector in spatial_set.effectors:
            if effector.bone not in armature.pose.bones:
                continue
            row = len(targets)
            target = None if effector.use_keys else effector.target
            turns = effector.use_rotation
            if turns or target is not None:
                targets.append(_seen_from(armature, target or spatial_set.cursor))
            goal = KEYS if effector.use_keys else CURSOR if target is None else row
            turn = row if turns else -1
            reaches.append(
                Reach(effector.bone, effector.chain_length, goal, turn, moves=effector.use_location)
            )
        found.append(tuple(reaches))
    return tuple(found), np.array(targets).reshape(-1, 3, 4)


def reached(
    body: Body,
    pose: Pose,
    reaches: Sequence[Reach],
    targets: np.ndarray,
    cursor: np.ndarray,
    mapping: SetMapping,
) -> Pose:
    """The pose with its bones turned so that what reaches comes to its target.

    Only bones that the pose holds turn, and from what it says, so the result depends on the cursors alone.
    """
    whole = with_poses(body.pose, pose)
    held, number = set(pose.bones), {bone: n for n, bone in enumerate(whole.bones)}

    def goal(reach: Reach) -> np.ndarray:
        if reach.target == KEYS:
            return _place_by_keys(body, mapping, reach.bone, cursor)
        return cursor if reach.target == CURSOR else targets[reach.target, :, 3]

    def rotation(reach: Reach) -> np.ndarray | None:
        return None if reach.turn < 0 else _wanted(body.skeleton, number[reach.bone], targets[reach.turn])

    for each in reaches:
        if each.moves and each.bone in held:
            _move(body.skeleton, whole, number[each.bone], goal(each), rotation(each))
    effectors = [
        Effector(number[each.bone], goal(each), chain=chain, rotation=rotation(each))
        for each in reaches
        if not each.moves
        and (chain := _chain(body.skeleton, whole.bones, number[each.bone], each.chain, held))
    ]
    if not effectors:
        return whole.only(pose.bones)
    found = solve_ik(
        body.skeleton,
        whole.rotations,
        effectors,
        translations=whole.locations,
        scales=whole.scales,
        limits=body.limits,
    )
    return Pose(whole.bones, found.rotations, whole.locations, whole.scales).only(pose.bones)


def _move(skeleton: Skeleton, whole: Pose, bone: int, goal: np.ndarray, rotation: np.ndarray | None) -> None:
    """Bring the tip of a bone to its goal by its own location, turned if that is wanted, in place."""
    links = skeleton.chain(bone)[::-1]  # the root first
    chain = skeleton.part(links)

    def matrices(location: np.ndarray) -> np.ndarray:
        locations = whole.locations[links].copy()
        locations[-1] = location
        return chain.pose_matrices(whole.rotations[links], locations, whole.scales[links])

    if rotation is not None:
        turned = nearest_rotation(matrices(np.zeros(3))[-1, :3, :3])
        whole.rotations[bone] = whole.rotations[bone] @ turned.T @ rotation
    # A tip goes along with the location, however that is inherited: three steps tell which way.
    tips = [chain.tails(matrices(location))[-1] for location in (np.zeros(3), *np.eye(3))]
    ways = np.array(tips[1:]).T - tips[0][:, None]
    whole.locations[bone] = np.linalg.lstsq(ways, goal - tips[0], rcond=None)[0]


def _place_by_keys(body: Body, mapping: SetMapping, bone: str, point: np.ndarray) -> np.ndarray:
    """Where the tip of a bone is in the keys that hold it, blended as their poses are.

    Where the tip is at the marker in every key, it is at the cursor everywhere: such a blend keeps what is
    linear.
    """
    poses, weights = mapping.keys_of(bone, point)
    number = body.pose.bones.index(bone)
    links = body.skeleton.chain(number)[::-1]  # the root first
    chain = body.skeleton.part(links)
    names = [body.pose.bones[link] for link in links]
    tips = []
    for pose in poses:
        posed = with_poses(body.pose, pose).only(names)
        tips.append(chain.tails(chain.pose_matrices(posed.rotations, posed.locations, posed.scales))[-1])
    return weights @ np.array(tips)


def _seen_from(armature: bpy.types.Object, thing: bpy.types.Object) -> np.ndarray:
    """(3, 4) axes and place of an object in the space of the armature object."""
    return np.array(armature.matrix_world.inverted_safe() @ thing.matrix_world)[:3]


def _wanted(skeleton: Skeleton, bone: int, target: np.ndarray) -> np.ndarray:
    """A bone turns with its target, and with one that is not turned it is as at rest: a foot stands flat."""
    return nearest_rotation(target[:, :3]) @ nearest_rotation(skeleton.rest[bone, :3, :3])


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
