# SPDX-License-Identifier: GPL-3.0-or-later
"""Overdubbing: a take of a part of the body, while all other bones go on with what was recorded before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ....core.spatial import smoothstep
from ... import actions
from ...bones import WIDTHS
from .. import sets
from ..blending.mapping_cache import held_parts
from ..posing.dials import Dial, animated_dials, owner_of
from ..posing.pose_actions import bone_path
from .tracks import Track, Tracks


def left_alone(
    armature: bpy.types.Object, performed_sets: Iterable[str], chosen: Iterable[str] | None = None
) -> frozenset[str | Dial]:
    """The bones and dials that are not performed and have earlier animation to go on with.

    Performed is what the sets named move: all of it, or just the `chosen` bones and their dials.
    """
    names = set(performed_sets)
    held = {each.name: held_parts(armature, each) for each in sets.ready_sets(armature)}
    performed = {part for name, parts in held.items() if name in names for part in parts}
    if chosen is not None:
        bones = set(chosen)
        performed = {part for part in performed if bone_of(part) in bones}
    others = {part for parts in held.values() for part in parts} - performed
    paths = actions.animated_paths(armature) if others else set()
    dials = animated_dials(armature, [part for part in others if isinstance(part, Dial)])
    moved = {
        part
        for part in others
        if isinstance(part, str) and any(bone_path(part, channel) in paths for channel in WIDTHS)
    }
    return frozenset(moved | dials)


def bone_of(part: str | Dial) -> str:
    """The bone that a part is, or that it belongs to; empty for what belongs to none."""
    return part.bone if isinstance(part, Dial) else part


def blended_with_earlier(
    armature: bpy.types.Object, frames: np.ndarray, tracks: Tracks, length: int
) -> Tracks:
    """The tracks led over, in `length` frames at each end, from and to earlier keys that go on beyond it."""
    meshes = dict.fromkeys(track.mesh for track in tracks.tracks)
    curves = {
        (mesh, curve.data_path, curve.array_index): curve
        for mesh in meshes
        if (owner := owner_of(armature, mesh)) is not None
        for curve in actions.curves_of(owner)
    }
    values = tracks.values.copy()
    for track in tracks.tracks:
        width = track.columns.stop - track.columns.start
        earlier = [curves.get((track.mesh, track.path, index)) for index in range(width)]
        if all(earlier):
            _lead_over(values[:, track.columns], frames, earlier, track, length)
    return replace(tracks, values=values)


def _lead_over(new: np.ndarray, frames: np.ndarray, earlier: list[Any], track: Track, length: int) -> None:
    """Lead values (F, width) over from and to earlier curves, in place."""
    keyed = actions.key_frames(earlier)
    span = max(min(length, (len(frames) - 1) // 2), 1)
    weights = np.ones(len(frames))
    if keyed[0] < frames[0]:
        weights = np.minimum(weights, smoothstep((frames - frames[0]) / span))
    if keyed[-1] > frames[-1]:
        weights = np.minimum(weights, smoothstep((frames[-1] - frames) / span))
    rows = np.flatnonzero(weights < 1.0)
    if not len(rows):
        return
    old = np.array([[curve.evaluate(frame) for curve in earlier] for frame in frames[rows]])
    if track.kind == "QUATERNION" and np.sum(old[0] * new[rows[0]]) < 0.0:
        new *= -1.0  # the same rotations, on the side of the earlier ones
    new[rows] = old + weights[rows, None] * (new[rows] - old)
