# SPDX-License-Identifier: GPL-3.0-or-later
"""What moves an armature from outside, by constraints, drivers or as a parent, and from when to when."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import bpy

from ... import actions, character
from ...sampling import whole_ends
from . import strips

FRAME = re.compile(r"\bframe\b")  # what an expression calls the time


def frames_of_what_moves(armature: bpy.types.Object, scene: bpy.types.Scene) -> range:
    """From the first to the last key of what moves the armature; those of the scene where that has no end.

    A scene is often longer than what plays in it, or shorter, as after the import of a long capture.
    """
    always = (float(scene.frame_start), float(scene.frame_end))
    found = [span or always for thing in _movers(armature) for span in _spans(thing)] or [always]
    first, last = whole_ends(min(span[0] for span in found), max(span[1] for span in found))
    return range(first, max(last, first + 1) + 1)


def targets_of(constraint: Any) -> list[bpy.types.Object]:
    """The objects that a constraint looks at."""
    targets = [getattr(constraint, "target", None), getattr(constraint, "pole_target", None)]
    targets += [each.target for each in getattr(constraint, "targets", ())]
    return [target for target in targets if target is not None]


def says_the_time(driver: Any) -> bool:
    return driver.type == "SCRIPTED" and FRAME.search(driver.expression) is not None


def _movers(armature: bpy.types.Object) -> list[bpy.types.ID]:
    """The armature, what moves it, and what moves that."""
    found: list[bpy.types.ID] = [armature]
    for thing in found:
        found += [each for each in dict.fromkeys(_nearest(thing)) if each not in found]
    return found


def _nearest(thing: bpy.types.ID) -> Iterator[bpy.types.ID]:
    """What may move something at first hand: its parent, its curve or shape keys, targets, what drives it."""
    found: list[bpy.types.ID | None] = [getattr(thing, "shape_keys", None)]
    if isinstance(thing, bpy.types.Object):
        found += [thing.parent, thing.data]
        found += [target for each in _constraints(thing) for target in targets_of(each)]
    for driver in _drivers(thing):
        found += [target.id for each in driver.variables for target in each.targets]
    yield from (each for each in found if each is not None)


def _constraints(thing: bpy.types.Object) -> Iterator[Any]:
    """Those of an object and of its bones that work."""
    for owner in (thing, *(() if thing.pose is None else thing.pose.bones)):
        yield from (each for each in owner.constraints if not each.mute)


def _drivers(thing: bpy.types.ID) -> Iterator[Any]:
    """Those of something that work."""
    data = getattr(thing, "animation_data", None)
    yield from (curve.driver for curve in (() if data is None else data.drivers) if not curve.mute)


def _spans(thing: bpy.types.ID) -> Iterator[tuple[float, float] | None]:
    """From when to when something is animated; None for what goes on for ever."""
    moving = [curve for curve in actions.curves_of(thing) if character.changes(curve)]
    if moving:
        keys = actions.key_frames(moving)
        yield (float(keys[0]), float(keys[-1])) if len(keys) else None
    yield from ((strip.frame_start, strip.frame_end) for strip in strips.playing(thing))
    if any(map(_goes_on, moving)) or _goes_by_itself(thing):
        yield None


def _goes_on(curve: Any) -> bool:
    """Whether a curve moves before its first key or after its last."""
    first, last = curve.range()
    ends = ((first, first - 1.0), (last, last + 1.0))
    beyond = any(curve.evaluate(end) != curve.evaluate(outside) for end, outside in ends)
    return beyond or any(not modifier.mute for modifier in curve.modifiers)


def _goes_by_itself(thing: bpy.types.ID) -> bool:
    """Whether time moves something without keys: an expression, physics, or a path."""
    if any(map(says_the_time, _drivers(thing))):
        return True
    if not isinstance(thing, bpy.types.Object):
        return False
    return thing.rigid_body is not None or any(map(_follows_its_time, _constraints(thing)))


def _follows_its_time(constraint: Any) -> bool:
    if constraint.type != "FOLLOW_PATH" or constraint.target is None or constraint.use_fixed_location:
        return False
    path: Any = constraint.target.data
    return not any(curve.data_path == "eval_time" for curve in actions.curves_of(path))
