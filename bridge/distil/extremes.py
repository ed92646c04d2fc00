# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiers: extremes chosen first and locked, then breakdowns between them."""

from __future__ import annotations

from dataclasses import replace

import bpy

from ...core import InputError
from ..steps import Steps
from . import reduced_action, reductions
from .reductions import Reduction
from .settings import settings_of
from .snapshot import kept_unless_finished
from .solve_again import solved_again_in_steps


def are_locked(reduction: Reduction) -> bool:
    return bool(reduction.state.extremes)


def lock_in_steps(armature: bpy.types.Object, scene: bpy.types.Scene) -> Steps[None]:
    """Make the current keys extremes and look for breakdowns between them; yields the share done.

    Every solution then has the extremes among its keys. They carry Blender's key type Extreme and the
    others Breakdown.
    """
    if are_locked(reductions.get_own(armature)):
        raise InputError("The extremes are locked already: unlock them to choose others.")
    with kept_unless_finished(armature):
        reduction = reduced_action.own_with_edits(armature)
        analysis, state = reduction.analysis(), reduction.state
        settings = replace(
            settings_of(armature, scene, shown=reductions.playing_action(armature)),
            first=float(analysis.frames[0]),
            last=float(analysis.frames[-1]),
        )
        extremes = analysis.keys(state.key_count)
        tiered = yield from solved_again_in_steps(reduction, analysis, settings, extremes)
        state.stored_before = state.stored
        reductions.store(reduction, tiered)
        state.extremes = " ".join(str(row) for row in extremes)
        reduced_action.bake(armature, len(extremes))


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
