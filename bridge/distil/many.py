# SPDX-License-Identifier: GPL-3.0-or-later
"""Many at once: all actions of an armature, or many armatures, each reduced to a wanted error."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import bpy

from ...core import InputError
from .. import actions, sampling
from ..steps import shares
from . import channels, playback, reduced, state


def actions_of(armature: bpy.types.Object) -> list[tuple[bpy.types.Action, Any | None]]:
    """The actions that move bones of the armature, each with the slot to play; none that was made here."""
    made = {
        action
        for other in bpy.data.objects
        if other.type == "ARMATURE"
        for action in (other.posewright.reduced, other.posewright.residual, other.posewright.reset)
        if action is not None
    }
    names = set(armature.data.bones.keys())
    found = []
    for action in bpy.data.actions:
        if action in made:
            continue
        for slot, bag in actions.bags_in(action):
            if any(channels.bone_of(curve.data_path) in names for curve in bag.fcurves):
                found.append((action, slot))
                break
    return found


def reduce_actions_in_steps(
    armature: bpy.types.Object, scene: bpy.types.Scene, wanted: float, *, beside: bool = True
) -> Generator[float, None, list[playback.Figures]]:
    """Reduce every action of the armature; yields the share done.

    Each gets a reduced action beside it, kept by a fake user. The armature plays afterwards what it
    played before.

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
    figures = []
    try:
        for done, (action, slot) in enumerate(todo):
            actions.assign(armature, action, slot)
            work = _reduce_one(armature, scene, wanted, beside)
            figures.append((yield from shares(work, done / len(todo), (done + 1) / len(todo))))
            armature.posewright.reduced.use_fake_user = True
            reduced.apply(armature)
    finally:
        if state.is_analysed(armature):
            reduced.restore(armature)
        actions.assign(armature, *before)
    return figures


def reduce_armatures_in_steps(
    armatures: Sequence[bpy.types.Object], scene: bpy.types.Scene, wanted: float, *, beside: bool = True
) -> Generator[float, None, list[playback.Figures]]:
    """Analyse several armatures and reduce each to a wanted error; all of them can be adjusted afterwards."""
    figures = []
    for done, armature in enumerate(armatures):
        work = _reduce_one(armature, scene, wanted, beside)
        figures.append((yield from shares(work, done / len(armatures), (done + 1) / len(armatures))))
    return figures


def _reduce_one(
    armature: bpy.types.Object, scene: bpy.types.Scene, wanted: float, beside: bool
) -> Generator[float, None, playback.Figures]:
    yield from shares(reduced.analyse_in_steps(armature, scene, beside=beside), 0.0, 0.5)
    error = wanted * sampling.height_of(armature)
    return (yield from shares(playback.count_within_in_steps(armature, error, beside=beside), 0.5, 1.0))
