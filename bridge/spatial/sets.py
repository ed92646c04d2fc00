# SPDX-License-Identifier: GPL-3.0-or-later
"""Making, changing and removing spatial sets and keys, and the objects that stand for them in the scene."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import bpy
import numpy as np
from mathutils import Vector

from ...core import InputError
from .. import actions

RED = (1.0, 0.08, 0.05, 1.0)
YELLOW = (1.0, 0.78, 0.05, 1.0)

# Sizes of the empties as a share of the character's height.
CURSOR_SIZE = 0.05
MARKER_SIZE = 0.03

_SHARE = re.compile(r"posewright\.spatial\.sets\[(\d+)\]\.influence")

# Cursors and markers that were deleted in the viewport, by the numbers that Blender gives data in a session.
# The pointers to them stay as they are: undo does not bring back what was changed after its step was made.
_deleted: set[int] = set()


def settings_of(armature: bpy.types.Object) -> bpy.types.PropertyGroup:
    return armature.posewright.spatial


def is_character(thing: bpy.types.ID | None) -> bool:
    return isinstance(thing, bpy.types.Object) and thing.type == "ARMATURE" and thing.pose is not None


def character_of(thing: bpy.types.Object | None) -> bpy.types.Object | None:
    """The armature that is meant when `thing` is active: itself, or the one whose marker or cursor it is."""
    if is_character(thing):
        return thing
    owner = thing.parent if thing is not None else None
    if is_character(owner) and thing in set(objects_of(owner)):
        return owner
    return None


def active_set(armature: bpy.types.Object) -> bpy.types.PropertyGroup | None:
    settings = settings_of(armature)
    return _at(settings.sets, settings.set_index)


def active_key(spatial_set: bpy.types.PropertyGroup) -> bpy.types.PropertyGroup | None:
    return _at(spatial_set.keys, spatial_set.key_index)


def show_in_list(thing: bpy.types.Object) -> None:
    """Make the set and the key active that a cursor or marker belongs to."""
    armature = character_of(thing)
    if armature is None or armature == thing or armature.library is not None:
        return
    settings = settings_of(armature)
    for set_index, spatial_set in enumerate(settings.sets):
        markers = [key.marker for key in spatial_set.keys]
        if thing in markers:
            spatial_set.key_index = markers.index(thing)
        if thing in markers or spatial_set.cursor == thing:
            settings.set_index = set_index
            return


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


def _in_use(thing: bpy.types.Object | None) -> bpy.types.Object | None:
    return None if thing is None or thing.session_uid in _deleted else thing


def cursor_of(armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup) -> bpy.types.Object:
    """The control cursor, made anew if it was deleted."""
    if cursor_in_use(spatial_set) is None:
        spatial_set.cursor = _new_cursor(armature, spatial_set)
        bpy.context.view_layer.update()  # or it would seem to be at the world's origin
    return spatial_set.cursor


def renew_cursors(armature: bpy.types.Object) -> None:
    """Make the cursors that were deleted, so that the character can be performed again."""
    for spatial_set in settings_of(armature).sets:
        if usable_keys(spatial_set) and not armature.override_library:
            cursor_of(armature, spatial_set)


def without_cursor(spatial_set: bpy.types.PropertyGroup) -> str:
    return (
        f'The control cursor of "{spatial_set.name}" was deleted: '
        "Perform, Set Key or turning Live on makes a new one."
    )


def objects_of(armature: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """The cursors and markers of all its sets, also those that were deleted in the viewport."""
    for spatial_set in settings_of(armature).sets:
        if spatial_set.cursor is not None:
            yield spatial_set.cursor
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
            f"{armature.name} is a duplicate and still uses the markers of {original.name}: "
            "press Make Own Markers in the Perform panel."
        )


def refuse_driven(armature: bpy.types.Object, cursor: bpy.types.Object) -> None:
    """Refuse to move a cursor by hand that something else moves."""
    if cursor.library is not None:
        raise InputError(
            f'"{cursor.name}" is linked from another file: make a library override of it as well.'
        )
    data = cursor.animation_data
    driven = data is not None and (data.action is not None or len(data.drivers))
    if driven or len(cursor.constraints) or cursor.parent != armature:
        raise InputError(
            f'"{cursor.name}" is moved by animation, a constraint or another parent: use Bake '
            "Cursor, or clear that to move it by hand."
        )


def usable_keys(spatial_set: bpy.types.PropertyGroup) -> list[bpy.types.PropertyGroup]:
    """The keys that still have their marker and their pose: both can be deleted behind our back."""
    return [key for key in spatial_set.keys if is_usable(key)]


def is_usable(key: bpy.types.PropertyGroup) -> bool:
    return marker_in_use(key) is not None and key.pose is not None


def place_of(armature: bpy.types.Object, thing: bpy.types.Object) -> np.ndarray:
    """Where a marker, cursor or target is, in the space of the armature object."""
    return np.array(armature.matrix_world.inverted_safe() @ thing.matrix_world.translation)


def move_to(armature: bpy.types.Object, thing: bpy.types.Object, place: Iterable[float]) -> None:
    """Put a marker or cursor at a place in the space of the armature object."""
    if thing.parent == armature and thing.parent_type == "OBJECT":
        thing.location = thing.matrix_parent_inverse.inverted_safe() @ Vector(place)
    else:
        world = thing.matrix_world.copy()
        world.translation = armature.matrix_world @ Vector(place)
        thing.matrix_world = world


def add_set(armature: bpy.types.Object, name: str) -> bpy.types.PropertyGroup:
    """A new set, its red cursor in front of the character."""
    settings = settings_of(armature)
    spatial_set = settings.sets.add()
    spatial_set.name = _unused(name, (other.name for other in settings.sets[:-1]))
    spatial_set.cursor = _new_cursor(armature, spatial_set)
    settings.set_index = len(settings.sets) - 1
    return spatial_set


def keep_name_unused(spatial_set: bpy.types.PropertyGroup) -> None:
    """Sets are told apart by their names: one that was renamed to the name of another gets a number."""
    others = [other.name for other in settings_of(spatial_set.id_data).sets if other != spatial_set]
    if spatial_set.name in others:
        spatial_set.name = _unused(spatial_set.name, others)


def keep_key_name_unused(key: bpy.types.PropertyGroup) -> None:
    """Keys of a set are called by their names, so one that lost its name or took another's gets its own."""
    for spatial_set in settings_of(key.id_data).sets:
        others = [other.name for other in spatial_set.keys if other != key]
        if len(others) < len(spatial_set.keys) and (not key.name or key.name in others):
            key.name = _unused(key.name or "Pose", others)


