# SPDX-License-Identifier: GPL-3.0-or-later
"""A character that travels because its contacts hold on to the ground."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Vector

from ...core.spatial import Ground, Locomotion, walk
from . import empties, sets
from .forward_kinematics import Joints, space_of_location
from .poses import Pose

# As shares of the character's height: how near the ground a contact touches, and how firmly it holds. A foot
# that holds more firmly drags the character back when it begins to lift: at 0.015 a third of the way is lost.
TOUCH = 0.01
HOLD = 0.003


def walks(armature: bpy.types.Object) -> bool:
    settings = sets.settings_of(armature)
    return settings.use_locomotion and bool(_contact_rows(armature))


def base_along(armature: bpy.types.Object, poses: Pose, start: Vector, rate: float) -> np.ndarray:
    """(F, 3) the location of the armature object for each pose, when it stands at `start` in the first."""
    points = Joints(armature).positions(poses)[:, _contact_rows(armature)]
    shift = space_of_location(armature) @ start - armature.matrix_world.translation
    offsets = walk(points + np.array(shift), rate, _ground(armature)).offsets
    to_location = space_of_location(armature).to_3x3().inverted_safe()
    return np.array(start) + offsets @ np.array(to_location).T


class Walker:
    """The same while performing, step by step, from what Blender shows."""

    def __init__(self, armature: bpy.types.Object):
        self._start = armature.location.copy()
        self._origin = armature.matrix_world.translation.copy()
        self._walk = Locomotion(_ground(armature))
        self.travelled = Vector()  # in the world, since the start

    def step(self, armature: bpy.types.Object, seconds: float) -> None:
        """Move the armature object so that its contact stays where it is."""
        # As if it had never left: where it has come to may not be evaluated yet.
        axes = armature.matrix_world.to_3x3()
        points = np.array([axes @ end + self._origin for end in _shown_contacts(armature)])
        self.travelled = Vector(self._walk.step(points, seconds))
        self.place(armature)

    def place(self, armature: bpy.types.Object) -> None:
        """Put the armature object where it has walked to; animation may have put it elsewhere."""
        to_location = space_of_location(armature).to_3x3().inverted_safe()
        armature.location = self._start + to_location @ self.travelled


def _ground(armature: bpy.types.Object) -> Ground:
    height = empties.height_within(armature) * armature.matrix_world.median_scale
    return Ground(sets.settings_of(armature).ground, TOUCH * height, HOLD * height)


def _contact_rows(armature: bpy.types.Object) -> list[int]:
    """Where the contacts are among all heads followed by all tails."""
    order = {bone.name: n for n, bone in enumerate(armature.pose.bones)}
    return [
        order[contact.bone] + (len(order) if contact.end == "TAIL" else 0)
        for contact in sets.settings_of(armature).contacts
        if contact.bone in order
    ]


def _shown_contacts(armature: bpy.types.Object) -> list[Vector]:
    """Where the contacts are in the space of the armature."""
    bones = list(armature.pose.bones)
    ends = [bone.head for bone in bones] + [bone.tail for bone in bones]
    return [ends[row] for row in _contact_rows(armature)]
