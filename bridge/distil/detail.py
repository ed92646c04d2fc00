# SPDX-License-Identifier: GPL-3.0-or-later
"""Detail: what the reduced action lost, kept as a layer of its own in the NLA with a strength.

The residual is an action in a strip directly below the active action. The strip's influence is the strength;
the reduced action is the active one, combined with what is below, and is edited as usual. Where the user has
other NLA tracks, which the active action replaced so far, another strip in between resets them: without it
they would shine through. All of it is plain Blender data that plays without the add-on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

from ...core import InputError
from ...core.motion import FloatArray
from .. import actions
from ..baking import Keys, write_keys
from . import channels, residuals, state
from .analysis import Analysis

DETAIL, RESET = "Posewright Detail", "Posewright Reset"


def has_layer(armature: bpy.types.Object) -> bool:
    """Whether there is one; its track may have been deleted in the NLA Editor."""
    return armature.posewright.residual is not None and any(_tracks(armature, armature))


def add(armature: bpy.types.Object, analysis: Analysis, played: FloatArray) -> None:
    """Make the layer from what the reduced action plays, (F, C) like the analysis's values."""
    asked = armature.posewright
    _check(armature)
    data: Any = armature.animation_data
    asked.blend_before = data.action_blend_type
    handles = state.source_handles(armature)
    asked.residual = actions.copy_slots(
        state.source_of(armature), handles, f"{state.source_of(armature).name} detail"
    )
    asked.residual.use_fake_user = False
    _write(asked.residual, armature, analysis, played)
    for owner in _owners(armature):
        if asked.blend_before == "REPLACE" and any(
            not track.mute for track in owner.animation_data.nla_tracks
        ):
            asked.reset = asked.reset or _reset_action(armature, analysis)
            _add_strip(owner, RESET, asked.reset, analysis.frames).extrapolation = "HOLD"
        strip = _add_strip(owner, DETAIL, asked.residual, analysis.frames)
        # Combining takes quaternions to a power, which costs digits: where nothing is below, replace.
        strip.blend_type = asked.blend_before
        strip.extrapolation = "NOTHING"
        strip.use_animated_influence = True
    set_strength(armature)
    pause(armature, False)


def rewrite(armature: bpy.types.Object, analysis: Analysis, played: FloatArray) -> None:
    """The layer for a newly baked reduced action."""
    _write(_own_residual(armature), armature, analysis, played)


def _own_residual(armature: bpy.types.Object) -> bpy.types.Action:
    """A duplicated armature plays the residual of the one it was made from: then it gets a copy."""
    asked = armature.posewright
    shared = asked.residual
    if not any(other != armature and other.posewright.residual == shared for other in bpy.data.objects):
        return shared
    own = shared.copy()
    for owner in _owners(armature):
        slot = actions.slot_with_handle(own, actions.slot_handle(actions.slot_of(owner)))
        for strip in [strip for track in _tracks(owner, armature) for strip in track.strips]:
            if strip.action == shared:
                strip.action = own
                if actions.HAS_SLOTS:
                    strip.action_slot = slot
    asked.residual = own
    return own


def set_strength(armature: bpy.types.Object) -> None:
    """Bring the strips' influence to the armature's `detail`."""
    for owner in _owners(armature):
        for track in _tracks(owner, armature):
            for strip in track.strips:
                if strip.action == armature.posewright.residual:
                    curve = strip.fcurves.find("influence")
                    write_keys(
                        [curve], Keys(np.array([strip.frame_start]), np.array([[armature.posewright.detail]]))
                    )
        owner.update_tag()


def pause(armature: bpy.types.Object, paused: bool) -> None:
    """While the original plays, the layer is silent and the action is blended as it was."""
    asked = armature.posewright
    if asked.residual is None:
        return
    for owner in _owners(armature):
        owner.animation_data.action_blend_type = asked.blend_before if paused else "COMBINE"
        for track in _tracks(owner, armature):
            track.mute = paused


