# SPDX-License-Identifier: GPL-3.0-or-later
"""Making, changing and removing spatial sets and keys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import combinations

import bpy
from mathutils import Vector

from ....core import InputError
from ... import actions, in_use
from .. import sets
from . import empties

# What single precision still tells apart at a distance of 1, generously.
LEAST_STEP = 1e-5

_SHARE = re.compile(r"posewright\.spatial\.sets\[(\d+)\]\.influence")


def show_in_list(thing: bpy.types.Object) -> None:
    """Make the set and the key active that a cursor or marker belongs to."""
    armature = sets.character_of(thing)
    if armature is None or armature == thing or armature.library is not None:
        return
    settings = sets.settings_of(armature)
    for set_index, spatial_set in enumerate(settings.sets):
        markers = [key.marker for key in spatial_set.keys]
        if thing in markers:
            spatial_set.key_index = markers.index(thing)
        if thing in (*markers, spatial_set.cursor, spatial_set.path):
            settings.set_index = set_index
            return


def add_set(armature: bpy.types.Object, name: str) -> bpy.types.PropertyGroup:
    """A new set, its red cursor in front of the character."""
    settings = sets.settings_of(armature)
    spatial_set = settings.sets.add()
    spatial_set.name = _unused(name, (other.name for other in settings.sets[:-1]))
    spatial_set.cursor = empties.new_cursor(armature, spatial_set)
    settings.set_index = len(settings.sets) - 1
    in_use.begin()
    return spatial_set


def keep_name_unused(spatial_set: bpy.types.PropertyGroup) -> None:
    """Sets are told apart by their names: one that was renamed to the name of another gets a number."""
    others = [other.name for other in sets.settings_of(spatial_set.id_data).sets if other != spatial_set]
    if spatial_set.name in others:
        spatial_set.name = _unused(spatial_set.name, others)


def keep_key_name_unused(key: bpy.types.PropertyGroup) -> None:
    """Keys of a set are called by their names, so one that lost its name or took another's gets its own."""
    for spatial_set in sets.settings_of(key.id_data).sets:
        others = [other.name for other in spatial_set.keys if other != key]
        if len(others) < len(spatial_set.keys) and (not key.name or key.name in others):
            key.name = _unused(key.name or "Pose", others)


def remove_set(armature: bpy.types.Object, index: int) -> None:
    settings = sets.settings_of(armature)
    spatial_set = settings.sets[index]
    for key_index in reversed(range(len(spatial_set.keys))):
        remove_key(spatial_set, key_index)
    for thing in (spatial_set.cursor, spatial_set.path):
        if thing is not None:
            bpy.data.objects.remove(thing)
    count = len(settings.sets)
    _renumber_keyed_shares(armature, {n: n - 1 for n in range(index + 1, count)}, dropped=index)
    settings.sets.remove(index)
    settings.set_index = max(0, min(settings.set_index, len(settings.sets) - 1))
    if settings.sets and not any(other.influence > 0.0 for other in settings.sets):
        settings.sets[settings.set_index].influence = 1.0


def move_set(armature: bpy.types.Object, step: int) -> None:
    """Let the active set change places with the one before or behind it, if there is one."""
    settings = sets.settings_of(armature)
    here, there = settings.set_index, settings.set_index + step
    if not 0 <= there < len(settings.sets):
        return
    settings.sets.move(here, there)
    _renumber_keyed_shares(armature, {here: there, there: here})
    settings.set_index = there


def _renumber_keyed_shares(
    armature: bpy.types.Object, numbers: dict[int, int], *, dropped: int | None = None
) -> None:
    """Let keyed and driven shares stay with their sets, whose numbers are in their paths; one may go."""
    for curves in actions.curve_lists_of(armature):
        for curve in list(curves):
            match = _SHARE.fullmatch(curve.data_path)
            number = None if match is None else int(match[1])
            if number in numbers:
                curve.data_path = f"posewright.spatial.sets[{numbers[number]}].influence"
            elif number is not None and number == dropped:
                curves.remove(curve)


def add_key(
    armature: bpy.types.Object,
    spatial_set: bpy.types.PropertyGroup,
    pose: bpy.types.Action,
    place: Iterable[float],
    name: str,
) -> bpy.types.PropertyGroup:
    """A new key with its yellow marker, at a place that no other key has; `pose` becomes the key's own."""
    refuse_taken_place(armature, spatial_set, place)
    return new_key(armature, spatial_set, pose, place, name)


def new_key(
    armature: bpy.types.Object,
    spatial_set: bpy.types.PropertyGroup,
    pose: bpy.types.Action,
    place: Iterable[float],
    name: str,
) -> bpy.types.PropertyGroup:
    """`add_key` without looking at the places of the others: for many keys that are known to be apart."""
    key = spatial_set.keys.add()
    key.marker = empties.new_marker(armature, name, Vector(place))
    key.pose = pose
    pose.use_fake_user = True
    key.name = _unused(name, (other.name for other in spatial_set.keys[:-1]))
    spatial_set.key_index = len(spatial_set.keys) - 1
    return key


