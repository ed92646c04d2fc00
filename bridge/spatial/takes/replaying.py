# SPDX-License-Identifier: GPL-3.0-or-later
"""Cursors that go the way of an earlier take while another is performed: two hands, one after the other."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ... import actions
from .. import sets
from ..blending.moments import Moment
from ..making import empties


@dataclass(frozen=True, eq=False)
class Replayed:
    """The way that the cursor of a set goes."""

    name: str  # of the set
    frames: np.ndarray
    places: np.ndarray

    def at(self, times: np.ndarray) -> np.ndarray:
        """(n, 3) where the cursor is; before and after the way it waits at its ends."""
        return np.stack([np.interp(times, self.frames, axis) for axis in self.places.T], axis=-1)


def replayed(armature: bpy.types.Object, performed: Collection[str]) -> list[Replayed]:
    """The ways of the sets that are not performed, if they have one and are wanted to go it."""
    if not sets.settings_of(armature).replay_paths:
        return []
    others = [each for each in sets.ready_sets(armature) if each.name not in performed]
    return [Replayed(each.name, *way) for each in others if (way := way_of(each)) is not None]


def way_of(spatial_set: bpy.types.PropertyGroup) -> tuple[np.ndarray, np.ndarray] | None:
    """Whole frames, and where the path of a set is there in the space of the armature; None without one."""
    path = sets.path_in_use(spatial_set)
    moving = [] if path is None else actions.curves_of(path)
    curves = [curve for curve in moving if curve.data_path == "location"]
    keyed = actions.key_frames(curves)
    if path is None or not len(keyed):
        return None
    frames = np.arange(np.ceil(keyed[0]), np.floor(keyed[-1]) + 1.0)
    places = np.tile(np.array(path.location), (len(frames), 1))
    places[:, [curve.array_index for curve in curves]] = actions.read_values(curves, frames)
    return frames, places


def show(armature: bpy.types.Object, ways: Sequence[Replayed], time: float) -> None:
    """Put the cursors where they are at a time."""
    for way in ways:
        cursor = sets.settings_of(armature).sets[way.name].cursor
        empties.move_to(armature, cursor, way.at(np.array([time]))[0])


def along(
    armature: bpy.types.Object, ways: Sequence[Replayed], moments: Sequence[Moment], frames: np.ndarray
) -> list[Moment]:
    """Moments at frames with the cursors where they are then."""
    rows = {each.name: row for row, each in enumerate(sets.ready_sets(armature))}
    points = np.array([moment.points for moment in moments])
    for way in ways:
        points[:, rows[way.name]] = way.at(frames)
    return [replace(moment, points=there) for moment, there in zip(moments, points, strict=True)]
