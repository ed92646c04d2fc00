# SPDX-License-Identifier: GPL-3.0-or-later
"""The reduced action: baked from a solution, compared with the source, given up or kept."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ...core import smallest_count
from ...core.motion import FloatArray, IntArray
from .. import actions, sampling
from ..steps import Steps, shares
from . import calibration, channels, detail, keying, markers, state
from .analysis import Analysis, analysis_in_steps
from .settings import settings_of

# The name of a reduced action: what was reduced, how often, and perhaps a number that Blender has added.
REDUCED = re.compile(r"(.+) reduced(?: (\d+))?(?:\.\d{3,})?")
FIRST_GUESS = 0.005  # after an analysis: the fewest keys with a mean error below this share of the height


def analyse_in_steps(armature: bpy.types.Object, scene: bpy.types.Scene) -> Generator[float, None, Analysis]:
    """Analyse what the armature plays as its settings say, and bake a first guess; yields the share done.

    If that fails, or the generator is closed before its end, everything is as it was.
    """
    state.check_editable(armature)
    with _playing_source(armature):
        settings = settings_of(armature, scene)
        analysis = yield from shares(analysis_in_steps(armature, settings), 0.0, 0.85)
        analysis = yield from shares(calibration.calibrated_in_steps(armature, analysis), 0.85, 0.95)
        source_print = yield from shares(_print_in_steps(armature), 0.95, 1.0)
    _take_over(armature, analysis, source_print)
    return analysis


@contextmanager
def _playing_source(armature: bpy.types.Object) -> Iterator[None]:
    """A reduced action is analysed again from its source."""
    asked = armature.posewright
    data = armature.animation_data
    again = data is not None and asked.reduced is not None and data.action == asked.reduced
    if not again:
        yield
        return
    show(armature, original=True)
    try:
        yield
    finally:
        show(armature, original=False)


def _print_in_steps(armature: bpy.types.Object) -> Steps[str]:
    """The fingerprint of everything of the character that its action animates."""
    action = actions.playing_action(armature)
    handles = [handle for _, handle in channels.players(armature, action)]
    return actions.fingerprint_in_steps(channels.curves_in(action, handles))


def _take_over(armature: bpy.types.Object, analysis: Analysis, source_print: str) -> None:
    """Store a fresh analysis in place of an older one, and bake a first guess."""
    asked = armature.posewright
    earlier, had_fake_user = asked.source, asked.source_had_fake_user
    if state.is_analysed(armature):
        _give_up(armature)
    state.save(armature, analysis, source_print)
    if earlier == asked.source:
        asked.source_had_fake_user = had_fake_user
    asked.key_count = count_below(analysis, FIRST_GUESS * sampling.height_of(armature))


def _give_up(armature: bpy.types.Object) -> None:
    """Forget an analysis because another takes its place."""
    asked = armature.posewright
    detail.remove(armature)
    if actions.playing_action(armature) in (asked.reduced, asked.source):
        play(armature, state.source_of(armature))
        _remove_reduced(armature)
    elif asked.reduced is not None:
        asked.reduced.use_fake_user = True  # the user went on to another action: this one is done
    state.clear(armature)
    markers.sync(armature, bpy.context.scene)


def count_below(analysis: Analysis, error: float) -> int:
    """The smallest key count whose estimated mean error is not above `error`; the largest if none is."""
    counts = analysis.solutions.counts
    return smallest_count(counts, analysis.estimated_errors[0], error) or int(counts[-1])


def bake(armature: bpy.types.Object) -> None:
    """Bake the solution with `key_count` keys and play it."""
    asked = armature.posewright
    state.check_editable(armature)
    state.check_playing(armature)
    analysis = state.load(armature)
    state.check_bones(armature, analysis)
    action = _own_reduced(armature, analysis)
    types = key_types(armature, analysis.keys(asked.key_count))
    keying.write_solution(action, analysis, asked.key_count, asked.interpolation, types)
    play(armature, action)
    state.remember_reduced(armature)
    if detail.has_layer(armature):
        detail.rewrite(armature, analysis, keying.played(action, analysis))
    markers.sync(armature, bpy.context.scene)


def set_detail(armature: bpy.types.Object) -> None:
    """Play as much of what was lost as `detail` says."""
    asked = armature.posewright
    state.check_editable(armature)
    state.check_playing(armature)
    if detail.has_layer(armature):
        detail.set_strength(armature)
    elif asked.detail > 0.0:
        analysis = state.load(armature)
        if asked.reduced is None:
            bake(armature)
        detail.add(armature, analysis, _freshly_played(armature, analysis))
        detail.pause(armature, asked.show_original)


def _freshly_played(armature: bpy.types.Object, analysis: Analysis) -> FloatArray:
    """What the solution plays as it is baked: the user may have edited the reduced action since.

    Detail rides on such edits. If it were taken from the edited action it would undo them.
    """
    scratch = _new_reduced(armature, analysis)
    try:
        asked = armature.posewright
        keying.write_solution(scratch, analysis, asked.key_count, asked.interpolation)
        return keying.played(scratch, analysis)
    finally:
        bpy.data.actions.remove(scratch)


def key_types(armature: bpy.types.Object, rows: IntArray) -> list[str] | None:
    """Extremes and breakdowns where the user has locked extremes."""
    extremes = {int(row) for row in armature.posewright.extremes.split()}
    if not extremes:
        return None
    return ["EXTREME" if int(row) in extremes else "BREAKDOWN" for row in rows]


def play(armature: bpy.types.Object, action: bpy.types.Action) -> None:
    """Let the source or the reduced action animate the character: its bones and its shape keys."""
    asked = armature.posewright
    owners = {armature.name_full: (armature, asked.source_slot)}
    for other in (asked.source, asked.reduced):
        if other is not None:
            for owner in channels.companions(armature, other):
                owners[owner.name_full + " keys"] = (owner, actions.slot_handle(actions.slot_of(owner)))
    for owner, handle in owners.values():
        actions.assign(owner, action, actions.slot_with_handle(action, handle))


def put_back(armature: bpy.types.Object, earlier: bpy.types.Action) -> None:
    """Let a copy that was made before take the place of the reduced action."""
    actions.replace(armature.posewright.reduced, earlier)
    play(armature, earlier)


def show(armature: bpy.types.Object, original: bool) -> None:
    """Play the original or the reduced action, for comparing; nothing is lost."""
    state.check_editable(armature)
    state.check_playing(armature)
    source = state.source_of(armature)
    detail.pause(armature, original)
    if original:
        play(armature, source)
    elif armature.posewright.reduced is not None:
        play(armature, armature.posewright.reduced)


def leave_for_a_take(armature: bpy.types.Object) -> None:
    """The armature is about to play a take instead: what keys had lost must not be added to that."""
    detail.pause(armature, True)


def restore(armature: bpy.types.Object) -> bpy.types.Action | None:
    """Bring the source back and remove everything that was made here.

    Another action that the armature plays by now, such as a take, stays in the file and is returned.
    """
    state.check_editable(armature)
    asked = armature.posewright
    source = state.source_of(armature)
    other = state.other_playing(armature)
    if other is not None and other.is_editable:
        other.use_fake_user = True
    detail.remove(armature)
    play(armature, source)
    _remove_reduced(armature)
    if source.is_editable:
        source.use_fake_user = asked.source_had_fake_user
    state.clear(armature)
    markers.sync(armature, bpy.context.scene)
    return other


def apply(armature: bpy.types.Object) -> None:
    """Keep the reduced action, and the detail if it has a strength; forget the analysis.

    The source stays in the file, unused: its fake user keeps it from being cleaned away. So does the reduced
    action where the armature plays another by now, such as a take, or has it in a strip.
    """
    state.check_editable(armature)
    if armature.posewright.reduced is None:
        bake(armature)
    kept: Any = armature.posewright.reduced
    went_on = state.other_playing(armature) is not None or state.is_pushed_down(armature)
    detail.pause(armature, False)
    if armature.posewright.detail <= 0.0 or went_on:
        detail.remove(armature)
    if went_on:
        kept.use_fake_user = True
    else:
        play(armature, kept)
    _keep_for_good(armature.posewright.source)
    state.clear(armature)
    markers.sync(armature, bpy.context.scene)


def _keep_for_good(source: bpy.types.Action | None) -> None:
    """Others that were reduced from it must not take its fake user away when they are restored."""
    for other in bpy.data.objects:
        if source is not None and other.posewright.source == source:
            other.posewright.source_had_fake_user = True


def _own_reduced(armature: bpy.types.Object, analysis: Analysis) -> bpy.types.Action:
    """The armature's reduced action; made where it is missing or belongs to another armature too."""
    asked = armature.posewright
    if asked.reduced is not None and not _is_shared(asked.reduced, armature):
        return asked.reduced
    asked.reduced = _new_reduced(armature, analysis)
    return asked.reduced


