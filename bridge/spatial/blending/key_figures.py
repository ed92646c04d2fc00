# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of the poses of a set's keys, to be drawn small beside their markers."""

from __future__ import annotations

import bpy
import numpy as np

from ....core.spatial import Skeleton
from ...character import describe
from ..posing.forward_kinematics import skeleton_of, with_poses
from ..posing.movable import is_constrained
from ..posing.poses import Pose, rest_pose
from .mapping import SetMapping

SHORTEST = 0.03  # of the figure's extent: what is shorter, such as a finger, is a blot in a small picture

# By numbers that Blender never reuses in a session: the poses that figures were made of, and these.
_known: dict[int, tuple[tuple[Pose, ...], np.ndarray]] = {}


def figures_of(armature: bpy.types.Object, mapping: SetMapping) -> np.ndarray:
    """(K, S, 2, 3) the bones of each key's pose from end to end, in the space of the armature.

    There are none of a character that constraints pose: its bones alone do not tell how it stands. Asked for
    at every redraw, and made only where poses have changed.
    """
    known = _known.get(armature.session_uid)
    if known is None or known[0] is not mapping.poses:
        known = _known[armature.session_uid] = (mapping.poses, _figures(armature, mapping.poses))
    return known[1]


def forget_figures() -> None:
    _known.clear()


def _figures(armature: bpy.types.Object, poses: tuple[Pose, ...]) -> np.ndarray:
    names = armature.pose.bones.keys()
    drawn = [names.index(bone) for bone in describe(armature).figure]
    if not drawn or any(is_constrained(armature, names[row]) for row in drawn):
        return np.empty((len(poses), 0, 2, 3))
    skeleton, rest = skeleton_of(armature), rest_pose(names)
    whole = [with_poses(rest, pose) for pose in poses]
    matrices = skeleton.pose_matrices(
        np.stack([pose.rotations for pose in whole]),
        np.stack([pose.locations for pose in whole]),
        np.stack([pose.scales for pose in whole]),
    )
    ends = np.concatenate([matrices[..., :3, 3], skeleton.tails(matrices)], axis=1)
    figures = ends[:, _sticks(skeleton, drawn)]
    lengths = np.linalg.norm(figures[:, :, 1] - figures[:, :, 0], axis=2).max(axis=0)
    extent = np.ptp(figures.reshape(len(poses), -1, 3), axis=1).max()
    return figures[:, lengths > SHORTEST * extent]


def _sticks(skeleton: Skeleton, drawn: list[int]) -> np.ndarray:
    """(S, 2) from joint to joint, as rows of all heads followed by all ends; the last bones to their ends."""
    above = {row: next((up for up in skeleton.chain(row)[1:].tolist() if up in drawn), row) for row in drawn}
    last = set(drawn).difference(up for row, up in above.items() if up != row)
    joined = [(up, row) for row, up in above.items() if up != row]
    return np.array(joined + [(row, row + len(skeleton)) for row in sorted(last)]).reshape(-1, 2)
