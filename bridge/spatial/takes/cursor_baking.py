# SPDX-License-Identifier: GPL-3.0-or-later
"""Baking: keys for a stretch of frames from cursors that are animated, or from a list of places.

from bl_ext.user_default.posewright.bridge.spatial import cursor_baking
cursor_baking.bake_path(bear, [(1, (0, -1, 2)), (25, (1, -1, 2))])
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from ....core import InputError, reconstruct
from ... import actions
from ...editable import check_editable
from ...stages import frames_per_second
from ...steps import Steps, run, shares
from .. import live, sets
from ..blending import switching
from ..blending.moments import Moment, moment_of
from ..posing.dials import Dial
from . import replaying
from .overdub import left_alone
from .take_writing import keys_in_steps, take_in_steps, tracks_to_write, write_in_steps

Place = Sequence[float]


def bake_cursors_in_steps(
    armatures: Sequence[bpy.types.Object],
    scene: bpy.types.Scene,
    first: int,
    last: int,
    *,
    error: float | None = None,
) -> Steps[int]:
    """Bake characters from their cursors as they move between two frames; the largest number of keys.

    Yields the share done, and nothing is written before all is known.
    """
    if last < first:
        raise InputError(
            "The range ends at frame {last}, before it starts at frame {first}.", last=last, first=first
        )
    for armature in armatures:
        require_keys(armature)
    frames = np.arange(first, last + 1, dtype=np.float64)
    with live.paused(*armatures):
        watched, starts = yield from shares(_watch_in_steps(armatures, scene, frames), 0.0, 0.2)
        performed = list(zip(armatures, watched, starts, strict=True))
        rate = frames_per_second(scene)
        return (yield from shares(_bake_in_steps(performed, frames, rate, error), 0.2, 1.0))


def bake_path(
    armature: bpy.types.Object, path: Iterable[tuple[float, Place]], *, error: float | None = None
) -> int:
    """Bake a character as if its active cursor went through places at frames; the number of keys.

    Places are in the space of the armature. Between them the cursor moves smoothly and never overshoots.
    """
    return run(bake_paths_in_steps([armature], path, error=error))


def bake_paths_in_steps(
    armatures: Sequence[bpy.types.Object],
    path: Iterable[tuple[float, Place]],
    *,
    error: float | None = None,
) -> Steps[int]:
    """`bake_path` of some characters in steps: yields the share done; the largest number of keys."""
    for armature in armatures:
        require_keys(armature)
    frames, places = along_path(path)
    performed = [
        (each, moments_at(each, frames, places), _location_at(each, frames[0])) for each in armatures
    ]
    rate = frames_per_second(bpy.context.scene)
    with live.paused(*armatures):
        return (yield from _bake_in_steps(performed, frames, rate, error))


def _location_at(armature: bpy.types.Object, frame: float) -> Vector:
    """Where the character stands at a frame; an earlier take may have made it walk."""
    location = armature.location.copy()
    for curve in actions.curves_of(armature):
        if curve.data_path == "location" and not actions.is_muted(curve):
            location[curve.array_index] = curve.evaluate(frame)
    return location


def moments_at(
    armature: bpy.types.Object, frames: np.ndarray, places: np.ndarray, row: int | None = None
) -> list[Moment]:
    """As it is now, but for the cursor of a ready set, the active one if left out, which is at places.

    Other cursors may replay their paths.
    """
    now, row = moment_of(armature), sets.active_row(armature) if row is None else row
    shares_now = _shares_with(armature, row)
    moments = []
    for place in places:
        points = now.points.copy()
        points[row] = place
        moments.append(replace(now, points=points, shares=shares_now))
    ways = replaying.replayed(armature, [sets.ready_sets(armature)[row].name])
    return replaying.along(armature, ways, moments, frames)


def _shares_with(armature: bpy.types.Object, row: int) -> np.ndarray:
    """The shares of the ready sets; if the one in that row has none it takes over, as by Switch To."""
    all_sets, ready = sets.settings_of(armature).sets, sets.ready_sets(armature)
    after: dict[int, float] = {}
    if ready[row].influence == 0.0:
        after = switching.shares_after(armature, all_sets.find(ready[row].name))
    return np.array([after.get(all_sets.find(each.name), each.influence) for each in ready])


def _bake_in_steps(
    performed: Sequence[tuple[bpy.types.Object, list[Moment], Vector]],
    frames: np.ndarray,
    rate: float,
    error: float | None,
) -> Steps[int]:
    """Write what characters did, each given with where it stood at first; the largest number of keys."""
    found = []
    for n, (armature, moments, start) in enumerate(performed):
        begin, half, end = (np.arange(3) / 2 + n) / len(performed)
        work = take_in_steps(armature, frames, moments, start, rate)
        take = yield from shares(work, begin, half)
        tracks = tracks_to_write(armature, take, left_alone=others_left_alone(armature, moments))
        work = keys_in_steps(armature, frames, tracks, error)
        found.append((armature, tracks, (yield from shares(work, half, end))))
    for armature, tracks, keys in found:
        run(write_in_steps(armature, frames, tracks, keys))
        live.give_way(armature)
    return max(len(keys.frames) for _, _, keys in found)


def others_left_alone(
    armature: bpy.types.Object, moments: Sequence[Moment], row: int | None = None
) -> frozenset[str | Dial]:
    """What has earlier animation, bones and dials, of sets whose cursors stand still.

    Except of one of the ready sets, the active one if left out.
    """
    points = np.array([moment.points for moment in moments])
    moves = np.ptp(points, axis=0).max(axis=-1) > 0.0
    moves[sets.active_row(armature) if row is None else row] = True
    names = [each.name for each in sets.ready_sets(armature)]
    return left_alone(armature, [name for name, moved in zip(names, moves, strict=True) if moved])


def along_path(path: Iterable[tuple[float, Place]]) -> tuple[np.ndarray, np.ndarray]:
    """Whole frames, and the place at each, for a list of frames and places in any order."""
    steps = sorted(_step(each) for each in path)
    if not steps:
        raise InputError("The path is empty: give at least one frame and its place.")
    times = np.array([frame for frame, _ in steps])
    if (np.diff(times) <= 0.0).any():
        twice = times[1:][np.diff(times) <= 0.0][0]
        raise InputError("The path has two places at frame {twice:g}: give one for each frame.", twice=twice)
    frames = np.arange(np.ceil(times[0]), np.floor(times[-1]) + 1.0)
    if not len(frames):
        raise InputError("The path covers no whole frame: give places that are further apart in time.")
    return frames, _between(times, np.array([place for _, place in steps]), frames)


def _step(given: Any) -> tuple[float, tuple[float, ...]]:
    """A frame and a place, from what a script gave for them."""
    try:
        frame, place = given
        numbers = [float(frame), *(float(value) for value in place)]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != 4 or not np.isfinite(numbers).all():
        raise InputError(
            "The path has {given!r}: give a frame and its place, (frame, (x, y, z)), in finite numbers.",
            given=given,
        )
    return numbers[0], tuple(numbers[1:])


def require_keys(armature: bpy.types.Object) -> None:
    """Refuse a character that has nothing to perform with, or that no keys could be written for."""
    check_editable(armature)
    sets.refuse_unready(armature)


def _between(times: np.ndarray, places: np.ndarray, frames: np.ndarray) -> np.ndarray:
    moments = np.union1d(times, frames)
    rows = np.searchsorted(moments, times)
    known = np.zeros((len(moments), 3))
    known[rows] = places
    return reconstruct(known, rows, "hermite", frames=moments)[np.searchsorted(moments, frames)]


def _watch_in_steps(
    armatures: Sequence[bpy.types.Object], scene: bpy.types.Scene, frames: np.ndarray
) -> Steps[tuple[list[list[Moment]], list[Vector]]]:
    """What the scene says about each character at each frame, and where each stands in the first.

    Cursors may hang on anything, so Blender itself is asked for every frame.
    """
    now, subframe = scene.frame_current, scene.frame_subframe
    seen: list[list[Moment]] = [[] for _ in armatures]
    starts: list[Vector] = []
    try:
        for frame in frames.tolist():
            scene.frame_set(int(frame))
            starts = starts or [armature.location.copy() for armature in armatures]
            for armature, moments in zip(armatures, seen, strict=True):
                moments.append(moment_of(armature))
            yield (frame - frames[0]) / len(frames)
    finally:
        scene.frame_set(now, subframe=subframe)
    return seen, starts
