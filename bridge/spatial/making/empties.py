# SPDX-License-Identifier: GPL-3.0-or-later
"""Cursors and markers: the empties that stand for spatial sets and keys in the scene."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_
from mathutils import Vector

from ....core import InputError
from ...character import describe, shown, up_and_front
from .. import sets

RED = (1.0, 0.08, 0.05, 1.0)
YELLOW = (1.0, 0.78, 0.05, 1.0)
ORANGE = (1.0, 0.4, 0.05, 1.0)

# Sizes of the empties as a share of the character's height.
CURSOR_SIZE = 0.05
MARKER_SIZE = 0.03

# Where a new cursor is, as shares of it: how far before the character, and how high where there are no hands.
BEFORE = 0.4
CHEST = 0.7

SMALLEST_SCALE = 1e-6

# Nobody performs beyond this, and the squares of it still keep within single precision.
FARTHEST = 1e15


def cursor_of(armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup) -> bpy.types.Object:
    """The control cursor, made anew if it was deleted."""
    if sets.cursor_in_use(spatial_set) is None:
        spatial_set.cursor = new_cursor(armature, spatial_set)
        bpy.context.view_layer.update()  # or it would seem to be at the world's origin
    return spatial_set.cursor


def renew_cursors(armature: bpy.types.Object) -> None:
    """Make the cursors that were deleted, so that the character can be performed again."""
    for spatial_set in sets.settings_of(armature).sets:
        if sets.usable_keys(spatial_set) and not armature.override_library:
            cursor_of(armature, spatial_set)


def refuse_driven(armature: bpy.types.Object, cursor: bpy.types.Object) -> None:
    """Refuse to move a cursor by hand that something else moves."""
    _refuse_linked(cursor)
    if stands_still(cursor):
        raise InputError(standing_still(cursor))
    data = cursor.animation_data
    driven = data is not None and (data.action is not None or len(data.drivers) or len(data.nla_tracks))
    if cursor.parent is None and not driven and not len(cursor.constraints):
        raise InputError(
            '"{cursor}" has no parent: parent it to {armature} again to move it by hand, or use Bake Cursor.',
            cursor=cursor.name,
            armature=armature.name,
        )
    if driven or len(cursor.constraints) or not _stands_on(armature, cursor):
        raise InputError(
            '"{cursor}" is moved by animation, a constraint or another parent: use Bake '
            "Cursor, or clear that to move it by hand.",
            cursor=cursor.name,
        )


def stands_still(thing: bpy.types.Object) -> bool:
    """Whether Blender does not notice that it is moved: it is not only hidden, but disabled or excluded."""
    return thing.hide_viewport or not _takes_part(thing, bpy.context.view_layer.layer_collection)


def _takes_part(thing: bpy.types.Object, home: bpy.types.LayerCollection) -> bool:
    """Whether a collection, or one inside it, shows the object."""
    if home.collection.hide_viewport:
        return False
    if not home.exclude and home.collection.objects.get(thing.name) == thing:
        return True
    return any(_takes_part(thing, child) for child in home.children)


def standing_still(cursor: bpy.types.Object) -> str:
    return rpt_(
        '"{cursor}" cannot be moved: it, or its collection, is disabled in viewports or excluded from '
        "the view layer. Enable it in the Outliner; the eye is for hiding it."
    ).format(cursor=cursor.name)


def place_of(armature: bpy.types.Object, thing: bpy.types.Object) -> np.ndarray:
    """Where a marker, cursor or target is, in the space of the armature object."""
    return places_of(armature, [thing])[0]


def places_of(armature: bpy.types.Object, things: Sequence[bpy.types.Object]) -> np.ndarray:
    """(n, 3) where markers, cursors or targets are, in the space of the armature object."""
    within = armature.matrix_world.inverted_safe()
    flat = [number for thing in things for number in within @ thing.matrix_world.translation]
    return np.array(flat).reshape(-1, 3)


def refuse_too_far(thing: bpy.types.Object, place: Iterable[float]) -> None:
    """Refuse a cursor or marker at a place that no number can be trusted at, such as 1e30."""
    if not all(abs(each) <= FARTHEST for each in place):
        raise InputError('"{thing}" is too far away: bring it back to the character first.', thing=thing.name)


def move_to(armature: bpy.types.Object, thing: bpy.types.Object, place: Iterable[float]) -> None:
    """Put a marker or cursor at a place in the space of the armature object."""
    _refuse_linked(thing)
    if _stands_on(armature, thing):
        thing.location = thing.matrix_parent_inverse.inverted_safe() @ Vector(place) - thing.delta_location
    else:
        world = thing.matrix_world.copy()
        world.translation = armature.matrix_world @ Vector(place)
        thing.matrix_world = world


def _stands_on(armature: bpy.types.Object, thing: bpy.types.Object) -> bool:
    """Whether it moves with the armature object, and not with one of its bones or with anything else."""
    return thing.parent == armature and thing.parent_type == "OBJECT"


def _refuse_linked(thing: bpy.types.Object) -> None:
    if thing.library is not None:
        raise InputError(
            '"{thing}" is linked from another file: make a library override of it as well.', thing=thing.name
        )


def bring_into_scene(armature: bpy.types.Object, scene: bpy.types.Scene) -> int:
    """Show cursors and markers that are in no collection of the scene.

    They came along with a character that was appended, or were deleted in the viewport.
    """
    missing = not_in_scene(armature, scene)
    for thing in missing:
        put_beside(armature, thing, scene)
    return len(missing)


def not_in_scene(armature: bpy.types.Object, scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The cursors and markers that are in no collection of the scene."""
    there = set(scene.objects)  # once: in a big scene every search for a name takes as long
    return [thing for thing in dict.fromkeys(sets.objects_of(armature)) if thing not in there]


