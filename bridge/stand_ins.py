# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies of an armature that play in its place, so that the user's own is never touched.

A copy follows what the armature follows. Only where that follows the pose of the armature in its turn, such
as the target of a foot that hangs from the hips, it would see the armature's pose and not its own: see
`follows_itself`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from . import actions
from .character.owner import let_stand_for


@contextmanager
def stand_in(armature: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """A copy that plays what the armature plays. What is known of the armature is known of it."""
    copy = armature.copy()  # what in it meant the armature itself means the copy now, ...
    let_stand_for(copy, armature)
    reading = any(target.id == armature for target in _driver_targets(armature.data))
    if reading:  # ... but what its data reads would be read from the armature, which would play along
        copy.data = armature.data.copy()
        for target in _driver_targets(copy.data):
            if target.id == armature:
                target.id = copy
    data: Any = copy.data
    try:
        yield copy
    finally:
        bpy.data.objects.remove(copy)
        if reading:
            bpy.data.armatures.remove(data)


def follows_itself(armature: bpy.types.Object) -> bool:
    """Whether something that poses the armature is posed by it, also by way of others.

    What hangs from an armature that stays where it is, as pins do, hangs from where its copies are, too.
    """
    stays = all(curve.data_path.startswith("pose.") for curve in actions.curves_of(armature))
    steady = armature if stays else None
    seen: set[bpy.types.ID] = set()
    ahead = set(_followed(armature, steady)) - {armature}
    while ahead:
        seen |= ahead
        ahead = {each for thing in ahead for each in _followed(thing, steady)} - seen
    return armature in seen


def _followed(thing: Any, steady: bpy.types.Object | None) -> Iterator[bpy.types.ID]:
    """What an object or its data takes its place, pose or values from, besides where something steady is."""
    owners: list[Any] = [thing]
    if isinstance(thing, bpy.types.Object):
        if thing.parent is not None and (thing.parent != steady or thing.parent_type != "OBJECT"):
            yield thing.parent
        bones = () if thing.pose is None else thing.pose.bones
        yield from _targets(each for owner in (thing, *bones) for each in owner.constraints)
        owners.append(thing.data)
    for owner in owners:
        yield from (each.id for each in _driver_targets(owner) if each.id not in (None, *owners))


def _driver_targets(owner: Any) -> Iterator[Any]:
    data = getattr(owner, "animation_data", None)
    for curve in () if data is None else data.drivers:
        for variable in curve.driver.variables:
            yield from variable.targets


def _targets(constraints: Iterable[Any]) -> Iterator[bpy.types.ID]:
    for constraint in constraints:
        several = getattr(constraint, "targets", None)
        for each in (constraint,) if several is None else several:
            for found in (getattr(each, "target", None), getattr(each, "pole_target", None)):
                if found is not None:
                    yield found