def replace_pose(key: bpy.types.PropertyGroup, pose: bpy.types.Action) -> None:
    """Give a key another pose; the old one goes if nobody else wants it."""
    old = key.pose
    give_pose(key, pose)
    if old is not None:
        _discard_pose(old)


def give_pose(key: bpy.types.PropertyGroup, pose: bpy.types.Action) -> None:
    """Let a pose become a key's own."""
    key.pose = pose
    pose.use_fake_user = True
    name_data_like_key(key)


def plain_copy(pose: bpy.types.Action) -> bpy.types.Action:
    """A copy of a pose that is no asset."""
    copy = pose.copy()
    if copy.asset_data is not None:
        copy.asset_clear()
    return copy


def remove_key(spatial_set: bpy.types.PropertyGroup, index: int) -> None:
    key = spatial_set.keys[index]
    marker, pose = key.marker, key.pose
    spatial_set.keys.remove(index)
    spatial_set.key_index = max(0, min(spatial_set.key_index, len(spatial_set.keys) - 1))
    if marker is not None:
        bpy.data.objects.remove(marker)
    if pose is not None:
        _discard_pose(pose)


def move_key(spatial_set: bpy.types.PropertyGroup, step: int) -> None:
    """Let the active key change places in the list with the one before or behind it, if there is one."""
    there = spatial_set.key_index + step
    if 0 <= there < len(spatial_set.keys):
        spatial_set.keys.move(spatial_set.key_index, there)
        spatial_set.key_index = there


def duplicate_key(
    armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup, key: bpy.types.PropertyGroup
) -> bpy.types.PropertyGroup:
    """The same pose beside the original, ready to be moved and changed."""
    place = Vector(empties.place_of(armature, key.marker))
    empties.refuse_too_far(key.marker, place)
    # Far from the origin a shorter step would be lost in rounding, and never lead anywhere.
    step = max(4.0 * empties.MARKER_SIZE * empties.height_within(armature), LEAST_STEP * max(map(abs, place)))
    while key_at(armature, spatial_set, place):
        place.x += step
    return add_key(armature, spatial_set, plain_copy(key.pose), place, key.name)


def set_mirrored_key(
    armature: bpy.types.Object,
    spatial_set: bpy.types.PropertyGroup,
    key: bpy.types.PropertyGroup,
    pose: bpy.types.Action,
    place: Iterable[float],
    name: str,
) -> None:
    """Add a key's mirror image, or bring it up to date where it was made before and still has its name."""
    if (Vector(empties.place_of(armature, key.marker)) - Vector(place)).length < _near(armature):
        raise InputError(
            'The key "{key}" is in the middle, so its mirror image would be at the same place: move '
            "its marker to one side first.",
            key=key.name,
        )
    before = next((each for each in sets.usable_keys(spatial_set) if each.name == name and each != key), None)
    if before is None:
        refuse_taken_place(armature, spatial_set, place)
        add_key(armature, spatial_set, pose, place, name)
    else:
        replace_pose(before, pose)
        empties.move_to(armature, before.marker, place)


def name_data_like_key(key: bpy.types.PropertyGroup) -> None:
    if key.marker is not None and not key.marker.library:
        key.marker.name = key.name
    if key.pose is not None and not key.pose.library and key.pose.asset_data is None:
        key.pose.name = f"{key.id_data.name} {key.name}"


def refuse_taken_place(
    armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup, place: Iterable[float]
) -> None:
    taken = key_at(armature, spatial_set, place)
    if taken is not None:
        raise InputError(
            'The key "{taken}" is already at this place: move the cursor away to set another key, '
            "or update that one.",
            taken=taken.name,
        )


def refuse_crowded(armature: bpy.types.Object, places: Sequence[tuple[str, Vector]]) -> None:
    """Refuse keys to be, with their names, that are too near to each other for so large a character."""
    near = _near(armature)
    for (name, place), (other, there) in combinations(places, 2):
        if (place - there).length < near:
            raise InputError(
                'The keys "{name}" and "{other}" are too close together for a character as large as '
                "{armature}: move one of them away and export the set again.",
                name=name,
                other=other,
                armature=armature.name,
            )


def key_at(
    armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup, place: Iterable[float]
) -> bpy.types.PropertyGroup | None:
    """The key that is at a place already, if there is one."""
    near, at = _near(armature), Vector(place)
    for key in sets.usable_keys(spatial_set):
        if (Vector(empties.place_of(armature, key.marker)) - at).length < near:
            return key
    return None


def _near(armature: bpy.types.Object) -> float:
    """Below this distance two places are one."""
    return 1e-4 * empties.height_within(armature)


def _unused(name: str, taken: Iterable[str]) -> str:
    """`name`, with the first free number behind it where it is taken."""
    names = set(taken)
    if name not in names:
        return name
    stem = name.rstrip("0123456789").rstrip(". ") or name
    return next(new for n in range(2, len(names) + 3) if (new := f"{stem} {n}") not in names)


def _discard_pose(pose: bpy.types.Action) -> None:
    """Remove a key's pose, unless it is also used elsewhere or is an asset of the Pose Library."""
    others = pose.users - (1 if pose.use_fake_user else 0)
    if others <= 0 and pose.asset_data is None and pose.library is None:
        bpy.data.actions.remove(pose)
