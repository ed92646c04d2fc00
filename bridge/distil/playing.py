# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of a reduction's two actions animates the character."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from .. import actions
from . import channels, keying, reductions
from .detail_layer import detail_gate
from .feet import pin_gate
from .reductions import Reduction
from .solving.analysis import Analysis


def owners(reduction: Reduction) -> list[tuple[Any, int]]:
    """Everything that the reduction animates, bones and shape keys, each with the handle of its slot.

    Faces go on with what they play until they are told, also where that was made from the source as well: by
    another analysis, or by duplicating the action.
    """
    armature, source = reduction.armature, reduction.state.source
    found = {armature.name_full: (armature, reduction.handles[0])}
    related = [] if source is None else [source, *reductions.reduced_from(source)]
    for action in dict.fromkeys([*related, reduction.action]):
        for owner in channels.companions(armature, action):
            found[owner.name_full + " keys"] = (owner, actions.slot_handle(actions.slot_of(owner)))
    return list(found.values())


def play(reduction: Reduction, action: bpy.types.Action) -> None:
    """Let the source or the reduced action animate the character."""
    for owner, handle in owners(reduction):
        actions.assign(owner, action, actions.slot_with_handle(action, handle))
        detail_gate.settle(owner)
    asked = reduction.armature.posewright
    asked.last_reduced = reduction.action
    asked.problem = ""  # whatever the slider could not do was about what played before


@contextmanager
def playing_original(reduction: Reduction) -> Iterator[None]:
    """The source for a moment, whatever is shown."""
    if reduction.shows_original:
        yield
        return
    play(reduction, reduction.source)
    try:
        yield
    finally:
        play(reduction, reduction.action)


@contextmanager
def playing_target(reduction: Reduction, analysis: Analysis) -> Iterator[None]:
    """What keys are fitted to, for a moment and whatever is shown."""
    shown = reductions.playing_action(reduction.armature)
    with target_action(reduction, analysis) as target:
        play(reduction, target)
        try:
            yield
        finally:
            play(reduction, reduction.action if shown is None else shown)


@contextmanager
def target_action(reduction: Reduction, analysis: Analysis) -> Iterator[bpy.types.Action]:
    """An action that plays what keys are fitted to: the source, or with edits one for the moment."""
    if analysis.target is None:
        yield reduction.source
        return
    dense = keying.copy_with_target(reduction.action, analysis)
    detail_gate.forget(dense)
    pin_gate.forget(dense)
    dense.posewright.property_unset("pins")  # or the reduction would seem to share them with a duplicate
    try:
        yield dense
    finally:
        bpy.data.actions.remove(dense)
