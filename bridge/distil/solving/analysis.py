# SPDX-License-Identifier: GPL-3.0-or-later
"""An analysis: the action's channels over time, and the keys for every number of keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import bpy
import numpy as np

from ....core import ALGORITHMS, Fitter, InputError, Motion, Solutions, channel_influence, estimates
from ....core.fitting.bezier import Handles
from ....core.fitting.moved_keys import Strays
from ....core.holds import find_holds, select_with_holds
from ....core.motion import FloatArray, IntArray
from ....core.progress import Progress, ProgressCallback
from ....core.spread import spread
from ... import actions, character, sampling
from ...steps import Steps, computed, run, shares
from .. import channels
from ..channels import Paths
from . import cyclic
from .first_pose import rows_before
from .near_poses import NearPoses
from .played_joints import are_constrained
from .settings import Settings, rows_of_frames
from .weight_presets import weights_of_joints

# How much of an angle's influence counts beside the joints themselves when keys are chosen. Joints tell
# nearly everything, but where Euler angles swing at gimbal lock the joints stay calm and the curves do not.
# Measured on motion capture, for a twentieth to a fifth of the distance: down to half the playback error
# where there are such places, and within 1% where there are none.
CHANNEL_SHARE = 0.1**2

LOOKED_AT = 400  # at so many moments estimates are measured at most; the first count on all frames

NO_HOLDS: IntArray = np.empty((0, 2), np.int64)


@dataclass(frozen=True, eq=False)
class Target:
    """How an edited motion comes from its source.

    Attributes:
        source_frames: (N,) the frames of the source that were looked at.
        times: (F,) the moment of the source that plays at each frame.
        rows: which row each row of the stored solutions became.
        counts: (S,) the key count of the stored solution that each solution is made of.
        offered: the fewest and the most keys of the stored solutions, and the frames of the source.
    """

    source_frames: FloatArray
    times: FloatArray
    rows: IntArray
    counts: IntArray
    offered: tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class Analysis:
    """Everything that baking a solution needs.

    Attributes:
        solutions: the keys for every key count, as rows of `frames`.
        frames: (F,) the frames that were looked at.
        values: (F, C) the channels, rotations made continuous.
        paths: what each column of `values` animates: slot handle, data path and index.
        moves: (C,) which channels move, or belong to a property of which another one does.
        estimated_errors: (2, S) mean and largest joint distance of each solution, in scene units,
            estimated from joint positions fitted like channels (and see `calibration`).
        seen_errors: (S,) their squared and weighed sum, which decides how smooth keys may be.
        influence: (C,) how far the joints move for each channel.
        whole: whether the whole action was looked at.
        holds: (H, 2) the first and last rows of stretches that stand still.
        loop: the frames on which the source begins and ends if it is one round of a loop; None otherwise.
        rows_before_motion: how many frames at the beginning of a whole action hold a T-pose or the like.
        sampled: the motion of the bones that matter in the source, on the frames and wherever between them
            `looked_at` is, while the analysis is being made and if these counted; None otherwise.
        between: (B,) where the source has keys between the frames.
        near: how far key poses that are not fixed may be from the motion; None if an earlier Posewright has
            baked them and let them go where they like.
        target: where the animator has edited keys: how the above, which is what is wanted now, comes from
            the source.
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
    holds: IntArray = field(default_factory=lambda: NO_HOLDS)
    loop: cyclic.Round | None = None
    rows_before_motion: int = 0
    sampled: Motion | None = None
    between: FloatArray = field(default_factory=lambda: np.empty(0))
    near: NearPoses | None = None
    target: Target | None = None

    @cached_property
    def fitter(self) -> Fitter:
        """Fits the channels that move."""
        influence, seam = self.influence[self.moves], self.seam
        seen = None if seam is None or self.near is None else self.near.joints(self.values[0], self.moves)
        return Fitter(self.values[:, self.moves], self.frames, influence=influence, loop=seam, joints=seen)

    @cached_property
    def fits(self) -> dict[tuple[int, str], Handles]:
        """What was fitted last, by key count and way; see `keying.fitted`."""
        return {}

    def with_estimates(self, errors: FloatArray) -> Analysis:
        """Better estimates, for what is no longer being made; what was fitted need not be fitted again."""
        better = replace(self, estimated_errors=errors, sampled=None)
        vars(better).update(fitter=self.fitter, fits=self.fits)
        return better

    @property
    def looked_at(self) -> FloatArray:
        """When estimates are measured: on the frames and at the source's own keys between them."""
        return _looked_at(self.frames, self.between)

    @property
    def seam(self) -> cyclic.Round | None:
        """The frames on which a loop begins and ends now; None for what is no loop, or no longer."""
        target = self.target
        if self.loop is None or target is None:
            return self.loop
        if not np.array_equal(target.times[[0, -1]], target.source_frames[[0, -1]]):
            return None
        ends = float(self.frames[0]), float(self.frames[-1])
        return self.loop if ends == tuple(target.source_frames[[0, -1]]) else ends

    def keys(self, count: int) -> IntArray:
        """The rows that are keys."""
        return self.solutions.keys(count)

    @property
    def fewest_at_first(self) -> int:
        """A loop of two keys, which are one pose, would hardly move: it begins with a third."""
        return 2 if self.loop is None else 3

    def strays(self, rows: IntArray) -> Strays | None:
        """What tells of other values for the keys at some rows how far from the motion they are."""
        return None if self.near is None else self.near.strays(self.values[rows], self.moves)

    @cached_property
    def always(self) -> IntArray:
        """The rows that are keys whatever the key count: ends, fixed frames, jumps, extremes, edited keys."""
        solutions = self.solutions
        rows = np.concatenate([solutions.keys(int(count)) for count in solutions.counts])
        return np.flatnonzero(np.bincount(rows) == len(solutions))

    def held(self, count: int) -> IntArray:
        """(n, 2) the holds that have keys at both ends."""
        return self.holds[np.all(np.isin(self.holds, self.keys(count)), axis=1)]

    @property
    def offered(self) -> tuple[int, int, int]:
        """The fewest and the most keys that a slider offers, and all frames, up to which can be typed.

        Edits do not change it: a slider whose range changes while it is dragged slips from the mouse.
        """
        if self.target is not None:
            return self.target.offered
        return int(self.solutions.counts[0]), int(self.solutions.counts[-1]), len(self.frames)

    def stored_count(self, count: int) -> int:
        """The key count of the stored solution that the one with `count` keys is made of."""
        if self.target is None:
            return count
        return int(self.target.counts[np.searchsorted(self.solutions.counts, count)])

    def count_of_stored(self, stored: int) -> int:
        """How many keys a stored solution has together with those that were edited."""
        if self.target is None:
            return self.solutions.nearest_count(stored)
        index = np.searchsorted(self.target.counts, stored)
        return int(self.solutions.counts[min(index, len(self.solutions) - 1)])

    def rows_of_stored(self, rows: IntArray) -> IntArray:
        """Rows of the stored solutions, as rows here."""
        return rows if self.target is None else self.target.rows[rows]

    def seen_error(self, count: int) -> float:
        """The squared error that is seen with so many keys."""
        return float(self.seen_errors[np.searchsorted(self.solutions.counts, count)])


