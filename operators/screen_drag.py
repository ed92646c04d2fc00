# SPDX-License-Identifier: GPL-3.0-or-later
"""Dragging a place in space with the mouse: parallel to the screen, along an axis, or into the depth."""

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
from mathutils.geometry import intersect_line_line

PRECISE = 0.1
# How far one step of the wheel goes into the depth, as a share of the distance of the view.
DEPTH_STEP = 0.03
# An axis that points at the eye more than this (a cosine) has no direction on the screen to speak of.
AT_THE_EYE = 0.98
DEPTH_KEYS = {"WHEELUPMOUSE": 1.0, "WHEELDOWNMOUSE": -1.0, "PAGE_UP": 1.0, "PAGE_DOWN": -1.0}
# What keys do during a drag, each with its icon.
HELP = (
    ("EVENT_SHIFT", n_("Precise")),
    ("MOUSE_MMB", n_("Wheel, Page Up, Page Down: Depth")),
    ("EVENT_X", ""),
    ("EVENT_Y", ""),
    ("EVENT_Z", n_("Lock an Axis")),
)
# Regions that lie above a view.
ABOVE = {"UI", "TOOLS", "HEADER", "TOOL_HEADER", "ASSET_SHELF"}
AXES = {"X": Vector((1, 0, 0)), "Y": Vector((0, 1, 0)), "Z": Vector((0, 0, 1))}


class ScreenDrag:
    """A drag that begins where the thing was grabbed: nothing jumps to the mouse, unless by `jump_to_mouse`.

    The view may travel meanwhile: `travelled` is how far, and places are given as if it had not.
    """

    def __init__(
        self, region: bpy.types.Region, place: Vector, event: bpy.types.Event, lock: str, travelled: Vector
    ):
        self._region, self._view = region, region.data
        self.travelled = travelled
        self._mouse = _mouse_in(region, event)
        self._lock = lock
        self._grab(place)

    @property
    def place(self) -> Vector:
        """Where the thing is now, in world space."""
        if not self._lock:
            there = self._depth + self.travelled
            return region_2d_to_location_3d(self._region, self._view, self._pointer, there) - self.travelled
        axis = AXES[self._lock]
        if self._points_at_eye(axis):
            return self._anchor + axis * self._rise(axis)
        eye = region_2d_to_origin_3d(self._region, self._view, self._pointer) - self.travelled
        beyond = eye + region_2d_to_vector_3d(self._region, self._view, self._pointer)
        nearest = intersect_line_line(self._anchor, self._anchor + axis, eye, beyond)
        return self._anchor.copy() if nearest is None else nearest[0]

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
        self._anchor, self._start = self._depth.copy(), self._pointer.copy()

    def lock_to(self, axis: str, place: Vector | None = None) -> None:
        """Move only along a world axis from here, or from `place`, or freely with an empty name."""
        start = self.place if place is None else place
        self._lock = axis
        self._grab(start)

    def _grab(self, place: Vector) -> None:
        self._anchor, self._depth = place.copy(), place.copy()
        on_screen = location_3d_to_region_2d(self._region, self._view, place + self.travelled)
        self._pointer = self._mouse.copy() if on_screen is None else on_screen
        self._start = self._pointer.copy()


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


def _is_over(region: bpy.types.Region, event: bpy.types.Event) -> bool:
    x, y = _mouse_in(region, event)
    return 0 <= x < region.width and 0 <= y < region.height


def _mouse_in(region: bpy.types.Region, event: bpy.types.Event) -> Vector:
    return Vector((event.mouse_x - region.x, event.mouse_y - region.y))
