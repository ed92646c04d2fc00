# SPDX-License-Identifier: GPL-3.0-or-later
"""The channels that turn one bone, read and written as rotations, whatever its rotation mode is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ....core import rotations
from ....core.motion import FloatArray
from ...posed_bones import ways_back
from .. import channels
from .pin_gate import is_pin

_ATTRIBUTES = {"QUATERNION": ("rotation_quaternion", 4), "AXIS_ANGLE": ("rotation_axis_angle", 4)}


@dataclass(frozen=True)
class RotationChannels:
    """Columns of the values of an analysis that turn a bone.

    Attributes:
        mode: the bone's rotation mode.
        follows: whether it turns along with the bone above it.
    """

    bone: str
    columns: tuple[int, ...]
    mode: str
    follows: bool

    @classmethod
    def of(
        cls, armature: bpy.types.Object, paths: Sequence[tuple[int, str, int]], handle: int, name: str
    ) -> RotationChannels | None:
        """None where some component has no channel, or constraints of a rig decide how the bone is turned."""
        bone: Any = armature.pose.bones[name]
        if is_constrained(bone):
            return None
        attribute, count = _ATTRIBUTES.get(bone.rotation_mode, ("rotation_euler", 3))
        columns = _columns(paths, name, attribute, handle)
        if len(columns) < count:
            return None
        return cls(name, tuple(columns), bone.rotation_mode, bone.bone.use_inherit_rotation)

    def matrices(self, values: FloatArray) -> FloatArray:
        """(F, 3, 3)."""
        return rotations.quaternion_to_matrix(self._quaternions(values[:, self.columns]))

    def turn(
        self, values: FloatArray, rows: np.ndarray, before: FloatArray, after: FloatArray, carried: FloatArray
    ) -> None:
        """Turn the bone in some rows from one rotation in the world to another.

        Args:
            before, after: (F, 3, 3). carried: how what is above the bone has turned meanwhile.
        """
        above = carried if self.follows else np.eye(3)[None]
        change = before.swapaxes(1, 2) @ above.swapaxes(1, 2) @ after
        self.write(values, rows, self.matrices(values) @ change)

    def write(self, values: FloatArray, rows: np.ndarray, matrices: FloatArray) -> None:
        """Write rotations (F, 3, 3) into some rows, near to what is there."""
        there = values[np.ix_(rows, np.array(self.columns))]
        wanted = matrices[rows]
        if self.mode == "QUATERNION":
            found = rotations.matrix_to_quaternion(wanted)
            found *= np.where(np.sum(found * there, axis=1, keepdims=True) < 0.0, -1.0, 1.0)
        elif self.mode == "AXIS_ANGLE":
            found = _near_axis_angle(rotations.matrix_to_quaternion(wanted), there)
        else:
            found = rotations.near_euler(rotations.matrix_to_euler(wanted, self.mode), there, self.mode)
        values[np.ix_(rows, np.array(self.columns))] = found

    def _quaternions(self, found: FloatArray) -> FloatArray:
        if self.mode == "QUATERNION":
            return found
        if self.mode == "AXIS_ANGLE":
            return rotations.axis_angle_to_quaternion(found)
        return rotations.euler_to_quaternion(found, self.mode)


@dataclass(frozen=True, eq=False)
class Placing:
    """Columns of the values of an analysis that place a bone and, if these are keyed as well, turn it.

    Attributes:
        location: in the order of its axes.
        still: (3, 3) how the bone is turned where no column turns it.
    """

    bone: str
    location: tuple[int, ...]
    rotation: RotationChannels | None
    still: FloatArray

    @classmethod
    def of(
        cls, armature: bpy.types.Object, paths: Sequence[tuple[int, str, int]], handle: int, name: str
    ) -> Placing | None:
        """None where it has no key of its own for some axis, or constraints of a rig decide where it is."""
        bone, location = armature.pose.bones[name], _columns(paths, name, "location", handle)
        if len(location) < 3 or is_constrained(bone):
            return None
        rotation = RotationChannels.of(armature, paths, handle, name)
        return cls(name, tuple(location), rotation, np.array(bone.matrix_basis)[:3, :3])

    @property
    def columns(self) -> tuple[int, ...]:
        return self.location if self.rotation is None else (*self.location, *self.rotation.columns)

    def place(self, values: FloatArray, rows: np.ndarray, before: FloatArray, after: FloatArray) -> None:
        """Bring the bone in some rows from one matrix in the world (F, 4, 4) to another, place and all.

        Where it is scaled to nothing it stays as it is.
        """
        way_back, has_one = ways_back(before)
        rows = rows & has_one
        basis = np.tile(np.eye(4), (len(values), 1, 1))
        basis[:, :3, :3] = self.still if self.rotation is None else self.rotation.matrices(values)
        basis[:, :3, 3] = values[:, self.location]
        # A bone is its basis after what is above it, and that stays.
        basis = basis @ way_back @ after
        values[np.ix_(rows, np.array(self.location))] = basis[rows, :3, 3]
        if self.rotation is not None:
            self.rotation.write(values, rows, basis[:, :3, :3])


def is_constrained(bone: Any) -> bool:
    """Whether constraints of a rig have a say in how a bone is posed."""
    return any(not each.mute and each.influence > 0.0 for each in bone.constraints if not is_pin(each))


def _near_axis_angle(quaternions: FloatArray, there: FloatArray) -> FloatArray:
    """Angles and axes that are near to some others: the axis on the same side, no whole turns between."""
    found = rotations.quaternion_to_axis_angle(quaternions)
    flipped = np.sum(found[:, 1:] * there[:, 1:], axis=1) < 0.0
    found[flipped] *= -1.0
    found[:, 0] += 2.0 * np.pi * np.round((there[:, 0] - found[:, 0]) / (2.0 * np.pi))
    return found


def _columns(
    paths: Sequence[tuple[int, str, int]], name: str, attribute: str, handle: int | None = None
) -> list[int]:
    found = {
        index: column
        for column, (slot, path, index) in enumerate(paths)
        if path.endswith(f"].{attribute}") and channels.bone_of(path) == name and handle in (None, slot)
    }
    return [found[index] for index in sorted(found)]
