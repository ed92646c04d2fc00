# SPDX-License-Identifier: GPL-3.0-or-later
"""The plane in which a cursor is dragged: that of the keys, or level with the ground."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix, Vector

from . import sets
from .making import empties

IN_A_ROW = 1e-3  # keys whose spread across is less than this share of that along are in a row
FLAT = 0.02  # and those whose depth is less than this are in one plane


@dataclass(frozen=True)
class DragPlane:
    """In the world; where it is, if that is not left to what is dragged."""

    normal: Vector
    through: Vector | None = None


LEVEL = DragPlane(Vector((0.0, 0.0, 1.0)))


def drag_plane(armature: bpy.types.Object, space: Matrix | None = None) -> DragPlane | None:
    """The plane that the character's settings ask for; None to drag along the screen.

    Keys all around, or in a row, have no plane. `space` is that of the armature, if not where it is now.
    """
    how = sets.settings_of(armature).drag_in
    if how == "GROUND":
        return LEVEL
    active = sets.active_set(armature)
    if how == "SCREEN" or active is None:
        return None
    to_world = np.array(armature.matrix_world if space is None else space)
    keys = sets.usable_keys(active)
    local = np.array([empties.place_of(armature, key.marker) for key in keys]).reshape(-1, 3)
    return _through(local @ to_world[:3, :3].T + to_world[:3, 3])


def _through(places: np.ndarray) -> DragPlane | None:
    """The plane that places (n, 3) lie in, if they do."""
    if len(places) < 3:
        return None
    middle = places.mean(axis=0)
    _, sizes, directions = np.linalg.svd(places - middle)
    if sizes[1] <= IN_A_ROW * sizes[0] or sizes[2] > FLAT * sizes[0]:
        return None
    return DragPlane(Vector(directions[2]), Vector(middle))