def remove(armature: bpy.types.Object) -> None:
    """Take the layer out of the NLA; the user's own tracks stay as they were."""
    asked = armature.posewright
    if asked.residual is None:
        return
    for owner in _owners(armature):
        owner.animation_data.action_blend_type = asked.blend_before
        for track in list(_tracks(owner, armature)):
            owner.animation_data.nla_tracks.remove(track)
    for name in ("residual", "reset"):
        action = getattr(asked, name)
        setattr(asked, name, None)
        if action is not None and action.users == 0:
            bpy.data.actions.remove(action)


def _check(armature: bpy.types.Object) -> None:
    data: Any = armature.animation_data
    if data.action_blend_type not in ("REPLACE", "COMBINE"):
        raise InputError(
            f"{armature.name}'s action is blended with {data.action_blend_type.title()}, to which no detail "
            "can be added: set its blending to Replace or Combine in the NLA Editor's sidebar."
        )
    if not data.use_nla:
        raise InputError(
            f"{armature.name}'s NLA is switched off, so detail cannot be played: "
            "switch it on in the NLA Editor."
        )


def _owners(armature: bpy.types.Object) -> list[Any]:
    """The armature and the shape keys that share its actions."""
    asked = armature.posewright
    playing = [action for action in (asked.source, asked.reduced) if action is not None]
    return [armature, *(owner for action in playing for owner in channels.companions(armature, action))]


def _tracks(owner: Any, armature: bpy.types.Object) -> Iterator[Any]:
    """The tracks that hold nothing but what was made here."""
    asked = armature.posewright
    made = [action for action in (asked.residual, asked.reset) if action is not None]
    for track in owner.animation_data.nla_tracks:
        if len(track.strips) and all(strip.action in made for strip in track.strips):
            yield track


def _add_strip(owner: Any, name: str, action: bpy.types.Action, frames: FloatArray) -> Any:
    """A strip on a track of its own, on top of the others, that plays the action at its own frames."""
    tracks = owner.animation_data.nla_tracks
    track = tracks.new(prev=tracks[-1]) if len(tracks) else tracks.new()
    track.name = name
    strip = track.strips.new(name, int(np.floor(frames[0])), action)
    if actions.HAS_SLOTS:
        strip.action_slot = actions.slot_with_handle(action, actions.slot_handle(actions.slot_of(owner)))
    strip.action_frame_start, strip.action_frame_end = float(frames[0]), float(frames[-1])
    strip.frame_start_raw, strip.frame_end_raw = float(frames[0]), float(frames[-1])
    strip.scale = 1.0
    return strip


def _write(
    action: bpy.types.Action, armature: bpy.types.Object, analysis: Analysis, played: FloatArray
) -> None:
    owners = {actions.slot_handle(actions.slot_of(owner)): owner for owner in _owners(armature)}
    kept, values = residuals.residuals(owners, analysis.paths, analysis.values, played)
    _write_columns(action, analysis, kept, analysis.frames, values)


def _reset_action(armature: bpy.types.Object, analysis: Analysis) -> bpy.types.Action:
    """One key a channel that does nothing."""
    handles = state.source_handles(armature)
    source = state.source_of(armature)
    action = actions.copy_slots(source, handles, f"{source.name} reset")
    action.use_fake_user = False
    same = np.zeros((1, len(analysis.paths)))
    owners = {actions.slot_handle(actions.slot_of(owner)): owner for owner in _owners(armature)}
    kept, values = residuals.residuals(owners, analysis.paths, same, same)
    _write_columns(action, analysis, kept, analysis.frames[:1], values)
    return action


def _write_columns(
    action: bpy.types.Action, analysis: Analysis, columns: list[int], frames: FloatArray, values: FloatArray
) -> None:
    """Keys for some channels; the action's other channels are removed."""
    wanted = {analysis.paths[column]: place for place, column in enumerate(columns)}
    for handle in dict.fromkeys(path[0] for path in analysis.paths):
        bag: Any = actions.bag_of(action, actions.slot_with_handle(action, handle), create=True)
        curves, places = [], []
        for curve in list(bag.fcurves):
            place = wanted.get((handle, curve.data_path, curve.array_index))
            if place is None:
                bag.fcurves.remove(curve)
                continue
            for modifier in list(curve.modifiers):
                curve.modifiers.remove(modifier)
            curves.append(curve)
            places.append(place)
        write_keys(curves, Keys(frames, values[:, places], interpolation="LINEAR", handle_type="VECTOR"))
