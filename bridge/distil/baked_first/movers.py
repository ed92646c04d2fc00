# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects that move an armature from outside, by constraints, drivers or as parents, and when they do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import ceil, floor
from typing import Any

import bpy

from ... import actions, character
from ...sampling import SAME_FRAME
from . import strips

FRAME = re.compile(r"\bframe\b")  # what an expression calls the time


def frames_of_what_moves(armature: bpy.types.Object, scene: bpy.types.Scene) -> range:
    """From the first to the last key of what moves the armature; those of the scene where that has no end.

    A scene is often longer than what plays in it, or shorter, as after the import of a long capture.
    """
    always = (float(scene.frame_start), float(scene.frame_end))
    found = [span or always for thing in _movers(armature) for span in _spans(thing)] or [always]
    first, last = min(span[0] for span in found), max(span[1] for span in found)
    return range(floor(first + SAME_FRAME), max(ceil(last - SAME_FRAME), floor(first) + 1) + 1)


def targets_of(constraint: Any) -> list[bpy.types.Object]:
    """The objects that a constraint looks at."""
    targets = [getattr(constraint, "target", None), getattr(constraint, "pole_target", None)]
    targets += [each.target for each in getattr(constraint, "targets", ())]
    return [target for target in targets if target is not None]


def says_the_time(driver: Any) -> bool:
    return driver.type == "SCRIPTED" and FRAME.search(driver.expression) is not None


def _movers(armature: bpy.types.Object) -> list[bpy.types.Object]:
    """The armature, what moves it, and what moves that."""
    found = [armature]
    for thing in found:
        bones = () if thing.pose is None else thing.pose.bones
        nearest = [thing.parent] if thing is not armature else []
        nearest += [
            target for owner in (thing, *bones) for each in owner.constraints for target in targets_of(each)
        ]
        for curve in () if thing.animation_data is None else thing.animation_data.drivers:
            nearest += [target.id for each in curve.driver.variables for target in each.targets]
        for each in nearest:
            if isinstance(each, bpy.types.Object) and each not in found:
                found.append(each)
    return found


def _spans(thing: bpy.types.Object) -> Iterator[tuple[float, float] | None]:
    """From when to when an object is animated; None for what goes on for ever."""
    data = thing.animation_data
    moving = [curve for curve in actions.curves_of(thing) if character.changes(curve)]
    if moving:
        keys = actions.key_frames(moving)
        yield (float(keys[0]), float(keys[-1])) if len(keys) else None
    yield from ((strip.frame_start, strip.frame_end) for strip in strips.playing(thing))
    endless = any(len(curve.modifiers) for curve in moving)
    endless |= data is not None and any(says_the_time(curve.driver) for curve in data.drivers)
    if endless or thing.rigid_body is not None:
        yield None
