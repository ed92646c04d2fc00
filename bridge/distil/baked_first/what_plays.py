# SPDX-License-Identifier: GPL-3.0-or-later
"""What an armature plays that no action of its own does: baked into one to be analysed, and brought back.

Its strips in the NLA, or what drivers and constraints to other objects, as of a retarget, make of it. It may
have an action all the same that holds it in a pose.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ... import actions, character
from ...baking import Keys, write_keys
from ...steps import Steps
from . import constrained, strips

# How an action plays as if there were nothing beside it.
PLAIN = {"action_blend_type": "REPLACE", "action_extrapolation": "HOLD", "action_influence": 1.0}


def is_baked_first(armature: bpy.types.Object) -> bool:
    """Whether the armature has no action that moves it, but something else does."""
    return not _acts(armature) and (strips.play(armature) or constrained.is_held(armature))


def _acts(armature: bpy.types.Object) -> bool:
    """Whether it has an action with movement in it, or one that was reduced."""
    data = armature.animation_data
    if data is None or data.action is None:
        return False
    return data.action.posewright.source is not None or any(
        map(character.changes, actions.curves_of(armature))
    )


def bake_in_steps(armature: bpy.types.Object, scene: bpy.types.Scene) -> Steps[None]:
    """Let the armature play an action that looks like what plays now; yields the share done.

    What played is left as it is, and muted until `bring_back`.
    """
    before = None if armature.animation_data is None else armature.animation_data.action
    slot_before, still = actions.slot_of(armature), actions.curves_of(armature)
    if strips.play(armature):
        action, slot = yield from strips.bake_in_steps(armature)
        silenced: dict[str, Any] = {"tracks": strips.silence(armature)}
    else:
        action, slot = yield from constrained.bake_in_steps(armature, scene)
        silenced = {"constraints": constrained.silence(armature)}
    _hold_as_well(action, slot, still)
    actions.assign(armature, action, slot)
    own: Any = armature.animation_data
    silenced["blending"] = {name: getattr(own, name) for name in PLAIN}
    silenced["slot"] = actions.slot_handle(slot_before)
    action.posewright.silenced = json.dumps(silenced)
    action.posewright.played_before = before
    for name, value in PLAIN.items():
        setattr(own, name, value)


def _hold_as_well(action: bpy.types.Action, slot: Any | None, still: Sequence[Any]) -> None:
    """Keys for what another action holds still and this one does not know of."""
    bag = actions.bag_of(action, slot, create=True)
    known = {(curve.data_path, curve.array_index) for curve in bag.fcurves}
    kept = [
        curve
        for curve in still
        if (curve.data_path, curve.array_index) not in known and not actions.is_muted(curve)
    ]
    if kept:
        values = np.array([[curve.evaluate(0.0) for curve in kept]])
        curves = actions.ensure_curves(bag, [actions.channel_of(curve) for curve in kept])
        write_keys(curves, Keys(np.array(action.frame_range[:1]), values, interpolation="CONSTANT"))


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
