# SPDX-License-Identifier: GPL-3.0-or-later
"""The spatial sets of a character: which there are, which is active, and what of them can be used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from time import perf_counter

import bpy
from bpy.app.translations import pgettext_rpt as rpt_

from ...core import InputError
from .. import everything
from ..character import armature_of, is_stand_in

# How a set acts on bones that other sets move too: by its share beside them, instead of them, or in addition.
BLEND, OVER, ADD = "BLEND", "OVER", "ADD"

# Cursors and markers that were deleted in the viewport, by the numbers that Blender gives data in a session.
# The pointers to them stay as they are: undo does not bring back what was changed after its step was made.
_deleted: set[int] = set()
# Empties that belong to no character, by the same numbers, and until when that is believed: panels ask dozens
# of times for each redraw, and finding it out goes through the file.
_on_their_own: dict[int, float] = {}
BELIEVED = 0.05  # seconds


def settings_of(armature: bpy.types.Object) -> bpy.types.PropertyGroup:
    return armature.posewright.spatial


def is_character(thing: bpy.types.ID | None) -> bool:
    return isinstance(thing, bpy.types.Object) and thing.type == "ARMATURE" and thing.pose is not None


def character_of(thing: bpy.types.Object | None) -> bpy.types.Object | None:
    """The armature that is meant when `thing` is active.

    Itself, the one whose marker or cursor it is, or the one that it is a mesh or a child of.
    """
    if is_character(thing):
        return thing
    if thing is None or thing.type != "EMPTY":
        return armature_of(thing)
    if perf_counter() < _on_their_own.get(thing.session_uid, 0.0):
        return None
    found = _whose_cursor_or_marker(thing) or armature_of(thing)
    _on_their_own.clear()
    if found is None:
        _on_their_own[thing.session_uid] = perf_counter() + BELIEVED
    return found


def _whose_cursor_or_marker(thing: bpy.types.Object) -> bpy.types.Object | None:
    """Nearly always its parent's, but a cursor may be parented to something else, or to nothing."""
    owners = chain([thing.parent], _armatures())
    return next((each for each in owners if is_character(each) and thing in set(objects_of(each))), None)


def _armatures() -> Iterator[bpy.types.Object]:
    """Those of the file, without what stands in for one while it is measured."""
    return (each for each in everything.armatures() if not is_stand_in(each))


def active_set(armature: bpy.types.Object) -> bpy.types.PropertyGroup | None:
    settings = settings_of(armature)
    return _at(settings.sets, settings.set_index)


def active_key(spatial_set: bpy.types.PropertyGroup) -> bpy.types.PropertyGroup | None:
    return _at(spatial_set.keys, spatial_set.key_index)


def remember_deleted(things: Iterable[bpy.types.Object]) -> None:
    """From now on these cursors and markers, and no others, do not count."""
    _deleted.clear()
    _deleted.update(thing.session_uid for thing in things)


def cursor_in_use(spatial_set: bpy.types.PropertyGroup) -> bpy.types.Object | None:
    """The control cursor, unless it was deleted."""
    return _in_use(spatial_set.cursor)


def marker_in_use(key: bpy.types.PropertyGroup) -> bpy.types.Object | None:
    """The marker of a key, unless it was deleted."""
    return _in_use(key.marker)


def path_in_use(spatial_set: bpy.types.PropertyGroup) -> bpy.types.Object | None:
    """The path that the cursor went in the last take, unless there is none or it was deleted."""
    return _in_use(spatial_set.path)


def _in_use(thing: bpy.types.Object | None) -> bpy.types.Object | None:
    return None if thing is None or thing.session_uid in _deleted else thing


def without_cursor(spatial_set: bpy.types.PropertyGroup) -> str:
    return rpt_(
        'The control cursor of "{spatial_set}" was deleted: '
        "Perform, Set Key or turning Live on makes a new one."
    ).format(spatial_set=spatial_set.name)


def objects_of(armature: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """The cursors, paths and markers of all its sets, also those that were deleted in the viewport."""
    for spatial_set in settings_of(armature).sets:
        if spatial_set.cursor is not None:
            yield spatial_set.cursor
        if spatial_set.path is not None:
            yield spatial_set.path
        for key in spatial_set.keys:
            if key.marker is not None:
                yield key.marker


def shared_with(armature: bpy.types.Object) -> bpy.types.Object | None:
    """The character whose cursors and markers this one uses, because it is a duplicate of it."""
    if armature.override_library is not None:
        return None
    for thing in objects_of(armature):
        owner = thing.parent
        if owner != armature and is_character(owner) and thing in set(objects_of(owner)):
            return owner
    return None


def refuse_shared(armature: bpy.types.Object) -> None:
    """Places are meant from the character that a marker belongs to: no two characters can share one."""
    original = shared_with(armature)
    if original is not None:
        raise InputError(
            "{armature} is a duplicate and still uses the markers of {original}: "
            "press Make Own Markers in the Perform panel.",
            armature=armature.name,
            original=original.name,
        )


def usable_keys(spatial_set: bpy.types.PropertyGroup) -> list[bpy.types.PropertyGroup]:
    """The keys that still have their marker and their pose: both can be deleted behind our back."""
    return [key for key in spatial_set.keys if is_usable(key)]


def is_usable(key: bpy.types.PropertyGroup) -> bool:
    return marker_in_use(key) is not None and key.pose is not None


def ready_sets(armature: bpy.types.Object) -> list[bpy.types.PropertyGroup]:
    """The sets that have a cursor and at least one key."""
    return [each for each in settings_of(armature).sets if is_ready(each)]


def is_ready(spatial_set: bpy.types.PropertyGroup) -> bool:
    return cursor_in_use(spatial_set) is not None and bool(usable_keys(spatial_set))


def active_row(armature: bpy.types.Object) -> int:
    """Which of the ready sets is the active one, or the first if that is not ready."""
    names = [each.name for each in ready_sets(armature)]
    active = active_set(armature)
    return names.index(active.name) if active is not None and active.name in names else 0


def refuse_unready(armature: bpy.types.Object) -> None:
    """Refuse a character that has nothing to perform with."""
    refuse_shared(armature)
    if ready_sets(armature):
        return
    for spatial_set in settings_of(armature).sets:
        if usable_keys(spatial_set):
            raise InputError(without_cursor(spatial_set))
    raise InputError(
        "{armature} has no spatial keys: add a spatial set, pose the character and Set Key.",
        armature=armature.name,
    )


def in_rest_position(armature: bpy.types.Object) -> bool:
    """Whether the armature shows its rest position, and so no pose at all."""
    return armature.data.pose_position == "REST"


def rest_position_sentence(armature: bpy.types.Object) -> str:
    return rpt_("{armature} shows its rest position: choose Pose Position in its data properties.").format(
        armature=armature.name
    )


def _at(collection: bpy.types.bpy_prop_collection, index: int) -> bpy.types.PropertyGroup | None:
    return collection[index] if 0 <= index < len(collection) else None
