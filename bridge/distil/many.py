# SPDX-License-Identifier: GPL-3.0-or-later
"""Many at once: all actions of an armature, or many armatures, each reduced to a wanted error."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from ...core import InputError
from .. import actions, character, curve_keys, sampling
from ..editable import check_editable
from ..spatial.posing.pose_actions import is_pose
from ..spoken import spoken
from ..steps import Steps, shares
from . import channels, reduced_action, reductions
from .actors import actor, itself_playing
from .analyse import analyse_in_steps
from .measuring import Figures, fewest_within_in_steps
from .snapshot import kept_unless_finished

FIXED_FRAMES = 30  # what every action takes, however short it is, in frames that take as long


def actions_of(armature: bpy.types.Object) -> list[tuple[bpy.types.Action, Any | None]]:
    """The actions that move bones of the armature, each with the slot to play; none that was made here."""
    found = [
        (action, channels.slots_for(armature, action))
        for action in bpy.data.actions
        if not action.posewright.gate and not action.get(actions.REDUCED) and not is_pose(action)
    ]
    return [(action, slots[0]) for action, slots in found if slots]


@dataclass
class Outcome:
    """What became of many: the figures of what was reduced, and why others were left out."""

    figures: list[Figures] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def reduce_actions_in_steps(
    armature: bpy.types.Object, scene: bpy.types.Scene, wanted: float, outcome: Outcome | None = None
) -> Steps[Outcome]:
    """Reduce every action of the armature that is not reduced yet; yields the share done.

    Each gets a reduced action beside it, which can be adjusted whenever the armature plays it. All of it is
    tried on a stand-in: the armature goes on playing what it plays. Closed before its end, it leaves what is
    finished.

    Args:
        wanted: mean joint distance as a share of the character's height.
        outcome: what becomes of it, for those who may close it before its end.
    """
    check_editable(armature)
    outcome = outcome or Outcome()
    todo = [
        (action, slot)
        for action, slot in actions_of(armature)
        if not _is_reduced(action, actions.slot_handle(slot))
    ]
    if not todo:
        raise InputError(
            "No action in this file moves {armature}'s bones and is not reduced yet.", armature=armature.name
        )
    lengths = [FIXED_FRAMES + action.frame_range[1] - action.frame_range[0] for action, _ in todo]
    ends = np.cumsum([0.0, *lengths])
    with character.held():
        for number, (action, slot) in enumerate(todo):
            work = _reduce_action(armature, scene, wanted, outcome, action, actions.slot_handle(slot))
            yield from shares(work, *(ends[number : number + 2] / ends[-1]))
    _check_any(outcome)
    return outcome


def _is_reduced(source: bpy.types.Action, handle: int) -> bool:
    """Whether there is a reduced action of it, also one that was applied.

    Files put the motion of several characters into one action: each has a slot of it, which copies keep.
    """
    made = [action for action in bpy.data.actions if action.get(actions.REDUCED) == source.name]
    made += reductions.reduced_from(source)
    return any(not handle or actions.slot_with_handle(action, handle) is not None for action in made)


def _reduce_action(
    armature: bpy.types.Object,
    scene: bpy.types.Scene,
    wanted: float,
    outcome: Outcome,
    action: bpy.types.Action,
    handle: int,
) -> Steps[None]:
    if channels.companions(armature, action):  # shape keys play it too, which no stand-in has
        with itself_playing(armature, action, handle):
            if (yield from _reduce_one(armature, scene, wanted, outcome)):
                reduced_action.show_original(armature, shown=True)
        return
    with (
        actor(armature, action, handle) as playing,
        sampling.poses_kept(playing),
        curve_keys.read_once(action, actions.curves_of(playing)),
    ):
        yield from _reduce_one(playing, scene, wanted, outcome)


def reduce_armatures_in_steps(
    armatures: Sequence[bpy.types.Object], scene: bpy.types.Scene, wanted: float
) -> Steps[Outcome]:
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
) -> Steps[bool]:
    """Whether it could be reduced; what came of it goes to the outcome."""
    try:
        with kept_unless_finished(armature):
            reduction = yield from shares(analyse_in_steps(armature, scene, wanted), 0.0, 0.5)
            work = fewest_within_in_steps(reduction, wanted * sampling.height_of(armature))
            outcome.figures.append((yield from shares(work, 0.5, 1.0)))
    except InputError as problem:
        outcome.left_out.append(spoken(problem))
        return False
    return True


def _check_any(outcome: Outcome) -> None:
    """Where nothing could be reduced, the first reason is the answer."""
    if not outcome.figures:
        raise InputError(outcome.left_out[0])
