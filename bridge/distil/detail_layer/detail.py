# SPDX-License-Identifier: GPL-3.0-or-later
"""Detail: what the reduced action lost, kept as a layer of its own in the NLA with a strength.

Feet that are held are in the same layer: it then plays in full what brings the keys to where they shall be.

The residual is an action in a strip directly below the active action, and the strip's influence is the
strength. The reduced action is the active one, combined with what is below, and is edited as usual. Where the
user has other NLA tracks, which the active action replaced so far, another strip in between resets them:
without it they would shine through. `detail_gate` sees to it that all this plays with this action alone.

Where the active action is mixed with these tracks instead, or added to them, its blending stays, and the
strip changes what is below by as much as is missing in the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import bpy
import numpy as np

from ....core import InputError
from ....core.feet.between_frames import at_times
from ....core.motion import FloatArray
from ... import actions, versions
from .. import channels, keying
from ..baked_first import strips
from ..playing import owners
from ..reductions import Reduction
from ..solving.analysis import Analysis
from . import detail_gate, layer_keys, residuals, unkeyed

DETAIL, RESET = "Posewright Detail", "Posewright Reset"
ROUNDS = 100  # before and after its keys, the detail of an action that Cycles modifiers let go on plays on
STATE = ("gate", "residual", "reset")  # what a reduced action knows about its layer


@dataclass(frozen=True, eq=False)
class Difference:
    """What the keys play, and what shall play instead.

    Attributes:
        frames: (F,) all frames of the analysis, and where curves shall be bent the thirds between two.
        wanted, played: (F, C) like the analysis's values.
    """

    frames: FloatArray
    wanted: FloatArray
    played: FloatArray


def has_layer(reduction: Reduction) -> bool:
    """Whether there is one that is whole; its tracks may have been deleted or cut in the NLA Editor."""
    state = reduction.state
    playing = [strip.action for _, strip in detail_gate.strips_of(reduction.armature, state.gate)]
    needed = [state.residual] if state.reset is None else [state.residual, state.reset]
    return all(playing.count(each) == 1 for each in needed)


def is_outdated(reduction: Reduction) -> bool:
    """Whether the layer was made for an action that is blended otherwise."""
    made_for = reduction.state.residual.posewright.influence
    return made_for != reduction.armature.animation_data.action_influence or not _still_blends(reduction)


def _still_blends(reduction: Reduction) -> bool:
    """Whether a layer that was made now would be blended as it is."""
    strip, blending = _layer_strip(reduction), _blending(reduction.armature)
    same_strip = strip.blend_type == _strip_blending(reduction.armature, blending)
    return same_strip and strip.action.posewright.blends == blending


def _layer_strip(reduction: Reduction) -> Any:
    """The strip that plays the residual."""
    layers = detail_gate.strips_of(reduction.armature, reduction.state.gate)
    return next(strip for _, strip in layers if not strip.action.posewright.resets)


def fits(reduction: Reduction) -> bool:
    """Whether the layer was made for the keys as they are."""
    return reduction.state.residual.posewright.baked_print == actions.fingerprint(reduction.curves)


def write(reduction: Reduction, analysis: Analysis, difference: Difference) -> None:
    """The layer for newly baked keys: the one that there is, or a new one, which is silent.

    A duplicated action gets a layer of its own.
    """
    if not has_layer(reduction):
        remove(reduction)  # what is left of one whose tracks were deleted
        _add(reduction, analysis, difference)
    elif _is_shared(reduction):
        reduction.state.gate, reduction.state.residual, reduction.state.reset = "", None, None
        detail_gate.forget(reduction.action)
        _add(reduction, analysis, difference)
    elif not _still_blends(reduction):
        _replace(reduction, analysis, difference)
    else:
        _write(reduction, analysis, difference, _layer_strip(reduction).blend_type)


def _replace(reduction: Reduction, analysis: Analysis, difference: Difference) -> None:
    """A new layer for an action that is blended otherwise by now, and goes on to be."""
    data: Any = reduction.armature.animation_data
    blending = _blending(reduction.armature)
    influence, is_heard = data.action_influence, strips.are_below(reduction.armature)
    remove(reduction)
    if is_heard:
        data.action_blend_type, data.action_influence = blending, influence
    _add(reduction, analysis, difference)


def _add(reduction: Reduction, analysis: Analysis, difference: Difference) -> None:
    blending, state = _blending(reduction.armature), reduction.state
    state.gate = detail_gate.new_gate()
    state.residual = _layer_action(reduction, "detail", blending)
    layer = state.residual.posewright
    layer.influence_before, layer.blending_before = _heard_alone(reduction.armature)
    strip_blending = _strip_blending(reduction.armature, blending)
    _write(reduction, analysis, difference, strip_blending)
    ends = _ends(state.residual, analysis.frames)
    for owner, _ in owners(reduction):
        if not any(detail_gate.strips_of(owner)):
            unkeyed.remember(owner)
        if blending == strip_blending == "REPLACE" and strips.are_below(owner):
            state.reset = state.reset or _reset_action(reduction, analysis)
            _add_strip(owner, RESET, state.reset, ends).extrapolation = "HOLD"
        strip = _add_strip(owner, DETAIL, state.residual, ends)
        strip.blend_type = strip_blending
        strip.extrapolation = "NOTHING"
        for track, each in list(detail_gate.strips_of(owner, state.gate)):
            detail_gate.attach(owner, track, each)
    play(reduction, 0.0)


def _is_shared(reduction: Reduction) -> bool:
    """A copy of a reduced action plays the detail of the one it was made from."""
    state = reduction.state
    return any(
        action.posewright.gate == state.gate and action not in (reduction.action, state.residual, state.reset)
        for action in bpy.data.actions
    )


def played_at(
    reduction: Reduction, analysis: Analysis, strength: float
) -> Callable[[FloatArray], FloatArray]:
    """What the keys and so much of the detail play together: (Q, C) for frames (Q,)."""
    keys = partial(keying.played, reduction.action, analysis)
    if strength <= 0.0:
        return keys
    if not detail_gate.is_combined(_layer_strip(reduction)):

        def mixed(frames: FloatArray) -> FloatArray:
            given = keys(frames)
            return given + strength * (at_times(analysis.values, analysis.frames, frames) - given)

        return mixed
    by_handle, paths = _by_handle(reduction), analysis.paths
    kept, lost = residuals.residuals(by_handle, paths, analysis.values, keys())

    def values(frames: FloatArray) -> FloatArray:
        between = at_times(lost, analysis.frames, frames)
        return residuals.combined(by_handle, paths, keys(frames), kept, between, strength)

    return values


def play(reduction: Reduction, strength: float) -> None:
    """Play the layer so strongly."""
    state = reduction.state
    state.measured_count = 0
    combined = detail_gate.is_combined(_layer_strip(reduction))
    detail_gate.set_strength(reduction.action, state.gate, strength, combined=combined)
    for owner, _ in owners(reduction):
        detail_gate.settle(owner)
        owner.update_tag(refresh={"TIME"})  # else it moves with the next frame only


def remove(reduction: Reduction) -> None:
    """Take the layer, or what is left of it, out of the NLA; the user's own tracks stay as they were."""
    state = reduction.state
    if state.gate:
        for owner in _with_layer(reduction):
            is_own = owner == reduction.armature  # others keep their own way of blending
            detail_gate.detach(owner, state.gate, state.residual if is_own else None)
    detail_gate.forget(reduction.action)
    layers = [action for action in (state.residual, state.reset) if action is not None]
    for name in STATE:
        state.property_unset(name)
    for action in layers:
        if action.users == 0:
            bpy.data.actions.remove(action)