def read_source(
    armature: bpy.types.Object,
    action: bpy.types.Action,
    handles: list[int],
    frames: FloatArray,
    *,
    whole: bool = True,
) -> tuple[FloatArray, Paths]:
    """(F, C) continuous values of everything that keys are chosen for, and what each column is."""
    return run(read_source_in_steps(armature, action, handles, frames, whole=whole))


def read_source_in_steps(
    armature: bpy.types.Object,
    action: bpy.types.Action,
    handles: list[int],
    frames: FloatArray,
    *,
    whole: bool = True,
) -> Steps[tuple[FloatArray, Paths]]:
    """`read_source` in steps: yields the share done."""
    values: list[FloatArray] = []
    paths: list[tuple[int, str, int]] = []
    for done, handle in enumerate(handles):
        curves = channels.reducible_curves(armature, action, [handle])
        work = channels.read_channels_in_steps(armature, curves, frames, keep_ends=not whole)
        values.append((yield from shares(work, done / len(handles), (done + 1) / len(handles))))
        paths += [(handle, curve.data_path, curve.array_index) for curve in curves]
    return np.concatenate(values, axis=1), tuple(paths)


@dataclass(frozen=True, eq=False)
class Source:
    """What keys are chosen from: the motion as the settings see it, and the channels that are keyed.

    Attributes:
        motion: with the channels and the weights of its bones.
        sampled: the same bones, also at other times than the frames if that was wanted.
        values: (F, C) continuous values of everything that is keyed.
        paths: what each column of `values` animates.
        jumps: rows that must be keys because a channel jumps there.
        influence: (C,) how far the joints move for each channel.
        between: (B,) where there are keys between the frames.
    """

    motion: Motion
    sampled: Motion
    values: FloatArray
    paths: Paths
    jumps: tuple[int, ...]
    influence: FloatArray
    between: FloatArray


