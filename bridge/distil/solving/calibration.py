# SPDX-License-Identifier: GPL-3.0-or-later
"""Estimated errors set right by a few that are measured.

Estimates are of joints that move on fitted curves. What is fitted in truth are rotations, which do worse: by
a tenth on a walk, by three quarters where a body turns fast, and a hundred times where joints would be met
exactly. How much worse changes slowly from one key count to another, so a few counts, measured at some of the
frames, tell it for all; and where the first keys are chosen the count itself is measured.
Between whole frames a source may do what no number of keys follows: that is added and not multiplied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

import bpy
import numpy as np

from ....core import Motion, metrics
from ....core.motion import FloatArray, IntArray
from ....core.spread import spread
from ... import actions, sampling
from ...steps import Steps, shares
from .. import channels, keying
from ..actors import actor
from ..ways import WAYS
from .analysis import Analysis
from .played_joints import PlayedJoints
from .settings import Settings

LEFT_OUT = 2  # the very fewest keys: what holds for them tells little about the others
GUESSES = 4  # so many key counts are measured at most to find the first that is within the wanted error
COUNTS = 3  # so many are measured whatever is wanted, in equal ratios up to the most, ...
COUNTS_PLAYED = 2  # ... so many where Blender has to play them
SHARE, FEWEST, MOST = 0.3, 40, 80  # Blender plays this share of all, but not fewer and not more than so many
NEGLIGIBLE = 1e-5  # of the height: smaller errors are all the same
TIMES_WORSE = 3.0  # with the most keys, rotations are at most so many times worse; no keys mend the rest
MENDED = 1e-3  # of what is measured: as much of it at least depends on the keys

Played = Callable[[int], Steps[FloatArray]]  # from a key count to where the joints are with so many keys


def calibrated_in_steps(
    armature: bpy.types.Object, analysis: Analysis, way: str, settings: Settings
) -> Steps[Analysis]:
    """The analysis with better estimates, for an armature that plays the source; yields the share done.

    They are measured at the bones that matter, for keys in the `way` that is wanted if that is a fitted one.
    """
    counts, height = analysis.solutions.counts, sampling.height_of(armature)
    bones, fitted = settings.matter, way if WAYS[way].fit else "SMOOTH"
    original, joints = yield from shares(_original_in_steps(armature, analysis, bones), 0.0, 0.2)
    estimates = np.maximum(analysis.estimated_errors, NEGLIGIBLE * height)
    measured: dict[int, FloatArray] = {}
    with ExitStack() as stack:
        if joints is None:
            by_blender = _played_by_blender(armature, analysis, fitted, bones, original.frames)
            play = stack.enter_context(by_blender)
        else:
            play = _worked_out(joints, analysis, fitted, original)

        def measure(index: int) -> Steps[None]:
            far = metrics.joint_distances(original.positions, (yield from play(int(counts[index]))))
            measured[index] = np.maximum([far.mean(), far.max()], NEGLIGIBLE * height)

        for index in _spread(len(counts), COUNTS_PLAYED if joints is None else COUNTS):
            yield from shares(measure(index), *_span(len(measured)))
        guess = -1
        for _ in range(GUESSES):
            within = np.flatnonzero(_corrected(counts, estimates, measured)[0] <= settings.wanted)
            fewest = int(np.searchsorted(counts, analysis.fewest_at_first))
            guess = min(max(int(within[0]), fewest) if len(within) else len(counts), len(counts) - 1)
            if guess in measured:
                break
            yield from shares(measure(guess), *_span(len(measured)))
        left_out = np.setdiff1d(analysis.frames, original.frames)  # where the first count is measured, too
        if joints is not None and analysis.sampled is not None and len(left_out):
            others = _at(analysis.sampled, left_out)
            positions = yield from _worked_out(joints, analysis, fitted, others)(int(counts[guess]))
            far = metrics.joint_distances(others.positions, positions)
            measured[guess][1] = max(measured[guess][1], far.max())
    return analysis.with_estimates(_corrected(counts, estimates, measured))


def _original_in_steps(
    armature: bpy.types.Object, analysis: Analysis, bones: Sequence[str]
) -> Steps[tuple[Motion, PlayedJoints | None]]:
    """Where the joints are at some frames, and what works out where they would be, if that goes."""
    some = min(max(round(SHARE * len(analysis.frames)), FEWEST), MOST)
    rows = spread(len(analysis.frames), some)
    if analysis.sampled is None:
        frames = analysis.frames[rows]
        original = yield from sampling.sample_in_slices(armature, frames, bones=bones, sides=True)
    else:
        original = _at(analysis.sampled, analysis.frames[rows])
    joints = PlayedJoints.of(armature, analysis.paths, bones, original, analysis.values[rows])
    if analysis.sampled is not None and (joints is not None or len(analysis.between)):
        # Frames may be met exactly where what is between them is not.
        looked_at = analysis.looked_at
        rows = slice(None) if joints is not None else spread(len(looked_at), MOST)
        original = _at(analysis.sampled, looked_at[rows])
    return original, joints


def _at(sampled: Motion, moments: FloatArray) -> Motion:
    """Some of the moments that were sampled."""
    return sampled.at(np.searchsorted(sampled.frames, moments))


def _worked_out(joints: PlayedJoints, analysis: Analysis, way: str, original: Motion) -> Played:
    def play(count: int) -> Steps[FloatArray]:
        yield 0.0
        return keying.joints_played(joints, analysis, count, way, original)

    return play


@contextmanager
def _played_by_blender(
    armature: bpy.types.Object, analysis: Analysis, way: str, bones: Sequence[str], frames: FloatArray
) -> Iterator[Played]:
    source = actions.playing_action(armature)
    handles = channels.handles_in(armature, source)
    with (
        keying.scratch_action(source, handles, analysis) as scratch,
        actor(armature, scratch, handles[0]) as playing,
    ):

        def play(count: int) -> Steps[FloatArray]:
            keying.write_solution(scratch, analysis, count, way)
            return (yield from sampling.sample_in_slices(playing, frames, bones=bones, sides=True)).positions

        yield play


def _spread(solutions: int, number: int) -> list[int]:
    """Which solutions to measure whatever is wanted."""
    return np.unique(
        np.geomspace(min(1 + LEFT_OUT, solutions), solutions, number).round().astype(int) - 1
    ).tolist()


def _corrected(counts: IntArray, estimates: FloatArray, measured: Mapping[int, FloatArray]) -> FloatArray:
    """(2, S) estimates times what those that were measured are off by, plus what no keys mend."""
    known = sorted(measured)
    found, of_found = np.stack([measured[index] for index in known], axis=1), estimates[:, known]
    left = np.clip(found[:, -1] - TIMES_WORSE * of_found[:, -1], 0.0, found.min(axis=1))[:, None]
    off = np.log(np.maximum(found - left, MENDED * found) / of_found)
    return left + estimates * np.exp([np.interp(np.log(counts), np.log(counts[known]), each) for each in off])


def _span(done: int) -> tuple[float, float]:
    """Nobody knows how many will be measured: each takes a share of what is left."""
    return 1.0 - 0.8 ** (done + 1), 1.0 - 0.8 ** (done + 2)
