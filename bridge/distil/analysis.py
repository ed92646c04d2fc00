# SPDX-License-Identifier: GPL-3.0-or-later
"""An analysis: the action's channels over time, and the keys for every number of keys."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import bpy
import numpy as np

from ...core import (
    Fitter,
    Handles,
    InputError,
    Motion,
    Solutions,
    channel_influence,
    metrics,
    select,
)
from ...core.motion import FloatArray, IntArray
from .. import actions, sampling
from ..steps import shares
from . import channels
from .settings import Settings, rows_of_frames

POLL_SECONDS = 0.01  # how long to wait between two looks at a solver that runs beside the window

# How much of an angle's influence counts beside the joints themselves when keys are chosen. Joints tell
# nearly everything, but where Euler angles swing at gimbal lock the joints stay calm and the curves do not.
# Measured on motion capture, for a twentieth to a fifth of the distance: down to half the playback error
# where there are such places, and within 1% where there are none.
CHANNEL_SHARE = 0.1**2

# Slot handle, data path and index of each channel.
Paths = tuple[tuple[int, str, int], ...]

ESTIMATES = 9  # for so many key counts the error is estimated; in between it is interpolated


@dataclass(frozen=True, eq=False)
class Analysis:
    """Everything that baking a solution needs.

    Attributes:
        solutions: the keys for every key count, as rows of `frames`.
        frames: (F,) the frames that were looked at.
        values: (F, C) the channels, rotations made continuous.
        paths: what each column of `values` animates: slot handle, data path and index.
        moves: (C,) which channels move.
        estimated_errors: (2, S) mean and largest joint distance of each solution, in scene units,
            estimated from joint positions fitted like channels.
        seen_errors: (S,) their squared and weighed sum, which decides how smooth keys may be.
        influence: (C,) how far the joints move for each channel.
        whole: whether the whole action was looked at.
    """

    solutions: Solutions
    frames: FloatArray
    values: FloatArray
    paths: Paths
    moves: np.ndarray
    estimated_errors: FloatArray
    seen_errors: FloatArray
    influence: FloatArray
    whole: bool

    @cached_property
    def fitter(self) -> Fitter:
        """Fits the channels that move."""
        return Fitter(self.values[:, self.moves], self.frames, influence=self.influence[self.moves])

    def keys(self, count: int) -> IntArray:
        """The rows that are keys."""
        return self.solutions.keys(count)

    def fit(self, count: int, mode: str) -> Handles:
        """Handles for the channels that move."""
        index = int(np.searchsorted(self.solutions.counts, count))
        return self.fitter.fit(self.keys(count), mode, seen_error=float(self.seen_errors[index]))


def read_source(
    armature: bpy.types.Object,
    action: bpy.types.Action,
    handles: list[int],
    frames: FloatArray,
    *,
    whole: bool = True,
) -> tuple[FloatArray, Paths]:
    """(F, C) continuous values of everything the action animates, and what each column is."""
    values: list[FloatArray] = []
    paths: list[tuple[int, str, int]] = []
    for handle in handles:
        curves = channels.curves_in(action, [handle])
        values.append(channels.read_channels(armature, curves, frames, keep_ends=not whole))
        paths += [(handle, curve.data_path, curve.array_index) for curve in curves]
    return np.concatenate(values, axis=1), tuple(paths)


def analysis_in_steps(
    armature: bpy.types.Object, settings: Settings, *, beside: bool = True
) -> Generator[float, None, Analysis]:
    """Sample, solve and estimate; yields the share done and returns the analysis.

    Args:
        beside: solve in a thread so that the window stays alive. Closing the generator stops it.
    """
    action = actions.playing_action(armature)
    handles = [handle for _, handle in channels.players(armature, action)]
    keyed = actions.key_frames(channels.curves_in(action, handles))
    if not settings.whole:
        channels.check_modifiers(action, handles)
    frames = sampling.frames_to_sample(keyed, settings.first, settings.last)
    motion = yield from shares(_sample(armature, settings, frames, beside), 0.0, 0.4)
    values, paths = read_source(armature, action, handles, frames, whole=settings.whole)
    motion = with_channels(motion, settings, values, paths)
    if not np.any(channels.moving(values)):
        raise InputError(f"Nothing moves in {action.name}: there is nothing to reduce.")
    jumps = channels.jump_rows(armature, channels.curves_in(action, handles), values)
    work = solve_in_steps(motion, settings, extra=tuple(jumps), beside=beside)
    solutions = yield from shares(work, 0.4, 0.9)
    estimates = yield from shares(estimates_in_steps(motion, solutions), 0.9, 1.0)
    return Analysis(
        solutions=solutions,
        frames=frames,
        values=values,
        paths=paths,
        moves=channels.moving(values),
        estimated_errors=estimates[:2],
        seen_errors=estimates[2],
        influence=_influence(motion, paths),
        whole=settings.whole,
    )


def _influence(motion: Motion, paths: Paths) -> FloatArray:
    """(C,) how much joints are off when a channel is; 0 for what moves no joint that counts."""
    joints = _tip_joints(motion, paths)
    kinds = [
        channels.kind_of(path) if joint >= 0 or channels.bone_of(path) is None else "other"
        for (_, path, _), joint in zip(paths, joints, strict=True)
    ]
    return channel_influence(motion, joints, kinds)


def _sample(
    armature: bpy.types.Object, settings: Settings, frames: FloatArray, beside: bool
) -> Generator[float, None, Motion]:
    seconds = sampling.SLICE_SECONDS if beside else np.inf
    return sampling.sample_in_slices(armature, frames, bones=settings.bones, seconds=seconds)


def with_channels(motion: Motion, settings: Settings, values: FloatArray, paths: Paths) -> Motion:
    """The motion with its bones' channels and weights."""
    owners = _tip_joints(motion, paths)
    used = np.flatnonzero(owners >= 0)
    weights = [settings.weights.get(name.removesuffix(" head"), 1.0) for name in motion.names]
    swings = np.array([channels.kind_of(path) in ("euler", "axis_angle") for _, path, _ in paths])
    influence = np.where(swings, CHANNEL_SHARE * _influence(motion.with_weights(weights), paths), 0.0)
    return Motion(
        motion.positions,
        frames=motion.frames,
        fps=motion.fps,
        channels=values[:, used],
        owners=owners[used],
        influence=influence[used],
        names=motion.names,
        parents=motion.parents,
        weights=weights,
        matrices=motion.matrices,
    )


