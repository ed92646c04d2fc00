# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiers: extremes chosen first and locked, then breakdowns between them."""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np

from ...core import InputError, Solutions
from ...core.motion import FloatArray
from .. import sampling
from ..splicing import NEAR
from ..steps import Steps, shares
from . import changes, reduced_action, reductions
from .analysis import estimates_in_steps, solve_in_steps, with_channels
from .calibration import calibrated_in_steps
from .playing import playing_original
from .reductions import Reduction
from .settings import settings_of


def are_locked(reduction: Reduction) -> bool:
    return bool(reduction.state.extremes)


def lock_in_steps(armature: bpy.types.Object, scene: bpy.types.Scene) -> Steps[None]:
    """Make the current keys extremes and look for breakdowns between them; yields the share done.

    Every solution then has the extremes among its keys. They carry Blender's key type Extreme and the
    others Breakdown.
    """
    reduction = reductions.get_own(armature)
    if are_locked(reduction):
        raise InputError("The extremes are locked already: unlock them to choose others.")
    shown = reductions.playing_action(armature)
    analysis = reduction.analysis()
    extremes = analysis.keys(reduction.state.key_count)
    with playing_original(reduction):
        settings = replace(
            settings_of(armature, scene, shown=shown),
            first=float(analysis.frames[0]),
            last=float(analysis.frames[-1]),
        )
        sampled = sampling.sample_in_slices(armature, analysis.frames, bones=settings.bones, sides=True)
        motion = yield from shares(sampled, 0.0, 0.3)
    motion = with_channels(motion, settings, analysis.values, analysis.paths)
    fixed = tuple(int(row) for row in extremes)
    found = yield from shares(solve_in_steps(motion, settings, extra=fixed), 0.3, 0.8)
    solutions = _from_extremes(found, len(extremes))
    estimates = yield from shares(estimates_in_steps(motion, solutions), 0.8, 0.9)
    tiered = replace(analysis, solutions=solutions, estimated_errors=estimates[:2], seen_errors=estimates[2])
    with playing_original(reduction):
        work = calibrated_in_steps(armature, tiered, reduction.state.interpolation)
        tiered = yield from shares(work, 0.9, 1.0)
    state = reduction.state
    state.stored_before = state.stored
    reductions.store(reduction, tiered)
    state.extremes = " ".join(str(row) for row in extremes)
    if changes.was_edited(reduction):
        _call_extremes(reduction, analysis.frames[extremes])
    else:
        reduced_action.bake(armature, len(extremes))


def _call_extremes(reduction: Reduction, frames: FloatArray) -> None:
    """Give the keys at some frames their type and leave everything else as the user has made it."""
    for curve in reduction.curves:
        for point in curve.keyframe_points:
            if np.abs(frames - point.co.x).min() < NEAR:
                point.type = "EXTREME"


def _from_extremes(solutions: Solutions, count: int) -> Solutions:
    """Only solutions that have all the extremes: an algorithm may offer smaller ones too."""
    keys = [solutions.keys(int(k)) for k in solutions.counts if k >= count]
    errors = solutions.errors[solutions.counts >= count]
    return Solutions(solutions.algorithm, solutions.objective, keys, errors)


def unlock(armature: bpy.types.Object) -> int:
    """Back to the solutions from which the extremes were chosen, at the extremes: how many there are."""
    reduction = reductions.get_own(armature)
    if not are_locked(reduction):
        raise InputError("No extremes are locked.")
    state = reduction.state
    count = len(state.extremes.split())
    state.extremes = ""
    reductions.restore_stored(reduction, state.stored_before)
    state.stored_before = ""
    return reduced_action.bake(armature, count)
