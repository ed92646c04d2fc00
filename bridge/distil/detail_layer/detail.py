# SPDX-License-Identifier: GPL-3.0-or-later
"""Detail: what the reduced action lost, kept as a layer of its own in the NLA with a strength.

Feet that are held are in the same layer: it then plays in full what brings the keys to where they shall be.

The residual is an action in a strip directly below the active action, and the strip's influence is the
strength. The reduced action is the active one, combined with what is below, and is edited as usual. Where the
user has other NLA tracks, which the active action replaced so far, another strip in between resets them:
without it they would shine through. `detail_gate` sees to it that all this plays with this action alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any

import bpy
import numpy as np

from ....core import InputError
from ....core.motion import FloatArray
from ... import actions, versions
from ...baking import Keys, write_keys
from ..baked_first import strips
from ..playing import owners
from ..reductions import Reduction
from ..solving.analysis import Analysis
from . import detail_gate, residuals

DETAIL, RESET = "Posewright Detail", "Posewright Reset"
ROUNDS = 100  # before and after its keys, the detail of an action that Cycles modifiers let go on plays on
STATE = ("gate", "residual", "reset")  # what a reduced action knows about its layer


def has_layer(reduction: Reduction) -> bool:
    """Whether there is one; its track may have been deleted in the NLA Editor."""
    gate = reduction.state.gate
    return bool(gate) and any(detail_gate.strips_of(reduction.armature, gate))


def is_outdated(reduction: Reduction) -> bool:
    """Whether the layer was made for another influence of the action."""
    made_for = reduction.state.residual.posewright.influence
    return made_for != reduction.armature.animation_data.action_influence


def fits(reduction: Reduction) -> bool:
    """Whether the layer was made for the keys as they are."""
    return reduction.state.residual.posewright.baked_print == actions.fingerprint(reduction.curves)


def add(reduction: Reduction, analysis: Analysis, wanted: FloatArray, played: FloatArray) -> None:
    """Make the layer that brings what the reduced action plays to what is wanted; it is silent.

    Args:
        wanted, played: (F, C) like the analysis's values.
    """
    blending = _blending(reduction.armature)
    remove(reduction)  # what is left of one whose track was deleted
    state = reduction.state
    state.gate = detail_gate.new_gate()
    state.residual = _layer_action(reduction, "detail", blending)
    state.residual.posewright.influence_before = _heard_influence(reduction.armature)
    _write(reduction, analysis, wanted, played)
    ends = _ends(state.residual, analysis.frames)
    for owner, _ in owners(reduction):
        if blending == "REPLACE" and strips.play(owner):
            state.reset = state.reset or _reset_action(reduction, analysis)
            _add_strip(owner, RESET, state.reset, ends).extrapolation = "HOLD"
        strip = _add_strip(owner, DETAIL, state.residual, ends)
        # Combining takes quaternions to a power, which costs digits: where nothing is below, replace.
        strip.blend_type = blending
        strip.extrapolation = "NOTHING"
        for track, each in list(detail_gate.strips_of(owner, state.gate)):
            detail_gate.attach(owner, track, each)
    play(reduction, 0.0)


def write(reduction: Reduction, analysis: Analysis, wanted: FloatArray, played: FloatArray) -> None:
    """The layer for newly baked keys; for a duplicated action, a layer of its own, silent like a new one."""
    if not has_layer(reduction):
        add(reduction, analysis, wanted, played)
    elif _is_shared(reduction):
        reduction.state.gate, reduction.state.residual, reduction.state.reset = "", None, None
        detail_gate.forget(reduction.action)
        add(reduction, analysis, wanted, played)
    else:
        _write(reduction, analysis, wanted, played)


def _is_shared(reduction: Reduction) -> bool:
    """A copy of a reduced action plays the detail of the one it was made from."""
    state = reduction.state
    return any(
        action.posewright.gate == state.gate and action not in (reduction.action, state.residual, state.reset)
        for action in bpy.data.actions
    )


def with_share(reduction: Reduction, analysis: Analysis, played: FloatArray, strength: float) -> FloatArray:
    """(F, C) what the keys and so much of the detail play together."""
    return residuals.with_share(_by_handle(reduction), analysis.paths, analysis.values, played, strength)


def play(reduction: Reduction, strength: float) -> None:
    """Play the layer so strongly."""
    state = reduction.state
    state.measured_count = 0
    detail_gate.set_strength(reduction.action, state.gate, strength)
    for owner, _ in owners(reduction):
        detail_gate.settle(owner)
        owner.update_tag(refresh={"TIME"})  # else it moves with the next frame only


def remove(reduction: Reduction) -> None:
    """Take the layer out of the NLA; the user's own tracks stay as they were."""
    state = reduction.state
    if state.gate:
        for owner, _ in owners(reduction):
            detail_gate.detach(owner, state.gate)
    detail_gate.forget(reduction.action)
    layers = [action for action in (state.residual, state.reset) if action is not None]
    for name in STATE:
        state.property_unset(name)
    for action in layers:
        if action.users == 0:
            bpy.data.actions.remove(action)


