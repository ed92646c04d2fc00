# SPDX-License-Identifier: GPL-3.0-or-later
"""How far what plays is from the original: estimated for every key count, and exactly as Blender plays it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache

import bpy
import numpy as np

from ...core import Motion, metrics, sweet_spots
from ...core.motion import FloatArray, IntArray
from ...core.quality import Quality, quality_of
from ...core.spread import spread
from ...core.sweet_spots import VISIBLE_ERROR
from .. import actions, character, sampling
from ..steps import Steps, run, shares
from . import channels, keying, reduced_action, reductions
from .actors import actor
from .editing import changes, stagger
from .editing.offsets import offsets_of
from .feet import stances
from .playing import play, target_action
from .reductions import Reduction
from .snapshot import kept_unless_finished
from .solving.analysis import Analysis
from .solving.played_joints import PlayedJoints
from .ways import WAYS

MOST_POSED = 600  # frames in which it is looked at how bones are turned, evenly chosen
GUESSES = 6  # so often the corrected estimate says where to look; then halving does


@dataclass(frozen=True)
class Figures:
    """What a number of keys is worth, in scene units and as shares of the character's height."""

    keys: int
    frames: int
    mean: float
    largest: float
    height: float
    quality: Quality = field(default_factory=Quality)  # where it was measured

    def worth(self, what: str) -> float:
        """What is asked of the fewest keys: ERROR or SLIDE."""
        return self.quality.added_slide if what == "SLIDE" else self.mean

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


def estimate_holds(reduction: Reduction) -> bool:
    """Estimates are of fitted keys as they were baked, without detail and with feet that are not held."""
    as_baked = not (reduced_action.has_wishes(reduction) or changes.is_edited(reduction))
    return reduction.state.interpolation in ("FREE", "SMOOTH") and as_baked


def sweet_spots_of(reduction: Reduction) -> IntArray:
    """Key counts worth stopping at: no keys are for what nobody sees."""
    analysis = reduction.analysis()
    spots = sweet_spots(analysis.solutions.counts, analysis.solutions.errors)
    return np.array([spot for spot in spots if estimated(reduction, spot).mean_share > VISIBLE_ERROR], int)


def measure(armature: bpy.types.Object) -> Figures:
    """Figures of what the armature plays now, detail and edits included, as Blender evaluates it: exact."""
    return run(measure_in_steps(armature))


def measure_in_steps(armature: bpy.types.Object) -> Steps[Figures]:
    """`measure` in steps: yields the share done. The armature plays meanwhile what it plays."""
    reduction = reductions.get(armature)
    playing = changes.print_of_playing(reduction)  # the user may edit it meanwhile
    wanted = stagger.as_played(reduction, reduction.analysis())
    original = yield from shares(_original_in_steps(reduction, wanted), 0.0, 0.5)
    work = _compared_in_steps(reduction, armature, reduction.state.key_count, original)
    figures = yield from shares(work, 0.5, 1.0)
    if reduction.action.library is None:
        changes.remember_measured(reduction, figures.mean, figures.largest, figures.quality, playing)
    return figures


@dataclass(frozen=True, eq=False)
class _Original:
    """What the source plays now: the armature may have been moved, or rigged anew, since it was analysed.

    Attributes:
        frames: (F,) those that keys were chosen from, and the times of the source's own keys.
        bones: those that matter.
        motion: where their joints are.
        shown: rows of the frames that keys were chosen from. What people see is seen there.
        rows: of the frames in which it is looked at how bones are turned.
        matrices: (R, B, 4, 4) those bones.
    """

    frames: FloatArray
    bones: tuple[str, ...]
    motion: Motion
    shown: IntArray
    rows: IntArray
    matrices: FloatArray


def _original_in_steps(reduction: Reduction, analysis: Analysis) -> Steps[_Original]:
    frames = analysis.frames
    if analysis.target is None:
        keyed = actions.key_frames(channels.curves_in(reduction.source, reduction.handles))
        frames = sampling.with_key_times(frames, keyed)
    with (
        target_action(reduction, analysis) as target,
        actor(reduction.armature, target, reduction.handles[0]) as playing,
    ):
        bones, rows = character.bones_that_matter(playing), spread(len(frames), MOST_POSED)
        work = sampling.sample_posed_in_slices(playing, frames, rows, bones=bones, sides=True)
        motion, matrices = yield from work
    return _Original(frames, bones, motion, np.searchsorted(frames, analysis.frames), rows, matrices)


def _compared_in_steps(
    reduction: Reduction, playing: bpy.types.Object, count: int, original: _Original
) -> Steps[Figures]:
    """Figures of what somebody plays, who has so many keys."""
    motion, rows, shown = original.motion, original.rows, original.shown
    work = sampling.sample_posed_in_slices(playing, original.frames, rows, bones=original.bones, sides=True)
    played, matrices = yield from work
    distances = metrics.joint_distances(motion.positions, played.positions)
    height = sampling.height_of(reduction.armature)
    seen = motion.at(shown)
    quality = quality_of(
        seen.positions,
        played.positions[shown],
        stances.contacts_in(reduction, seen),
        seen.frames / seen.fps,
        (original.matrices, matrices),
        height,
    )
    return Figures(
        count,
        len(reduction.analysis().frames),
        float(distances.mean()),
        float(distances.max()),
        height,
        quality,
    )


def count_within(armature: bpy.types.Object, wanted: float, what: str = "ERROR") -> Figures:
    """Bake the fewest keys with which something, as Blender plays them, is at most `wanted` scene units."""
    return run(count_within_in_steps(armature, wanted, what))


