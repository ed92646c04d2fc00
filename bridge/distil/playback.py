# SPDX-License-Identifier: GPL-3.0-or-later
"""How far what plays is from the original: estimated for every key count, and exactly as Blender plays it."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
import numpy as np

from ...core import InputError, metrics, sweet_spots
from ...core.motion import FloatArray, IntArray
from .. import sampling
from ..steps import run, shares
from . import detail, reduced, state
from .analysis import Analysis

GUESSES = 6  # so often the corrected estimate says where to look; then halving does


@dataclass(frozen=True)
class Figures:
    """What a number of keys is worth, in scene units and as shares of the character's height."""

    keys: int
    frames: int
    mean: float
    largest: float
    height: float

    @property
    def compression(self) -> float:
        """The share of frames that is no key."""
        return 1.0 - self.keys / self.frames

    @property
    def mean_share(self) -> float:
        return self.mean / self.height

    @property
    def largest_share(self) -> float:
        return self.largest / self.height


def estimated(armature: bpy.types.Object, count: int | None = None) -> Figures:
    """Figures of a key count (the current one), quick: see `calibration` for how near they are."""
    analysis = state.load(armature)
    keys = armature.posewright.key_count if count is None else count
    index = int(np.searchsorted(analysis.solutions.counts, keys))
    mean, largest = analysis.estimated_errors[:, min(index, len(analysis.solutions) - 1)]
    return Figures(keys, len(analysis.frames), float(mean), float(largest), sampling.height_of(armature))


def sweet_spots_of(analysis: Analysis) -> IntArray:
    """Key counts worth stopping at."""
    return sweet_spots(analysis.solutions.counts, analysis.solutions.errors)


def measure(armature: bpy.types.Object) -> Figures:
    """Figures of what the armature plays now, detail and edits included, as Blender evaluates it: exact."""
    return run(measure_in_steps(armature))


def measure_in_steps(armature: bpy.types.Object) -> Generator[float, None, Figures]:
    """`measure` in steps: yields the share done."""
    analysis = state.load(armature)
    state.check_playing(armature)  # what is measured has to be what was reduced
    original = yield from shares(_original_in_steps(armature, analysis), 0.0, 0.5)
    return (yield from shares(_compared_in_steps(armature, analysis, original), 0.5, 1.0))


def _compared_in_steps(
    armature: bpy.types.Object, analysis: Analysis, original: FloatArray
) -> Generator[float, None, Figures]:
    """Figures of what plays now, for the joints of the original."""
    played = yield from _sample(armature, analysis)
    distances = metrics.joint_distances(original, played)
    return Figures(
        armature.posewright.key_count,
        len(analysis.frames),
        float(distances.mean()),
        float(distances.max()),
        sampling.height_of(armature),
    )


def _sample(armature: bpy.types.Object, analysis: Analysis) -> Generator[float, None, FloatArray]:
    motion = yield from sampling.sample_in_slices(armature, analysis.frames, sides=True)
    return motion.positions


def _original_in_steps(armature: bpy.types.Object, analysis: Analysis) -> Generator[float, None, FloatArray]:
    """(F, J, 3) joints as the source plays them now: the armature may have been moved, or rigged anew."""
    with playing_original(armature):
        return (yield from _sample(armature, analysis))


@contextmanager
def playing_original(armature: bpy.types.Object) -> Iterator[None]:
    """The source action for a moment, whatever is shown."""
    if armature.posewright.show_original:
        yield
        return
    reduced.show(armature, original=True)
    try:
        yield
    finally:
        reduced.show(armature, original=False)


def count_within(armature: bpy.types.Object, wanted: float) -> Figures:
    """Bake the fewest keys whose mean error, as Blender plays them, is at most `wanted` scene units."""
    return run(count_within_in_steps(armature, wanted))


def count_within_in_steps(armature: bpy.types.Object, wanted: float) -> Generator[float, None, Figures]:
    """`count_within` in steps: yields the share done; closed before its end it leaves all as it was.

    One key fewer was measured too and is not within; if even the most keys are not, those are baked. The
    estimate says where to look first. What it is off by is nearly the same for neighbouring counts, so
    correcting it finds the place within a few measurements; halving what is left bounds their number.
    Detail is left out: it would hide what the keys do.
    """
    analysis = state.load(armature)
    counts = analysis.solutions.counts
    estimates = np.minimum.accumulate(analysis.estimated_errors[0])
    failing, holding, correction, found = -1, len(counts), 1.0, None
    with _unchanged_unless_finished(armature):
        original = yield from shares(_original_in_steps(armature, analysis), *_round_share(0))
        for round_number in range(2 * len(counts)):
            if holding - failing <= 1:
                break
            guess = int(np.searchsorted(-estimates * correction, -wanted))
            if round_number >= GUESSES:
                guess = (failing + holding) // 2
            guess = min(max(guess, failing + 1), min(holding, len(counts)) - 1)
            work = _measure_count(armature, int(counts[guess]), original)
            figures = yield from shares(work, *_round_share(round_number + 1))
            correction = figures.mean / max(estimates[guess], 1e-12)
            if figures.mean <= wanted:
                holding, found = guess, figures
            else:
                failing = guess
        if found is None:
            found = yield from _measure_count(armature, int(counts[-1]), original)
        armature.posewright.key_count = found.keys
    if not armature.posewright.detail:
        state.remember_measured(armature, found.mean, found.largest)
    return found


def _round_share(number: int) -> tuple[float, float]:
    """Nobody knows how many rounds there will be: each takes half of what is left."""
    return 1.0 - 0.5**number, 1.0 - 0.5 ** (number + 1)


def _measure_count(
    armature: bpy.types.Object, count: int, original: FloatArray
) -> Generator[float, None, Figures]:
    armature.posewright.key_count = count
    if armature.posewright.problem:
        raise InputError(armature.posewright.problem)
    with _silent_detail(armature):
        return (yield from _compared_in_steps(armature, state.load(armature), original))


@contextmanager
def _silent_detail(armature: bpy.types.Object) -> Iterator[None]:
    detail.pause(armature, True)
    try:
        yield
    finally:
        detail.pause(armature, armature.posewright.show_original)


@contextmanager
def _unchanged_unless_finished(armature: bpy.types.Object) -> Iterator[None]:
    """If the work is stopped, the reduced action comes back with all the edits that it had."""
    asked = armature.posewright
    count, shown = asked.key_count, asked.show_original
    kept = None if asked.reduced is None else asked.reduced.copy()
    try:
        yield
    except BaseException:
        armature.posewright.key_count = count
        if kept is not None:
            reduced.put_back(armature, kept)
            kept = None
        armature.posewright.show_original = shown
        raise
    finally:
        if kept is not None:
            bpy.data.actions.remove(kept)
