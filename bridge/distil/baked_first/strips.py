# SPDX-License-Identifier: GPL-3.0-or-later
"""What strips of the NLA play together, baked into an action."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import bpy
import numpy as np

from ....core import InputError
from ....core.motion import FloatArray
from ... import actions, character, sampling, stages, versions
from ...actions import Channel
from ...steps import Steps
from ..detail_layer import detail_gate
from . import by_value


def play(armature: bpy.types.Object) -> bool:
    """Whether strips of the NLA animate the armature."""
    return any(playing(armature))


def move(armature: bpy.types.Object) -> bool:
    """Whether they do more than to hold one pose: a single strip of an action in which nothing changes."""
    strips = list(playing(armature))
    return len(strips) > 1 or any(
        strip.use_animated_influence or any(map(character.changes, _curves_of(strip))) for strip in strips
    )


def are_below(owner: Any) -> bool:
    """Whether Blender blends an action with what is below it: muted strips are enough."""
    below = (strip for track in actions.playing_tracks(owner) for strip in track.strips)
    return any(strip.action is None or not strip.action.posewright.gate for strip in below)


def bake_in_steps(armature: bpy.types.Object) -> Steps[tuple[bpy.types.Action, Any]]:
    """A new action, and its slot, with a key on every frame of what the strips play.

    Everything that they animate is baked as it is before constraints and drivers, which go on working. So
    what is seen stays the same, whatever the strips blend and wherever they overlap.
    """
    strips = list(playing(armature))
    channels = _channels(armature, strips)
    if not channels:
        raise InputError(
            "The strips of {armature} move nothing that is there: give it an action.", armature=armature.name
        )
    first = min(strip.frame_start for strip in strips)
    last = max(strip.frame_end for strip in strips)
    begin, end = sampling.whole_ends(first, last)
    frames = np.arange(begin, end + 1.0)
    values = yield from _values_in_steps(armature, channels, frames)
    action, slot = actions.new_action(f"{armature.name} baked", armature)
    by_value.write(armature, action, slot, channels, frames, values)
    return action, slot


def silence(armature: bpy.types.Object) -> dict[str, list[str]]:
    """Mute the tracks that play; what `bring_back` needs to let them play again."""
    ours = {track.name for track, _ in detail_gate.strips_of(armature)}
    tracks = [each for each in armature.animation_data.nla_tracks if each.name not in ours]
    solo = [track for track in tracks if track.is_solo]
    muted = [track for track in tracks if not track.mute]
    for track in solo:
        track.is_solo = False
    for track in muted:
        track.mute = True
    return {"muted": [track.name for track in muted], "solo": [track.name for track in solo]}


def bring_back(armature: bpy.types.Object, silenced: Mapping[str, list[str]]) -> None:
    """Let the tracks play again that are still there."""
    for track in armature.animation_data.nla_tracks if silenced else ():
        if track.name in silenced["muted"]:
            track.mute = False
        if track.name in silenced["solo"]:
            track.is_solo = True


def playing(armature: bpy.types.Object) -> Iterator[Any]:
    """The strips that Blender evaluates, without those of layers of ours."""
    return (strip for strip in actions.playing_strips(armature) if not strip.action.posewright.gate)


def _curves_of(strip: Any) -> list[Any]:
    bag = actions.bag_of(strip.action, versions.played_slot(strip))
    return [] if bag is None else list(bag.fcurves)


def _channels(armature: bpy.types.Object, strips: Sequence[Any]) -> list[Channel]:
    """What the strips animate, and what an action on top of them holds, each once."""
    found: dict[tuple[str, int], Channel] = {}
    below = [curve for strip in strips for curve in _curves_of(strip)]
    for curve in (*below, *actions.curves_of(armature)):
        if not actions.is_muted(curve) and by_value.is_there(armature, curve):
            found.setdefault((curve.data_path, curve.array_index), actions.channel_of(curve))
    return list(found.values())


def _values_in_steps(
    armature: bpy.types.Object, channels: Sequence[Channel], frames: FloatArray
) -> Steps[FloatArray]:
    """(F, C) the channels as Blender evaluates them."""
    values = np.empty((len(frames), len(channels)))
    with stages.evaluation_scene(armature) as scene:
        for row, frame in enumerate(frames.tolist()):
            stages.set_frame(scene, frame)
            values[row] = by_value.read(stages.posed(armature, scene), channels)
            yield (row + 1) / len(frames)
    return values
