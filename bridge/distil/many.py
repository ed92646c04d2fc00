# SPDX-License-Identifier: GPL-3.0-or-later
"""Many at once: all actions of an armature, or many armatures, each reduced to a wanted error."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import bpy

from ...core import InputError
from .. import actions, sampling
from ..steps import shares
from . import channels, playback, reduced, state
from .earlier import kept_unless_finished


def actions_of(armature: bpy.types.Object) -> list[tuple[bpy.types.Action, Any | None]]:
    """The actions that move bones of the armature, each with the slot to play; none that was made here."""
    made = {
        action
        for other in bpy.data.objects
        if other.type == "ARMATURE"
        for action in (other.posewright.reduced, other.posewright.residual, other.posewright.reset)
        if action is not None
    }
    found = [
        (action, channels.slots_for(armature, action))
        for action in bpy.data.actions
        if action not in made and not action.get(actions.REDUCED)
    ]
    return [(action, slots[0]) for action, slots in found if slots]


@dataclass
class Outcome:
    """What became of many: the figures of what was reduced, and why others were left out."""

    figures: list[playback.Figures] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def reduce_actions_in_steps(
    armature: bpy.types.Object, scene: bpy.types.Scene, wanted: float
) -> Generator[float, None, Outcome]:
    """Reduce every action of the armature; yields the share done.

    Each gets a reduced action beside it, kept by a fake user. The armature plays afterwards what it
    played before. Actions in which nothing moves are left out. Closed before its end, it leaves nothing.

    Args:
        wanted: mean joint distance as a share of the character's height.
    """
    state.check_editable(armature)
    if state.is_analysed(armature):
        raise InputError(
            f"{armature.name} has an analysis: press Apply or Restore, then reduce all its actions."
        )
    todo = actions_of(armature)
    if not todo:
        raise InputError(f"No action in this file moves {armature.name}'s bones.")
    data: Any = armature.animation_data or armature.animation_data_create()
    before = data.action, actions.slot_of(armature)
    had_fake_user = [(action, action.use_fake_user) for action, _ in todo]
    made: list[bpy.types.Action] = []
    outcome = Outcome()
    try:
        for done, (action, slot) in enumerate(todo):
            actions.assign(armature, action, slot)
            work = _reduce_one(armature, scene, wanted, outcome)
            if (yield from shares(work, done / len(todo), (done + 1) / len(todo))):
                made.append(armature.posewright.reduced)
                made[-1].use_fake_user = True
                reduced.apply(armature)
        _check_any(outcome)
    except BaseException:
        for action, had in had_fake_user:
            action.use_fake_user = had
        for action in made:
            bpy.data.actions.remove(action)
        raise
    finally:
        actions.assign(armature, *before)
    return outcome


def reduce_armatures_in_steps(
    armatures: Sequence[bpy.types.Object], scene: bpy.types.Scene, wanted: float
) -> Generator[float, None, Outcome]:
    """Analyse several armatures and reduce each to a wanted error; all of them can be adjusted afterwards.

    Those that cannot be reduced are left out. Closed before its end, it leaves all as they were.
    """
    outcome = Outcome()
    with ExitStack() as stack:
        for armature in armatures:
            stack.enter_context(kept_unless_finished(armature))
        for done, armature in enumerate(armatures):
            work = _reduce_one(armature, scene, wanted, outcome)
            yield from shares(work, done / len(armatures), (done + 1) / len(armatures))
        _check_any(outcome)
    return outcome


def _reduce_one(
    armature: bpy.types.Object, scene: bpy.types.Scene, wanted: float, outcome: Outcome
) -> Generator[float, None, bool]:
    """Whether it could be reduced; what came of it goes to the outcome."""
    try:
        with kept_unless_finished(armature):
            yield from shares(reduced.analyse_in_steps(armature, scene), 0.0, 0.5)
            error = wanted * sampling.height_of(armature)
            work = playback.count_within_in_steps(armature, error)
            outcome.figures.append((yield from shares(work, 0.5, 1.0)))
    except InputError as problem:
        outcome.left_out.append(str(problem))
        return False
    return True


def _check_any(outcome: Outcome) -> None:
    """Where nothing could be reduced, the first reason is the answer."""
    if not outcome.figures:
        raise InputError(outcome.left_out[0])
