# SPDX-License-Identifier: GPL-3.0-or-later
"""How far what plays is from the original: estimated for every key count, and exactly as Blender plays it."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ...core import Motion, metrics, sweet_spots
from ...core.motion import FloatArray, IntArray
from .. import actions, character, sampling
from ..steps import Steps, run, shares
from . import changes, channels, keying, reduced_action, reductions, stances
from .actors import actor
from .analysis import Analysis
from .playing import target_action
from .reductions import Reduction
from .snapshot import kept_unless_finished

GUESSES = 6  # so often the corrected estimate says where to look; then halving does


@dataclass(frozen=True)
class Figures:
    """What a number of keys is worth, in scene units and as shares of the character's height."""

    keys: int
    frames: int
    mean: float
    largest: float
    height: float
    slides: tuple[float, ...] = ()  # of each contact, where that was measured

    @property
    def slide(self) -> float:
        """The mean of all contacts; zero where nothing stands."""
        return float(np.mean(self.slides)) if self.slides else 0.0

    @property
    def worst_slide(self) -> float:
        return max(self.slides, default=0.0)

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


def percent(share: float) -> str:
    """A share of the height as people read it; what is small is not nothing."""
    return "< 0.01%" if 0.0 < share < 0.00005 else f"{share:.2%}"


def estimated(reduction: Reduction, count: int | None = None) -> Figures:
    """Figures of a key count (the current one), quick: see `calibration` for how near they are."""
    analysis = reduction.analysis()
    keys = reduction.state.key_count if count is None else count
    index = int(np.searchsorted(analysis.solutions.counts, keys))
    mean, largest = analysis.estimated_errors[:, min(index, len(analysis.solutions) - 1)]
    height = sampling.height_of(reduction.armature)
    return Figures(keys, len(analysis.frames), float(mean), float(largest), height)


def sweet_spots_of(analysis: Analysis) -> IntArray:
    """Key counts worth stopping at."""
    return sweet_spots(analysis.solutions.counts, analysis.solutions.errors)


def measure(armature: bpy.types.Object) -> Figures:
    """Figures of what the armature plays now, detail and edits included, as Blender evaluates it: exact."""
    return run(measure_in_steps(armature))


def measure_in_steps(armature: bpy.types.Object) -> Steps[Figures]:
    """`measure` in steps: yields the share done. The armature plays meanwhile what it plays."""
    reduction = reductions.get(armature)
    keys = actions.fingerprint(reduction.curves)  # the user may edit them meanwhile
    original = yield from shares(_original_in_steps(reduction), 0.0, 0.5)
    work = _compared_in_steps(reduction, armature, reduction.state.key_count, original)
    figures = yield from shares(work, 0.5, 1.0)
    if reduction.action.library is None:
        changes.remember_measured(reduction, figures.mean, figures.largest, keys)
    return figures


@dataclass(frozen=True, eq=False)
class _Original:
    """What the source plays now: the armature may have been moved, or rigged anew, since it was analysed.

    Attributes:
        frames: (F,) those that keys were chosen from, and the times of the source's own keys.
        bones: those that matter.
        motion: where their joints are.
    """

    frames: FloatArray
    bones: tuple[str, ...]
    motion: Motion


def _original_in_steps(reduction: Reduction) -> Steps[_Original]:
    analysis = reduction.analysis()
    frames = analysis.frames
    if analysis.target is None:
        keyed = actions.key_frames(channels.curves_in(reduction.source, reduction.handles))
        frames = sampling.with_key_times(frames, keyed)
    with (
        target_action(reduction, analysis) as target,
        actor(reduction.armature, target, reduction.handles[0]) as playing,
    ):
        bones = character.bones_that_matter(playing)
        motion = yield from sampling.sample_in_slices(playing, frames, bones=bones, sides=True)
    return _Original(frames, bones, motion)


def _compared_in_steps(
    reduction: Reduction, playing: bpy.types.Object, count: int, original: _Original
) -> Steps[Figures]:
    """Figures of what somebody plays, who has so many keys."""
    work = sampling.sample_in_slices(playing, original.frames, bones=original.bones, sides=True)
    played = (yield from work).positions
    distances = metrics.joint_distances(original.motion.positions, played)
    slides = stances.slides_in(reduction, original.motion, played, original.frames)
    return Figures(
        count,
        len(reduction.analysis().frames),
        float(distances.mean()),
        float(distances.max()),
        sampling.height_of(reduction.armature),
        tuple(slides.tolist()),
    )


def count_within(armature: bpy.types.Object, wanted: float) -> Figures:
    """Bake the fewest keys whose mean error, as Blender plays them, is at most `wanted` scene units."""
    return run(count_within_in_steps(armature, wanted))


def count_within_in_steps(armature: bpy.types.Object, wanted: float) -> Steps[Figures]:
    """`count_within` in steps: yields the share done; closed before its end it leaves all as it was.

    Detail and held feet are left out: they would hide what the keys do.
    """
    with kept_unless_finished(armature):
        reduction = reduced_action.own_with_edits(armature)
        found = yield from _fewest_within_in_steps(reduction, wanted)
        reduced_action.bake_into(reduction, reduction.analysis(), found.keys, reduction.state.interpolation)
    if not reduction.state.detail and not reduced_action.is_held(reduction):
        changes.remember_measured(reduction, found.mean, found.largest, reduction.state.baked_print)
    return found


def _fewest_within_in_steps(reduction: Reduction, wanted: float) -> Steps[Figures]:
    """Figures of the fewest keys within an error, tried on a stand-in.

    One key fewer was measured too and is not within; if even the most keys are not, it is those. The
    estimate says where to look first. What it is off by is nearly the same for neighbouring counts, so
    correcting it finds the place within a few measurements; halving what is left bounds their number.
    """
    analysis, state = reduction.analysis(), reduction.state
    counts = analysis.solutions.counts
    estimates = np.minimum.accumulate(analysis.estimated_errors[0])
    failing, holding, correction, found = -1, len(counts), 1.0, None
    original = yield from shares(_original_in_steps(reduction), *_round_share(0))
    with (
        keying.scratch_action(reduction.source, reduction.handles, analysis) as scratch,
        actor(reduction.armature, scratch, reduction.handles[0]) as playing,
    ):

        def measured(index: int) -> Steps[Figures]:
            keying.write_solution(scratch, analysis, int(counts[index]), state.interpolation)
            return _compared_in_steps(reduction, playing, int(counts[index]), original)

        for round_number in range(2 * len(counts)):
            if holding - failing <= 1:
                break
            guess = int(np.searchsorted(-estimates * correction, -wanted))
            if round_number >= GUESSES:
                guess = (failing + holding) // 2
            guess = min(max(guess, failing + 1), min(holding, len(counts)) - 1)
            figures = yield from shares(measured(guess), *_round_share(round_number + 1))
            correction = figures.mean / max(estimates[guess], 1e-12)
            if figures.mean <= wanted:
                holding, found = guess, figures
            else:
                failing = guess
        if found is None:
            found = yield from measured(len(counts) - 1)
    return found


def _round_share(number: int) -> tuple[float, float]:
    """Nobody knows how many rounds there will be: each takes half of what is left."""
    return 1.0 - 0.5**number, 1.0 - 0.5 ** (number + 1)