def _tip_joints(motion: Motion, paths: Paths) -> IntArray:
    """(C,) the joint at the tip of each channel's bone, -1 for other channels and bones that do not count."""
    joint = {name: number for number, name in enumerate(motion.names)}
    return np.array([joint.get(channels.bone_of(path) or "", -1) for _, path, _ in paths], np.int64)


def solve_in_steps(
    motion: Motion, settings: Settings, *, extra: tuple[int, ...] = (), beside: bool = True
) -> Generator[float, None, Solutions]:
    """The solver, in a thread of its own when it should run `beside` the window."""
    fixed = sorted({*rows_of_frames(settings.fixed, motion.frames), *extra})
    most = max(settings.most_keys(len(motion)), len(fixed) + 2)
    job = _Solver(motion, settings, fixed, min(most, len(motion)))
    if not beside:
        job.run()
    else:
        thread = threading.Thread(target=job.run, name="Posewright solver", daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                yield job.share
                time.sleep(POLL_SECONDS)
        finally:
            job.stop = True
            thread.join()
    if job.problem is not None:
        raise job.problem
    return job.solutions


class _Solver:
    """One call of `select` that can be watched and stopped from another thread. It never touches Blender."""

    def __init__(self, motion: Motion, settings: Settings, fixed: list[int], max_keys: int):
        self._motion, self._settings, self._fixed, self._max_keys = motion, settings, fixed, max_keys
        self.share = 0.0
        self.stop = False
        self.problem: Exception | None = None
        self.solutions: Any = None

    def run(self) -> None:
        asked = self._settings
        try:
            self.solutions = select(
                self._motion,
                asked.algorithm,
                objective=asked.objective,
                max_keys=self._max_keys,
                fixed=self._fixed,
                space=asked.space,
                progress=self._report,
                **asked.options,
            )
        except Exception as problem:  # raised again by whoever waits for this
            self.problem = problem

    def _report(self, share: float) -> bool:
        self.share = share
        return not self.stop


def estimates_in_steps(motion: Motion, solutions: Solutions) -> Generator[float, None, FloatArray]:
    """(3, S) mean and largest joint distance and the squared sum, as if joints moved on fitted curves.

    Evaluating the reduced action in Blender is exact but takes a hundred times as long. Some key counts
    are computed and the others interpolated, on logarithmic scales, where the errors run nearly straight.
    With `curve` the mean and the squared sum follow the solutions' own errors in between, which are squared
    distances from the same curves for every key count: so cliffs and plateaus are where they are.
    """
    fitter = Fitter(motion.positions.reshape(len(motion), -1), motion.frames)
    counts = solutions.counts
    chosen = np.unique(np.round(np.geomspace(1, len(counts), ESTIMATES)).astype(int) - 1)
    found = []
    for done, index in enumerate(chosen):
        fitted = fitter.fit(solutions.keys(int(counts[index])), "free").evaluate(motion.frames)
        distances = metrics.joint_distances(motion.positions, fitted.reshape(motion.positions.shape))
        found.append((distances.mean(), distances.max(), np.sum(distances**2 @ motion.weights)))
        yield (done + 1) / len(chosen)
    known = np.log(np.maximum(np.array(found).T, 1e-12))
    trends = np.outer(_FOLLOWS, _log_trend(solutions))
    between = [np.interp(np.log(counts), np.log(counts[chosen]), row) for row in known - trends[:, chosen]]
    return np.exp(between + trends)


# The power of the solutions' errors that each estimate follows: the mean, the largest and the squared sum.
_FOLLOWS = (0.5, 0.0, 1.0)


def _log_trend(solutions: Solutions) -> FloatArray:
    """(S,) logarithms of the solutions' errors where these are squared distances, zeros elsewhere."""
    if solutions.objective != "curve":
        return np.zeros(len(solutions))
    return np.log(np.maximum(solutions.errors, 1e-12 * solutions.errors.max() + 1e-300))
