# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of an armature as numpy arrays: read from its bones and written to them, in any rotation mode."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import bpy
import numpy as np

from ....core import rotations as rotation
from ...bones import WIDTHS

AT_REST = 1e-6  # below this, in any channel, a bone is at rest; Blender keeps single precision


@dataclass(frozen=True)
class Pose:
    """Local transforms of some bones, relative to their rest position.

    With a leading axis of frames in the arrays it stands for as many poses of the same bones.
    """

    bones: tuple[str, ...]
    rotations: np.ndarray  # (..., B, 3, 3)
    locations: np.ndarray  # (..., B, 3)
    scales: np.ndarray  # (..., B, 3)

    def only(self, names: Iterable[str]) -> Pose:
        """The pose of just those bones it holds, in the order of `names`."""
        wanted = tuple(names)
        if wanted == self.bones:
            return self
        order = {bone: row for row, bone in enumerate(self.bones)}
        rows = [order[name] for name in wanted if name in order]
        return Pose(
            tuple(self.bones[row] for row in rows),
            self.rotations[..., rows, :, :],
            self.locations[..., rows, :],
            self.scales[..., rows, :],
        )


def rest_pose(bones: Iterable[str]) -> Pose:
    """Bones that are not moved, turned or scaled."""
    names = tuple(bones)
    count = len(names)
    return Pose(names, np.tile(np.eye(3), (count, 1, 1)), np.zeros((count, 3)), np.ones((count, 3)))


def posed_bones(pose: Pose) -> set[str]:
    """The bones that are not at rest in a single pose."""
    turned = np.abs(pose.rotations - np.eye(3)).max(axis=(-1, -2), initial=0.0)
    moved = np.abs(pose.locations).max(axis=-1, initial=0.0)
    scaled = np.abs(pose.scales - 1.0).max(axis=-1, initial=0.0)
    away = np.maximum(np.maximum(turned, moved), scaled) > AT_REST
    return {bone for bone, posed in zip(pose.bones, away.tolist(), strict=True) if posed}


def merged(under: Pose, over: Pose) -> Pose:
    """Both poses' bones; where both hold one, `over` counts."""
    kept = under.only(bone for bone in under.bones if bone not in over.bones)
    return Pose(
        kept.bones + over.bones,
        np.concatenate([kept.rotations, over.rotations]),
        np.concatenate([kept.locations, over.locations]),
        np.concatenate([kept.scales, over.scales]),
    )


