# SPDX-License-Identifier: GPL-3.0-or-later
"""Analyze: from the action that an armature plays to a reduced action that knows all solutions."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, TypeVar

import bpy

from ...core import InputError, smallest_count
from .. import actions, character, curve_keys, preferred, sampling
from ..editable import check_editable
from ..steps import Steps, run, shares
from . import channels, keying, lone_strip, reduced_action, reductions
from .baked_first import what_plays
from .detail_layer import detail, detail_gate
from .editing import capture, changes
from .editing.edits import Edits
from .feet import controls, pin_gate
from .playing import playing_original
from .reductions import Reduction
from .solving import calibration
from .solving.analysis import Analysis, analysis_in_steps
from .solving.settings import Settings, settings_of
from .solving.solve_again import solved_again_in_steps

TURN = 1e-4  # seconds: work that goes on sooner has left nobody else a turn

Result = TypeVar("Result")


def analyse(armature: bpy.types.Object, scene: bpy.types.Scene) -> Reduction:
    """Analyse what the armature plays as its settings say, and bake a first guess."""
    return run(analyse_in_steps(armature, scene))


def analyse_in_steps(
    armature: bpy.types.Object, scene: bpy.types.Scene, wanted: float | None = None
) -> Steps[Reduction]:
    """`analyse` in steps: if it fails, or is closed before its end, everything is as it was.

    A reduced action is analysed again from its source, and what was found takes the place of what it knew.
    What plays without an action is baked into one first. Where nothing plays, the action of the only strip is
    taken up, see `lone_strip`.

    Args:
        wanted: the mean error that the first keys shall be within, as a share of the height, if that is not
            the one that the settings say.
    """
    check_editable(armature)
    preferred.take_up(armature)
    if not what_plays.is_baked_first(armature):
        with lone_strip.taken_up(armature):
            return (yield from _analyse_action_in_steps(armature, scene, wanted))
    yield from shares(what_plays.bake_in_steps(armature, scene), 0.0, 0.3)
    try:
        return (yield from shares(_analyse_action_in_steps(armature, scene, wanted), 0.3, 1.0))
    except BaseException:
        what_plays.bring_back(armature)
        raise


def _analyse_action_in_steps(
    armature: bpy.types.Object, scene: bpy.types.Scene, wanted: float | None
) -> Steps[Reduction]:
    shown = reductions.playing_action(armature)
    earlier = reductions.find(armature)
    if earlier is None and shown is not None and _has_more_than_keys(shown):
        raise InputError(
            "{shown} was applied with a layer of detail or held feet on top, which would be lost: bake "
            "what plays into one action (Object > Animation > Bake Action), then analyse that.",
            shown=shown.name,
        )
    if earlier is not None and reduced_action.has_wishes(earlier):
        detail.check(armature)  # now: in the end the layer of before is gone
    edits = _edits_of(earlier)
    with character.held(), nullcontext() if earlier is None else playing_original(earlier):
        found = yield from shares(
            _found_in_steps(armature, scene, shown, wanted), 0.0, 1.0 if edits.is_none else 0.5
        )
    source, handles, source_print, settings, analysis = found
    if earlier is not None and not edits.is_none:
        target = reductions.target_for(earlier, analysis, analysis.frames, edits)
        work = solved_again_in_steps(earlier, target, settings, target.always)
        analysis = yield from shares(work, 0.5, 1.0)
    return _take_over(armature, earlier, edits, source, handles, source_print, analysis, settings.wanted)


def _has_more_than_keys(action: bpy.types.Action) -> bool:
    return detail_gate.opens_one(action) or pin_gate.is_open(action)


def _edits_of(earlier: Reduction | None) -> Edits:
    """What the animator has done to the keys so far; nothing if what was stored of it cannot be read."""
    if earlier is None:
        return Edits.none()
    try:
        return capture.edits_now(earlier) if changes.was_edited(earlier) else earlier.edits
    except InputError:
        return Edits.none()


def _found_in_steps(
    armature: bpy.types.Object,
    scene: bpy.types.Scene,
    shown: bpy.types.Action | None,
    wanted: float | None,
) -> Steps[tuple[bpy.types.Action, list[int], str, Settings, Analysis]]:
    """The source that plays, its slots, its fingerprint, how it was analysed, and its analysis."""
    source = actions.playing_action(armature)
    handles = channels.handles_in(armature, source)
    curves = channels.curves_in(source, handles)
    # First, so that it tells what is changed meanwhile: an analysis of what was there before is stale.
    work = _while_there(source, curves, actions.fingerprint_in_steps(curves))
    source_print = yield from shares(work, 0.0, 0.05)
    with curve_keys.read_once(source, curves):
        work = _while_there(source, curves, _analysis_in_steps(armature, scene, shown, wanted))
        settings, analysis = yield from shares(work, 0.05, 1.0)
    return source, handles, source_print, settings, analysis


def _while_there(action: bpy.types.Action, curves: Sequence[Any], work: Steps[Result]) -> Steps[Result]:
    """Work that keeps looking at some curves of an action: where one is gone, that would crash Blender.

    Between two turns another window may delete it, or a script of somebody else.
    """
    there = {curve.as_pointer() for curve in curves}
    try:
        while True:
            try:
                share = next(work)
            except StopIteration as done:
                return done.value
            paused = time.perf_counter()
            yield share
            if time.perf_counter() - paused < TURN:
                continue
            now = {curve.as_pointer() for _, bag in actions.bags_in(action) for curve in bag.fcurves}
            if not there <= now:
                raise InputError(
                    "{source} has lost channels since the analysis: analyse it again.", source=action.name
                )
    finally:
        work.close()


def _analysis_in_steps(
    armature: bpy.types.Object,
    scene: bpy.types.Scene,
    shown: bpy.types.Action | None,
    wanted: float | None,
) -> Steps[tuple[Settings, Analysis]]:
    """How what plays is analysed, and its analysis with calibrated estimates."""
    way = reductions.way_of(armature)
    settings = settings_of(armature, scene, shown=shown, way=way)
    if wanted is not None:
        settings = replace(settings, wanted=wanted * sampling.height_of(armature))
    analysis = yield from shares(analysis_in_steps(armature, settings), 0.0, 0.9)
    work = calibration.calibrated_in_steps(armature, analysis, way, settings)
    return settings, (yield from shares(work, 0.9, 1.0))


def _take_over(
    armature: bpy.types.Object,
    earlier: Reduction | None,
    edits: Edits,
    source: bpy.types.Action,
    handles: list[int],
    source_print: str,
    analysis: Analysis,
    wanted: float,
) -> Reduction:
    """Store a fresh analysis in place of an older one, and bake the fewest keys within the wanted error."""
    controls.forget(armature)
    way, wishes = reductions.way_of(armature), {} if earlier is None else _wishes(earlier)
    had_fake_user = source.use_fake_user
    reduction = Reduction(armature, reduced_action.new_reduced(source, handles, analysis))
    try:
        reductions.adopt(reduction, source, handles, source_print)
        reductions.store(reduction, analysis)
        reduction.state.rows_before_motion = analysis.rows_before_motion
        reductions.keep_edits(reduction, edits)
        if earlier is not None and analysis.whole:
            reduction.state.stagger = earlier.state.stagger
        analysis = reduction.analysis()
        count = count_below(analysis, wanted)
        reduced_action.bake_into(reduction, analysis, count, way)
    except BaseException:
        bpy.data.actions.remove(reduction.action)
        source.use_fake_user = had_fake_user
        raise
    if earlier is not None:
        same_source = earlier.state.source_print == source_print
        keying.carry_over(earlier.action, reduction.action, handles, analysis, all_others=same_source)
        changes.remember_baked(reduction)
    if earlier is not None and not reductions.is_used(earlier.action):
        detail.remove(earlier)
        actions.replace(earlier.action, reduction.action)
    for name, value in wishes.items():
        setattr(reduction.state, name, value)
    if reduced_action.has_wishes(reduction):
        reduced_action.bake_into(reduction, analysis, count, way)
    return reduction


def _wishes(earlier: Reduction) -> dict[str, Any]:
    """What the user has asked for besides keys, which goes on with a new analysis of the same source."""
    names = ["detail", "hold", "pins"]
    if earlier.state.contacts_by_hand:
        names += ["contacts", "contacts_by_hand"]
    return {name: getattr(earlier.state, name) for name in names}


def count_below(analysis: Analysis, error: float) -> int:
    """The smallest key count to begin with whose estimated mean error is within `error`, or the largest."""
    counts = analysis.solutions.counts
    count = smallest_count(counts, analysis.estimated_errors[0], error) or int(counts[-1])
    return analysis.solutions.nearest_count(max(count, analysis.fewest_at_first))
