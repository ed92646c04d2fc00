# SPDX-License-Identifier: GPL-3.0-or-later
"""What an armature plays that no action of its own does: baked into one to be analysed, and brought back.

Its strips in the NLA, or what drivers and constraints to other objects, as of a retarget, make of it. It may
have an action all the same that holds it in a pose.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import bpy

from ... import actions, character
from ...splicing import keys_between, read_keys, write_arrays
from ...steps import Steps
from .. import channels, part_of_action
from . import by_value, constrained, strips

CONSTRAINT = re.compile(r'(^|\.)constraints\["(?:[^"\\]|\\.)*"\]')

# How an action plays as if there were nothing beside it.
PLAIN = {"action_blend_type": "REPLACE", "action_extrapolation": "HOLD", "action_influence": 1.0}


def is_baked_first(armature: bpy.types.Object) -> bool:
    """Whether the armature has no action that moves it, but something else does."""
    return not _acts(armature) and (strips.play(armature) or constrained.is_held(armature))


def _acts(armature: bpy.types.Object) -> bool:
    """Whether it has an action with movement in it, or one that was reduced.

    One that switches something, or lets constraints come and go, only helps what moves the armature.
    """
    data = armature.animation_data
    if data is None or data.action is None:
        return False
    return data.action.posewright.source is not None or any(
        character.changes(curve) and not _helps(armature, curve) for curve in actions.curves_of(armature)
    )


def _helps(armature: bpy.types.Object, curve: Any) -> bool:
    return CONSTRAINT.search(curve.data_path) is not None or channels.is_switch(armature, curve)


def _are_strips(armature: bpy.types.Object) -> bool:
    """Whether strips move it, or nothing else does: one that holds a pose does not hide constraints."""
    return strips.play(armature) and (strips.move(armature) or not constrained.is_held(armature))


def bake_in_steps(armature: bpy.types.Object, scene: bpy.types.Scene) -> Steps[None]:
    """Let the armature play an action that looks like what plays now; yields the share done.

    What played is left as it is, and muted until `bring_back`.
    """
    before = None if armature.animation_data is None else armature.animation_data.action
    slot_before, others = actions.slot_of(armature), actions.curves_of(armature)
    if _are_strips(armature):
        action, slot = yield from strips.bake_in_steps(armature)
        silenced: dict[str, Any] = {"tracks": strips.silence(armature)}
    else:
        action, slot, muted = yield from constrained.bake_in_steps(armature, scene)
        silenced = {"constraints": muted}
    _hold_as_well(armature, action, slot, others)
    actions.assign(armature, action, slot)
    own: Any = armature.animation_data
    silenced["blending"] = {name: getattr(own, name) for name in PLAIN}
    silenced["slot"] = actions.slot_handle(slot_before)
    action.posewright.silenced = json.dumps(silenced)
    action.posewright.played_before = before
    for name, value in PLAIN.items():
        setattr(own, name, value)


def _hold_as_well(
    armature: bpy.types.Object, action: bpy.types.Action, slot: Any | None, others: Sequence[Any]
) -> None:
    """The keys of what another action holds or switches meanwhile and this one does not know of.

    What it does to constraints that were muted since is in what was baked.
    """
    first, last = action.frame_range
    bag = actions.bag_of(action, slot, create=True)
    known = {(curve.data_path, curve.array_index) for curve in bag.fcurves}
    for curve in others:
        channel = actions.channel_of(curve)
        if (channel.path, channel.index) in known or actions.is_muted(curve) or _is_idle(armature, curve):
            continue
        [copy] = actions.ensure_curves(bag, [channel])
        write_arrays(copy, read_keys(curve))
        part_of_action.cut([copy], first, last)
        write_arrays(copy, keys_between(copy, first, last))


def _is_idle(armature: bpy.types.Object, curve: Any) -> bool:
    """Whether it is of a constraint that does not work."""
    found = CONSTRAINT.search(curve.data_path)
    if found is None or not by_value.is_there(armature, curve):
        return False
    constraint: Any = armature.path_resolve(curve.data_path[: found.end()])
    return constraint.mute


def bring_back(armature: bpy.types.Object) -> bool:
    """Undo `bake_in_steps` if that has made what the armature plays; whether it has."""
    data = armature.animation_data
    action = None if data is None else data.action
    if action is None or not action.posewright.silenced:
        return False
    try:
        silenced = json.loads(action.posewright.silenced)
        strips.bring_back(armature, silenced.get("tracks", {}))
        constrained.bring_back(armature, silenced.get("constraints", []))
        for name, value in silenced.get("blending", {}).items():
            setattr(data, name, value)
    except (AttributeError, KeyError, TypeError, ValueError):  # damaged: what was baked goes on playing
        return False
    before = action.posewright.played_before
    slot = None if before is None else actions.slot_with_handle(before, silenced.get("slot", 0))
    actions.assign(armature, before, slot)
    if action.users <= action.use_fake_user:
        bpy.data.actions.remove(action)
    return True
