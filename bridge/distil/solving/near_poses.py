# SPDX-License-Identifier: GPL-3.0-or-later
"""How near to the motion key poses stay whose values may move, as with curves that are smooth everywhere.

Judged by where the skeleton has its joints and not by channels: hip and knee may turn if the foot stays.
So is how much a loop hitches at its seam. Constraints are not asked; where they pose bones, it is the
controls that stay near.
"""

from __future__ import annotations

import bpy
import numpy as np

from ....core.fitting.moved_keys import Strays
from ....core.fitting.seam import Joints
from ....core.motion import FloatArray
from ... import actions
from ...bones import WIDTHS
from ...posed_bones import ways_back
from ...spatial.posing.poses import rotation_channel, rotation_matrices
from .. import channels
from ..channels import Paths
from .played_joints import PlayedJoints

NEAR = 0.001  # of the height: how far joints may be from where they were sampled, as root mean square


class NearPoses:
    """The joints of all bones that an action keys, and of those that go with them.

    What else the armature shows now plays no part, so that the same keys are found at any time.

    Args:
        paths: what each column of the values animates.
        height: of the character, in units of the armature.
    """

    def __init__(self, armature: bpy.types.Object, paths: Paths, height: float):
        self.height = height
        bones = {channels.bone_of(path) for _, path, _ in paths} & set(armature.data.bones.keys())
        self._joints = PlayedJoints(armature, paths, bones, others_at_rest=True)
        self._all_joints = PlayedJoints(armature, paths, None, sides=False, others_at_rest=True)
        self._object = _ObjectPlaces(armature, paths)

    def strays(self, sampled: FloatArray, moves: np.ndarray) -> Strays:
        """What tells how many times as far as they may be poses are from those that were sampled, (K, C).

        Args:
            moves: (C,) which channels the values are of that it is asked about.
        """
        placed = self._object.matrices(sampled)
        way_back, has_one = ways_back(placed)
        # Who is scaled to nothing is judged where nobody sees it.
        wanted = self._joints.positions(sampled, np.where(has_one[:, None, None], np.eye(4), placed))

        def strays(values: FloatArray) -> FloatArray:
            poses = sampled.copy()
            poses[:, moves] = values
            off = self._joints.positions(poses, way_back @ self._object.matrices(poses)) - wanted
            return np.sqrt(np.mean(np.sum(off**2, axis=2), axis=1)) / (NEAR * self.height)

        return strays

    def joints(self, sampled: FloatArray, moves: np.ndarray) -> Joints:
        """What tells where all joints are in poses that differ from one that was sampled, (C,).

        Args:
            moves: (C,) which channels the values are of that it is asked about.
        """

        def joints(values: FloatArray) -> FloatArray:
            poses = np.repeat(sampled[None], len(values), axis=0)
            poses[:, moves] = values
            return self._all_joints.positions(poses, self._object.matrices(poses))

        return joints


class _ObjectPlaces:
    """Where an armature is by its own channels, for their values; where it is now if they are not keyed."""

    def __init__(self, armature: bpy.types.Object, paths: Paths):
        own = actions.slot_handle(actions.slot_of(armature))
        self._mode = armature.rotation_mode
        self._shown = {name: np.array(getattr(armature, name), np.float64) for name in WIDTHS}
        self._columns = {
            name: [(column, path[2]) for column, path in enumerate(paths) if path[:2] == (own, name)]
            for name in WIDTHS
        }

    def matrices(self, values: FloatArray) -> FloatArray:
        """(K, 4, 4) in the space of its parent, for values (K, C)."""
        turns = rotation_matrices(self._channel(values, rotation_channel(self._mode)), self._mode)
        matrices = np.zeros((len(values), 4, 4))
        matrices[:, :3, :3] = turns * self._channel(values, "scale")[:, None, :]
        matrices[:, :3, 3] = self._channel(values, "location")
        matrices[:, 3, 3] = 1.0
        return matrices

    def _channel(self, values: FloatArray, name: str) -> FloatArray:
        filled = np.repeat(self._shown[name][None], len(values), axis=0)
        for column, index in self._columns[name]:
            filled[:, index] = values[:, column]
        return filled