def source_in_steps(
    armature: bpy.types.Object, settings: Settings, *, with_looked_at: bool = False
) -> Steps[Source]:
    """Sample what plays; yields the share done.

    Args:
        with_looked_at: sample it also between the frames, where estimates will be measured: all at once takes
            half as long.
    """
    action = actions.playing_action(armature)
    handles = channels.handles_in(armature, action)
    keyed = actions.key_frames(channels.curves_in(action, handles))
    frames = settings.frames(keyed)
    between = np.setdiff1d(sampling.with_key_times(frames, keyed), frames)
    moments = np.union1d(frames, _looked_at(frames, between)) if with_looked_at else frames
    sampled = yield from shares(_sample(armature, settings, moments), 0.0, 0.85)
    work = read_source_in_steps(armature, action, handles, frames, whole=settings.whole)
    values, paths = yield from shares(work, 0.85, 1.0)
    jumps: set[int] = set()
    if not settings.whole:  # otherwise all were mended
        jumps = channels.jump_rows(armature, channels.reducible_curves(armature, action, handles), values)
    on_frames = sampled.at(np.searchsorted(moments, frames))
    motion, influence = with_channels(on_frames, settings, values, paths)
    return Source(motion, sampled, values, paths, tuple(jumps), influence, between)


def _looked_at(frames: FloatArray, between: FloatArray) -> FloatArray:
    moments = np.union1d(frames, between)
    return moments[spread(len(moments), LOOKED_AT)]


def analysis_in_steps(armature: bpy.types.Object, settings: Settings) -> Steps[Analysis]:
    """Sample, solve and estimate; yields the share done and returns the analysis."""
    action = actions.playing_action(armature)
    if not settings.whole:
        channels.check_modifiers(action, channels.handles_in(armature, action))
    matter = set(settings.bones) == set(settings.matter)
    work = source_in_steps(armature, settings, with_looked_at=matter and not are_constrained(armature))
    source = yield from shares(work, 0.0, 0.4)
    motion = source.motion
    sizes = channels.sizes_of(armature, source.paths)
    moves = channels.moving_together(source.values, source.paths, sizes)
    if not np.any(moves):
        raise InputError("Nothing moves in {action}: there is nothing to reduce.", action=action.name)
    holds = holds_of(motion, settings, sampling.height_of(armature))
    work = solve_in_steps(motion, settings, extra=source.jumps, holds=holds)
    solutions = yield from shares(work, 0.4, 0.9)
    loop = cyclic.round_of(armature, settings, motion)
    apart = rows_before(armature, settings.bones, motion.positions) if settings.whole else 0
    estimates = yield from shares(estimates_in_steps(motion, solutions, loop), 0.9, 1.0)
    return Analysis(
        solutions=solutions,
        frames=motion.frames,
        values=source.values,
        paths=source.paths,
        moves=moves,
        estimated_errors=estimates[:2],
        seen_errors=estimates[2],
        influence=source.influence,
        whole=settings.whole,
        holds=holds,
        loop=loop,
        rows_before_motion=apart,
        sampled=source.sampled if matter else None,
        between=source.between,
        near=NearPoses(armature, source.paths, character.own_height_of(armature)),
    )


def influence_of(motion: Motion, paths: Paths) -> FloatArray:
    """(C,) how much joints are off when a channel is; 0 for what moves no joint that counts."""
    joints = _tip_joints(motion, paths)
    kinds = [
        channels.kind_of(path) if joint >= 0 or channels.bone_of(path) is None else "other"
        for (_, path, _), joint in zip(paths, joints, strict=True)
    ]
    units = np.where(joints >= 0, _world_units(motion, kinds), 1.0)
    return units**2 * channel_influence(motion, joints, kinds)


def _sample(armature: bpy.types.Object, settings: Settings, frames: FloatArray) -> Steps[Motion]:
    return sampling.sample_in_slices(armature, frames, bones=settings.bones, sides=True)


