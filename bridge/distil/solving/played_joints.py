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
from ....core.motion import FloatArray, IntArray
from ... import sampling
from ...character.held import held_once_found
from ...spatial.posing.forward_kinematics import skeleton_of
from ...spatial.posing.pose_actions import UNMOVED
from ...spatial.posing.poses import WIDTHS, channel_values, rotation_channel, rotation_matrices
from .. import channels
from ..channels import Paths

SAME = 1e-4  # of the height: joints nearer to each other are in one place


_skeleton = held_once_found(skeleton_of)


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
        posing = armature.pose.bones
        self._skeleton = _skeleton(armature)
        self._joints = sampling.joints_of(armature, bones, sides=sides).columns
        self._steps = sampling.steps_of(armature, sides=True)
        self._others = {
            name: np.tile(UNMOVED[name], (len(posing), 1))
            if others_at_rest
            else channel_values(armature, name).astype(np.float64)
            for name in WIDTHS
        }
        modes = np.array([bone.rotation_mode for bone in posing])
        self._modes = {str(mode): np.flatnonzero(modes == mode) for mode in np.unique(modes)}
        self._columns = _columns(paths, {name: row for row, name in enumerate(posing.keys())})

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
        if any(len(bone.constraints) for bone in armature.pose.bones) or _move_the_object(paths, values):
            return None
        joints = cls(armature, paths, bones)
        far = metrics.joint_distances(played.positions, joints.positions(values, played.matrices)).max()
        return joints if far <= SAME * sampling.height_of(armature) else None

    def positions(self, values: FloatArray, matrices: FloatArray) -> FloatArray:
        """(F, J, 3) for values (F, C), and where the armature is (F, 4, 4)."""
        turned = np.empty((len(values), len(self._skeleton), 3, 3))
        for mode, members in self._modes.items():
            turns = self._channel(values, rotation_channel(mode))[:, members]
            turned[:, members] = rotation_matrices(turns, mode)
        places, scales = self._channel(values, "location"), self._channel(values, "scale")
        pose = self._skeleton.pose_matrices(turned, places, scales)
        heads = pose[:, None, :, :3, 3]
        ends = np.einsum("fbij,bsj->fsbi", pose[..., :3, :3], self._steps) + heads
        local = np.concatenate([heads, ends], axis=1).reshape(len(values), -1, 3)[:, self._joints]
        return local @ matrices[:, :3, :3].transpose(0, 2, 1) + matrices[:, None, :3, 3]

    def _channel(self, values: FloatArray, name: str) -> FloatArray:
        """(F, B, n) one channel of all bones."""
        columns, rows, indices = self._columns[name]
        filled = np.repeat(self._others[name][None], len(values), axis=0)
        filled[:, rows, indices] = values[:, columns]
        return filled


def _columns(paths: Paths, rows: dict[str, int]) -> dict[str, tuple[IntArray, IntArray, IntArray]]:
    """The columns of each channel of bones, with the bone and the component of each."""
    found: dict[str, list[tuple[int, int, int]]] = {name: [] for name in WIDTHS}
    for column, (_, path, index) in enumerate(paths):
        before, _, name = path.rpartition("].")
        if before and name in found and (bone := channels.bone_of(path)) in rows:
            found[name].append((column, rows[bone], index))
    return {name: tuple(np.array(each, np.int64).reshape(-1, 3).T) for name, each in found.items()}


def _move_the_object(paths: Paths, values: FloatArray) -> bool:
    """Whether some of the channels move the armature itself, which is where Blender has put it."""
    free = [channels.bone_of(path) is None and channels.kind_of(path) != "other" for _, path, _ in paths]
    return bool(np.any(channels.moving(values[:, free])))