def _new_reduced(armature: bpy.types.Object, analysis: Analysis) -> bpy.types.Action:
    """A copy of the source, ready to have its keys replaced."""
    source = state.source_of(armature)
    name = _name_for(source.name)
    copy = keying.copy_for_keys(source, state.source_handles(armature), analysis, name=name)
    copy[actions.REDUCED] = True
    return copy


def _name_for(source: str) -> str:
    """What is reduced again gets a number and not the word twice."""
    again = REDUCED.fullmatch(source)
    return f"{again[1]} reduced {int(again[2] or 1) + 1}" if again else f"{source} reduced"


def _is_shared(action: bpy.types.Action, armature: bpy.types.Object) -> bool:
    """A duplicated armature points at the reduced action of the one it was made from."""
    expected = 2 + action.use_fake_user  # the armature plays it, and its state points at it
    return action.users > expected and any(
        other != armature and other.type == "ARMATURE" and other.posewright.reduced == action
        for other in bpy.data.objects
    )


def _remove_reduced(armature: bpy.types.Object) -> None:
    """Unless it is used elsewhere by now, such as in a strip, or the user keeps it with a fake user."""
    action = armature.posewright.reduced
    armature.posewright.reduced = None
    if action is not None and action.users == 0 and action.library is None:
        bpy.data.actions.remove(action)
