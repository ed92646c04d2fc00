# SPDX-License-Identifier: GPL-3.0-or-later
"""One way to an action's F-curves from Blender 4.2 to 5.2.

They are in a *bag* with `fcurves` and `groups`, whether actions have slots or not (`versions.py`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import bpy
import numpy as np

from ..core import InputError
from ..core.motion import FloatArray
from . import curve_keys, versions
from .baking import enum_value
from .steps import Steps, run, shares
from .told_by_keys import what_keys_tell
from .versions import bag_of

# Marks an action that performing made and may go on writing to. What is copied from it is for another use.
PERFORMED = "posewright_performance"
REDUCED = "posewright_reduced"
CURVES_AT_ONCE = 8  # so many are read in a step: each takes much less than a millisecond
ASKED_AT_ONCE = 4000  # so many values between keys are, which take as long
MARK = "posewright_"  # what the names of all our marks on an action begin with


@dataclass(frozen=True)
class Channel:
    """What one F-curve animates, and the group that it is shown in."""

    path: str
    index: int
    group: str = ""


def slot_of(owner: Any) -> Any | None:
    """The slot that animates an ID, or None (always before 4.4)."""
    return versions.played_slot(owner.animation_data)


def slot_handle(slot: Any | None) -> int:
    """A number that stays with the slot when it is renamed and when its action is copied; 0 for none."""
    return 0 if slot is None else slot.handle


def slot_with_handle(action: bpy.types.Action, handle: int) -> Any | None:
    return next((slot for slot in versions.slots_in(action) if slot_handle(slot) == handle), None)


def handle_now(action: bpy.types.Action, stored: int) -> int:
    """What a stored handle is now: a file from before 4.4 has 0, and each of its actions got one slot."""
    slots = versions.slots_in(action)
    return stored if stored or not slots else slot_handle(slots[0])


def bags_in(action: bpy.types.Action) -> Iterator[tuple[Any | None, Any]]:
    """Every slot of an action that has something in it, with its bag."""
    for slot in versions.slots_in(action):
        bag = bag_of(action, slot)
        if bag is not None:
            yield slot, bag


def playing_action(owner: Any) -> bpy.types.Action:
    """The action that animates an ID."""
    data = owner.animation_data
    if data is None or data.action is None:
        raise InputError("{owner} has no action: give it one first.", owner=owner.name)
    return data.action


def curves_of(owner: Any) -> list[Any]:
    """The F-curves that animate an ID, in the order of its action."""
    data = owner.animation_data
    if data is None or data.action is None:
        return []
    bag = bag_of(data.action, slot_of(owner))
    return [] if bag is None else list(bag.fcurves)


def curve_lists_of(owner: Any) -> list[Any]:
    """Every list of F-curves that animates an ID: of its action, of its NLA strips, and of its drivers."""
    data = owner.animation_data
    if data is None:
        return []
    strips = [strip for track in data.nla_tracks for strip in track.strips]
    played = [(data.action, slot_of(owner))]
    played += [(strip.action, versions.played_slot(strip)) for strip in strips]
    # Several strips may play one action, and it should be in the list once.
    bags = {
        (action.session_uid, slot_handle(slot)): bag
        for action, slot in played
        if action is not None and (bag := bag_of(action, slot)) is not None
    }
    return [*(bag.fcurves for bag in bags.values()), data.drivers]


def playing_strips(owner: Any) -> Iterator[Any]:
    """The strips with an action that Blender evaluates for an ID, those inside of others included."""
    for track in playing_tracks(owner):
        yield from _heard_with_inner(track.strips)


def playing_tracks(owner: Any) -> list[Any]:
    """The tracks that Blender evaluates for an ID."""
    data = owner.animation_data
    tracks = list(data.nla_tracks) if data is not None and data.use_nla else []
    solo = [track for track in tracks if track.is_solo]
    return solo or [track for track in tracks if not track.mute]


def _heard_with_inner(strips: Iterable[Any]) -> Iterator[Any]:
    for strip in strips:
        if strip.mute:
            continue
        if strip.action is not None:
            yield strip
        yield from _heard_with_inner(strip.strips)


def animated_paths(owner: Any) -> set[str]:
    """What the action, the NLA strips and the drivers of an ID animate."""
    return {curve.data_path for curves in curve_lists_of(owner) for curve in curves}


def new_action(name: str, owner: Any) -> tuple[bpy.types.Action, Any | None]:
    """An empty action with a slot for `owner`; not assigned to it."""
    action = bpy.data.actions.new(name)
    return action, versions.new_slot(action, owner)


def copy_slots(action: bpy.types.Action, handles: Sequence[int], name: str) -> bpy.types.Action:
    """A copy with the channels of some slots alone, groups and colours included; handles stay the same."""
    copy = action.copy()
    copy.name = name
    for mark in [name for name in copy.keys() if name.startswith(MARK)]:  # noqa: SIM118
        del copy[mark]
    forget_state(copy)
    for slot in versions.slots_in(copy):
        if slot is not None and slot.handle not in handles:
            copy.slots.remove(slot)
    return copy


def forget_state(action: bpy.types.Action) -> None:
    """Make an action an ordinary one: what it knew about its source is gone, what it plays stays."""
    for name in state_names(action):
        action.posewright.property_unset(name)


def state_names(action: bpy.types.Action) -> list[str]:
    """The properties that make up what a reduced action knows."""
    properties = action.posewright.bl_rna.properties
    return [each.identifier for each in properties if not each.is_readonly and each.identifier != "name"]


def assign(owner: Any, action: bpy.types.Action | None, slot: Any | None = None) -> None:
    """Let an action animate an ID, through the slot given."""
    data = owner.animation_data or owner.animation_data_create()
    if data.action != action:
        data.action = action
    if action is not None:
        versions.play_slot(data, slot)


def channel_of(curve: Any) -> Channel:
    return Channel(curve.data_path, curve.array_index, "" if curve.group is None else curve.group.name)


def ensure_curves(bag: Any, channels: Iterable[Channel]) -> list[Any]:
    """The F-curves of the channels, made in their groups where they are missing."""
    found = {(curve.data_path, curve.array_index): curve for curve in bag.fcurves}
    groups = {group.name: group for group in bag.groups}  # looking for a name searches them all

    def new_curve(channel: Channel) -> Any:
        curve = bag.fcurves.new(channel.path, index=channel.index)
        if channel.group:
            if channel.group not in groups:
                groups[channel.group] = bag.groups.new(channel.group)
            curve.group = groups[channel.group]
        return curve

    return [found.get((each.path, each.index)) or new_curve(each) for each in channels]


def replace(action: bpy.types.Action, by: bpy.types.Action) -> None:
    """Let another action take an action's place and its name, wherever it is used."""
    name = action.name
    action.user_remap(by)
    bpy.data.actions.remove(action)
    by.name = name


