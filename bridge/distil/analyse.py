# SPDX-License-Identifier: GPL-3.0-or-later
"""Analyze: from the action that an armature plays to a reduced action that knows all solutions."""

from __future__ import annotations

from contextlib import nullcontext

import bpy

from ...core import smallest_count
from .. import actions, sampling
from ..editable import check_editable
from ..steps import Steps, run, shares
from . import calibration, channels, detail, reduced_action, reductions, what_plays
from .analysis import Analysis, analysis_in_steps
from .playing import playing_original
from .reductions import Reduction
from .settings import settings_of

FIRST_GUESS = 0.005  # after an analysis: the fewest keys with a mean error below this share of the height


def analyse(armature: bpy.types.Object, scene: bpy.types.Scene) -> Reduction:
    """Analyse what the armature plays as its settings say, and bake a first guess."""
    return run(analyse_in_steps(armature, scene))


def analyse_in_steps(armature: bpy.types.Object, scene: bpy.types.Scene) -> Steps[Reduction]:
    """`analyse` in steps: if it fails, or is closed before its end, everything is as it was.

    A reduced action is analysed again from its source, and what was found takes the place of what it knew.
    What plays without an action is baked into one first.
    """
    check_editable(armature)
    if not what_plays.is_baked_first(armature):
        return (yield from _analyse_action_in_steps(armature, scene))
    yield from shares(what_plays.bake_in_steps(armature, scene), 0.0, 0.3)
    try:
        return (yield from shares(_analyse_action_in_steps(armature, scene), 0.3, 1.0))
    except BaseException:
        what_plays.bring_back(armature)
        raise


def _analyse_action_in_steps(armature: bpy.types.Object, scene: bpy.types.Scene) -> Steps[Reduction]:
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
    work = calibration.calibrated_in_steps(armature, analysis, reductions.way_of(armature))
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
    way, strength = reductions.way_of(armature), 0.0 if earlier is None else earlier.state.detail
    had_fake_user = source.use_fake_user
    reduction = Reduction(armature, reduced_action.new_reduced(source, handles, analysis))
    try:
        reductions.adopt(reduction, source, handles, source_print)
        reductions.store(reduction, analysis)
        count = count_below(analysis, FIRST_GUESS * sampling.height_of(armature))
        reduced_action.bake_into(reduction, analysis, count, way)
    except BaseException:
        bpy.data.actions.remove(reduction.action)
        source.use_fake_user = had_fake_user
        raise
    if earlier is not None and not reductions.is_used(earlier.action):
        detail.remove(earlier)
        actions.replace(earlier.action, reduction.action)
    if strength > 0.0:
        reduced_action.set_detail(armature, strength)
    return reduction


def count_below(analysis: Analysis, error: float) -> int:
    """The smallest key count whose estimated mean error is not above `error`; the largest if none is."""
    counts = analysis.solutions.counts
    return smallest_count(counts, analysis.estimated_errors[0], error) or int(counts[-1])
