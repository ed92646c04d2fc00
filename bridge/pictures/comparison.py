# SPDX-License-Identifier: GPL-3.0-or-later
"""Several algorithms on one action: how far the motion is off for how many keys.

Every result is judged by what it would really play: its keys, made as the armature's "Keyed As" says (or what
Decimate leaves), are put on a copy of the armature, and Blender itself says where its joints are. The
distance is that of Roberts et al. 2018: between corresponding joints, averaged over joints and frames, for a
character 1.7 m tall.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_

from ...core import ALGORITHMS, Fitter, InputError, Motion, estimates, metrics
from ...core.feet.contacts import Contact
from ...core.motion import FloatArray
from ...core.quality import Quality, quality_of
from ...core.spread import spread
from .. import actions, character, decimate, sampling, stages
from ..baking import Keys, write_keys
from ..distil import channels, keying, reductions
from ..distil.feet import stances
from ..distil.solving import analysis
from ..distil.solving.near_poses import NearPoses
from ..distil.solving.settings import Settings, settings_of
from ..distil.ways import WAYS
from ..steps import Steps, shares
from . import sampled_poses

COUNTS = 10  # so many numbers of keys are tried for each algorithm
# Joints are compared on so many frames at most, evenly chosen. On 4,900 frames of capture (06_13) no mean was
# off by more than 4% and no two algorithms changed places. With half as many, means were off by up to 16% and
# algorithms changed places for two of ten numbers of keys.
MOST_FRAMES = 600
FEWEST_KEYS = 3
DECIMATE = "Blender Decimate"
MOST_DECIMATED = 6  # so many of them are tried with Decimate at most, ...
DECIMATE_SECONDS = 20.0  # ... and fewer where these would take longer in all


@dataclass(frozen=True)
class Result:
    """One algorithm with one number of keys."""

    algorithm: str
    keys: float  # of a curve; Decimate leaves different numbers on different curves, this is their mean
    compression: float  # frames for each key
    likeness: Likeness
    seconds: float  # to choose the keys, for all numbers of keys together


@dataclass(frozen=True)
class Likeness:
    """How what is played compares with the original: in metres, for a character 1.7 m tall."""

    mean_distance: float
    largest_distance: float
    quality: Quality


@dataclass(frozen=True)
class Comparison:
    """All results for an action."""

    action: str
    frames: int
    keyed_as: str  # how the algorithms' keys were made
    results: tuple[Result, ...]
    notes: tuple[str, ...]

    def of(self, algorithm: str) -> list[Result]:
        return [result for result in self.results if result.algorithm == algorithm]

    @property
    def algorithms(self) -> list[str]:
        return list(dict.fromkeys(result.algorithm for result in self.results))


def compare_in_steps(
    armature: bpy.types.Object,
    scene: bpy.types.Scene,
    algorithms: Sequence[str],
    *,
    with_decimate: bool,
) -> Generator[float, None, Comparison]:
    """Try the algorithms with the settings of the armature; yields the share done."""
    if not algorithms and not with_decimate:
        raise InputError("There is nothing to compare: choose at least one algorithm.")
    action = source_action(armature)
    with (
        character.held(),
        sampled_poses.stand_in(armature, action) as actor,
        stages.evaluation_scene(actor),
    ):
        way = reductions.way_of(armature)
        settings = settings_of(actor, scene, way=way)
        clip = yield from shares(_Clip.read_in_steps(actor, action, settings), 0.0, 0.1)
        counts = clip.affordable_counts() if with_decimate else []
        results: list[Result] = []
        with clip.scratch_action(action) as curves:
            tasks = [settings_of(actor, scene, name, way=way) for name in algorithms]
            jobs = [_try_in_steps(clip, curves, task, way) for task in tasks]
            if counts:
                jobs.append(_decimate_in_steps(clip, curves, counts))
            for number, job in enumerate(jobs):
                span = (0.1 + 0.9 * number / len(jobs), 0.1 + 0.9 * (number + 1) / len(jobs))
                results += yield from shares(job, *span)
    notes = (_left_out(clip),) if with_decimate and not counts else ()
    ways = armature.posewright.bl_rna.properties["interpolation"].enum_items
    return Comparison(action.name, len(clip.frames), ways[way].name, tuple(results), notes)


def _left_out(clip: _Clip) -> str:
    return rpt_(
        "{decimate} is left out: on {frames} frames it would take {seconds:.0f} "
        "seconds for every number of keys. Choose a shorter frame range to include it."
    ).format(decimate=DECIMATE, frames=len(clip.frames), seconds=clip.decimate_seconds())


def source_action(armature: bpy.types.Object) -> bpy.types.Action:
    """What the armature plays, or what that was reduced from."""
    data = armature.animation_data
    playing = None if data is None else data.action
    if playing is None:
        raise InputError("{armature} has no action: give it one, then compare.", armature=armature.name)
    return playing.posewright.source or playing


@dataclass(frozen=True, eq=False)
class _Clip:
    """The motion that all algorithms are given, and the means to play changed channels on it."""

    actor: bpy.types.Object
    bones: tuple[str, ...]  # whose joints are compared
    frames: FloatArray
    motion: Motion
    values: FloatArray  # (F, C) of all channels
    paths: tuple[tuple[int, str, int], ...]
    influence: FloatArray  # (C,) how far joints move for each
    moves: np.ndarray  # (C,) which of them move
    looked_at: np.ndarray  # rows on which joints are compared
    contacts: tuple[Contact, ...]  # of feet, in these rows
    matrices: FloatArray  # (R, B, 4, 4) bones in the world, in these rows
    height: float

    @classmethod
    def read_in_steps(
        cls, actor: bpy.types.Object, action: bpy.types.Action, settings: Settings
    ) -> Generator[float, None, _Clip]:
        handle = actions.slot_handle(actions.slot_of(actor))
        keyed = actions.key_frames(channels.curves_in(action, [handle]))
        frames = settings.frames(keyed)
        work = analysis.read_source_in_steps(actor, action, [handle], frames)
        values, paths = yield from shares(work, 0.0, 0.2)
        rows = spread(len(frames), MOST_FRAMES)
        work = sampling.sample_posed_in_slices(actor, frames, rows, bones=settings.bones, sides=True)
        motion, matrices = yield from shares(work, 0.2, 1.0)
        contacts = tuple(_among_rows(stances.contacts_in_source(actor, motion), rows))
        moves = channels.moving(values, channels.sizes_of(actor, paths))
        if not moves.any():
            raise InputError("Nothing moves in {action}: there is nothing to compare.", action=action.name)
        height = sampling.height_of(actor)
        motion, influence = analysis.with_channels(motion, settings, values, paths)
        return cls(
            actor,
            settings.bones,
            frames,
            motion,
            values,
            paths,
            influence,
            moves,
            rows,
            contacts,
            matrices,
            height,
        )

    def counts(self) -> list[int]:
        """Numbers of keys to try, closer together where they are few."""
        most = max(len(self.frames) // 4, 2)
        return sorted({round(count) for count in np.geomspace(min(FEWEST_KEYS, most), most, COUNTS)})

    def affordable_counts(self) -> list[int]:
        """The numbers of keys that there is time to run Decimate for, spread over all of them."""
        number = min(int(DECIMATE_SECONDS / self.decimate_seconds()), MOST_DECIMATED)
        counts = self.counts()
        if number == 1:
            return [counts[len(counts) // 2]]
        last = len(counts) - 1
        return [counts[at] for at in np.unique(np.linspace(min(1, last), last, number).astype(int))]

    def decimate_seconds(self) -> float:
        """About how long Decimate takes for one number of keys."""
        return decimate.seconds_of_a_curve(len(self.frames)) * int(self.moves.sum())

    @contextmanager
    def scratch_action(self, source: bpy.types.Action) -> Iterator[list[Any]]:
        """Curves of the moving channels in an action of its own, which the actor plays."""
        slot = actions.slot_of(self.actor)
        handle = actions.slot_handle(slot)
        copy = actions.copy_slots(source, [handle], "Posewright comparison")
        try:
            actions.assign(self.actor, copy, actions.slot_with_handle(copy, handle))
            wanted = [
                actions.Channel(path, index)
                for (_, path, index), moves in zip(self.paths, self.moves, strict=True)
                if moves
            ]
            bag = actions.bag_of(copy, actions.slot_with_handle(copy, handle))
            curves = actions.ensure_curves(bag, wanted)
            for curve in curves:
                for modifier in list(curve.modifiers):
                    curve.modifiers.remove(modifier)
            yield curves
        finally:
            actions.assign(self.actor, source, slot)
            bpy.data.actions.remove(copy)

    def likeness_in_steps(self) -> Steps[Likeness]:
        """Of what the actor plays now."""
        frames = self.frames[self.looked_at]
        everything = np.arange(len(frames))
        work = sampling.sample_posed_in_slices(self.actor, frames, everything, bones=self.bones, sides=True)
        played, matrices = yield from work
        scale = metrics.NORMAL_HEIGHT / self.height
        here, there = scale * self.motion.positions[self.looked_at], scale * played.positions
        both = self.matrices.copy(), matrices
        for each in both:
            each[..., :3, 3] *= scale
        seconds = frames / self.motion.fps
        return Likeness(
            metrics.mean_joint_distance(here, there),
            metrics.largest_joint_distance(here, there),
            quality_of(here, there, self.contacts, seconds, both, metrics.NORMAL_HEIGHT),
        )


def _among_rows(contacts: Iterable[Contact], rows: np.ndarray) -> Iterator[Contact]:
    """Contacts as they are in some rows of the frames."""
    for each in contacts:
        inside = np.flatnonzero((rows >= each.first) & (rows <= each.last))
        if len(inside):
            yield replace(each, first=int(inside[0]), last=int(inside[-1]))


def _try_in_steps(
    clip: _Clip, curves: list[Any], settings: Settings, way: str
) -> Generator[float, None, list[Result]]:
    """One algorithm with every number of keys."""
    label = ALGORITHMS[settings.algorithm].label
    counts = clip.counts()
    start = time.perf_counter()
    task = replace(settings, max_keys=counts[-1])
    solutions = yield from shares(analysis.solve_in_steps(clip.motion, task), 0.0, 0.5)
    seconds = time.perf_counter() - start
    fitter = Fitter(clip.values[:, clip.moves], clip.frames, influence=clip.influence[clip.moves])
    joints = estimates.joint_fitter(clip.motion)
    near = NearPoses(clip.actor, clip.paths, character.own_height_of(clip.actor))
    results: list[Result] = []
    offered = sorted({solutions.nearest_count(count) for count in counts})
    for done, count in enumerate(offered):
        yield 0.5 + 0.5 * done / len(offered)
        rows = solutions.keys(count)
        seen_error = estimates.seen_error(clip.motion, joints, rows) if WAYS[way].fit else 0.0
        strays = near.strays(clip.values[rows], clip.moves) if WAYS[way].moves_keys else None
        write_keys(curves, keying.keys_at(fitter, rows, way, seen_error=seen_error, strays=strays))
        span = (0.5 + 0.5 * done / len(offered), 0.5 + 0.5 * (done + 1) / len(offered))
        likeness = yield from shares(clip.likeness_in_steps(), *span)
        results.append(Result(label, count, len(clip.frames) / count, likeness, seconds))
    return results


def _decimate_in_steps(
    clip: _Clip, curves: list[Any], counts: Sequence[int]
) -> Generator[float, None, list[Result]]:
    moving, looked_at = clip.values[:, clip.moves], clip.frames[clip.looked_at]
    results: list[Result] = []
    for done, count in enumerate(counts):
        start, middle, end = (np.array([0.0, 0.9, 1.0]) + done) / len(counts)
        work = decimate.decimated_in_steps(moving, clip.frames, count)
        left = yield from shares(work, start, middle)
        played = left.values[clip.looked_at]
        write_keys(curves, Keys(looked_at, played, interpolation="LINEAR", handle_type="VECTOR"))
        likeness = yield from shares(clip.likeness_in_steps(), middle, end)
        results.append(Result(DECIMATE, left.keys, len(clip.frames) / left.keys, likeness, left.seconds))
    return results
