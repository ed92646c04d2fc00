# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics that begins at the blended pose.

Igarashi, Moscovich and Hughes 2005, section 5.1: the refinement starts from what the spatial keys say and not
from the frame before, so the result depends on the cursor alone and the animator's poses say how limbs bend.

Objective: the squared distances of the effectors from their targets, weighted, and where a rotation is wanted
the squared angle that is missing to it. Of the many poses that meet them, the steps of least turning that
lead there from the blended pose pick one close to it.

Method: damped least squares (Levenberg-Marquardt). A bone with a limit or a lock is described by its Euler
XYZ angles, as in Blender's own settings, and stays inside; a free bone by turns about its own rest axes,
which have no gimbal lock. Axes that would leave their limits are held there and the others are solved again.
How the effectors answer to each axis is known in closed form for points on bones that follow their parents as
usual, and measured by turning each axis a little for wanted rotations and unusual bones.

Departures from the paper: it gives no formula; damping, limits, rotations and several effectors are ours. A
stretched limb whose target lies on its own line has no preferred way to bend; it is tried again with a
slight bend.

Complexity: O(D^3) a round for D turning axes in the chains; about ten rounds, more for a target out of reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..checks import FloatArray, number, numbers, rotation_matrices
from ..rotations import euler_to_matrix, matrix_to_euler
from .effectors import (
    Effector,
    JointLimits,
    checked_effector,
    checked_limits,
    point_of,
    rotation_of,
)
from .orthonormal import nearest_rotation
from .rotation import cross_matrix, rotation_matrix, rotation_vector
from .skeleton import Skeleton

ROUNDS = 40
# A target counts as met at this distance, in units of the longest chain.
MET = 1e-5
# The rounds end when one lowers the cost by less than this share, or when next to nothing is left of it.
ENOUGH = 1e-6
TINY = 1e-16
TINY_OUT_OF_REACH = 1e-8
# Radians a round: longer leaps land in another way to bend now and then, and the pose would flicker.
LONGEST_STEP = 0.5
# How much of its length a chain stretches for a target out of reach; at all of it the steps would crawl.
STRETCH = 0.9999
# How far a stretched limb is bent before the second attempt.
NUDGE = np.radians(3.0)
# What a radian counts, in units of the longest chain, where place and rotation cannot both be had.
RADIAN = 0.25
# Radians that an axis is turned to see how the effectors answer.
PROBE = 1e-5


@dataclass(frozen=True)
class Reached:
    """The pose found, and how far each effector is from its place and, in radians, from its rotation."""

    rotations: FloatArray
    distances: FloatArray
    angles: FloatArray  # 0 where no rotation is wanted


def solve_ik(
    skeleton: Skeleton,
    rotations: ArrayLike,
    effectors: Sequence[Effector],
    *,
    translations: ArrayLike | None = None,
    scales: ArrayLike | None = None,
    limits: JointLimits | None = None,
) -> Reached:
    """Turn bones so that the effectors come to their targets, staying near the given pose (B, 3, 3).

    `translations` and `scales` (B, 3) belong to that pose and stay as they are.
    """
    count = len(skeleton)
    start = rotation_matrices(rotations, "rotations of the pose", (count,))
    moved = None if translations is None else numbers(translations, "translations", (count, 3))
    sized = None if scales is None else numbers(scales, "scales", (count, 3))
    if not effectors:
        return Reached(start.copy(), np.zeros(0), np.zeros(0))
    checked = [checked_effector(effector, skeleton) for effector in effectors]
    problem = _Problem(skeleton, start, moved, sized, checked, limits)
    found = _descend(problem, problem.first())
    if problem.could_be_met(found):
        bent = _descend(problem, problem.bent())
        # A clear gain only: two equally good ways must not take turns while the cursor moves.
        if bent.cost < 0.99 * found.cost:
            found = bent
    result = start.copy()
    result[problem.bones] = found.rotations
    return Reached(result, problem.distances(found), problem.angles(found))