def rotation_channel(mode: str) -> str:
    return {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(
        mode, "rotation_euler"
    )


def rotation_matrices(values: np.ndarray, mode: str) -> np.ndarray:
    """(..., 3, 3) from the values of the rotation channel that belongs to a mode."""
    if mode == "QUATERNION":
        return rotation.quaternion_to_matrix(values)
    if mode == "AXIS_ANGLE":
        return rotation.quaternion_to_matrix(rotation.axis_angle_to_quaternion(values))
    return rotation.euler_to_matrix(values, mode)


def rotation_values(matrices: np.ndarray, mode: str, before: np.ndarray | None = None) -> np.ndarray:
    """(F, ..., 3 or 4) values of the rotation channel for (F, ..., 3, 3), without jumps between frames.

    `before` are the values on the frame before: of all that mean the same rotation, the nearest are taken.
    """
    if mode == "QUATERNION":
        values, smooth = rotation.matrix_to_quaternion(matrices), rotation.continuous_quaternion
    elif mode == "AXIS_ANGLE":
        turned = rotation.matrix_to_quaternion(matrices)
        values, smooth = rotation.quaternion_to_axis_angle(turned), rotation.continuous_axis_angle
    else:
        values, smooth = (
            rotation.matrix_to_euler(matrices, mode),
            partial(rotation.continuous_euler, order=mode),
        )
    if before is None:
        return smooth(values)
    return smooth(np.concatenate([before[None], values]))[1:]


def current_pose(armature: bpy.types.Object, names: Iterable[str]) -> Pose:
    """What the bones' own channels say now; names without a bone are left out."""
    held, rows = _rows(armature, tuple(names))
    rotations = np.empty((len(rows), 3, 3))
    for mode, members in by_mode(armature, rows):
        values = channel_values(armature, rotation_channel(mode))[rows[members]]
        rotations[members] = rotation_matrices(values, mode)
    return Pose(
        tuple(np.array(tuple(names), dtype=object)[held]),
        rotations,
        channel_values(armature, "location")[rows].astype(np.float64),
        channel_values(armature, "scale")[rows].astype(np.float64),
    )


def apply_pose(armature: bpy.types.Object, pose: Pose) -> np.ndarray:
    """Pose the bones that the pose holds, each in its rotation mode; all other bones stay.

    Returns what `all_channels` gives then.
    """
    held, rows = _rows(armature, pose.bones)
    channels = {path: channel_values(armature, path) for path in WIDTHS}
    changed = {"location", "scale"}
    for mode, members in by_mode(armature, rows):
        path = rotation_channel(mode)
        values, some = channels[path], rows[members]
        before = values[some].astype(np.float64)
        values[some] = rotation_values(pose.rotations[held[members]][None], mode, before)[0]
        changed.add(path)
    channels["location"][rows] = pose.locations[held]
    channels["scale"][rows] = pose.scales[held]
    for path in changed:
        _set_channel(armature, path, channels[path])
    armature.update_tag(refresh={"DATA"})
    return np.concatenate(list(channels.values()), axis=1)


def channel_values(armature: bpy.types.Object, path: str) -> np.ndarray:
    """(bones, width) one channel of every pose bone."""
    bones = armature.pose.bones
    flat = np.empty(len(bones) * WIDTHS[path], dtype=np.float32)
    bones.foreach_get(path, flat)
    return flat.reshape(len(bones), -1)


def all_channels(armature: bpy.types.Object) -> np.ndarray:
    """(bones, 17) every transform channel of every pose bone: what to compare or to bring back."""
    return np.concatenate([channel_values(armature, path) for path in WIDTHS], axis=1)


def set_all_channels(armature: bpy.types.Object, values: np.ndarray) -> None:
    """Bring back what `all_channels` gave."""
    ends = np.cumsum(list(WIDTHS.values()))[:-1]
    for path, part in zip(WIDTHS, np.split(values, ends, axis=1), strict=True):
        _set_channel(armature, path, part)
    armature.update_tag(refresh={"DATA"})


def bring_back(armature: bpy.types.Object, bones: tuple[str, ...], values: np.ndarray) -> None:
    """Bring back what `all_channels` gave when these were the bones, to those that are still there."""
    held, rows = _rows(armature, bones)
    channels = all_channels(armature)
    channels[rows] = values[held]
    set_all_channels(armature, channels)


def _set_channel(armature: bpy.types.Object, path: str, values: np.ndarray) -> None:
    armature.pose.bones.foreach_set(path, np.ascontiguousarray(values, dtype=np.float32).ravel())


def _rows(armature: bpy.types.Object, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Which of `names` are bones, and their rows among the pose bones."""
    bones = tuple(armature.pose.bones.keys())
    if names == bones:
        return np.arange(len(bones)), np.arange(len(bones))
    order = {bone: row for row, bone in enumerate(bones)}
    held = [n for n, name in enumerate(names) if name in order]
    return np.array(held, dtype=np.int64), np.array([order[names[n]] for n in held], dtype=np.int64)


def by_mode(armature: bpy.types.Object, rows: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """The positions in `rows` of the bones of each rotation mode."""
    numbers = np.empty(len(armature.pose.bones), np.int32)
    armature.pose.bones.foreach_get("rotation_mode", numbers)
    modes = {mode.value: name for name, mode in _modes().items()}
    used = numbers[rows]
    return [(modes[number], np.flatnonzero(used == number)) for number in np.unique(used).tolist()]


def _modes() -> Any:
    """Blender's rotation modes by their names."""
    return bpy.types.PoseBone.bl_rna.properties["rotation_mode"].enum_items