def put_beside(armature: bpy.types.Object, thing: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Into the character's collection, so that they travel together when it is appended or linked."""
    shown = {scene.collection, *scene.collection.children_recursive}
    homes = [home for home in armature.users_collection if home in shown and home.library is None]
    (homes or [scene.collection])[0].objects.link(thing)


def height_within(armature: bpy.types.Object) -> float:
    """How high the character is, in its own space."""
    scale = armature.matrix_world.median_scale
    height = describe(armature).height
    # What is scaled to nothing at this frame has its size at rest, as its description has.
    return max(height / scale if scale > SMALLEST_SCALE else height, 1e-3)


def new_cursor(armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup) -> bpy.types.Object:
    return _empty(armature, f"{spatial_set.name} cursor", in_front_of(armature), CURSOR_SIZE, RED)


def new_marker(armature: bpy.types.Object, name: str, place: Iterable[float]) -> bpy.types.Object:
    return _empty(armature, name, place, MARKER_SIZE, YELLOW)


def new_path(
    armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup, place: Iterable[float]
) -> bpy.types.Object:
    path = _empty(armature, f"{spatial_set.name} path", place, MARKER_SIZE, ORANGE)
    path.empty_display_type = "PLAIN_AXES"
    return path


def _empty(
    armature: bpy.types.Object, name: str, place: Iterable[float], size: float, colour: tuple[float, ...]
) -> bpy.types.Object:
    if not any(thing.users_collection for thing in sets.objects_of(armature)):
        # Appended without its cursors and markers: beside a new one the others would seem to be deleted.
        bring_into_scene(armature, bpy.context.scene)
    empty = bpy.data.objects.new(name, None)
    empty.empty_display_type = "SPHERE"
    empty.empty_display_size = size * height_within(armature)
    empty.color = colour
    empty.show_in_front = True
    empty.parent = armature
    empty.location = Vector(place)
    put_beside(armature, empty, bpy.context.scene)
    return empty


def in_front_of(armature: bpy.types.Object) -> Vector:
    """Before the character as it is shown, and not before what it holds, as high as its hands are."""
    description = describe(armature)
    seen = shown(armature, description)
    names = armature.pose.bones.keys()
    rows = {name: n for n, name in enumerate(names)}
    heads = np.array([armature.matrix_world @ bone.head for bone in armature.pose.bones]).reshape(-1, 3)
    held = {bone.name for hand in description.hands for bone in armature.data.bones[hand].children_recursive}
    figure = [rows[name] for name in description.figure if name not in held]
    body = heads[figure] if figure else heads
    up, front = up_and_front(armature, description)
    ground = seen.ground if up[2] == 1.0 or not len(heads) else float((body @ up).min())  # or it lies
    foremost = float(((body - seen.middle) @ front).max(initial=0.0))
    place = seen.middle + (foremost + BEFORE * description.height) * front
    hands = heads[[rows[name] for name in description.hands]]
    level = (hands @ up).mean() if len(hands) else ground + CHEST * description.height
    place += (level - place @ up) * up
    return armature.matrix_world.inverted_safe() @ Vector(place)