def check(armature: bpy.types.Object) -> None:
    """Refuse where no layer could be played, for those who would lose something before they add one."""
    _blending(armature)


def _blending(armature: bpy.types.Object) -> str:
    """How the armature's action is blended when it has no detail."""
    data: Any = armature.animation_data
    layers = [strip.action.posewright.blends for _, strip in detail_gate.strips_of(armature)]
    blending = layers[0] if layers else data.action_blend_type
    if blending not in ("REPLACE", "COMBINE"):
        raise InputError(
            "{armature}'s action is blended with {blending}, to which no detail "
            "can be added: set its blending to Replace or Combine in the NLA Editor's sidebar.",
            armature=armature.name,
            blending=blending.title(),
        )
    if blending == "REPLACE" and data.action_influence < 1.0 and strips.play(armature):
        raise InputError(
            "{armature}'s action is mixed with tracks of the NLA, to which no detail can be added: set "
            "its influence to 1, or mute the tracks, in the NLA Editor.",
            armature=armature.name,
        )
    if not data.use_nla:
        raise InputError(
            "{armature}'s NLA is switched off, so detail cannot be played: switch it on in the NLA Editor.",
            armature=armature.name,
        )
    return blending


def _heard_influence(armature: bpy.types.Object) -> float:
    """The influence of the action, which is set to what Blender has heard so far, to bring back in the end.

    Where no strips play below it, Blender plays an action at full strength, whatever its influence is.
    """
    data: Any = armature.animation_data
    layers = [strip.action.posewright.influence_before for _, strip in detail_gate.strips_of(armature)]
    before = layers[0] if layers else data.action_influence
    if not strips.play(armature) and data.action_influence != 1.0:
        data.action_influence = 1.0
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
    track = tracks.new(prev=tracks[-1]) if len(tracks) else tracks.new()
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


def _write(reduction: Reduction, analysis: Analysis, wanted: FloatArray, played: FloatArray) -> None:
    layer, data = reduction.state.residual, reduction.armature.animation_data
    kept, values = residuals.residuals(
        _by_handle(reduction), analysis.paths, wanted, played, data.action_influence
    )
    layer.posewright.influence = data.action_influence
    layer.posewright.baked_print = actions.fingerprint(reduction.curves)
    _write_columns(layer, analysis, kept, analysis.frames, values)
    _mute(layer, analysis, np.all(wanted == played, axis=0) & (data.action_influence == 1.0))
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
    _write_columns(action, analysis, kept, analysis.frames[:1], values)
    return action


def _by_handle(reduction: Reduction) -> dict[int, Any]:
    return {handle: owner for owner, handle in owners(reduction)}


def _write_columns(
    action: bpy.types.Action,
    analysis: Analysis,
    columns: Sequence[int],
    frames: FloatArray,
    values: FloatArray,
) -> None:
    """Keys for some channels, of which those that stay the same need one; other channels are removed."""
    wanted = {analysis.paths[column]: place for place, column in enumerate(columns)}
    for handle in dict.fromkeys(path[0] for path in analysis.paths):
        bag: Any = actions.bag_of(action, actions.slot_with_handle(action, handle), create=True)
        curves, places = [], []
        for curve in list(bag.fcurves):
            place = wanted.get((handle, curve.data_path, curve.array_index))
            if place is None:
                bag.fcurves.remove(curve)
                continue
            _keep_cycles(curve)
            curves.append(curve)
            places.append(place)
        found = values[:, places]
        stays = np.ptp(found, axis=0) == 0.0
        for chosen, rows in ((~stays, slice(None)), (stays, slice(1))):
            keys = Keys(frames[rows], found[rows, chosen], interpolation="LINEAR", handle_type="VECTOR")
            write_keys(list(compress(curves, chosen)), keys)


def _mute(action: bpy.types.Action, analysis: Analysis, still: np.ndarray) -> None:
    """Mute properties that the layer does not change: all that plays in a layer takes its time."""
    changed = residuals.whole_properties(analysis.paths, ~still)
    muted = {path for path, changes in zip(analysis.paths, changed, strict=True) if not changes}
    for slot, bag in actions.bags_in(action):
        for curve in bag.fcurves:
            mute = (actions.slot_handle(slot), curve.data_path, curve.array_index) in muted
            if curve.mute != mute:
                curve.mute = mute


def _keep_cycles(curve: Any) -> None:
    """What is lost is lost again in every round, and in each the same."""
    for modifier in list(curve.modifiers):
        if modifier.type != "CYCLES":
            curve.modifiers.remove(modifier)
            continue
        for side in ("mode_before", "mode_after"):
            if getattr(modifier, side) == "REPEAT_OFFSET":
                setattr(modifier, side, "REPEAT")
