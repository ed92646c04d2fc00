# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses over time as the channels that are keyed, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ..actions import Channel, animated_paths
from .pose_actions import bone_path
from .poses import WIDTHS, Pose, channel_values, rotation_channel, rotation_matrices, rotation_values

BASE = "base"  # the kind of track that moves the armature object
STILL = 1e-6  # a channel that changes less than this stands still
# What the rotation channels of a bone at rest are.
UNTURNED = {"rotation_quaternion": (1.0, 0.0, 0.0, 0.0), "rotation_euler": 0.0}


@dataclass(frozen=True)
class Track:
    """One property of a bone, or the location of the armature object."""

    path: str
    group: str
    row: int  # of the bone in the poses
    kind: str  # BASE, "location", "scale" or a rotation mode
    columns: slice


@dataclass(frozen=True, eq=False)
class Tracks:
    """All that a performance keys. Values are the columns, one row a frame."""

    poses: Pose
    tracks: tuple[Track, ...]
    values: np.ndarray  # (F, C)

    @property
    def moving(self) -> np.ndarray:
        """(C,) which columns belong to a property that changes; the others are the same in every frame."""
        moving = np.zeros(self.values.shape[1], dtype=bool)
        for track in self.tracks:
            moving[track.columns] = np.ptp(self.values[:, track.columns], axis=0).max() > STILL
        return moving

    @property
    def channels(self) -> list[Channel]:
        return [
            Channel(track.path, n, track.group)
            for track in self.tracks
            for n in range(track.columns.stop - track.columns.start)
        ]

    def played(self, values: np.ndarray, rows: np.ndarray) -> tuple[Pose, np.ndarray | None]:
        """The poses, and the base if it is keyed, that play for such values of the channels in some rows."""
        shown = Pose(
            self.poses.bones, self.poses.rotations[rows], self.poses.locations[rows], self.poses.scales[rows]
        )
        base = None
        for kind, some in self._by_kind():
            bones = [track.row for track in some]
            part = np.stack([values[:, track.columns] for track in some], axis=1)
            if kind == BASE:
                base = part[:, 0]
            elif kind == "location":
                shown.locations[:, bones] = part
            elif kind == "scale":
                shown.scales[:, bones] = part
            else:
                shown.rotations[:, bones] = rotation_matrices(part, kind)
        return shown, base

    def _by_kind(self) -> Iterable[tuple[str, list[Track]]]:
        """Tracks of the same kind together: a whole body is turned at once."""
        found: dict[str, list[Track]] = {}
        for track in self.tracks:
            found.setdefault(track.kind, []).append(track)
        return found.items()


def tracks_of(armature: bpy.types.Object, poses: Pose, base: np.ndarray | None = None) -> Tracks:
    """What has to be keyed for the poses to play: nothing that stays at rest.

    Unless it would be somewhere else without keys: because it is there now, or because earlier animation
    puts it there.
    """
    tracks: list[Track] = []
    columns: list[np.ndarray] = []

    def add(path: str, group: str, row: int, kind: str, values: np.ndarray) -> None:
        start = tracks[-1].columns.stop if tracks else 0
        tracks.append(Track(path, group, row, kind, slice(start, start + values.shape[1])))
        columns.append(values)

    if base is not None:
        add("location", "Object Transforms", -1, BASE, base)
    order = {bone.name: n for n, bone in enumerate(armature.pose.bones)}
    now = {path: channel_values(armature, path).astype(np.float64) for path in WIDTHS}
    animated = animated_paths(armature)

    def is_used(bone: str, path: str, values: np.ndarray, at_rest: float | Sequence[float]) -> bool:
        there = np.vstack([values, now[path][order[bone]]])
        return bool(np.abs(there - at_rest).max() > STILL) or bone_path(bone, path) in animated

    def is_turned(bone: str, path: str, row: int, values: np.ndarray) -> bool:
        if path in UNTURNED:
            return is_used(bone, path, values, UNTURNED[path])
        return bool(np.abs(poses.rotations[:, row] - np.eye(3)).max() > STILL)

    for row, bone in enumerate(poses.bones):
        mode = armature.pose.bones[bone].rotation_mode
        channel = rotation_channel(mode)
        if is_used(bone, "location", poses.locations[:, row], 0.0):
            add(bone_path(bone, "location"), bone, row, "location", poses.locations[:, row])
        turned = rotation_values(poses.rotations[:, row], mode, now[channel][order[bone]])
        if is_turned(bone, channel, row, turned):
            add(bone_path(bone, channel), bone, row, mode, turned)
        if is_used(bone, "scale", poses.scales[:, row], 1.0):
            add(bone_path(bone, "scale"), bone, row, "scale", poses.scales[:, row])
    everything = np.concatenate(columns, axis=1) if columns else np.empty((len(poses.rotations), 0))
    return Tracks(poses, tuple(tracks), everything)
