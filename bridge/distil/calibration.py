# SPDX-License-Identifier: GPL-3.0-or-later
"""Estimated errors set right by a few that are measured.

Estimates are of joints that move on fitted curves. What is fitted in truth are rotations, which do worse: by
a tenth on a walk, and by three quarters where a body turns fast. How much worse changes slowly from one key
count to another, so a few counts, measured at some of the frames, tell it for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import bpy
import numpy as np

from ...core import metrics
from ...core.motion import FloatArray, IntArray
from .. import actions, sampling
from ..steps import Steps, shares
from . import channels, keying
from .actors import actor
from .analysis import Analysis
from .ways import WAYS

COUNTS = 3  # so many key counts are measured, in equal ratios up to the most
LEFT_OUT = 2  # the very fewest keys: what holds for them tells little about the others
FRAMES = 80  # at so many frames it is measured at most, evenly spread, ...
SHARE, FEWEST = 0.2, 20  # ... and at this share of all, but not at fewer than so many
MOST = 4.0  # no estimate is changed more: what is further off says nothing about its neighbours
NEGLIGIBLE = 2e-4  # of the height: how such errors are off tells nothing about those that are seen


def calibrated_in_steps(
    armature: bpy.types.Object, analysis: Analysis, way: str, bones: Sequence[str]
) -> Steps[Analysis]:
    """The analysis with better estimates, for an armature that plays the source; yields the share done.

    They are measured at the bones that matter, for keys in the `way` that is wanted if that is a fitted one.
    """
    source = actions.playing_action(armature)
    handles = [handle for _, handle in channels.players(armature, source)]
    counts = analysis.solutions.counts
    rows = _rows_to_measure(len(analysis.frames))
    chosen = _worth_measuring(analysis.estimated_errors[0], sampling.height_of(armature))
    passes = len(chosen) + 1
    fitted = way if WAYS[way].fit else "SMOOTH"

    def joints(playing: bpy.types.Object, number: int) -> Steps[FloatArray]:
        sampled = sampling.sample_in_slices(playing, analysis.frames[rows], bones=bones, sides=True)
        motion = yield from shares(sampled, number / passes, (number + 1) / passes)
        return motion.positions

    original = (yield from joints(armature, 0)) if analysis.sampled is None else analysis.sampled[rows]
    logarithms = []
    with (
        keying.scratch_action(source, handles, analysis) as scratch,
        actor(armature, scratch, handles[0]) as playing,
    ):
        for number, index in enumerate(chosen, start=1):
            keying.write_solution(scratch, analysis, int(counts[index]), fitted)
            played = yield from joints(playing, number)
            measured = float(metrics.joint_distances(original, played).mean())
            ratio = measured / max(float(analysis.estimated_errors[0, index]), 1e-12)
            logarithms.append(np.log(np.clip(ratio, 1.0 / MOST, MOST)))
    correction = np.exp(np.interp(np.log(counts), np.log(counts[chosen]), logarithms))
    return replace(analysis, estimated_errors=analysis.estimated_errors * correction, sampled=None)


def _rows_to_measure(frames: int) -> IntArray:
    number = min(max(round(SHARE * frames), FEWEST), FRAMES)
    return np.unique(np.linspace(0, frames - 1, number).round().astype(int))


def _worth_measuring(estimates: FloatArray, height: float) -> IntArray:
    """Which of the solutions to measure."""
    most = max(int(np.count_nonzero(estimates > NEGLIGIBLE * height)), 1)
    return np.unique(np.geomspace(min(1 + LEFT_OUT, most), most, COUNTS).round().astype(int) - 1)
