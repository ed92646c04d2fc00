# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses over time as the channels that are keyed, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ...actions import Channel, animated_paths
from ...bones import WIDTHS
from ..posing.dials import Dial, Dials, animated_dials, current_dials, reaches
from ..posing.forward_kinematics import Base
from ..posing.pose_actions import bone_path
from ..posing.poses import Pose, channel_values, rotation_channel, rotation_matrices, rotation_values

OBJECT = -1  # stands for the armature object, where a track has the row of a bone
DIAL = "dial"  # the kind of track that turns a dial
STILL = 1e-6  # a channel that changes less than this stands still
# What the rotation channels of a bone at rest are.
UNTURNED = {"rotation_quaternion": (1.0, 0.0, 0.0, 0.0), "rotation_euler": 0.0}


@dataclass(frozen=True)
class Track:
    """One property of a bone or of the armature object, or a dial."""

    path: str
    group: str
    row: int  # of the bone in the poses, or OBJECT, or of the dial among the dials
    kind: str  # DIAL, "location", "scale" or a rotation mode
    columns: slice
    mesh: str = ""  # whose shape keys have the curves, if not the armature


@dataclass(frozen=True, eq=False)
class Tracks:
    """All that a performance keys. Values are the columns, one row a frame."""

    poses: Pose
    tracks: tuple[Track, ...]
    values: np.ndarray  # (F, C)
    reaches: np.ndarray  # (D,) how far each dial moves anything when it is turned by one
    switches: Dials  # in F frames: keyed only where they change

    @property
    def moving(self) -> np.ndarray:
        """(C,) which columns belong to a property that changes; the others are the same in every frame."""
        moving = np.zeros(self.values.shape[1], dtype=bool)
        for track in self.tracks:
            moving[track.columns] = np.ptp(self.values[:, track.columns], axis=0).max() > STILL
        return moving

    @property
    def meshes(self) -> list[str]:
        """Whose curves are keyed: an empty name for the armature, and those of meshes with shape keys."""
        dials = [dial.mesh for dial in self.switches.which]
        return list(dict.fromkeys([*(track.mesh for track in self.tracks), *dials]))

    def channels_of(self, mesh: str) -> dict[int, Channel]:
        """What is keyed of the armature or of the shape keys of a mesh, by column."""
        return {
            track.columns.start + n: Channel(track.path, n, track.group)
            for track in self.tracks
            if track.mesh == mesh
            for n in range(track.columns.stop - track.columns.start)
        }

    def played(self, values: np.ndarray, rows: np.ndarray) -> tuple[Pose, Base]:
        """The poses, and the object as far as it is keyed, that play for such values of the channels."""
        shown = Pose(
            self.poses.bones, self.poses.rotations[rows], self.poses.locations[rows], self.poses.scales[rows]
        )
        base = Base()
        for (of_object, kind), some in self._by_kind():
            bones = [track.row for track in some]
            part = np.stack([values[:, track.columns] for track in some], axis=1)
            if kind == DIAL:
                continue
            if of_object and kind == "location":
                base = replace(base, locations=part[:, 0])
            elif of_object:
                base = replace(base, rotations=rotation_matrices(part[:, 0], kind))
            elif kind == "location":
                shown.locations[:, bones] = part
            elif kind == "scale":
                shown.scales[:, bones] = part
            else:
                shown.rotations[:, bones] = rotation_matrices(part, kind)
        return shown, base

    def dial_points(self, values: np.ndarray) -> np.ndarray:
        """(F, D, 3) points that go as far as dials move anything: what joints are for bones."""
        columns = [track.columns.start for track in self.tracks if track.kind == DIAL]
        points = np.zeros((len(values), len(columns), 3))
        points[..., 0] = values[:, columns] * self.reaches
        return points

    def _by_kind(self) -> Iterable[tuple[tuple[bool, str], list[Track]]]:
        """Tracks of the same kind together: a whole body is turned at once."""
        found: dict[tuple[bool, str], list[Track]] = {}
        for track in self.tracks:
            found.setdefault((track.row == OBJECT, track.kind), []).append(track)
        return found.items()


def tracks_of(armature: bpy.types.Object, poses: Pose, dials: Dials, base: Base) -> Tracks:
    """What has to be keyed for the poses to play: nothing that stays at rest.

    Unless it would be somewhere else without keys: because it is there now, or because earlier animation
    puts it there.
    """
    tracks: list[Track] = []
    columns: list[np.ndarray] = []

    def add(path: str, group: str, row: int, kind: str, values: np.ndarray, mesh: str = "") -> None:
        start = tracks[-1].columns.stop if tracks else 0
        tracks.append(Track(path, group, row, kind, slice(start, start + values.shape[1]), mesh))
        columns.append(values)

    if base.locations is not None:
        add("location", "Object Transforms", OBJECT, "location", base.locations)
    if base.rotations is not None:
        mode = armature.rotation_mode
        channel = rotation_channel(mode)
        turned = rotation_values(base.rotations, mode, np.array(getattr(armature, channel)))
        add(channel, "Object Transforms", OBJECT, mode, turned)
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
    used = dials.only(_used_dials(armature, dials))
    switches = used.only([dial for dial in used.which if dial.is_switch])
    smooth = used.without(switches.which)
    for row, dial in enumerate(smooth.which):
        add(dial.path, dial.bone, row, DIAL, smooth.values[:, [row]], dial.mesh)
    everything = np.concatenate(columns, axis=1) if columns else np.empty((len(poses.rotations), 0))
    return Tracks(poses, tuple(tracks), everything, reaches(armature, smooth.which), switches)


def _used_dials(armature: bpy.types.Object, dials: Dials) -> set[Dial]:
    """The dials that have to be keyed, by the same rule as bones."""
    now = current_dials(armature, dials.which).as_dict()
    animated = animated_dials(armature, dials.which)
    return {
        dial
        for dial, values in zip(dials.which, dials.values.T, strict=True)
        if dial in animated or np.abs(np.append(values, now.get(dial, 0.0)) - dial.rest).max() > STILL
    }
