# SPDX-License-Identifier: GPL-3.0-or-later
"""A character that travels because its contacts hold on to the ground."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Vector

from ...core.anatomy import Limb
from ...core.spatial import Ground, Locomotion, walk
from ..character import describe, height_of
from . import sets
from .forward_kinematics import Joints, bone_ends, space_of_location
from .pose_actions import pose_for
from .poses import Pose

# As shares of the character's height: how near the ground a contact touches, and how firmly it holds. A foot
# that holds more firmly drags the character back when it begins to lift: at 0.015 a third of the way is lost.
TOUCH = 0.01
HOLD = 0.003


@dataclass(frozen=True, eq=False)
class Contacts:
    """The points that can stand, and what they stand on.

    Attributes:
        rows: (C,) where they are among all heads followed by all ends of bones.
        soles: (C, 3) from the ground to each when it stands: an ankle is above it.
        ground: the height of the ground in the world, for the armature where it is now.
        moves_along: whether the ground is found below the character, wherever it is put.
    """

    rows: list[int]
    soles: np.ndarray
    ground: float
    moves_along: bool


def walks(armature: bpy.types.Object) -> bool:
    return sets.settings_of(armature).use_locomotion and bool(contact_bones(armature))


def contact_bones(armature: bpy.types.Object) -> list[str]:
    """The bones that hold on to the ground: those that the user has listed, else the feet that are found."""
    listed = sets.settings_of(armature).contacts
    points = [(each.bone, each.end) for each in listed] or _found_points(armature)
    return list(dict.fromkeys(bone for bone, _ in points if bone in armature.pose.bones))


def base_along(armature: bpy.types.Object, poses: Pose, start: Vector, rate: float) -> np.ndarray:
    """(F, 3) the location of the armature object for each pose, when it stands at `start` in the first."""
    contacts = _contacts(armature)
    points = Joints(armature).positions(poses)[:, contacts.rows] - contacts.soles
    shift = space_of_location(armature) @ start - armature.matrix_world.translation
    ground = _ground(armature, contacts.ground + (shift.z if contacts.moves_along else 0.0))
    offsets = walk(points + np.array(shift), rate, ground).offsets
    to_location = space_of_location(armature).to_3x3().inverted_safe()
    return np.array(start) + offsets @ np.array(to_location).T


class Walker:
    """The same while performing, step by step, from what Blender shows."""

    def __init__(self, armature: bpy.types.Object):
        self._start = armature.location.copy()
        self._origin = armature.matrix_world.translation.copy()
        self._contacts = _contacts(armature)
        self._ends = bone_ends(armature)
        self._walk = Locomotion(_ground(armature, self._contacts.ground))
        self.travelled = Vector()  # in the world, since the start

    def step(self, armature: bpy.types.Object, seconds: float) -> None:
        """Move the armature object so that its contact stays where it is."""
        # As if it had never left: where it has come to may not be evaluated yet.
        axes = armature.matrix_world.to_3x3()
        points = np.array([axes @ end + self._origin for end in self._shown(armature)])
        self.travelled = Vector(self._walk.step(points - self._contacts.soles, seconds))
        self.place(armature)

    def place(self, armature: bpy.types.Object) -> None:
        """Put the armature object where it has walked to; animation may have put it elsewhere."""
        to_location = space_of_location(armature).to_3x3().inverted_safe()
        armature.location = self._start + to_location @ self.travelled

    def _shown(self, armature: bpy.types.Object) -> list[Vector]:
        """Where the contacts are in the space of the armature."""
        bones, count = armature.pose.bones, len(self._ends)
        return [
            bones[row].head if row < count else bones[row - count].matrix @ Vector(self._ends[row - count])
            for row in self._contacts.rows
        ]


def _ground(armature: bpy.types.Object, level: float) -> Ground:
    height = height_of(armature)
    hold = HOLD * height if sets.settings_of(armature).use_steady_contacts else 0.0
    return Ground(level, TOUCH * height, hold)


def _contacts(armature: bpy.types.Object) -> Contacts:
    settings = sets.settings_of(armature)
    listed = [(each.bone, each.end) for each in settings.contacts]
    rows = _rows(armature, listed or _found_points(armature))
    if listed:
        return Contacts(rows, np.zeros((len(rows), 3)), settings.ground, moves_along=False)
    levels = _standing_levels(armature, rows)
    ground = float(levels.min(initial=np.inf))
    return Contacts(rows, np.outer(levels - ground, [0.0, 0.0, 1.0]), ground, moves_along=True)


def _found_points(armature: bpy.types.Object) -> list[tuple[str, str]]:
    """Heels, balls and tips of the feet that are found, as bones and ends; alike for every leg."""
    return [point for leg in describe(armature).legs for point in _points_of(leg)]


def _points_of(leg: Limb) -> list[tuple[str, str]]:
    if leg.end is None:
        return [(leg.lower, "TAIL")]
    return [(leg.end, "HEAD"), (leg.end, "TAIL"), *([(leg.tip, "TAIL")] if leg.tip else [])]


def _standing_levels(armature: bpy.types.Object, rows: list[int]) -> np.ndarray:
    """(C,) how high each point is when it stands: as low as it, or its counterpart, gets in any key."""
    joints = Joints(armature)
    keys = [key for each in sets.ready_sets(armature) for key in sets.usable_keys(each)]
    heights = [joints.positions(pose_for(armature, key.pose))[rows, 2] for key in keys]
    lowest = np.min(heights, axis=0) if heights else np.zeros(len(rows))
    partners = _partner_rows(armature, rows)
    return np.minimum(lowest, lowest[partners])


def _partner_rows(armature: bpy.types.Object, rows: list[int]) -> list[int]:
    """(C,) which of the points is the counterpart of each; itself where there is none."""
    names, description = armature.pose.bones.keys(), describe(armature)
    points = [(names[row % len(names)], row >= len(names)) for row in rows]
    order = {point: n for n, point in enumerate(points)}
    return [
        order.get((description.mirror_of(bone) or bone, is_end), n) for n, (bone, is_end) in enumerate(points)
    ]


def _rows(armature: bpy.types.Object, points: list[tuple[str, str]]) -> list[int]:
    """Where points are among all heads followed by all ends; those of bones that are gone are left out."""
    order = {bone.name: n for n, bone in enumerate(armature.pose.bones)}
    return [order[bone] + (len(order) if end == "TAIL" else 0) for bone, end in points if bone in order]