def with_channels(
    motion: Motion, settings: Settings, values: FloatArray, paths: Paths
) -> tuple[Motion, FloatArray]:
    """The motion with its bones' channels and weights, and the influence of all channels."""
    weights = weights_of_joints(settings.weights, motion.names, settings.bones)
    owners = _counting_joints(motion, weights, _tip_joints(motion, paths))
    used = np.flatnonzero(owners >= 0)
    kinds = [channels.kind_of(path) for _, path, _ in paths]
    swings = np.isin(kinds, ("euler", "axis_angle"))
    influence = influence_of(motion.with_weights(weights), paths)
    weighed = Motion(
        motion.positions,
        frames=motion.frames,
        fps=motion.fps,
        channels=(values * _world_units(motion, kinds))[:, used],
        owners=owners[used],
        kinds=[kinds[column] for column in used],
        influence=np.where(swings, CHANNEL_SHARE * influence, 0.0)[used],
        names=motion.names,
        parents=motion.parents,
        weights=weights,
        matrices=motion.matrices,
        hips=motion.hips,
    )
    return weighed, influence


def _world_units(motion: Motion, kinds: Sequence[str]) -> FloatArray:
    """(C,) how long the unit of each channel is in the scene: bones move in the scale of the armature."""
    size = np.abs(np.linalg.det(motion.matrices[:, :3, :3])) if motion.matrices is not None else np.ones(1)
    return np.where(np.array(kinds) == "location", np.median(np.cbrt(size)), 1.0)


def _tip_joints(motion: Motion, paths: Paths) -> IntArray:
    """(C,) the joint at the tip of each channel's bone, -1 for other channels and bones that do not count."""
    joint = {name: number for number, name in enumerate(motion.names)}
    return np.array([joint.get(channels.bone_of(path) or "", -1) for _, path, _ in paths], np.int64)


def _counting_joints(motion: Motion, weights: FloatArray, tips: IntArray) -> IntArray:
    """(C,) the joint that each channel counts for: where its bone begins if that weighs more than the tip."""
    joint = {name: number for number, name in enumerate(motion.names)}
    heads = np.array([joint.get(f"{name} head", row) for row, name in enumerate(motion.names)], np.int64)
    return np.where((tips >= 0) & (weights[heads[tips]] > weights[tips]), heads[tips], tips)


def holds_of(motion: Motion, settings: Settings, height: float) -> IntArray:
    """(H, 2) where what counts stands still. A pose that is held from one key to the next needs no second."""
    if settings.objective == "hold":
        return NO_HOLDS
    counting = motion.positions[:, motion.weights > 0.0]
    return find_holds(counting, height=height, fps=motion.fps, frames=motion.frames)


def solve_in_steps(
    motion: Motion, settings: Settings, *, extra: tuple[int, ...] = (), holds: IntArray = NO_HOLDS
) -> Steps[Solutions]:
    """The solver, in steps. Algorithms that rank all frames by rules of their own know no holds."""
    if ALGORITHMS[settings.algorithm].nested:
        holds = NO_HOLDS
    fixed = sorted({*rows_of_frames(settings.fixed, motion.frames), *extra})
    if len(fixed) == len(motion) > 2:
        raise InputError(
            "All {frames} frames are to be keys, so there is nothing to choose. Where Selected Keys is "
            "on, select none in the Timeline (Alt A), and then only those that must stay.",
            frames=len(motion),
        )
    most = max(settings.most_keys(len(motion)), len(fixed) + 2)

    def solve(progress: ProgressCallback | None, count: int = most) -> Solutions:
        solutions = select_with_holds(
            motion,
            settings.algorithm,
            holds=holds,
            objective=settings.objective,
            max_keys=min(count, len(motion)),
            fixed=fixed,
            space=settings.space,
            progress=progress,
            **settings.options,
        )
        suggested = solutions.own_count or 0
        if settings.max_keys is None and suggested > count:
            return solve(progress, suggested)  # so that the slider reaches it
        return solutions

    return computed(solve)


def estimates_in_steps(motion: Motion, solutions: Solutions, loop: cyclic.Round | None) -> Steps[FloatArray]:
    """`core.estimates.of_all_counts`, in steps."""
    return computed(lambda report: estimates.of_all_counts(motion, solutions, loop, Progress(report)))
