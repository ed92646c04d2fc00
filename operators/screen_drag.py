# SPDX-License-Identifier: GPL-3.0-or-later
"""Dragging a place in space with the mouse: in a plane, along the screen or an axis, or into the depth."""

from __future__ import annotations

from math import copysign

import bpy
from bpy.app.translations import pgettext_n as n_
from bpy_extras.view3d_utils import (
    location_3d_to_region_2d,
    region_2d_to_location_3d,
    region_2d_to_origin_3d,
    region_2d_to_vector_3d,
)
from mathutils import Vector
from mathutils.geometry import intersect_line_line, intersect_line_plane

from ..bridge.spatial import sets
from ..bridge.spatial.drag_planes import DragPlane

PRECISE = 0.1
HANDLE = 13.0  # so near to a cursor, a marker or a shadow, in pixels, it is meant
# How far one step of the wheel goes into the depth, as a share of the distance of the view.
DEPTH_STEP = 0.03
# An axis that points at the eye more than this (a cosine) has no direction on the screen to speak of.
AT_THE_EYE = 0.98
# A plane that is seen more from its edge than this (a cosine) is not dragged in, but the screen's.
EDGE_ON = 0.12
EDGE_OF_GROUND = 0.01  # and nothing is drawn on ground that is seen so much from its edge
# How far away a place in a plane may be, in distances of the view: at the horizon it has no end.
FARTHEST = 10.0
DEPTH_KEYS = {"WHEELUPMOUSE": 1.0, "WHEELDOWNMOUSE": -1.0, "PAGE_UP": 1.0, "PAGE_DOWN": -1.0}
# What keys do during a drag, each with its icon.
HELP = (
    ("EVENT_SHIFT", n_("Precise")),
    ("MOUSE_MMB", n_("Wheel, Page Up, Page Down: Depth")),
    ("EVENT_X", ""),
    ("EVENT_Y", ""),
    ("EVENT_Z", n_("Lock an Axis")),
    ("EVENT_D", n_("Drag in Keys, Ground, Screen")),
)
# Regions that lie above a view.
ABOVE = {"UI", "TOOLS", "HEADER", "TOOL_HEADER", "ASSET_SHELF"}
AXES = {"X": Vector((1, 0, 0)), "Y": Vector((0, 1, 0)), "Z": Vector((0, 0, 1))}


class ScreenDrag:
    """A drag that begins where the thing was grabbed: nothing jumps to the mouse, unless by `jump_to_mouse`.

    The view may travel meanwhile: `travelled` is how far, and places are given as if it had not.
    """

    def __init__(
        self,
        region: bpy.types.Region,
        place: Vector,
        event: bpy.types.Event,
        lock: str = "",
        travelled: Vector | None = None,
        plane: DragPlane | None = None,
    ):
        self._region, self._view = region, region.data
        self.travelled = Vector() if travelled is None else travelled
        self._mouse = _mouse_in(region, event)
        self._lock = lock
        self._plane = plane
        self._grab(place)

    @property
    def place(self) -> Vector:
        """Where the thing is now, in world space."""
        if self._lock:
            return self._along_axis(AXES[self._lock])
        if self._normal is not None:
            return self._in_plane(self._normal)
        there = self._depth + self.travelled
        return region_2d_to_location_3d(self._region, self._view, self._pointer, there) - self.travelled

    @property
    def away(self) -> Vector:
        """The direction that dragging leaves alone: across the plane, or along the sight; from the eye."""
        _, sight = self._sight()
        if self._normal is None:
            return sight.normalized()
        return self._normal if self._normal.dot(sight) > 0.0 else -self._normal

    def _along_axis(self, axis: Vector) -> Vector:
        if self._points_at_eye(axis):
            return self._anchor + axis * self._rise(axis)
        eye, away = self._sight()
        nearest = intersect_line_line(self._anchor, self._anchor + axis, eye, eye + away)
        return self._anchor.copy() if nearest is None else nearest[0]

    def _in_plane(self, normal: Vector) -> Vector:
        """Where the pointer meets the plane; beyond its horizon the last place counts."""
        eye, away = self._sight()
        found = intersect_line_plane(eye, eye + away, self._depth, normal)
        if found is not None and self._is_within_sight(eye, away, found):
            self._held = found
        return self._held.copy()

    def _is_within_sight(self, eye: Vector, away: Vector, place: Vector) -> bool:
        """Whether a place is before the eye and not at the horizon; without perspective there is none."""
        far = FARTHEST * max(self._view.view_distance, (self._anchor - eye).length)
        return not self._view.is_perspective or 0.0 < (place - eye).dot(away) < far

    def _sight(self) -> tuple[Vector, Vector]:
        """Where the eye is, and where it looks through the pointer."""
        eye = region_2d_to_origin_3d(self._region, self._view, self._pointer) - self.travelled
        return eye, region_2d_to_vector_3d(self._region, self._view, self._pointer)

    def _points_at_eye(self, axis: Vector) -> bool:
        return abs(axis.dot(region_2d_to_vector_3d(self._region, self._view, self._start))) > AT_THE_EYE

    def _rise(self, axis: Vector) -> float:
        """How far the mouse went up since the grab, which stands for away from the eye, in scene units."""
        at = self._anchor + self.travelled
        here, above = (
            region_2d_to_location_3d(self._region, self._view, point, at)
            for point in (self._start, self._start + Vector((0.0, 1.0)))
        )
        away = axis.dot(region_2d_to_vector_3d(self._region, self._view, self._start))
        return copysign((above - here).length, away) * (self._pointer.y - self._start.y)

    def move(self, event: bpy.types.Event) -> None:
        """Go where the mouse went."""
        mouse = _mouse_in(self._region, event)
        self._pointer += (mouse - self._mouse) * (PRECISE if event.shift else 1.0)
        self._mouse = mouse

    def jump_to_mouse(self, event: bpy.types.Event) -> None:
        """Be under the mouse, as deep in the view as before."""
        self._mouse = _mouse_in(self._region, event)
        self._pointer = self._mouse.copy()

    def push(self, steps: float, precise: bool) -> None:
        """Away from the eye, or towards it with negative steps; it stays where it is on the screen."""
        away = region_2d_to_vector_3d(self._region, self._view, self._pointer)
        size = DEPTH_STEP * self._view.view_distance * (PRECISE if precise else 1.0)
        self._depth = self.place + away * (steps * size)
        self._held = self._depth.copy()
        if self._plane is not None:
            self._plane = DragPlane(self._plane.normal)  # another one, as deep as it is now
        self._anchor, self._start = self._depth.copy(), self._pointer.copy()

    def lock_to(self, axis: str, place: Vector | None = None) -> None:
        """Move only along a world axis from here, or from `place`, or freely with an empty name."""
        start = self.place if place is None else place
        self._lock = axis
        self._grab(start)

    def change_plane(self, plane: DragPlane | None) -> None:
        """Go on from here in another plane."""
        start, self._plane = self.place, plane
        self._grab(start)

    def _grab(self, place: Vector) -> None:
        self._anchor, self._depth, self._held = place.copy(), place.copy(), place.copy()
        on_screen = location_3d_to_region_2d(self._region, self._view, place + self.travelled)
        self._pointer = self._mouse.copy() if on_screen is None else on_screen
        self._start = self._pointer.copy()
        self._normal = self._usable_normal()
        if self._normal is not None and self._plane is not None and self._plane.through is not None:
            # On the screen it stays where it is.
            self._depth = self._plane.through.copy()

    def _usable_normal(self) -> Vector | None:
        """What is across the plane, if there is one and it is not seen from its edge."""
        if self._plane is None:
            return None
        _, away = self._sight()
        return None if abs(away.dot(self._plane.normal)) < EDGE_ON else self._plane.normal


