# SPDX-License-Identifier: GPL-3.0-or-later
"""Where joints are when channels have other values, worked out by the skeleton: Blender need not play them.

Blender is asked only whether that is right for an armature. Constraints, drivers and layers may pose bones
too; then the joints of the source are elsewhere than Blender has put them, and it is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bpy
import numpy as np

from ....core import Motion, metrics
from ....core.motion import FloatArray
from ... import sampling
from ...channel_poses import ChannelPoses
from ...character.held import held_once_found
from .. import channels
from ..channels import Paths

SAME = 1e-4  # of the height: joints nearer to each other are in one place


class PlayedJoints:
    """The joints of some bones of an armature, for other values of the channels that an action keys.

    Args:
        paths: what each column of the values animates.
        bones: all if None.
        sides: whether the sides of end bones count.
        others_at_rest: whether bones that are not keyed are at rest, or as they are now.
    """

    def __init__(
        self,
        armature: bpy.types.Object,
        paths: Paths,
        bones: Iterable[str] | None,
        *,
        sides: bool = True,
        others_at_rest: bool = False,
    ):
        columns = sampling.joints_of(armature, bones, sides=sides).columns
        kinds, owners = np.divmod(columns, len(armature.pose.bones))  # of all heads, all ends, all sides
        self._poses = ChannelPoses(
            armature,
            [(path, index) for _, path, index in paths],
            bones=np.unique(owners),
            others_at_rest=others_at_rest,
        )
        rows = self._poses.rows
        self._joints = kinds * len(rows) + np.searchsorted(rows, owners)
        steps = sampling.steps_of(armature, sides=True)[rows]
        # (R, 4, 3) head, end and side of each bone, as columns that its matrix places.
        self._points = np.zeros((len(rows), 4, 1 + steps.shape[1]))
        self._points[:, :3, 1:], self._points[:, 3] = steps.swapaxes(1, 2), 1.0

    @classmethod
    def of(
        cls,
        armature: bpy.types.Object,
        paths: Paths,
        bones: Sequence[str],
        played: Motion,
        values: FloatArray,
    ) -> PlayedJoints | None:
        """None unless these values bring the joints to where Blender has played them."""
        if are_constrained(armature) or _move_the_object(paths, values):
            return None
        joints = cls(armature, paths, bones)
        far = metrics.joint_distances(played.positions, joints.positions(values, played.matrices)).max()
        return joints if far <= SAME * sampling.height_of(armature) else None

    def positions(self, values: FloatArray, matrices: FloatArray) -> FloatArray:
        """(F, J, 3) for values (F, C), and where the armature is (F, 4, 4)."""
        placed = np.moveaxis(self._poses.matrices(values) @ self._points, -1, 1)[..., :3]
        local = placed.reshape(len(values), -1, 3)[:, self._joints]
        return local @ matrices[:, :3, :3].transpose(0, 2, 1) + matrices[:, None, :3, 3]


@held_once_found
def are_constrained(armature: bpy.types.Object) -> bool:
    """Whether constraints pose some of its bones."""
    return any(len(bone.constraints) for bone in armature.pose.bones)


def _move_the_object(paths: Paths, values: FloatArray) -> bool:
    """Whether some of the channels move the armature itself, which is where Blender has put it."""
    free = [channels.bone_of(path) is None and channels.kind_of(path) != "other" for _, path, _ in paths]
    return bool(np.any(channels.moving(values[:, free])))
