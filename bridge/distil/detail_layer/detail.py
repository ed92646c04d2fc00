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

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import Any

import bpy
import numpy as np

from ....core import InputError
from ....core.feet.between_frames import at_times, handles_through
from ....core.motion import FloatArray
from ... import actions, versions
from ...baking import Keys, write_keys
from .. import keying
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
    """Whether the layer was made for an action that is blended otherwise."""
    made_for = reduction.state.residual.posewright.influence
    return made_for != reduction.armature.animation_data.action_influence or not _still_blends(reduction)


def _still_blends(reduction: Reduction) -> bool:
    """Whether a layer that was made now would be blended as it is."""
    strip = next(each for _, each in detail_gate.strips_of(reduction.armature, reduction.state.gate))
    blending = _blending(reduction.armature)
    same_strip = _layer_strip(reduction).blend_type == _strip_blending(reduction.armature, blending)
    return same_strip and strip.action.posewright.blends == blending


def _layer_strip(reduction: Reduction) -> Any:
    """The strip that plays the residual; its track may have been deleted in the NLA Editor."""
    layers = detail_gate.strips_of(reduction.armature, reduction.state.gate)
    return next(strip for _, strip in layers if not strip.action.posewright.resets)


def fits(reduction: Reduction) -> bool:
    """Whether the layer was made for the keys as they are."""
    return reduction.state.residual.posewright.baked_print == actions.fingerprint(reduction.curves)


def add(
    reduction: Reduction,
    analysis: Analysis,
    wanted: FloatArray,
    played: FloatArray,
    frames: FloatArray | None = None,
) -> None:
    """Make the layer that brings what the reduced action plays to what is wanted; it is silent.

    Args:
        wanted, played: (F, C) like the analysis's values.
        frames: (F,) of these: all of the analysis, and where curves shall be bent the thirds between two.
    """
    data: Any = reduction.armature.animation_data
    blending = _blending(reduction.armature)
    influence, is_heard = data.action_influence, strips.play(reduction.armature)
    remove(reduction)  # what is left of one whose track was deleted
    if is_heard:
        data.action_blend_type, data.action_influence = blending, influence
    state = reduction.state
    state.gate = detail_gate.new_gate()
    state.residual = _layer_action(reduction, "detail", blending)
    layer = state.residual.posewright
    layer.influence_before, layer.blending_before = _heard_alone(reduction.armature)
    strip_blending = _strip_blending(reduction.armature, blending)
    _write(reduction, analysis, wanted, played, frames, strip_blending)
    ends = _ends(state.residual, analysis.frames)
    for owner, _ in owners(reduction):
        if blending == strip_blending == "REPLACE" and strips.play(owner):
            state.reset = state.reset or _reset_action(reduction, analysis)
            _add_strip(owner, RESET, state.reset, ends).extrapolation = "HOLD"
        strip = _add_strip(owner, DETAIL, state.residual, ends)
        strip.blend_type = strip_blending
        strip.extrapolation = "NOTHING"
        for track, each in list(detail_gate.strips_of(owner, state.gate)):
            detail_gate.attach(owner, track, each)
    play(reduction, 0.0)


def write(
    reduction: Reduction,
    analysis: Analysis,
    wanted: FloatArray,
    played: FloatArray,
    frames: FloatArray | None = None,
) -> None:
    """The layer for newly baked keys; for a duplicated action, a layer of its own, silent like a new one."""
    if not has_layer(reduction):
        add(reduction, analysis, wanted, played, frames)
    elif _is_shared(reduction):
        reduction.state.gate, reduction.state.residual, reduction.state.reset = "", None, None
        detail_gate.forget(reduction.action)
        add(reduction, analysis, wanted, played, frames)
    elif not _still_blends(reduction):
        add(reduction, analysis, wanted, played, frames)
    else:
        _write(reduction, analysis, wanted, played, frames, _layer_strip(reduction).blend_type)


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
    """How the armature's action is blended when it has no detail, as far as Blender hears it."""
    data: Any = armature.animation_data
    if not data.use_nla:
        raise InputError(
            "{armature}'s NLA is switched off, so detail cannot be played: switch it on in the NLA Editor.",
            armature=armature.name,
        )
    if not strips.play(armature):
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
    mixes = blending == "REPLACE" and strips.play(armature) and armature.animation_data.action_influence < 1.0
    return "ADD" if mixes else blending


def _heard_alone(armature: bpy.types.Object) -> tuple[float, str]:
    """The influence and the blending of the action, to bring back in the end.

    They are set to what Blender has heard so far: where no strips play below it, Blender plays an action
    alone and at full strength, whatever they are.
    """
    data: Any = armature.animation_data
    layers = [strip.action.posewright for _, strip in detail_gate.strips_of(armature)]
    before = data.action_influence, data.action_blend_type
    if layers:
        before = layers[0].influence_before, layers[0].blending_before or layers[0].blends
    if not strips.play(armature):
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


def _write(
    reduction: Reduction,
    analysis: Analysis,
    wanted: FloatArray,
    played: FloatArray,
    frames: FloatArray | None,
    strip_blending: str,
) -> None:
    layer, data = reduction.state.residual, reduction.armature.animation_data
    is_combined = detail_gate.are_combined(layer.posewright.blends, strip_blending)
    given = _by_handle(reduction), analysis.paths, wanted, played, data.action_influence
    if is_combined:
        kept, values = residuals.residuals(*given)
    else:
        kept, values = residuals.changes_below(*given, layer.posewright.blends)
    layer.posewright.influence = data.action_influence
    layer.posewright.baked_print = actions.fingerprint(reduction.curves)
    _write_columns(layer, analysis, kept, analysis.frames if frames is None else frames, values)
    exact = not is_combined or data.action_influence == 1.0
    _mute(layer, analysis, np.all(wanted == played, axis=0) & exact)
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
    """Keys for some channels, of which those that stay the same need one; other channels are removed.

    Keys are on frames of the analysis; through what is between them curves are bent.
    """
    thirds = ~np.isin(frames, analysis.frames)
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
        still = Keys(frames[:1], found[:1, stays], interpolation="LINEAR", handle_type="VECTOR")
        write_keys(list(compress(curves, stays)), still)
        write_keys(list(compress(curves, ~stays)), _bent(frames, found[:, ~stays], thirds))


def _bent(frames: FloatArray, values: FloatArray, thirds: np.ndarray) -> Keys:
    """Keys on all frames that are no thirds; curves go through those and are straight elsewhere."""
    whole = ~thirds
    keys = Keys(frames[whole], values[whole], interpolation="LINEAR", handle_type="VECTOR")
    if not thirds.any():
        return keys
    gaps = np.flatnonzero(thirds[1:][whole[:-1]])
    levels = handles_through(keys.values, values[thirds], gaps)
    steps = np.diff(keys.frames, append=keys.frames[-1:]) / 3.0
    times = keys.frames - np.roll(steps, 1), keys.frames + steps
    left, right = (
        np.stack([np.broadcast_to(time[:, None], level.shape), level], axis=2)
        for time, level in zip(times, levels, strict=True)
    )
    ways = np.full(len(keys.frames), "LINEAR")
    ways[gaps] = "BEZIER"
    return replace(keys, left=left, right=right, interpolation=ways.tolist(), handle_type="FREE")


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
