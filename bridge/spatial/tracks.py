# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses over time as the channels that are keyed, and back."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ..actions import Channel
from .pose_actions import bone_path
from .poses import WIDTHS, Pose, channel_values, rotation_channel, rotation_matrices, rotation_values

USED = 1e-6  # a location or scale that stays this close to rest needs no keys


@dataclass(frozen=True)
class Track:
    """One property: of a bone, or the location of the armature object where `row` is -1."""

    path: str
    group: str
    row: int  # of the bone in the poses
    kind: str  # "location", "scale" or a rotation mode
    columns: slice


@dataclass(frozen=True, eq=False)
class Tracks:
    """All that a performance keys. Values are the columns, one row a frame."""

    poses: Pose
    tracks: tuple[Track, ...]
    values: np.ndarray  # (F, C)

    @property
    def channels(self) -> list[Channel]:
        return [
            Channel(track.path, n, track.group)
            for track in self.tracks
            for n in range(track.columns.stop - track.columns.start)
        ]

    def played(self, values: np.ndarray) -> tuple[Pose, np.ndarray | None]:
        """The poses, and the base if it is keyed, that play when the channels have these values."""
        shown = Pose(
            self.poses.bones,
            self.poses.rotations.copy(),
            self.poses.locations.copy(),
            self.poses.scales.copy(),
        )
        base = None
        for track in self.tracks:
            part = values[:, track.columns]
            if track.row < 0:
                base = part
            elif track.kind == "location":
                shown.locations[:, track.row] = part
            elif track.kind == "scale":
                shown.scales[:, track.row] = part
            else:
                shown.rotations[:, track.row] = rotation_matrices(part, track.kind)
        return shown, base


def tracks_of(armature: bpy.types.Object, poses: Pose, base: np.ndarray | None = None) -> Tracks:
    """Rotations of all bones in their modes; locations and scales only of bones that use them."""
    tracks: list[Track] = []
    columns: list[np.ndarray] = []

    def add(path: str, group: str, row: int, kind: str, values: np.ndarray) -> None:
        start = sum(column.shape[1] for column in columns)
        tracks.append(Track(path, group, row, kind, slice(start, start + values.shape[1])))
        columns.append(values)

    if base is not None:
        add("location", "Object Transforms", -1, "location", base)
    order = {bone.name: n for n, bone in enumerate(armature.pose.bones)}
    now = {path: channel_values(armature, path).astype(np.float64) for path in WIDTHS}
    for row, bone in enumerate(poses.bones):
        mode = armature.pose.bones[bone].rotation_mode
        channel = rotation_channel(mode)
        if np.abs(poses.locations[:, row]).max() > USED:
            add(bone_path(bone, "location"), bone, row, "location", poses.locations[:, row])
        turned = rotation_values(poses.rotations[:, row], mode, now[channel][order[bone]])
        add(bone_path(bone, channel), bone, row, mode, turned)
        if np.abs(poses.scales[:, row] - 1.0).max() > USED:
            add(bone_path(bone, "scale"), bone, row, "scale", poses.scales[:, row])
    return Tracks(poses, tuple(tracks), np.concatenate(columns, axis=1))