def remove_set(armature: bpy.types.Object, index: int) -> None:
    settings = settings_of(armature)
    spatial_set = settings.sets[index]
    for key_index in reversed(range(len(spatial_set.keys))):
        remove_key(spatial_set, key_index)
    if spatial_set.cursor is not None:
        bpy.data.objects.remove(spatial_set.cursor)
    _drop_keyed_share(armature, index)
    settings.sets.remove(index)
    settings.set_index = max(0, min(settings.set_index, len(settings.sets) - 1))
    if settings.sets and not any(other.influence > 0.0 for other in settings.sets):
        settings.sets[settings.set_index].influence = 1.0


def _drop_keyed_share(armature: bpy.types.Object, index: int) -> None:
    """Sets are numbered in the paths of their keyed shares: those behind a removed one move up."""
    matches = {_SHARE.fullmatch(curve.data_path): curve for curve in actions.curves_of(armature)}
    shares = {int(match[1]): curve for match, curve in matches.items() if match is not None}
    for number, curve in sorted(shares.items()):
        if number == index:
            actions.bag_of(armature.animation_data.action, actions.slot_of(armature)).fcurves.remove(curve)
        elif number > index:
            curve.data_path = f"posewright.spatial.sets[{number - 1}].influence"


def add_key(
    armature: bpy.types.Object,
    spatial_set: bpy.types.PropertyGroup,
    pose: bpy.types.Action,
    place: Iterable[float],
    name: str,
) -> bpy.types.PropertyGroup:
    """A new key with its yellow marker; `pose` becomes the key's own."""
    at = Vector(place)
    refuse_taken_place(armature, spatial_set, at)
    key = spatial_set.keys.add()
    key.marker = _empty(armature, name, at, MARKER_SIZE, YELLOW)
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


def duplicate_key(
    armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup, key: bpy.types.PropertyGroup
) -> bpy.types.PropertyGroup:
    """The same pose beside the original, ready to be moved and changed."""
    step = Vector((4.0 * MARKER_SIZE * height_of(armature), 0.0, 0.0))
    place, name, pose = Vector(place_of(armature, key.marker)), key.name, plain_copy(key.pose)
    while _taken(armature, spatial_set, place):
        place += step
    return add_key(armature, spatial_set, pose, place, name)


