# SPDX-License-Identifier: GPL-3.0-or-later
"""Baking: keys for a stretch of frames from cursors that are animated, or from a list of places.

from bl_ext.user_default.posewright.bridge.spatial import baking
baking.bake_path(bear, [(1, (0, -1, 2)), (25, (1, -1, 2))])
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import bpy
import numpy as np
from mathutils import Vector

from ...core import InputError, reconstruct
from ..sampling import frames_per_second
from . import character, live, sets
from .character import Moment
from .recording import take_of, write_take

Place = Sequence[float]


def bake_cursors(
    armatures: Sequence[bpy.types.Object],
    scene: bpy.types.Scene,
    first: int,
    last: int,
    *,
    error: float | None = None,
) -> int:
    """Bake characters from their cursors as they move between two frames; the largest number of keys."""
    if last < first:
        raise InputError(f"The range ends at frame {last}, before it starts at frame {first}.")
    for armature in armatures:
        require_keys(armature)
    frames = np.arange(first, last + 1, dtype=np.float64)
    with live.paused(*armatures):
        watched, starts = _watch(armatures, scene, frames)
        takes = [
            take_of(armature, frames, moments, start, frames_per_second(scene))
            for armature, moments, start in zip(armatures, watched, starts, strict=True)
        ]
        return max(
            write_take(armature, take, error=error) for armature, take in zip(armatures, takes, strict=True)
        )


def bake_path(
    armature: bpy.types.Object, path: Iterable[tuple[float, Place]], *, error: float | None = None
) -> int:
    """Bake a character as if its active cursor went through places at frames; the number of keys.

    Places are in the space of the armature. Between them the cursor moves smoothly and never overshoots.
    """
    require_keys(armature)
    frames, places = along_path(path)
    now, row = character.moment_of(armature), active_row(armature)
    shares = now.shares.copy()
    shares[row] = shares[row] or 1.0
    moments = []
    for place in places:
        points = now.points.copy()
        points[row] = place
        moments.append(replace(now, points=points, shares=shares))
    rate = frames_per_second(bpy.context.scene)
    with live.paused(armature):
        return write_take(
            armature, take_of(armature, frames, moments, armature.location.copy(), rate), error=error
        )


def along_path(path: Iterable[tuple[float, Place]]) -> tuple[np.ndarray, np.ndarray]:
    """Whole frames, and the place at each, for a list of frames and places in any order."""
    steps = sorted((float(frame), tuple(place)) for frame, place in path)
    if not steps:
        raise InputError("The path is empty: give at least one frame and its place.")
    times = np.array([frame for frame, _ in steps])
    if (np.diff(times) <= 0.0).any():
        twice = times[1:][np.diff(times) <= 0.0][0]
        raise InputError(f"The path has two places at frame {twice:g}: give one for each frame.")
    if any(len(place) != 3 for _, place in steps) or not np.isfinite([place for _, place in steps]).all():
        raise InputError("Every place of the path needs three finite numbers: x, y and z.")
    frames = np.arange(np.ceil(times[0]), np.floor(times[-1]) + 1.0)
    if not len(frames):
        raise InputError("The path covers no whole frame: give places that are further apart in time.")
    return frames, _between(times, np.array([place for _, place in steps]), frames)


def require_keys(armature: bpy.types.Object) -> None:
    """Refuse a character that has nothing to perform with."""
    if not character.ready_sets(armature):
        raise InputError(
            f"{armature.name} has no spatial keys: add a spatial set, pose the character and Set Key."
        )


def active_row(armature: bpy.types.Object) -> int:
    """Which of the ready sets is the active one, or the first if that is not ready."""
    names = [each.name for each in character.ready_sets(armature)]
    active = sets.active_set(armature)
    return names.index(active.name) if active is not None and active.name in names else 0


def _between(times: np.ndarray, places: np.ndarray, frames: np.ndarray) -> np.ndarray:
    moments = np.union1d(times, frames)
    rows = np.searchsorted(moments, times)
    known = np.zeros((len(moments), 3))
    known[rows] = places
    return reconstruct(known, rows, "hermite", frames=moments)[np.searchsorted(moments, frames)]


def _watch(
    armatures: Sequence[bpy.types.Object], scene: bpy.types.Scene, frames: np.ndarray
) -> tuple[list[list[Moment]], list[Vector]]:
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
                moments.append(character.moment_of(armature))
    finally:
        scene.frame_set(now, subframe=subframe)
    return seen, starts