def is_muted(curve: Any) -> bool:
    """Blender plays no muted curve and none in a muted group."""
    return curve.mute or ((group := curve.group) is not None and group.mute)


def key_points(curve: Any, attribute: str = "co") -> FloatArray:
    """(n, 2) frame and value of all keys of a curve, or of their handles."""
    return curve_keys.read(curve, attribute).astype(np.float64)


def key_frames(curves: Iterable[Any]) -> FloatArray:
    """Ascending frame numbers, sub-frames included, at which any of the curves has a key."""
    # Mostly all have keys on the same frames.
    found = {curve_keys.read(curve, "co")[:, 0].tobytes() for curve in curves}
    return np.unique(np.frombuffer(b"".join(found), np.float32)).astype(np.float64)


def read_values(curves: Sequence[Any], frames: FloatArray) -> FloatArray:
    """(F, C) values of the curves at the frames, as Blender plays them, in one array."""
    return run(read_values_in_steps(curves, frames))


def read_values_in_steps(
    curves: Sequence[Any], frames: FloatArray, *, exactly: bool = True
) -> Steps[FloatArray]:
    """`read_values` in steps: where keys do not tell, Blender is asked for every frame.

    Args:
        exactly: to the last bit, which Bezier curves do not tell.
    """
    known = curve_keys.known_values(curves, frames)
    if known is not None:
        return known
    values = np.empty((len(frames), len(curves)))
    alike, untold = yield from shares(_alike_in_steps(curves), 0.0, 0.5)
    was_rounded = False
    for columns in alike:
        told, found, rounded = what_keys_tell([curves[column] for column in columns], frames, exactly=exactly)
        values[:, columns[told]] = found
        untold += columns[~told].tolist()
        was_rounded = was_rounded or rounded
    moments: list[float] = np.asarray(frames, np.float64).tolist()
    asked = 0
    for done, column in enumerate(untold):
        values[:, column] = [curves[column].evaluate(moment) for moment in moments]
        asked += len(moments)
        if asked > ASKED_AT_ONCE or done % CURVES_AT_ONCE == 0:
            asked = 0
            yield 0.5 + 0.5 * (done + 1) / len(untold)
    if not was_rounded:
        curve_keys.keep_values(curves, frames, values)
    return values