def set_mirrored_key(
    armature: bpy.types.Object,
    spatial_set: bpy.types.PropertyGroup,
    key: bpy.types.PropertyGroup,
    pose: bpy.types.Action,
    place: Iterable[float],
    name: str,
) -> None:
    """Add a key's mirror image, or bring it up to date where it was made before and still has its name."""
    if (Vector(place_of(armature, key.marker)) - Vector(place)).length < _near(armature):
        raise InputError(
            f'The key "{key.name}" is in the middle, so its mirror image would be at the same place: move '
            "its marker to one side first."
        )
    before = next((each for each in usable_keys(spatial_set) if each.name == name and each != key), None)
    if before is None:
        refuse_taken_place(armature, spatial_set, place)
        add_key(armature, spatial_set, pose, place, name)
    else:
        replace_pose(before, pose)
        move_to(armature, before.marker, place)


def name_data_like_key(key: bpy.types.PropertyGroup) -> None:
    if key.marker is not None and not key.marker.library:
        key.marker.name = key.name
    if key.pose is not None and not key.pose.library and key.pose.asset_data is None:
        key.pose.name = f"{key.id_data.name} {key.name}"


def bring_into_scene(armature: bpy.types.Object, scene: bpy.types.Scene) -> int:
    """Show cursors and markers that are in no collection of the scene.

    They came along with a character that was appended, or were deleted in the viewport.
    """
    missing = [thing for thing in objects_of(armature) if thing.name not in scene.objects]
    for thing in missing:
        put_beside(armature, thing, scene)
    return len(missing)


def put_beside(armature: bpy.types.Object, thing: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Into the character's collection, so that they travel together when it is appended or linked."""
    home = next((home for home in armature.users_collection if home.library is None), scene.collection)
    home.objects.link(thing)


def height_of(armature: bpy.types.Object) -> float:
    """The largest extent of the character at rest, in its own space."""
    ends = _rest_ends(armature)
    return float(max(np.ptp(ends, axis=0).max(), 1e-3)) if len(ends) else 1.0


def refuse_taken_place(
    armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup, place: Iterable[float]
) -> None:
    taken = _taken(armature, spatial_set, Vector(place))
    if taken is not None:
        raise InputError(
            f'The key "{taken.name}" is already at this place: move the cursor away to set another key, '
            "or update that one."
        )


def _taken(
    armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup, place: Vector
) -> bpy.types.PropertyGroup | None:
    near = _near(armature)
    for key in usable_keys(spatial_set):
        if (Vector(place_of(armature, key.marker)) - place).length < near:
            return key
    return None


def _near(armature: bpy.types.Object) -> float:
    """Below this distance two places are one."""
    return 1e-4 * height_of(armature)


def _at(collection: bpy.types.bpy_prop_collection, index: int) -> bpy.types.PropertyGroup | None:
    return collection[index] if 0 <= index < len(collection) else None


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


def _empty(
    armature: bpy.types.Object, name: str, place: Iterable[float], size: float, colour: tuple[float, ...]
) -> bpy.types.Object:
    if not any(thing.users_collection for thing in objects_of(armature)):
        # Appended without its cursors and markers: beside a new one the others would seem to be deleted.
        bring_into_scene(armature, bpy.context.scene)
    empty = bpy.data.objects.new(name, None)
    empty.empty_display_type = "SPHERE"
    empty.empty_display_size = size * height_of(armature)
    empty.color = colour
    empty.show_in_front = True
    empty.parent = armature
    empty.location = Vector(place)
    put_beside(armature, empty, bpy.context.scene)
    return empty


def _new_cursor(armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup) -> bpy.types.Object:
    return _empty(armature, f"{spatial_set.name} cursor", _in_front_of(armature), CURSOR_SIZE, RED)


def _rest_ends(armature: bpy.types.Object) -> np.ndarray:
    bones = armature.data.bones
    ends = np.empty((2, len(bones) * 3), dtype=np.float32)
    bones.foreach_get("head_local", ends[0])
    bones.foreach_get("tail_local", ends[1])
    return ends.reshape(-1, 3).astype(np.float64)


def _in_front_of(armature: bpy.types.Object) -> Vector:
    """Before the chest: Blender's characters look along -Y."""
    ends = _rest_ends(armature)
    if not len(ends):
        return Vector((0.0, -1.0, 0.0))
    low, high = ends.min(axis=0), ends.max(axis=0)
    front = low[1] - 0.4 * height_of(armature)
    return Vector(((low[0] + high[0]) / 2.0, front, low[2] + 0.7 * (high[2] - low[2])))
