# SPDX-License-Identifier: GPL-3.0-or-later
"""The reduced action: baked, keyed in another way, given detail, compared with its source.

Everything here does what it is asked for, or raises `InputError` and changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ...core import InputError
from ...core.editing.time_warp import TimeWarp, nearest
from ...core.motion import FloatArray, IntArray
from .. import actions, character
from ..editable import check_editable
from ..splicing import NEAR
from . import keying, markers, reductions, storage
from .detail_layer import detail
from .editing import capture, changes, stagger
from .editing.edits import Edits
from .feet import flat_holds, held_feet, pins, stances
from .playing import play
from .reductions import Reduction
from .solving.analysis import Analysis

HOLDS = ("OFF", "BAKED", "PINS")
# The name of a reduced action: what was reduced, how often, and perhaps a number that Blender has added.
REDUCED = re.compile(r"(.+) reduced(?: (\d+))?(?:\.\d{3,})?")


def bake(armature: bpy.types.Object, count: int) -> int:
    """Bake and play the solution with `count` keys, or the nearest there is: how many keys that has."""
    reduction = own_with_edits(armature)
    analysis = reduction.analysis()
    return bake_into(
        reduction, analysis, analysis.solutions.nearest_count(count), reduction.state.interpolation
    )


def bake_suggested(armature: bpy.types.Object) -> int:
    """Bake the number of keys that the algorithm itself suggests: how many that are."""
    solutions = reductions.get(armature).analysis().solutions
    suggested, most = solutions.own_count, int(solutions.counts[-1])
    if suggested is None:
        raise InputError(
            "This algorithm suggests no number of keys: choose Saliency and press Analyze, or use the slider."
        )
    if suggested > most:
        raise InputError(
            "{suggested} keys are suggested, but at most {most} were allowed: set Most Keys to zero and "
            "press Analyze again.",
            suggested=suggested,
            most=most,
        )
    return bake(armature, suggested)


def rekey(armature: bpy.types.Object, way: str) -> int:
    """Bake the same poses keyed in another way, one of `ways.WAYS`: how many keys there are."""
    reduction = own_with_edits(armature)
    return bake_into(reduction, reduction.analysis(), reduction.state.key_count, way)


def own_with_edits(armature: bpy.types.Object) -> Reduction:
    """`reductions.get_own` for those who choose keys: what was done to them is part of the target.

    The keys themselves are fitted to it right away, so that nothing is taken for an edit twice.
    """
    reduction = reductions.get_own(armature)
    if changes.was_edited(reduction):
        set_edits(reduction, capture.edits_now(reduction))
    return reduction


def set_edits(reduction: Reduction, edits: Edits) -> None:
    """Keep such edits and fit the keys to what is wanted now: as many as there were, but for edited ones."""
    before, baked = reduction.edits, reduction.state.baked_print
    stored = reduction.analysis().stored_count(reduction.state.key_count)
    reductions.keep_edits(reduction, edits)
    try:
        analysis = reduction.analysis()
        bake_into(reduction, analysis, analysis.count_of_stored(stored), reduction.state.interpolation)
    except BaseException:
        # Otherwise the keys are fitted to them by now, and only a layer is missing.
        if reduction.state.baked_print == baked:
            reductions.keep_edits(reduction, before)
        raise


def bake_into(reduction: Reduction, analysis: Analysis, count: int, way: str) -> int:
    """Bake a solution into the reduced action and play that: how many keys there are."""
    reductions.check_bones(reduction, analysis)
    state, action = reduction.state, reduction.action
    late = stagger.late(reduction, analysis.paths)
    keying.write_solution(action, analysis, count, way, key_types(reduction, analysis, count), late)
    flat_holds.write(reduction, action, count, way)
    state.key_count, state.interpolation = count, way
    play(reduction, action)
    changes.remember_baked(reduction)
    renew_layer(reduction)
    sync_markers(reduction.armature, bpy.context.scene)
    return count


def release_key(armature: bpy.types.Object, frame: float) -> None:
    """Drop what was changed at an edited key, which need not be one from now on.

    The ends of a loop are one pose: with one of them the other is released.
    """
    reduction = own_with_edits(armature)
    edits = reduction.edits
    frames = edits.keyed_frames
    if not len(frames):
        raise InputError("No key was edited, so there is none to release.")
    number = int(nearest(frames, frame))
    for each in _with_other_end(reduction, number)[::-1]:
        edits = edits.without_key(each)
    set_edits(reduction, edits)


def _with_other_end(reduction: Reduction, number: int) -> list[int]:
    """In order, an edited key and, if it is one end of a loop, the other end where that is one too."""
    source, keyed = reductions.source_of(reduction), reduction.edits.keyed
    ends = [int(row) for row in nearest(keyed, source.frames[[0, -1]])]
    are_ends = np.all(np.abs(keyed[ends] - source.frames[[0, -1]]) < NEAR)
    return ends if source.loop is not None and are_ends and number in ends else [number]


def release_timing(armature: bpy.types.Object) -> None:
    """Let everything play at the time that it has in the source."""
    reduction = own_with_edits(armature)
    set_edits(reduction, replace(reduction.edits, warp=TimeWarp.none()))


def release_all(armature: bpy.types.Object) -> None:
    """Drop all edits: the keys are those of the source again."""
    set_edits(own_with_edits(armature), Edits.none())


def set_detail(armature: bpy.types.Object, strength: float) -> None:
    """Play so much of what was lost on top of the keys."""
    reduction = reductions.get_own(armature)
    if strength > 0.0 or is_held(reduction):
        reduction = own_with_edits(armature)
    with _state_kept_on_failure(reduction, detail=strength):
        if is_held(reduction) or not detail.has_layer(reduction) or detail.is_outdated(reduction):
            renew_layer(reduction)
        else:
            detail.play(reduction, strength)


def set_hold(armature: bpy.types.Object, form: str) -> None:
    """Keep planted feet where they stand in one of the forms of `HOLDS`, or let go of them."""
    if form not in HOLDS:
        raise InputError(
            "Feet cannot be held as {form!r}: choose one of {choices}.", form=form, choices=", ".join(HOLDS)
        )
    reduction = own_with_edits(armature)
    if form == "PINS":
        pins.check(reduction)
    elif form == "BAKED":
        held_feet.check_baked(reduction)
    state = reduction.state
    with _state_kept_on_failure(reduction, hold=form):
        bake_into(reduction, reduction.analysis(), state.key_count, state.interpolation)


def set_stagger(armature: bpy.types.Object, part: str, frames: int) -> None:
    """Let the keys of a part of the body be so many frames after the poses that they belong to."""
    reduction = own_with_edits(armature)
    state = reduction.state
    with _state_kept_on_failure(reduction, stagger=state.stagger):
        stagger.keep(reduction, part, frames)
        bake_into(reduction, reduction.analysis(), state.key_count, state.interpolation)


def mark_contact(armature: bpy.types.Object, bone: str, first: float, last: float, *, stands: bool) -> None:
    """Say that the limb of a bone stands from one frame to another, or that it does not."""
    reduction = own_with_edits(armature)
    state = reduction.state
    stances.mark(reduction, bone, first, last, stands=stands)
    state.measured_count = 0  # slides are those of contacts
    if is_held(reduction):
        bake_into(reduction, reduction.analysis(), state.key_count, state.interpolation)


def has_wishes(reduction: Reduction) -> bool:
    """Whether something is asked for that keys alone do not play: a layer, pins, feet that controls hold."""
    return reduction.state.detail > 0.0 or is_held(reduction)


def is_held(reduction: Reduction) -> bool:
    """Whether the feet are held, and the layer has its part in it."""
    return reduction.state.hold in ("BAKED", "PINS")


@contextmanager
def _state_kept_on_failure(reduction: Reduction, **wanted: Any) -> Iterator[None]:
    """What is asked for, or what was so far if that cannot be done."""
    state = reduction.state
    before = {name: getattr(state, name) for name in wanted}
    for name, value in wanted.items():
        setattr(state, name, value)
    try:
        yield
    except BaseException:
        for name, value in before.items():
            setattr(state, name, value)
        raise


def follow_edits(armature: bpy.types.Object) -> None:
    """Let the layer bring the keys as the animator has left them to what is wanted with these edits.

    The keys stay as they are, and what was done to them is not taken in yet. A duplicate gets its own pins.
    """
    reduction = reductions.find(armature)
    if reduction is None or reduction.shows_original:
        return
    if pins.are_of_another(reduction):
        renew_layer_as_edited(reductions.get_own(armature))
    elif detail.has_layer(reduction) and not detail.fits(reduction):
        renew_layer_as_edited(reduction)


def renew_layer_as_edited(reduction: Reduction) -> None:
    """`renew_layer` for keys that the animator may have edited since they were fitted."""
    edited = changes.was_edited(reduction)
    renew_layer(reduction, reductions.with_edits(reduction, capture.edits_now(reduction)) if edited else None)


def renew_layer(reduction: Reduction, target: Analysis | None = None) -> None:
    """Write and play the layer that the state asks for: detail, held feet, both, or none; and have its pins.

    With pins the layer brings the hips to where the legs reach them, and feet in the air above the ground.

    Args:
        target: what shall play, if the keys were edited since they were fitted.
    """
    pins.renew(reduction)
    strength, held = reduction.state.detail, is_held(reduction)
    if not held and strength <= 0.0:
        if reduction.state.gate:
            detail.remove(reduction)
        return
    analysis = stagger.as_played(reduction, reduction.analysis() if target is None else target)
    played = keying.played(reduction.action, analysis)
    if strength > 0.0:
        detail.write(reduction, analysis, detail.Difference(analysis.frames, analysis.values, played))
    if detail.has_layer(reduction):
        detail.play(reduction, strength)
    if not held:
        return
    plays = detail.played_at(reduction, analysis, strength)  # by now
    frames, wanted = held_feet.held(reduction, analysis, plays, pinned=reduction.state.hold == "PINS")
    played = keying.played(reduction.action, analysis, frames)
    if np.array_equal(wanted, played):
        detail.remove(reduction)
        return
    detail.write(reduction, analysis, detail.Difference(frames, wanted, played))
    detail.play(reduction, 1.0)


def show_original(armature: bpy.types.Object, shown: bool) -> None:
    """Play the source or the reduced action, for comparing; nothing is lost."""
    check_editable(armature)
    reduction = reductions.get(armature)
    play(reduction, reduction.source if shown else reduction.action)


def back_to_keys(armature: bpy.types.Object) -> Reduction:
    """Play the reduced action that was worked on before another action was chosen."""
    check_editable(armature)
    last = armature.posewright.last_reduced
    reduction = reductions.get(armature) if last is None else Reduction(armature, last)
    play(reduction, reduction.action)
    return reduction


def key_types(reduction: Reduction, analysis: Analysis, count: int) -> list[str]:
    """Moving holds, and where the user has locked extremes these and breakdowns."""
    rows, extremes = analysis.keys(count), extreme_rows(reduction, analysis)
    plain = "BREAKDOWN" if len(extremes) else "KEYFRAME"
    types = np.full(len(rows), plain, dtype="U16")
    held = np.searchsorted(rows, analysis.held(count))
    for first, last in held:
        types[first : last + 1] = "MOVING_HOLD"
    # Blender takes what lies between two such keys for a hold: from one hold to the next it moves.
    types[held[1:, 0][held[1:, 0] == held[:-1, 1] + 1]] = plain
    types[np.isin(rows, extremes)] = "EXTREME"
    return types.tolist()


def extreme_rows(reduction: Reduction, analysis: Analysis) -> IntArray:
    """The rows of the analysis that are locked as extremes."""
    with storage.damage_told():
        return analysis.rows_of_stored(np.array(reduction.state.extremes.split(), np.int64))


def sync_markers(armature: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Timeline markers at the keys of the reduction that plays, if the armature wants them."""
    if character.is_stand_in(armature) or not markers.are_wanted_or_there(armature):
        return
    reduction = reductions.find(armature)
    frames: FloatArray | tuple[()] = ()
    if reduction is not None:
        analysis = reduction.analysis()
        frames = analysis.frames[analysis.keys(reduction.state.key_count)]
    markers.sync(armature, scene, frames)


def new_reduced(source: bpy.types.Action, handles: list[int], analysis: Analysis) -> bpy.types.Action:
    """A copy of the source, ready to have its keys replaced."""
    copy = keying.copy_for_keys(source, handles, analysis, name=_name_for(source.name))
    copy[actions.REDUCED] = True
    return copy


def _name_for(source: str) -> str:
    """What is reduced again gets a number and not the word twice."""
    again = REDUCED.fullmatch(source)
    return f"{again[1]} reduced {int(again[2] or 1) + 1}" if again else f"{source} reduced"