def _with_layer(reduction: Reduction) -> list[Any]:
    """What may have a part of the layer: all that plays the action, and faces that did, deleted ones too."""
    armature, found = reduction.armature, [owner for owner, _ in owners(reduction)]
    faces = (keys for keys in bpy.data.shape_keys if any(detail_gate.strips_of(keys, reduction.state.gate)))
    own = (keys for keys in faces if channels.belongs_to(keys, armature) or not channels.is_seen(keys))
    return [*found, *(keys for keys in own if keys not in found)]


def check(armature: bpy.types.Object) -> None:
    """Refuse where no layer could be played, for those who would lose something before they add one."""
    _blending(armature)


def _blending(armature: bpy.types.Object) -> str:
    """How the armature's action is blended when it has no detail, as far as Blender hears it."""
    data: Any = armature.animation_data
    if not data.use_nla:
        raise InputError(
            "{armature}'s NLA is switched off, so detail cannot be played: switch it on in the NLA Editor.",
            armature=armature.name,
        )
    if not strips.are_below(armature):
        return "REPLACE"
    layers = [strip for _, strip in detail_gate.strips_of(armature)]
    if any(detail_gate.turns_to_combine(strip) for strip in layers):
        return layers[0].action.posewright.blending_before or "REPLACE"
    return data.action_blend_type


def _strip_blending(armature: bpy.types.Object, blending: str) -> str:
    """How the strip of a layer is blended with what is below it.

    Combining takes quaternions to a power, which costs digits: where nothing is below, the strip replaces.
    Where the action replaces a part of what is below alone, that part is changed.
    """
    is_heard = blending == "REPLACE" and strips.are_below(armature)
    return "ADD" if is_heard and armature.animation_data.action_influence < 1.0 else blending


