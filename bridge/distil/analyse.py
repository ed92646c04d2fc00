# SPDX-License-Identifier: GPL-3.0-or-later
"""Analyze: from the action that an armature plays to a reduced action that knows all solutions."""

from __future__ import annotations

from contextlib import nullcontext

import bpy

from ...core import smallest_count
from .. import actions, sampling
from ..editable import check_editable
from ..steps import Steps, run, shares
from . import calibration, channels, detail, playing, reduced_action, reductions
from .analysis import Analysis, analysis_in_steps
from .playing import play, playing_original
from .reductions import Reduction
from .settings import settings_of

FIRST_GUESS = 0.005  # after an analysis: the fewest keys with a mean error below this share of the height


def analyse(armature: bpy.types.Object, scene: bpy.types.Scene) -> Reduction:
    """Analyse what the armature plays as its settings say, and bake a first guess."""
    return run(analyse_in_steps(armature, scene))


def analyse_in_steps(armature: bpy.types.Object, scene: bpy.types.Scene) -> Steps[Reduction]:
    """`analyse` in steps: if it fails, or is closed before its end, everything is as it was.

    A reduced action is analysed again from its source, and what was found takes the place of what it knew.
    """
    check_editable(armature)
    shown = reductions.playing_action(armature)
    earlier = reductions.find(armature)
    with nullcontext() if earlier is None else playing_original(earlier):
        found = yield from _found_in_steps(armature, scene, shown)
    return _take_over(armature, earlier, *found)


def _found_in_steps(
    armature: bpy.types.Object, scene: bpy.types.Scene, shown: bpy.types.Action | None
) -> Steps[tuple[bpy.types.Action, list[int], str, Analysis]]:
    """The source that plays, its slots, its fingerprint and its analysis."""
    settings = settings_of(armature, scene, shown=shown)
    source = actions.playing_action(armature)
    analysis = yield from shares(analysis_in_steps(armature, settings), 0.0, 0.85)
    work = calibration.calibrated_in_steps(armature, analysis, armature.posewright.interpolation)
    analysis = yield from shares(work, 0.85, 0.95)
    handles = [handle for _, handle in channels.players(armature, source)]
    work = actions.fingerprint_in_steps(channels.curves_in(source, handles))
    return source, handles, (yield from shares(work, 0.95, 1.0)), analysis


def _take_over(
    armature: bpy.types.Object,
    earlier: Reduction | None,
    source: bpy.types.Action,
    handles: list[int],
    source_print: str,
    analysis: Analysis,
) -> Reduction:
    """Store a fresh analysis in place of an older one, and bake a first guess."""
    way, strength = armature.posewright.interpolation, armature.posewright.detail
    action = reduced_action.new_reduced(source, handles, analysis)
    reduction = Reduction(armature, action)
    reductions.adopt(reduction, source, handles, source_print)
    reductions.store(reduction, analysis)
    reduction.state.interpolation = way
    if earlier is not None and _is_ours_alone(earlier):
        detail.remove(earlier)
        actions.replace(earlier.action, action)
    play(reduction, action)
    reduced_action.bake(armature, count_below(analysis, FIRST_GUESS * sampling.height_of(armature)))
    if strength > 0.0:
        reduced_action.set_detail(armature, strength)
    return reduction


def _is_ours_alone(reduction: Reduction) -> bool:
    """Whether no strip and no other armature would notice if its reduced action were replaced."""
    action = reduction.action
    owners = [owner for owner, _ in playing.owners(reduction)]
    plays = sum(reductions.playing_action(owner) == action for owner in owners)
    remembers = reduction.armature.posewright.last_reduced == action
    return action.library is None and action.users <= plays + remembers + action.use_fake_user


def count_below(analysis: Analysis, error: float) -> int:
    """The smallest key count whose estimated mean error is not above `error`; the largest if none is."""
    counts = analysis.solutions.counts
    return smallest_count(counts, analysis.estimated_errors[0], error) or int(counts[-1])
