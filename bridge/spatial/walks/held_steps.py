# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs that bend so that feet stay where they step, on a way that their poses know nothing of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import bpy
import numpy as np

from ....core.anatomy import Limb
from ....core.feet.two_bone import reach_for
from ....core.smooth import smoothed
from ....core.spatial import FootShift
from ...character import describe
from ..posing.forward_kinematics import skeleton_of, with_poses
from ..posing.movable import is_constrained
from ..posing.poses import Pose, current_pose

UP = np.array([0.0, 0.0, 1.0])
STRETCHED = 0.998  # of its length: so straight a leg still gets
EASE = 0.08  # seconds before and after in which the body goes lower


def legs_that_step(armature: bpy.types.Object, poses: Pose) -> list[Limb]:
    """The legs whose bones the poses turn, each hanging from the one above, and nothing else does."""
    bones, held = armature.data.bones, set(poses.bones)

    def steps(leg: Limb) -> bool:
        chain = [bone for bone in (leg.end, leg.lower, leg.upper) if bone is not None]
        hangs = all(
            bones[above] in bones[below].parent_recursive and bones[below].use_inherit_rotation
            for below, above in pairwise(chain)
        )
        return leg.bends and hangs and held.issuperset(chain) and not is_constrained(armature, chain[0])

    return [leg for leg in describe(armature).legs if steps(leg)]


def with_steps(
    armature: bpy.types.Object,
    poses: Pose,
    legs: Sequence[Limb],
    shifts: Sequence[FootShift],
    middle: complex,
    rate: float,
) -> tuple[Pose, np.ndarray]:
    """The poses with the feet of some legs turned, about the middle of the body, and moved over the ground.

    Where a leg is too short for that the body has to be lower: (F,) how much is given beside the poses.
    """
    if not legs:
        return poses, np.zeros(len(poses.rotations))
    body = _Body(armature, poses)
    limbs = [body.limb(leg) for leg in legs]
    goals = [_moved(limb.end, shift, middle) for limb, shift in zip(limbs, shifts, strict=True)]
    short = np.max([_too_high(limb, goal) for limb, goal in zip(limbs, goals, strict=True)], axis=0)
    lower = _eased(short, EASE * rate)
    turned = poses.rotations.copy()
    for limb, goal, shift in zip(limbs, goals, shifts, strict=True):
        turns = reach_for(limb.start, limb.middle, limb.end, goal + lower[:, None] * UP, limb.bend)
        above = np.broadcast_to(np.eye(3), turns.upper.shape)
        for (bone, axes), turn in zip(limb.axes.items(), (*turns, _about_up(shift.turn)), strict=False):
            row = poses.bones.index(bone)
            # What it is turned by beyond what the bone above it already turns it by.
            own = above.swapaxes(1, 2) @ turn
            turned[:, row] = turned[:, row] @ axes.swapaxes(1, 2) @ own @ axes
            above = turn
    return Pose(poses.bones, turned, poses.locations, poses.scales), lower


@dataclass(frozen=True, eq=False)
class _Leg:
    """A leg in F poses, in the world: hip, knee and ankle (F, 3), the axis of its knee, and how bones lie."""

    start: np.ndarray
    middle: np.ndarray
    end: np.ndarray
    bend: np.ndarray
    axes: dict[str, np.ndarray]  # (F, 3, 3) of its upper and lower bone and, where there is one, its foot


class _Body:
    """Where the bones are in poses, with the armature object as it stands now."""

    def __init__(self, armature: bpy.types.Object, poses: Pose):
        skeleton, self._names = skeleton_of(armature), armature.pose.bones.keys()
        whole = with_poses(current_pose(armature, self._names), poses)
        matrices = skeleton.pose_matrices(whole.rotations, whole.locations, whole.scales)
        world = np.array(armature.matrix_world)
        self._heads, self._ends = (
            places @ world[:3, :3].T + world[:3, 3]
            for places in (matrices[..., :3, 3], skeleton.tails(matrices))
        )
        self._axes = world[:3, :3] @ matrices[..., :3, :3]

    def limb(self, leg: Limb) -> _Leg:
        rows = {bone: self._names.index(bone) for bone in (leg.upper, leg.lower, leg.end) if bone is not None}
        axes = {bone: _unscaled(self._axes[:, row]) for bone, row in rows.items()}
        upper, lower = rows[leg.upper], rows[leg.lower]
        start, middle = self._heads[:, upper], self._heads[:, lower]
        end = self._ends[:, lower] if leg.end is None else self._heads[:, rows[leg.end]]
        return _Leg(start, middle, end, axes[leg.lower] @ _hinge(axes[leg.lower], start, middle, end), axes)


def _too_high(limb: _Leg, goal: np.ndarray) -> np.ndarray:
    """(F,) how much lower a hip has to be for its foot to be where it shall."""
    lengths = [np.linalg.norm(each, axis=1) for each in (limb.middle - limb.start, limb.end - limb.middle)]
    reach = STRETCHED * np.maximum(lengths[0] + lengths[1], np.linalg.norm(limb.end - limb.start, axis=1))
    away = np.linalg.norm((goal - limb.start)[:, :2], axis=1)
    height = (limb.start - goal)[:, 2]
    return np.maximum(height - np.sqrt(np.maximum(reach**2 - away**2, 0.0)), 0.0)


def _eased(values: np.ndarray, around: float) -> np.ndarray:
    """(F,) nowhere much less than the values, and without their corners."""
    reach = max(1, round(around))
    padded = np.pad(values, reach, mode="edge")
    largest = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1).max(axis=1)
    return smoothed(largest[:, None], reach / 2.0)[:, 0]


def _moved(places: np.ndarray, shift: FootShift, middle: complex) -> np.ndarray:
    """(F, 3) places turned about the middle and moved, over the ground."""
    flat = (places[:, 0] + 1j * places[:, 1] - middle) * np.exp(1j * shift.turn) + shift.move + middle
    return np.stack([flat.real, flat.imag, places[:, 2]], axis=1)


def _about_up(angles: np.ndarray) -> np.ndarray:
    """(F, 3, 3) turns about the vertical."""
    turns = np.tile(np.eye(3), (len(angles), 1, 1))
    turns[:, 0, 0] = turns[:, 1, 1] = np.cos(angles)
    turns[:, 1, 0] = np.sin(angles)
    turns[:, 0, 1] = -turns[:, 1, 0]
    return turns


def _unscaled(axes: np.ndarray) -> np.ndarray:
    """Without their scale."""
    return axes / np.maximum(np.linalg.norm(axes, axis=1, keepdims=True), 1e-12)


def _hinge(lower: np.ndarray, start: np.ndarray, middle: np.ndarray, end: np.ndarray) -> np.ndarray:
    """(3,) the axis that a knee bends about, as the lower bone sees it."""
    axis = np.einsum("fji,fj->i", lower, np.cross(middle - start, end - middle))
    return axis / max(float(np.linalg.norm(axis)), 1e-12)
