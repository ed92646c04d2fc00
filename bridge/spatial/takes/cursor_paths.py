# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the cursor of a set went, kept as an animated empty: it can be changed, and drives a take again."""

from __future__ import annotations

import bpy
import numpy as np

from ....core import InputError
from ... import actions
from ...baking import Keys
from ...splicing import replace_between
from ...steps import Steps
from .. import sets
from ..making import empties
from .cursor_baking import bake_paths_in_steps
from .replaying import way_of


def keep(
    armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup, frames: np.ndarray, places: np.ndarray
) -> None:
    """Key the path of a set, (F, 3) in the space of the armature; what it has at other frames stays."""
    path = sets.path_in_use(spatial_set)
    if path is None:
        path = spatial_set.path = empties.new_path(armature, spatial_set, places[0])
    data = path.animation_data
    action, slot = (None, None) if data is None else (data.action, actions.slot_of(path))
    if action is None:
        action, slot = actions.new_action(path.name, path)
        actions.assign(path, action, slot)
    columns = [actions.Channel("location", index, "Object Transforms") for index in range(3)]
    curves = actions.ensure_curves(actions.bag_of(action, slot, create=True), columns)
    replace_between(curves, Keys(frames, places, interpolation="LINEAR"))


def redo_in_steps(armature: bpy.types.Object, *, error: float | None = None) -> Steps[int]:
    """Write the take of the active set again, from its path as it is now; the number of keys."""
    spatial_set = sets.active_set(armature)
    way = way_of(spatial_set)
    if way is None:
        raise InputError(
            '"{spatial_set}" has no path to follow: record a take first.', spatial_set=spatial_set.name
        )
    path = zip(way[0].tolist(), way[1], strict=True)
    return (yield from bake_paths_in_steps([armature], path, error=error))