def change_drag(armature: bpy.types.Object) -> None:
    """Let cursors be dragged in the next of the planes that there are to choose from."""
    settings = sets.settings_of(armature)
    ways = [way.identifier for way in settings.bl_rna.properties["drag_in"].enum_items]
    settings.drag_in = ways[(ways.index(settings.drag_in) + 1) % len(ways)]


def views_in(area: bpy.types.Area) -> list[bpy.types.Region]:
    """The views of a 3D viewport: one, or the four of a quad view."""
    return [region for region in area.regions if region.type == "WINDOW"]


def view_under(area: bpy.types.Area, event: bpy.types.Event) -> bpy.types.Region | None:
    """The view that the mouse is over, unless it is over a panel or another editor."""
    if any(_is_over(region, event) for region in area.regions if region.type in ABOVE and region.width > 1):
        return None
    return next((region for region in views_in(area) if _is_over(region, event)), None)


def view_for(area: bpy.types.Area, event: bpy.types.Event) -> bpy.types.Region:
    """The view to drag in: under the mouse, or else the one that, of a quad view, is along no axis."""
    return view_under(area, event) or views_in(area)[-1]


def ground_under(region: bpy.types.Region, event: bpy.types.Event, level: float) -> Vector | None:
    """The place of level ground that the mouse is on; None above its horizon."""
    mouse = _mouse_in(region, event)
    eye = region_2d_to_origin_3d(region, region.data, mouse)
    away = region_2d_to_vector_3d(region, region.data, mouse)
    if abs(away.z) < EDGE_OF_GROUND or (region.data.is_perspective and (level - eye.z) / away.z <= 0.0):
        return None
    return eye + away * ((level - eye.z) / away.z)


def is_under(region: bpy.types.Region, place: Vector, event: bpy.types.Event) -> bool:
    """Whether the mouse is on the handle that is drawn at a place in the world."""
    at = location_3d_to_region_2d(region, region.data, place)
    reach = HANDLE * bpy.context.preferences.system.ui_scale
    return at is not None and (at - _mouse_in(region, event)).length < reach


def _is_over(region: bpy.types.Region, event: bpy.types.Event) -> bool:
    x, y = _mouse_in(region, event)
    return 0 <= x < region.width and 0 <= y < region.height


def _mouse_in(region: bpy.types.Region, event: bpy.types.Event) -> Vector:
    return Vector((event.mouse_x - region.x, event.mouse_y - region.y))
