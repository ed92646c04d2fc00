# SPDX-License-Identifier: GPL-3.0-or-later
"""A character that travels because its contacts hold on to the ground."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...core.spatial import Ground, Locomotion, walk
from . import sets
from .poses import Pose
from .skeletons import joint_positions

# As shares of the character's height: how near the ground a contact touches, and how firmly it holds.
TOUCH = 0.01
HOLD = 0.015


def walks(armature: bpy.types.Object) -> bool:
    settings = sets.settings_of(armature)
    return settings.use_locomotion and bool(_contact_rows(armature))


def base_along(armature: bpy.types.Object, poses: Pose, start: Vector, rate: float) -> np.ndarray:
    """(F, 3) the location of the armature object for each pose, when it stands at `start` in the first."""
    points = joint_positions(armature, poses)[:, _contact_rows(armature)]
    shift = _parent(armature) @ start - armature.matrix_world.translation
    offsets = walk(points + np.array(shift), rate, _ground(armature)).offsets
    return np.array(start) + offsets @ np.array(_parent(armature).to_3x3().inverted_safe()).T


class Walker:
    """The same while performing, step by step, from what Blender shows."""

    def __init__(self, armature: bpy.types.Object):
        self._start = armature.location.copy()
        self._walk = Locomotion(_ground(armature))

    def step(self, armature: bpy.types.Object, seconds: float) -> None:
        """Move the armature object so that its contact stays where it is."""
        travelled = _parent(armature) @ armature.location - _parent(armature) @ self._start
        points = np.array(_shown_contacts(armature)) - np.array(travelled)
        offset = Vector(self._walk.step(points, seconds))
        armature.location = self._start + _parent(armature).to_3x3().inverted_safe() @ offset


def _ground(armature: bpy.types.Object) -> Ground:
    height = sets.height_of(armature) * armature.matrix_world.median_scale
    return Ground(sets.settings_of(armature).ground, TOUCH * height, HOLD * height)


def _parent(armature: bpy.types.Object) -> Matrix:
    """From the space in which the object's location is given to the world."""
    if armature.parent is None:
        return Matrix.Identity(4)
    return armature.parent.matrix_world @ armature.matrix_parent_inverse


def _contact_rows(armature: bpy.types.Object) -> list[int]:
    """Where the contacts are among all heads followed by all tails."""
    order = {bone.name: n for n, bone in enumerate(armature.pose.bones)}
    return [
        order[contact.bone] + (len(order) if contact.end == "TAIL" else 0)
        for contact in sets.settings_of(armature).contacts
        if contact.bone in order
    ]


def _shown_contacts(armature: bpy.types.Object) -> list[Vector]:
    bones = list(armature.pose.bones)
    ends = [bone.head for bone in bones] + [bone.tail for bone in bones]
    return [armature.matrix_world @ ends[row] for row in _contact_rows(armature)]
