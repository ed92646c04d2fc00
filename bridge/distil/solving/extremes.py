# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiers: extremes chosen first and locked, then breakdowns between them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import bpy
import numpy as np

from ....core import InputError, Motion
from ....core.motion import IntArray
from ...steps import Steps, shares
from .. import reduced_action, reductions
from ..reductions import Reduction
from ..snapshot import kept_unless_finished
from .analysis import Analysis
from .best_frames import settings_again
from .settings import Settings
from .solve_again import motion_in_steps, solutions_in_steps, solved_in_steps


def are_locked(reduction: Reduction) -> bool:
    return bool(reduction.state.extremes)


def lock_in_steps(armature: bpy.types.Object, scene: bpy.types.Scene) -> Steps[None]:
    """Make the current keys extremes and look for breakdowns between them; yields the share done.

    Keys that were chosen for fitted handles are no poses by themselves: two of them may have a whole turn of
    the head in their handles. Then as many poses are chosen that tell most when they are held, and each is
    locked where it is reached, at its turning point.
    Every solution then has the extremes among its keys. They carry Blender's key type Extreme and the
    others Breakdown.
    """
    if are_locked(reductions.get_own(armature)):
        raise InputError("The extremes are locked already: unlock them to choose others.")
    with kept_unless_finished(armature):
        reduction = reduced_action.own_with_edits(armature)
        analysis, state = reduction.analysis(), reduction.state
        settings = settings_again(reduction, scene, int(analysis.solutions.counts[-1]))
        motion = yield from shares(motion_in_steps(reduction, analysis, settings), 0.0, 0.3)
        extremes = analysis.keys(state.key_count)
        if analysis.solutions.objective == "curve":
            extremes = yield from shares(_poses_in_steps(motion, settings, analysis, len(extremes)), 0.3, 0.4)
        work = solved_in_steps(reduction, analysis, motion, settings, extremes)
        tiered = yield from shares(work, 0.4, 1.0)
        state.stored_before = state.stored
        reductions.store(reduction, tiered)
        state.extremes = " ".join(str(row) for row in extremes)
        reduced_action.bake(armature, len(extremes))


def _poses_in_steps(motion: Motion, settings: Settings, analysis: Analysis, count: int) -> Steps[IntArray]:
    task = replace(settings, objective="hold", max_keys=count)
    held = yield from solutions_in_steps(motion, task, analysis.always)
    return turning_points(motion, held.keys(held.nearest_count(count)), analysis.always)


def turning_points(motion: Motion, rows: IntArray, kept: IntArray) -> IntArray:
    """For each held pose the row where the character is slowest before the next; `kept` rows stay.

    A held pose begins where the motion is nearer to it than to the one before, which is on the way to it.
    """
    speeds = np.linalg.norm(np.gradient(motion.points(), motion.frames, axis=0), axis=1)
    slowest = [start + int(np.argmin(speeds[start:stop])) for start, stop in pairwise(rows)]
    return np.where(np.isin(rows, kept), rows, [*slowest, rows[-1]])


def unlock(armature: bpy.types.Object) -> int:
    """Back to the solutions from which the extremes were chosen, at the extremes: how many there are."""
    reduction = reduced_action.own_with_edits(armature)
    if not are_locked(reduction):
        raise InputError("No extremes are locked.")
    state = reduction.state
    count = len(state.extremes.split())
    state.extremes = ""
    reductions.restore_stored(reduction, state.stored_before)
    state.stored_before = ""
    return reduced_action.bake(armature, count)