def _alike_in_steps(curves: Sequence[Any]) -> Steps[tuple[list[np.ndarray], list[int]]]:
    """The columns of curves that have keys on the same frames, as mostly all do; and those of the others."""
    alike: dict[bytes, list[int]] = {}
    others: list[int] = []
    for column, curve in enumerate(curves):
        if not len(curve.keyframe_points) or len(curve.modifiers):
            others.append(column)
        else:
            alike.setdefault(curve_keys.read(curve, "co")[:, 0].tobytes(), []).append(column)
        if column % CURVES_AT_ONCE == 0:
            yield (column + 1) / len(curves)
    return [np.array(columns) for columns in alike.values()], others


def fingerprint(curves: Iterable[Any]) -> str:
    """A short text that changes whenever a key, its handles or interpolation, or a channel is changed."""
    digest = new_digest()
    for curve in curves:
        add_to_digest(digest, curve)
    return digest.hexdigest()


def fingerprint_in_steps(curves: Sequence[Any]) -> Steps[str]:
    """`fingerprint` curve by curve."""
    digest = new_digest()
    for done, curve in enumerate(curves):
        add_to_digest(digest, curve)
        if done % CURVES_AT_ONCE == 0:
            yield (done + 1) / len(curves)
    return digest.hexdigest()


def new_digest() -> Any:
    """For a fingerprint that is taken in several goes."""
    return hashlib.blake2b(digest_size=12)


def add_to_digest(digest: Any, curve: Any) -> None:
    modifiers = curve.modifiers
    head = (curve.data_path, curve.array_index, curve.mute, len(modifiers), curve.extrapolation)
    digest.update(repr(head).encode())
    for modifier in modifiers:
        digest.update(repr(modifier_settings(modifier)).encode())
        if points := envelope_points(modifier):
            digest.update(repr(points).encode())
    keys = curve.keyframe_points
    count = len(keys)
    numbers = np.empty(8 * count, np.float32)  # handed over in one go, since there are hundreds of curves
    for place, attribute in enumerate(("co", "handle_left", "handle_right")):
        keys.foreach_get(attribute, numbers[2 * place * count : 2 * (place + 1) * count])
    kinds = numbers.view(np.int32)
    for place, attribute in enumerate(("interpolation", "easing"), 6):
        keys.foreach_get(attribute, kinds[place * count : (place + 1) * count])
    digest.update(numbers)
    # Few have such keys; what the others do not play is not looked at. (`np.isin` takes six times as long.)
    ways = kinds[6 * count : 7 * count]
    if any((ways == way).any() for way in _shaped()):
        shapes = np.empty(3 * count, np.float32)
        for place, attribute in enumerate(("amplitude", "period", "back")):
            keys.foreach_get(attribute, shapes[place * count : (place + 1) * count])
        digest.update(shapes)


@cache
def _shaped() -> list[int]:
    """The interpolations that numbers of their own shape."""
    return [enum_value("interpolation", name) for name in ("ELASTIC", "BACK")]


def envelope_points(modifier: Any) -> list[tuple[float, float, float]]:
    points = getattr(modifier, "control_points", ())
    return [(point.frame, point.min, point.max) for point in points]


def modifier_settings(modifier: Any) -> list[tuple[str, Any]]:
    """What changes how an F-curve modifier plays."""
    values = [
        (each.identifier, getattr(modifier, each.identifier))
        for each in modifier.bl_rna.properties
        if each.type in ("BOOLEAN", "INT", "FLOAT", "ENUM")
        and each.identifier not in ("active", "is_valid", "show_expanded")
    ]
    return [
        (name, value if isinstance(value, bool | int | float | str) else tuple(value))
        for name, value in values
    ]
