# SPDX-License-Identifier: GPL-3.0-or-later
"""Other solutions for what a reduction wants already: with keys that must be there, or after edits."""

from __future__ import annotations

from dataclasses import replace

from ....core import Motion, Solutions
from ....core.motion import IntArray
from ... import sampling
from ...steps import Steps, shares
from ..playing import playing_target
from ..reductions import Reduction
from .analysis import NO_HOLDS, Analysis, estimates_in_steps, holds_of, solve_in_steps, with_channels
from .calibration import calibrated_in_steps
from .settings import Settings


def solved_again_in_steps(
    reduction: Reduction, analysis: Analysis, settings: Settings, fixed: IntArray
) -> Steps[Analysis]:
    """The analysis with solutions that all have the rows `fixed` among their keys; yields the share done."""
    motion = yield from shares(motion_in_steps(reduction, analysis, settings), 0.0, 0.3)
    work = solved_in_steps(reduction, analysis, motion, settings, fixed)
    return (yield from shares(work, 0.3, 1.0))


def motion_in_steps(reduction: Reduction, analysis: Analysis, settings: Settings) -> Steps[Motion]:
    """What is wanted, as the settings see it."""
    armature, bones = reduction.armature, settings.bones
    with playing_target(reduction, analysis):
        motion = yield from sampling.sample_in_slices(armature, analysis.frames, bones=bones, sides=True)
    return with_channels(motion, settings, analysis.values, analysis.paths)[0]


def solved_in_steps(
    reduction: Reduction, analysis: Analysis, motion: Motion, settings: Settings, fixed: IntArray
) -> Steps[Analysis]:
    """`solved_again_in_steps` for a motion that was sampled."""
    holds = holds_of(motion, settings, sampling.height_of(reduction.armature))
    solutions = yield from shares(solutions_in_steps(motion, settings, fixed, holds), 0.0, 0.7)
    estimates = yield from shares(estimates_in_steps(motion, solutions, analysis.seam), 0.7, 0.85)
    again = replace(
        analysis, solutions=solutions, estimated_errors=estimates[:2], seen_errors=estimates[2], holds=holds
    )
    with playing_target(reduction, analysis):
        way = reduction.state.interpolation
        work = calibrated_in_steps(reduction.armature, again, way, settings)
        return (yield from shares(work, 0.85, 1.0))


def solutions_in_steps(
    motion: Motion, settings: Settings, fixed: IntArray, holds: IntArray = NO_HOLDS
) -> Steps[Solutions]:
    """Solutions that all have the rows `fixed`."""
    found = yield from solve_in_steps(motion, settings, extra=tuple(fixed.tolist()), holds=holds)
    return _with_at_least(found, len(fixed))


def _with_at_least(solutions: Solutions, count: int) -> Solutions:
    """Only solutions that can have all of the fixed rows: an algorithm may offer smaller ones too."""
    if solutions.counts[0] >= count:
        return solutions
    keys = [solutions.keys(int(k)) for k in solutions.counts if k >= count]
    errors = solutions.errors[solutions.counts >= count]
    return Solutions(solutions.algorithm, solutions.objective, keys, errors)