def count_within_in_steps(armature: bpy.types.Object, wanted: float, what: str = "ERROR") -> Steps[Figures]:
    """`count_within` in steps: yields the share done; closed before its end it leaves all as it was.

    Detail and held feet are left out: they would hide what the keys do.

    Args:
        what: ERROR, the mean error, or SLIDE, by how much farther than in the original a foot slides.
    """
    with kept_unless_finished(armature):
        return (yield from fewest_within_in_steps(reduced_action.own_with_edits(armature), wanted, what))


def fewest_within_in_steps(reduction: Reduction, wanted: float, what: str = "ERROR") -> Steps[Figures]:
    """`count_within_in_steps` for a reduction without new edits, for those who keep what was before."""
    found = yield from _fewest_within_in_steps(reduction, wanted, what)
    _play_count(reduction, found.keys)
    if _plays_keys_alone(reduction):
        measured = found.mean, found.largest, found.quality
        changes.remember_measured(reduction, *measured, reduction.state.baked_print)
    return found


def _play_count(reduction: Reduction, count: int) -> None:
    """Bake a solution, unless it is what is baked."""
    state = reduction.state
    if count == state.key_count:
        play(reduction, reduction.action)
    else:
        reduced_action.bake_into(reduction, reduction.analysis(), count, state.interpolation)


def _fewest_within_in_steps(reduction: Reduction, wanted: float, what: str) -> Steps[Figures]:
    """Figures of the fewest keys within something, tried on a stand-in.

    One key fewer was measured too, or worked out, and is not within; if even the most keys are not, it is
    those.
    """
    analysis, state = reduction.analysis(), reduction.state
    counts = analysis.solutions.counts
    original = yield from shares(_original_in_steps(reduction, analysis), *_round_share(0))
    if what == "SLIDE" and not stances.contacts_in(reduction, original.motion.at(original.shown)):
        raise stances.nothing_stands(reduction.armature)  # any two keys would be within it
    search = _Search(np.minimum.accumulate(analysis.estimated_errors[0]), wanted)
    mean_error = _worked_out(reduction, analysis, original) if what == "ERROR" else None
    if mean_error is not None:
        while not search.is_over:
            search.tell(guess := search.guess(), mean_error(int(counts[guess])))
        search = search.looked_at_again()
    found = None
    with ExitStack() as stack:

        @cache
        def tried_on() -> tuple[bpy.types.Action, bpy.types.Object]:
            scratch = keying.scratch_action(reduction.source, reduction.handles, analysis)
            action = stack.enter_context(scratch)
            return action, stack.enter_context(actor(reduction.armature, action, reduction.handles[0]))

        def measured(index: int) -> Steps[Figures]:
            count = int(counts[index])
            if count == state.key_count and _plays_keys_alone(reduction):  # there they are
                with actor(reduction.armature, reduction.action, reduction.handles[0]) as playing:
                    return (yield from _compared_in_steps(reduction, playing, count, original))
            scratch, playing = tried_on()
            keying.write_solution(scratch, analysis, count, state.interpolation)
            return (yield from _compared_in_steps(reduction, playing, count, original))

        while not search.is_over:
            guess = search.guess()
            figures = yield from shares(measured(guess), *_round_share(search.rounds + 1))
            search.tell(guess, figures.worth(what))
            if figures.worth(what) <= wanted:
                found = figures
        return found or (yield from measured(len(counts) - 1))


def _plays_keys_alone(reduction: Reduction) -> bool:
    """Whether nothing but the keys of a solution plays: no detail, no held feet, no late limbs."""
    state = reduction.state
    return not (state.detail or reduced_action.is_held(reduction) or offsets_of(reduction.action))


def _worked_out(
    reduction: Reduction, analysis: Analysis, original: _Original
) -> Callable[[int], float] | None:
    """The mean error of a key count without letting Blender play it, where that can be worked out."""
    way, motion = reduction.state.interpolation, original.motion
    if WAYS[way].fit is None:
        return None
    same = motion.at(original.shown)
    joints = PlayedJoints.of(reduction.armature, analysis.paths, original.bones, same, analysis.values)
    if joints is None:
        return None
    return lambda count: float(
        metrics.joint_distances(
            motion.positions, keying.joints_played(joints, analysis, count, way, motion)
        ).mean()
    )


@dataclass
class _Search:
    """Looking for the first of many errors that is small enough.

    The estimates say where to look first. What they are off by is nearly the same for neighbouring counts, so
    correcting them finds the place within a few looks; halving what is left bounds their number.
    """

    estimates: FloatArray
    wanted: float
    failing: int = -1
    correction: float = 1.0
    rounds: int = 0
    first: int | None = None  # where to look first, if that is known

    def __post_init__(self) -> None:
        self.holding = len(self.estimates)

    @property
    def is_over(self) -> bool:
        return self.holding - self.failing <= 1

    def guess(self) -> int:
        guess = int(np.searchsorted(-self.estimates * self.correction, -self.wanted))
        if self.first is not None and not self.rounds:
            guess = self.first
        elif self.rounds >= GUESSES:
            guess = (self.failing + self.holding) // 2
        return min(max(guess, self.failing + 1), min(self.holding, len(self.estimates)) - 1)

    def tell(self, index: int, error: float) -> None:
        self.rounds += 1
        self.correction = max(error, 1e-12) / max(self.estimates[index], 1e-12)
        if error <= self.wanted:
            self.holding = index
        else:
            self.failing = index

    def looked_at_again(self) -> _Search:
        """A search that begins with what was found: another way of looking may find it a little worse."""
        found = min(self.holding, len(self.estimates) - 1)
        return _Search(self.estimates, self.wanted, found - 1, self.correction, first=found)


def _round_share(number: int) -> tuple[float, float]:
    """Nobody knows how many rounds there will be: each takes half of what is left."""
    return 1.0 - 0.5**number, 1.0 - 0.5 ** (number + 1)
