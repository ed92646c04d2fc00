# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the joints of an armature are in poses that Blender has not been asked to show."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix

from ....core.spatial import Inheritance, Skeleton
from ...character import ends_of
from ...character.bone_ends import SIDE
from .poses import Pose, current_pose


def skeleton_of(armature: bpy.types.Object) -> Skeleton:
    """The armature's bones, in the order of its pose bones."""
    bones = armature.data.bones
    row = {bone.name: n for n, bone in enumerate(armature.pose.bones)}
    ordered = [bones[name] for name in row]
    return Skeleton(
        np.array([-1 if bone.parent is None else row[bone.parent.name] for bone in ordered]),
        np.array([bone.matrix_local for bone in ordered]).reshape(-1, 4, 4),
        inheritance=Inheritance(
            np.array([bone.use_inherit_rotation for bone in ordered], dtype=bool),
            np.array([bone.inherit_scale for bone in ordered], dtype=str),
            np.array([bone.use_local_location for bone in ordered], dtype=bool),
        ),
        ends=bone_ends(armature),
    )


def bone_ends(armature: bpy.types.Object) -> np.ndarray:
    """(B, 3) where each bone ends in its own space, in the order of the pose bones: mostly at its tail."""
    ends = ends_of(armature).along
    row = {name: n for n, name in enumerate(armature.data.bones.keys())}
    return ends[[row[name] for name in armature.pose.bones.keys()]]  # noqa: SIM118  keys() of Blender's is fast


def with_poses(body: Pose, poses: Pose) -> Pose:
    """The pose of a body, for each of some poses of a part of it."""
    shape = poses.rotations.shape[:-3]
    full = Pose(
        body.bones,
        np.broadcast_to(body.rotations, (*shape, *body.rotations.shape)).copy(),
        np.broadcast_to(body.locations, (*shape, *body.locations.shape)).copy(),
        np.broadcast_to(body.scales, (*shape, *body.scales.shape)).copy(),
    )
    moved = poses.only(body.bones)
    order = {bone: n for n, bone in enumerate(body.bones)}
    rows = [order[bone] for bone in moved.bones]
    full.rotations[..., rows, :, :] = moved.rotations
    full.locations[..., rows, :] = moved.locations
    full.scales[..., rows, :] = moved.scales
    return full


def space_of_location(armature: bpy.types.Object) -> Matrix:
    """From the space in which the object's location is given to the world."""
    parent = armature.parent
    if parent is None:
        return Matrix.Identity(4)
    space = parent.matrix_world
    if armature.parent_type == "BONE" and armature.parent_bone in parent.pose.bones:
        bone = parent.pose.bones[armature.parent_bone]  # what hangs from a bone hangs from its tail
        space = space @ bone.matrix @ Matrix.Translation((0.0, bone.bone.length, 0.0))
    return space @ armature.matrix_parent_inverse


@dataclass(frozen=True, eq=False)
class Base:
    """Where the armature object is in F frames, by its own channels; as it is now where nothing is said."""

    locations: np.ndarray | None = None  # (F, 3)
    rotations: np.ndarray | None = None  # (F, 3, 3)


class Joints:
    """Where heads, tails and sides are in many poses. What they share is read from Blender once."""

    def __init__(self, armature: bpy.types.Object):
        self._skeleton = skeleton_of(armature)
        self._body = current_pose(armature, armature.pose.bones.keys())
        self._world = np.array(armature.matrix_world)
        self._above = np.array(space_of_location(armature))
        self._scale = np.array(armature.scale)

    def positions(self, poses: Pose, base: Base | None = None) -> np.ndarray:
        """(F, J, 3) all of them in world space.

        Bones that the poses do not hold, and the object where its base says nothing, are as they were.
        """
        base = base or Base()
        body = with_poses(self._body, poses)
        matrices = self._skeleton.pose_matrices(body.rotations, body.locations, body.scales)
        tails = self._skeleton.tails(matrices)
        ends = np.concatenate([matrices[..., :3, 3], tails, self._sides(matrices, tails)], axis=-2)
        axes = self._world[:3, :3]
        if base.rotations is not None:
            axes = self._above[:3, :3] @ (base.rotations * self._scale)
        placed = ends @ axes.swapaxes(-1, -2)
        if base.locations is None:
            return placed + self._world[:3, 3]
        stands = base.locations @ self._above[:3, :3].T + self._above[:3, 3]
        return placed + stands[:, None]

    def _sides(self, matrices: np.ndarray, tails: np.ndarray) -> np.ndarray:
        """Beside the tails of the bones that nothing hangs from: only there it shows how they are twisted."""
        skeleton = self._skeleton
        last = np.setdiff1d(np.arange(len(skeleton)), skeleton.parents)
        lengths = np.linalg.norm(skeleton.ends[last], axis=1)
        away = SIDE * lengths[:, None] * matrices[..., :3, 0][..., last, :]
        return tails[..., last, :] + away
