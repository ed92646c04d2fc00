# SPDX-License-Identifier: GPL-3.0-or-later
"""What an armature plays without an action of its own: baked into one to be analysed, and brought back.

Its strips in the NLA, or what drivers and constraints to other objects, as of a retarget, make of it.
"""

from __future__ import annotations

import json

import bpy

from ... import actions
from ...steps import Steps
from . import constrained, strips


def is_baked_first(armature: bpy.types.Object) -> bool:
    """Whether the armature has no action, but something else moves it."""
    data = armature.animation_data
    if data is not None and data.action is not None:
        return False
    return strips.play(armature) or constrained.is_held(armature)


def bake_in_steps(armature: bpy.types.Object, scene: bpy.types.Scene) -> Steps[None]:
    """Let the armature play an action that looks like what plays now; yields the share done.

    What played is left as it is, and muted until `bring_back`.
    """
    if strips.play(armature):
        action, slot = yield from strips.bake_in_steps(armature)
        silenced = {"tracks": strips.silence(armature)}
    else:
        action, slot = yield from constrained.bake_in_steps(armature, scene)
        silenced = {"constraints": constrained.silence(armature)}
    action.posewright.silenced = json.dumps(silenced)
    actions.assign(armature, action, slot)


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
    except (AttributeError, KeyError, TypeError, ValueError):  # damaged: what was baked goes on playing
        return False
    actions.assign(armature, None)
    if action.users <= action.use_fake_user:
        bpy.data.actions.remove(action)
    return True