@dataclass(frozen=True)
class _State:
    """One pose of the chains on the way."""

    rotations: FloatArray
    angles: FloatArray  # Euler XYZ, of use only for bones with limits or locks
    pose: FloatArray
    misses: FloatArray  # (3E,) or with rotations (6E,) what is missing, weighted and in units of the chain
    cost: float


class _Problem:
    """The chains of the effectors, cut out of the skeleton, and how they may turn."""

    def __init__(
        self,
        skeleton: Skeleton,
        start: FloatArray,
        translations: FloatArray | None,
        scales: FloatArray | None,
        effectors: Sequence[Effector],
        limits: JointLimits | None,
    ):
        chains = [skeleton.chain(e.bone, e.chain) for e in effectors]
        self.bones = np.unique(np.concatenate([skeleton.chain(e.bone) for e in effectors]))
        self.skeleton = skeleton.part(self.bones)
        self.translations = None if translations is None else translations[self.bones]
        self.scales = None if scales is None or (scales == 1.0).all() else scales[self.bones]
        self.tips = np.searchsorted(self.bones, [e.bone for e in effectors])
        self.turns_for = np.stack([np.isin(self.bones, chain) for chain in chains])
        self.points = np.stack([point_of(e, skeleton) for e in effectors])
        self.targets = np.stack([numbers(e.target, "target of an effector", (3,)) for e in effectors])
        self.wanted = np.stack([rotation_of(e) for e in effectors])
        self.turned = np.array([e.rotation is not None for e in effectors])
        self._start = start[self.bones]
        self._set_limits(skeleton, limits)
        heads = self.skeleton.pose_matrices(self._start, self.translations, self.scales)[:, :3, 3]
        along = [_length_along(heads[np.searchsorted(self.bones, chain)]) for chain in chains]
        self.reach = along + np.linalg.norm(self.points, axis=1)
        self.size = max(float(self.reach.max()), 1e-9)
        self.aims = _within_reach(self.targets, heads[self.turns_for.argmax(axis=1)], self.reach)
        self.tiny = TINY if (self.aims == self.targets).all() else TINY_OUT_OF_REACH
        weights = [number(e.weight, "weight of an effector", at_least=0.0) for e in effectors]
        self.scale = np.sqrt(weights)[:, None] / self.size

    def _set_limits(self, skeleton: Skeleton, limits: JointLimits | None) -> None:
        turning = self.turns_for.any(axis=0)[:, None]
        shape = (len(self.bones), 3)
        if limits is None:
            locked = np.zeros(shape, dtype=bool)
            self.lowest, self.highest = np.full(shape, -np.inf), np.full(shape, np.inf)
        else:
            locked, self.lowest, self.highest = checked_limits(limits, len(skeleton), self.bones)
        limited = np.isfinite(self.lowest) | np.isfinite(self.highest)
        self.by_angles = (locked | limited).any(axis=1) & turning[:, 0]
        self.free = turning & ~locked
        self.start_angles = _angles_within(self._start, self.lowest, self.highest)
        clipped = np.clip(self.start_angles, self.lowest, self.highest)
        self.start_angles = np.where(locked, self.start_angles, clipped)
        self._start = self._rotations(self._start, self.start_angles)

    def first(self) -> _State:
        return self._state(self._start, self.start_angles)

    def bent(self) -> _State:
        """The first pose with every bone that may turn bent a little, the way its limits allow."""
        nudge = NUDGE * np.array([1.0, 0.0, 0.5]) * self.free
        down = self.start_angles + nudge > self.highest
        return self.moved(self.first(), np.where(down, -nudge, nudge))

    def moved(self, state: _State, step: FloatArray) -> _State:
        """The state after turning by `step` (n, 3)."""
        turned = rotation_matrix(np.where(self.by_angles[:, None], 0.0, step)) @ state.rotations
        angles = np.where(self.free, np.clip(state.angles + step, self.lowest, self.highest), state.angles)
        return self._state(self._rotations(turned, angles), angles)

    def distances(self, state: _State) -> FloatArray:
        return np.linalg.norm(self.targets - self._reached(state.pose), axis=1)

    def angles(self, state: _State) -> FloatArray:
        return np.linalg.norm(self._missing_turns(state.pose), axis=-1)

    def could_be_met(self, state: _State) -> bool:
        """Whether an effector misses a target that its chain is long enough for."""
        missed = self.distances(state) > MET * self.size
        return bool((missed & (self.aims == self.targets).all(axis=1)).any())

    def jacobian(self, state: _State) -> FloatArray:
        """(misses, 3n) how the effectors move, weighted, when each axis of each bone turns."""
        if self.turned.any() or self.skeleton.inheritance is not None:
            return self._measured_jacobian(state)
        parents = self.skeleton.parents
        frames = self.skeleton.offsets[:, :3, :3].copy()
        has_parent = parents >= 0
        frames[has_parent] = state.pose[parents[has_parent], :3, :3] @ frames[has_parent]
        lever = self._reached(state.pose)[:, None] - state.pose[:, :3, 3]
        # In the space in which a bone turns, so that scaled parents are no special case, not even by zero.
        local = np.einsum("nij,enj->eni", np.linalg.pinv(frames, rcond=1e-9), lever)
        # Row by row the axes times the cross product with the lever: which way each turn sweeps it.
        swept = self._axes(state) @ cross_matrix(local)
        moved = np.einsum("nij,enaj->eina", frames, swept)
        moved *= self.turns_for[:, None, :, None] * self.scale[:, :, None, None]
        return moved.reshape(3 * len(self.tips), -1)

    def _measured_jacobian(self, state: _State) -> FloatArray:
        """The same by turning each axis a little to both sides, all of them in one go."""
        count = len(self.bones)
        probes = PROBE * np.eye(3 * count).reshape(-1, count, 3)
        steps = np.concatenate([probes, -probes])
        turned = rotation_matrix(steps) @ state.rotations
        if self.by_angles.any():
            by_angles = euler_to_matrix(state.angles + steps)
            turned = np.where(self.by_angles[:, None, None], by_angles, turned)
        misses = self._misses(self.skeleton.pose_matrices(turned, self.translations, self.scales))
        forth, back = misses.reshape(2, 3 * count, -1)
        answers = (back - forth).T.reshape(-1, len(self.tips), 3, count, 3) / (2.0 * PROBE)
        answers = answers * self.turns_for[:, None, :, None]
        return answers.reshape(-1, 3 * count)

    def _state(self, rotations: FloatArray, angles: FloatArray) -> _State:
        pose = self.skeleton.pose_matrices(rotations, self.translations, self.scales)
        misses = self._misses(pose)
        return _State(rotations, angles, pose, misses, float(np.sum(misses**2)))

    def _misses(self, pose: FloatArray) -> FloatArray:
        """(..., misses) of all places, then of all rotations if any is wanted."""
        places = (self.aims - self._reached(pose)) * self.scale
        flat = places.reshape(*pose.shape[:-3], -1)
        if not self.turned.any():
            return flat
        turns = self._missing_turns(pose) * (RADIAN * self.size * self.scale)
        return np.concatenate([flat, turns.reshape(flat.shape)], axis=-1)

    def _missing_turns(self, pose: FloatArray) -> FloatArray:
        """(..., E, 3) the turns from the effectors' bones to their wanted rotations, zero without one."""
        shown = pose[..., self.tips, :3, :3]
        if self.scales is not None:
            shown = nearest_rotation(shown)
        missing = rotation_vector(self.wanted @ np.swapaxes(shown, -1, -2))
        return np.where(self.turned[:, None], missing, 0.0)

    def _reached(self, pose: FloatArray) -> FloatArray:
        tips = pose[..., self.tips, :, :]
        return np.einsum("...eij,ej->...ei", tips[..., :3, :3], self.points) + tips[..., :3, 3]

    def _rotations(self, rotations: FloatArray, angles: FloatArray) -> FloatArray:
        if not self.by_angles.any():
            return rotations
        return np.where(self.by_angles[:, None, None], euler_to_matrix(angles), rotations)

    def _axes(self, state: _State) -> FloatArray:
        """(n, 3, 3) about which directions each bone's three numbers turn it, one a row."""
        axes = np.tile(np.eye(3), (len(self.bones), 1, 1))
        some = self.by_angles
        z = state.angles[some, 2]
        axes[some, 0] = state.rotations[some, :, 0]
        axes[some, 1] = np.stack((-np.sin(z), np.cos(z), np.zeros_like(z)), axis=-1)
        return axes


