# SPDX-License-Identifier: GPL-3.0-or-later
"""What lets a layer of detail play with its own reduced action and with no other.

An armature's NLA tracks play with whatever action it has. So the strength of a layer is written on the
reduced action, as a custom property with a name of its own, and a driver takes the strip's influence from the
action that plays: where that has no such property, the layer is silent. The same goes for the way the action
is blended. All of it is plain data that works without the add-on, though Blender evaluates such drivers after
the animation, one update late; `settle` writes at once what they will say.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import bpy

from ... import actions
from . import unkeyed

STRENGTH = f"{actions.MARK}detail"
BLENDING = "animation_data.action_blend_type"
COMBINE: int = bpy.types.AnimData.bl_rna.properties["action_blend_type"].enum_items["COMBINE"].value


def new_gate() -> str:
    return uuid.uuid4().hex[:8]


def _property(gate: str) -> str:
    return f"{STRENGTH}_{gate}"


def set_strength(action: bpy.types.Action, gate: str, strength: float, *, combined: bool = True) -> None:
    """How strongly the layer plays while this action does, and whether the action is combined with it."""
    forget(action)
    for name in (STRENGTH, _property(gate)) if combined else (_property(gate),):
        action[name] = strength
    action.update_tag()  # drivers read Blender's evaluated copy, which custom properties alone do not renew


def opens_one(action: bpy.types.Action) -> bool:
    """Whether a layer plays on top of an action."""
    return any(name.startswith(STRENGTH) and action[name] > 0.0 for name in action.keys())  # noqa: SIM118


def forget(action: bpy.types.Action) -> None:
    """Take what opens gates away from an action."""
    for name in [name for name in action.keys() if name.startswith(STRENGTH)]:  # noqa: SIM118
        del action[name]


def strips_of(owner: Any, gate: str | None = None) -> Iterator[tuple[Any, Any]]:
    """Tracks and strips of one layer, or of all of them."""
    data = owner.animation_data
    for track in () if data is None else data.nla_tracks:
        for strip in track.strips:
            found = "" if strip.action is None else strip.action.posewright.gate
            if found and gate in (None, found):
                yield track, strip


def are_combined(blends: str, strip_blending: str) -> bool:
    """Whether an action that is blended so is combined with a strip that is blended so."""
    return blends == "COMBINE" or blends == strip_blending == "REPLACE"


def is_combined(strip: Any) -> bool:
    """Whether the action that plays is combined with the strip of a layer."""
    return are_combined(strip.action.posewright.blends, strip.blend_type)


def turns_to_combine(strip: Any) -> bool:
    """Whether the action is combined with the strip of a layer only while that plays."""
    return strip.action.posewright.blends == "REPLACE" and is_combined(strip)


def attach(owner: Any, track: Any, strip: Any) -> None:
    """Let the action that plays say how strongly a strip does."""
    strip.use_animated_influence = True
    strip.fcurves.find("influence").keyframe_points.clear()
    layer = strip.action.posewright
    if owner.override_library is not None:
        return  # Blender does not keep drivers that were added to an override
    path = f'animation_data.nla_tracks["{track.name}"].strips["{strip.name}"].influence'
    drive(owner, path, _property(layer.gate), "strength > 0" if layer.resets else "strength")
    if turns_to_combine(strip) and not _drivers(owner, STRENGTH):
        drive(owner, BLENDING, STRENGTH, f"{COMBINE} * (strength > 0)")


def detach(owner: Any, gate: str, residual: bpy.types.Action | None) -> None:
    """Remove a layer and what drives it, also where some of its tracks were deleted.

    Args:
        residual: knows how the action was blended before; None if it was deleted, or of what came along.
    """
    data, layer = owner.animation_data, list(strips_of(owner, gate))
    turned = any(turns_to_combine(strip) for _, strip in layer)
    for track, strip in layer:
        track.strips.remove(strip)
        if not len(track.strips):  # else it was cut in two, or the user has put more on the track
            data.nla_tracks.remove(track)
    for curve in _drivers(owner, _property(gate)):
        data.drivers.remove(curve)
    if any(strips_of(owner)):
        return  # and the action is blended for those
    unkeyed.bring_back(owner)
    turning = _drivers(owner, STRENGTH)
    for curve in turning:
        data.drivers.remove(curve)
    if residual is not None:
        known = residual.posewright
        data.action_blend_type = known.blending_before or known.blends
        if data.action_influence == known.influence:  # else it was chosen since
            data.action_influence = known.influence_before
    elif turned or turning:
        data.action_blend_type = "REPLACE"  # what alone is turned to combining


def settle(owner: Any) -> None:
    """Bring all layers to what the action that plays says about them."""
    data = owner.animation_data
    action = None if data is None else data.action
    for _, strip in strips_of(owner):
        layer = strip.action.posewright
        strength = 0.0 if action is None else float(action.get(_property(layer.gate), 0.0))
        wanted = float(strength > 0.0) if layer.resets else strength
        if strip.influence != wanted:  # writing lets the scene be evaluated again
            strip.influence = wanted
        if turns_to_combine(strip):
            opened = action is not None and action.get(STRENGTH, 0.0) > 0.0
            blending = "COMBINE" if opened else "REPLACE"
            if data.action_blend_type != blending:
                data.action_blend_type = blending


def play_alone(owner: Any) -> list[Any]:
    """Let layers play and nothing else of the NLA; the strips that were silenced for it."""
    data, own = owner.animation_data, {strip for _, strip in strips_of(owner)}
    others = [strip for track in data.nla_tracks for strip in track.strips if strip not in own]
    silenced = [strip for strip in others if not strip.mute]
    for strip in silenced:
        strip.mute = True
    data.use_nla = True
    return silenced


def drive(owner: Any, path: str, name: str, expression: str) -> Any:
    """A driver that needs no Python: Blender evaluates such expressions itself."""
    driver = owner.driver_add(path).driver
    driver.type = "SCRIPTED"
    variable = driver.variables.new()
    variable.name = "strength"
    target = variable.targets[0]
    target.id_type = owner.id_type
    target.id = owner
    target.data_path = f'animation_data.action["{name}"]'
    target.use_fallback_value = True
    target.fallback_value = 0.0
    driver.expression = expression
    return driver


def _drivers(owner: Any, name: str) -> list[Any]:
    """The drivers that read a property of the action."""
    path = f'animation_data.action["{name}"]'
    return [
        curve
        for curve in owner.animation_data.drivers
        if any(target.data_path == path for each in curve.driver.variables for target in each.targets)
    ]
