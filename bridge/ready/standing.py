# SPDX-License-Identifier: GPL-3.0-or-later
"""`Stance`: a character standing, and poses made from it by saying where its limbs point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import radians

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...core.anatomy import Limb, ground_below
from ...core.motion import FloatArray
from ...core.spatial import nearest_rotation
from ..character import Shown, describe, shown, up_and_front
from ..spatial.making.empties import height_within
from ..spatial.posing.forward_kinematics import skeleton_of, with_poses
from ..spatial.posing.poses import Pose, current_pose, rest_pose

UPRIGHT = 0.7  # legs that point down by less than this cosine do not stand
SAME_GROUND = 0.02  # of the height: so far apart the ground at rest and the one that is shown are the same


class Stance:
    """The character at rest if it stands there, else as it is shown; at rest, but upright and on the ground.

    Directions, orientations and places are in the space of the armature.

    Attributes:
        character: what is known of it.
        up, front, left: unit vectors.
        size: how high it is.
    """

    def __init__(self, armature: bpy.types.Object):
        self.character = describe(armature)
        self.size = height_within(armature)
        self._skeleton = skeleton_of(armature)
        self._row = {bone.name: n for n, bone in enumerate(armature.pose.bones)}
        to_armature = np.array(armature.matrix_world.to_3x3().inverted_safe())
        seen = shown(armature, self.character)
        self._stand(rest_pose(self._row), to_armature, self.character.up, self.character.front)
        if not all(self._halves(leg)[0] @ -self.up > UPRIGHT for leg in self.character.legs):
            self._stand(current_pose(armature, self._row), to_armature, self.character.up, seen.front)
        elif self.character.hips is not None:
            self._stand_as_shown(armature, seen, to_armature)

    def _stand(self, pose: Pose, to_armature: FloatArray, up: FloatArray, front: FloatArray | None) -> None:
        self._base = pose
        self._matrices = self._skeleton.pose_matrices(pose.rotations, pose.locations, pose.scales)
        front = np.array([0.0, -1.0, 0.0]) if front is None else front
        self.up, self.front = (_unit(to_armature @ vector) for vector in (up, front))
        self.left = np.cross(self.up, self.front)

    def _stand_as_shown(self, armature: bpy.types.Object, seen: Shown, to_armature: FloatArray) -> None:
        """Carry the body by its hips to where it is shown, if it rests lying or on another ground.

        Files say how a body rests without meaning it: captures with its hips at the origin, others lying.
        """
        up, front = up_and_front(armature, self.character)
        ground, stage = self._ground(armature), float(armature.matrix_world.translation.z)
        nearer = self.character.said_ground is None and abs(ground - stage) <= abs(seen.ground - stage)
        same = abs(ground - seen.ground) < SAME_GROUND * self.character.height
        if self.character.up @ up > UPRIGHT and (same or nearer):
            return
        hips, resting = str(self.character.hips), self._axes()
        row, pose = self._row[hips], self._base
        self._stand(pose, to_armature, up, front)
        turned = self._axes() @ resting.T
        rest = self._skeleton.rest[row]
        pose.rotations[row] = nearest_rotation(rest[:3, :3].T @ turned @ rest[:3, :3])
        middle = np.array(armature.matrix_world.inverted_safe() @ Vector(seen.middle))
        pose.locations[row] = np.linalg.solve(rest[:3, :3], middle - rest[:3, 3])
        self._stand(pose, to_armature, up, front)
        raised = to_armature @ [0.0, 0.0, seen.ground - self._ground(armature)]
        pose.locations[row] += np.linalg.solve(rest[:3, :3], raised)
        self._stand(pose, to_armature, up, front)

    def _axes(self) -> FloatArray:
        return np.stack([self.left, self.front, self.up], axis=1)

    def _ground(self, armature: bpy.types.Object) -> float:
        """How high the ground is in the world that its soles are on."""
        world = np.array(armature.matrix_world)
        heads = self._matrices[None, :, :3, 3] @ world[:3, :3].T + world[:3, 3]
        return ground_below(replace(self.character, said_ground=None), list(self._row), heads)

    def place(self, bone: str) -> FloatArray:
        """Where a bone begins."""
        return self._matrices[self._row[bone], :3, 3]

    def direction(self, bone: str, to: str) -> FloatArray:
        return _unit(self.place(to) - self.place(bone))

    def hanging(self, forward: float = 0.0, outward: float = 0.0, side: str = "left") -> FloatArray:
        """Where a limb points that hangs down, swung forward and away from the body by degrees."""
        away = outward if side == "left" else -outward
        return self.swing(-forward) @ (turn(self.front, -away) @ -self.up)

    def swing(self, degrees: float) -> FloatArray:
        """What turns about the axis from right to left: heads nod, and what hangs down goes back."""
        return turn(self.left, degrees)

    def turned(self, bone: str, by: FloatArray) -> FloatArray:
        """The orientation of a bone that is turned from how it stands."""
        return by @ self._matrices[self._row[bone], :3, :3]

    def pointed(self, limb: Limb, upper: FloatArray, lower: FloatArray) -> dict[str, FloatArray]:
        """The orientations of both halves of a limb that point somewhere; what is stiff points between."""
        first, second = self._halves(limb)
        if not limb.bends:
            return {limb.upper: self.turned(limb.upper, _shortest_turn(first, _unit(upper + lower)))}
        return {
            limb.upper: self.turned(limb.upper, _shortest_turn(first, upper)),
            limb.lower: self.turned(limb.lower, _shortest_turn(second, lower)),
        }

    def _halves(self, limb: Limb) -> tuple[FloatArray, FloatArray]:
        """Where the halves of a limb point; where nothing begins at its end, it counts as straight."""
        if not limb.bends:
            along = _unit(self._ends(self._base)[1][self._row[limb.upper]] - self.place(limb.upper))
            return along, along
        first = self.direction(limb.upper, limb.lower)
        return first, first if limb.end is None else self.direction(limb.lower, limb.end)

    def pose(self, oriented: Mapping[str, FloatArray], held: Iterable[str]) -> Pose:
        """The pose of `held` bones in which some are oriented so; all others hang from them as they did."""
        pose = self._base
        rotations, rest = pose.rotations.copy(), self._skeleton.rest[:, :3, :3]
        turned = np.empty_like(rest)
        for row in np.concatenate(self._skeleton.levels):
            above = self._skeleton.parents[row]
            unposed = rest[row] if above < 0 else turned[above] @ rest[above].T @ rest[row]
            if pose.bones[row] in oriented:
                rotations[row] = nearest_rotation(unposed.T @ oriented[pose.bones[row]])
            turned[row] = unposed @ rotations[row]
        return Pose(pose.bones, rotations, pose.locations, pose.scales).only(held)

    def lifted(self, pose: Pose, carrier: str, height: float) -> Pose:
        """The same pose with the whole body higher, by moving the bone that carries it."""
        row, above = self._row[carrier], self._skeleton.parents[self._row[carrier]]
        rest = self._skeleton.rest[:, :3, :3]
        axes = rest[row] if above < 0 else self._matrices[above, :3, :3] @ rest[above].T @ rest[row]
        locations = pose.locations.copy()
        locations[pose.bones.index(carrier)] += np.linalg.solve(axes, height * self.up)
        return Pose(pose.bones, pose.rotations, locations, pose.scales)

    def sole(self, pose: Pose, legs: Iterable[Limb]) -> float:
        """How high the lowest point of the feet and toes of some legs is."""
        heads, ends = self._ends(pose)
        rows = [
            self._row[bone] for leg in legs for bone in (leg.end or leg.lower, leg.tip) if bone is not None
        ]
        return float((np.concatenate([heads[rows], ends[rows]]) @ self.up).min())

    def hand(self, pose: Pose, arm: Limb) -> FloatArray:
        """Where the end of an arm is."""
        heads, ends = self._ends(pose)
        return ends[self._row[arm.lower]] if arm.end is None else heads[self._row[arm.end]]

    def _ends(self, pose: Pose) -> tuple[FloatArray, FloatArray]:
        """Where all bones begin and end."""
        whole = with_poses(self._base, pose)
        matrices = self._skeleton.pose_matrices(whole.rotations, whole.locations, whole.scales)
        return matrices[:, :3, 3], self._skeleton.tails(matrices)


def turn(axis: FloatArray, degrees: float) -> FloatArray:
    return np.array(Matrix.Rotation(radians(degrees), 3, Vector(axis)))


def _unit(vector: FloatArray) -> FloatArray:
    return vector / max(float(np.linalg.norm(vector)), 1e-12)


def _shortest_turn(start: FloatArray, end: FloatArray) -> FloatArray:
    return np.array(Vector(start).rotation_difference(Vector(end)).to_matrix())