def _heard_alone(armature: bpy.types.Object) -> tuple[float, str]:
    """The influence and the blending of the action, to bring back in the end.

    They are set to what Blender has heard so far: where no strips are below it, Blender plays an action
    alone and at full strength, whatever they are.
    """
    data: Any = armature.animation_data
    layers = [strip.action.posewright for _, strip in detail_gate.strips_of(armature)]
    before = data.action_influence, data.action_blend_type
    if layers:
        before = layers[0].influence_before, layers[0].blending_before or layers[0].blends
    if not strips.are_below(armature):
        if data.action_influence != 1.0:
            data.action_influence = 1.0
        if not layers and data.action_blend_type != "REPLACE":
            data.action_blend_type = "REPLACE"
    return before


def _layer_action(reduction: Reduction, name: str, blending: str) -> bpy.types.Action:
    """An action with the source's channels for a strip of the layer."""
    source = reduction.source
    action = actions.copy_slots(source, reduction.handles, f"{source.name} {name}")
    action.use_fake_user = False
    action.posewright.gate, action.posewright.blends = reduction.state.gate, blending
    return action


def _ends(residual: bpy.types.Action, frames: FloatArray) -> tuple[float, float]:
    """The first and last frame that a layer has to play."""
    first, last = float(frames[0]), float(frames[-1])
    if not any(len(curve.modifiers) for _, bag in actions.bags_in(residual) for curve in bag.fcurves):
        return first, last
    # Whole numbers of frames, so that no digits are lost between the strip's time and the action's.
    more = np.ceil(ROUNDS * (last - first))
    return np.floor(first) - more, np.ceil(last) + more


def _add_strip(owner: Any, name: str, action: bpy.types.Action, ends: tuple[float, float]) -> Any:
    """A strip on a track of its own, on top of the others, that plays the action at its own frames."""
    tracks = owner.animation_data.nla_tracks
    active = tracks.active
    track = tracks.new(prev=tracks[-1]) if len(tracks) else tracks.new()
    tracks.active = active
    track.name = f"{name} {action.posewright.gate}"
    strip = track.strips.new(action.name, int(np.floor(ends[0])), action)
    handle = actions.slot_handle(actions.slot_of(owner))
    versions.play_slot(strip, actions.slot_with_handle(action, handle))
    _stretch(strip, ends)
    return strip


def _stretch(strip: Any, ends: tuple[float, float]) -> None:
    """Let a strip play its action from the first to the last frame, as fast as it is."""
    first, last = ends
    strip.action_frame_start, strip.action_frame_end = first, last
    # Neither end may come past the other on its way.
    strip.frame_end_raw = max(last, strip.frame_end_raw)
    strip.frame_start_raw, strip.frame_end_raw = first, last
    strip.scale = 1.0


def _write(reduction: Reduction, analysis: Analysis, difference: Difference, strip_blending: str) -> None:
    layer, influence = reduction.state.residual, reduction.armature.animation_data.action_influence
    wanted, played = difference.wanted, difference.played
    is_combined = detail_gate.are_combined(layer.posewright.blends, strip_blending)
    given = _by_handle(reduction), analysis.paths, wanted, played, influence
    if is_combined:
        kept, values = residuals.residuals(*given)
    else:
        kept, values = residuals.changes_below(*given, layer.posewright.blends)
    layer.posewright.influence = influence
    layer.posewright.baked_print = actions.fingerprint(reduction.curves)
    layer_keys.write_columns(layer, analysis, kept, difference.frames, values)
    exact = not is_combined or influence == 1.0
    layer_keys.mute_unchanged(layer, analysis, np.all(wanted == played, axis=0) & exact)
    ends = _ends(layer, analysis.frames)
    for owner, _ in owners(reduction):
        for _, strip in detail_gate.strips_of(owner, reduction.state.gate):
            _stretch(strip, ends)


def _reset_action(reduction: Reduction, analysis: Analysis) -> bpy.types.Action:
    """One key a channel that does nothing."""
    action = _layer_action(reduction, "reset", "REPLACE")
    action.posewright.resets = True
    same = np.zeros((1, len(analysis.paths)))
    kept, values = residuals.residuals(_by_handle(reduction), analysis.paths, same, same)
    layer_keys.write_columns(action, analysis, kept, analysis.frames[:1], values)
    return action


def _by_handle(reduction: Reduction) -> dict[int, Any]:
    return {handle: owner for owner, handle in owners(reduction)}