def _descend(problem: _Problem, state: _State) -> _State:
    """Levenberg-Marquardt: bold steps while they help, careful ones when they do not."""
    damping = 1e-3
    for _ in range(ROUNDS):
        if state.cost < problem.tiny:
            break
        jacobian = problem.jacobian(state)
        hessian = jacobian.T @ jacobian
        downhill = jacobian.T @ state.misses
        while damping < 1e6:
            step = _step(problem, state, hessian, downhill, damping)
            attempt = problem.moved(state, step)
            if attempt.cost < state.cost:
                break
            damping *= 8.0
        else:
            return state
        gain = (state.cost - attempt.cost) / state.cost
        state, damping = attempt, max(damping * 0.3, 1e-9)
        if gain < ENOUGH:
            break
    return state


def _step(
    problem: _Problem, state: _State, hessian: FloatArray, downhill: FloatArray, damping: float
) -> FloatArray:
    """(n, 3) the damped step; axes that would pass a limit go as far as it, and the others make up for it."""
    angles = state.angles.ravel()
    bounded = np.repeat(problem.by_angles, 3)
    lowest = np.where(bounded, problem.lowest.ravel() - angles, -np.inf)
    highest = np.where(bounded, problem.highest.ravel() - angles, np.inf)
    open_ = problem.free.ravel().copy()
    step = np.zeros_like(angles)
    while open_.any():
        some = np.flatnonzero(open_)
        matrix = hessian[np.ix_(some, some)] + damping * np.eye(len(some))
        step[some] = np.linalg.solve(matrix, downhill[some] - hessian[some] @ np.where(open_, 0.0, step))
        outside = open_ & ((step < lowest) | (step > highest))
        if not outside.any():
            break
        step = np.where(outside, np.clip(step, lowest, highest), step)
        open_ &= ~outside
    longest = np.abs(step).max()
    return step.reshape(-1, 3) * (LONGEST_STEP / max(longest, LONGEST_STEP))


def _angles_within(rotations: FloatArray, lowest: FloatArray, highest: FloatArray) -> FloatArray:
    """Euler angles (n, 3); of the two sets that mean the same rotation the one that keeps to the limits."""
    one = matrix_to_euler(rotations)
    other = one * [1.0, -1.0, 1.0] + np.pi
    other = (other + np.pi) % (2.0 * np.pi) - np.pi

    def excess(angles: FloatArray) -> FloatArray:
        return np.abs(np.clip(angles, lowest, highest) - angles).sum(axis=-1, keepdims=True)

    return np.where(excess(other) < excess(one) - 1e-9, other, one)


def _within_reach(targets: FloatArray, heads: FloatArray, reach: FloatArray) -> FloatArray:
    """Targets that a stretched chain cannot meet, brought in to where it just can."""
    ways = targets - heads
    lengths = np.linalg.norm(ways, axis=1)
    shorten = np.minimum(1.0, STRETCH * reach / np.maximum(lengths, 1e-12))
    return np.where((shorten < 1.0)[:, None], heads + ways * shorten[:, None], targets)


def _length_along(heads: FloatArray) -> float:
    return float(np.linalg.norm(np.diff(heads, axis=0), axis=1).sum())
