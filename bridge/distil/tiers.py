# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiers: extremes chosen first and locked, then breakdowns between them."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import bpy
import numpy as np

from ...core import InputError, Solutions
from ...core.motion import FloatArray
from .. import sampling
from ..splicing import NEAR
from ..steps import shares
from . import channels, playback, state
from .analysis import estimates_in_steps, solve_in_steps, with_channels
from .calibration import calibrated_in_steps
from .settings import settings_of


def is_locked(armature: bpy.types.Object) -> bool:
    return bool(armature.posewright.extremes)


def lock_in_steps(armature: bpy.types.Object, scene: bpy.types.Scene) -> Generator[float, None, None]:
    """Make the current keys extremes and look for breakdowns between them; yields the share done.

    Every solution then has the extremes among its keys. They carry Blender's key type Extreme and the
    others Breakdown.
    """
    state.check_editable(armature)
    if is_locked(armature):
        raise InputError("The extremes are locked already: unlock them to choose others.")
    analysis = state.load(armature)
    extremes = analysis.keys(armature.posewright.key_count)
    with playback.playing_original(armature):
        settings = replace(
            settings_of(armature, scene), first=float(analysis.frames[0]), last=float(analysis.frames[-1])
        )
        sampled = sampling.sample_in_slices(armature, analysis.frames, bones=settings.bones, sides=True)
        motion = yield from shares(sampled, 0.0, 0.3)
    motion = with_channels(motion, settings, analysis.values, analysis.paths)
    fixed = tuple(int(row) for row in extremes)
    found = yield from shares(solve_in_steps(motion, settings, extra=fixed), 0.3, 0.8)
    solutions = _from_extremes(found, len(extremes))
    estimates = yield from shares(estimates_in_steps(motion, solutions), 0.8, 0.9)
    tiered = replace(analysis, solutions=solutions, estimated_errors=estimates[:2], seen_errors=estimates[2])
    with playback.playing_original(armature):
        tiered = yield from shares(calibrated_in_steps(armature, tiered), 0.9, 1.0)
    asked = armature.posewright
    asked.stored_before = asked.stored
    state.store(armature, tiered)
    asked.extremes = " ".join(str(row) for row in extremes)
    if state.was_edited(armature):
        _call_extremes(armature, analysis.frames[extremes])
    else:
        asked.key_count = len(extremes)


def _call_extremes(armature: bpy.types.Object, frames: FloatArray) -> None:
    """Give the keys at some frames their type and leave everything else as the user has made it."""
    for curve in channels.curves_in(armature.posewright.reduced, state.source_handles(armature)):
        for point in curve.keyframe_points:
            if np.abs(frames - point.co.x).min() < NEAR:
                point.type = "EXTREME"


def _from_extremes(solutions: Solutions, count: int) -> Solutions:
    """Only solutions that have all the extremes: an algorithm may offer smaller ones too."""
    keys = [solutions.keys(int(k)) for k in solutions.counts if k >= count]
    errors = solutions.errors[solutions.counts >= count]
    return Solutions(solutions.algorithm, solutions.objective, keys, errors)


def unlock(armature: bpy.types.Object) -> None:
    """Back to the solutions from which the extremes were chosen, at the extremes."""
    state.check_editable(armature)
    asked = armature.posewright
    if not is_locked(armature):
        raise InputError("No extremes are locked.")
    count = len(asked.extremes.split())
    asked.extremes = ""
    state.restore_stored(armature, asked.stored_before)
    asked.stored_before = ""
    asked.key_count = count
