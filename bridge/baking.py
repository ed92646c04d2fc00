# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing keys to many F-curves at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import bpy
import numpy as np

from ..core.editing.staggered_time import handle_scales
from ..core.motion import FloatArray

FRESH = {"interpolation": "BEZIER", "type": "KEYFRAME", "handle_left_type": "AUTO_CLAMPED"}
SELECTABLE = ("select_control_point", "select_left_handle", "select_right_handle")


@dataclass(frozen=True, eq=False)
class Keys:
    """Keys of C channels, all at the same K frames.

    Attributes:
        frames: (K,) frame numbers, ascending.
        values: (K, C).
        left, right: (K, C, 2) frame and value of the handles before and after each key; left out
            for automatic handles.
        interpolation: Blender's name, for example "BEZIER", "LINEAR" or "CONSTANT"; or K of them.
        handle_type: Blender's name for all handles.
        corners: (K, C) where the handles are FREE whatever `handle_type` says.
        types: K of Blender's key types, for example "EXTREME"; plain keyframes if left out.
    """

    frames: FloatArray
    values: FloatArray
    left: FloatArray | None = None
    right: FloatArray | None = None
    interpolation: str | Sequence[str] = "BEZIER"
    handle_type: str = "AUTO_CLAMPED"
    corners: np.ndarray | None = None
    types: Sequence[str] | None = None

    def of_channels(self, some: slice | np.ndarray) -> Keys:
        """The same keys of only some of the channels."""

        def part(array: np.ndarray | None) -> np.ndarray | None:
            return None if array is None else array[:, some]

        return replace(
            self,
            values=self.values[:, some],
            left=part(self.left),
            right=part(self.right),
            corners=part(self.corners),
        )

    def at(self, frames: FloatArray) -> Keys:
        """The same keys on other frames; handles keep their slopes."""
        points = np.stack([np.broadcast_to(self.frames[:, None], self.values.shape), self.values], axis=2)
        shift = np.zeros((len(frames), 1, 2))
        shift[:, 0, 0] = frames - self.frames

        def moved(handles: FloatArray | None, scales: FloatArray) -> FloatArray | None:
            if handles is None:
                return None
            return points + shift + scales[:, None, None] * (handles - points)

        left, right = handle_scales(self.frames, frames)
        return replace(self, frames=frames, left=moved(self.left, left), right=moved(self.right, right))


def write_keys(curves: Sequence[Any], keys: Keys) -> None:
    """Replace all keys of the curves, one for each column of `keys.values`.

    Each attribute is written to a curve in one call; each curve is updated once.
    """
    count = len(keys.frames)
    points = _points(keys)
    sides = [(name, _by_channel(side)) for name, side in _handles(keys).items() if side is not None]
    handle_types = _handle_types(keys)
    ways = keys.interpolation
    kinds = {
        "interpolation": _numbers("interpolation", [ways] * count if isinstance(ways, str) else ways),
        "type": type_values(keys.types, count),
    }
    unusual = {name: of_keys for name, of_keys in kinds.items() if np.any(of_keys != _fresh(name))}
    are_usual = np.all(handle_types == _fresh("handle_left_type"), axis=1).tolist()
    unselected = np.zeros(count, bool)
    for column, curve in enumerate(curves):
        key_points = curve.keyframe_points
        are_fresh = len(key_points) != count
        if are_fresh:
            key_points.clear()
            key_points.add(count)
            for part in SELECTABLE:  # Blender selects all of a new key
                key_points.foreach_set(part, unselected)
        key_points.foreach_set("co", points[column])
        for name, of_keys in (unusual if are_fresh else kinds).items():
            key_points.foreach_set(name, of_keys)
        if not (are_fresh and are_usual[column]):
            key_points.foreach_set("handle_left_type", handle_types[column])
            key_points.foreach_set("handle_right_type", handle_types[column])
        for name, side in sides:
            key_points.foreach_set(f"handle_{name}", side[column])
        curve.update()


def _handles(keys: Keys) -> dict[str, FloatArray | None]:
    """Those to be written; Blender finds automatic ones itself, but for a key that is alone."""
    if len(keys.frames) != 1 or keys.left is not None:
        return {"left": keys.left, "right": keys.right}
    point = np.stack([np.broadcast_to(keys.frames[:, None], keys.values.shape), keys.values], axis=2)
    a_frame = np.array([1.0, 0.0])
    return {"left": point - a_frame, "right": point + a_frame}


def type_values(types: Sequence[str] | None, count: int) -> np.ndarray:
    """(K,) numbers of Blender's key types; plain keyframes if there are none."""
    return _numbers("type", types or ["KEYFRAME"] * count)


def _numbers(attribute: str, names: Sequence[str]) -> np.ndarray:
    """(K,) the numbers behind some choices of a key's attribute."""
    values = {name: enum_value(attribute, name) for name in set(names)}
    return np.array([values[name] for name in names], np.int32)


def _fresh(attribute: str) -> int:
    """What a key has that was just added, whatever the preferences say of keys that people set."""
    return enum_value(attribute, FRESH[attribute])


@cache
def enum_value(attribute: str, name: str) -> int:
    """The number behind one of the choices of a key's attribute, as `foreach_set` wants it."""
    return bpy.types.Keyframe.bl_rna.properties[attribute].enum_items[name].value


def _points(keys: Keys) -> np.ndarray:
    """(C, 2K) frames and values interleaved, as Blender stores them."""
    count, channels = keys.values.shape
    points = np.empty((channels, count, 2), np.float32)
    points[:, :, 0] = keys.frames
    points[:, :, 1] = keys.values.T
    return points.reshape(channels, 2 * count)


def _by_channel(side: FloatArray) -> np.ndarray:
    """(C, 2K) from (K, C, 2)."""
    count, channels = side.shape[:2]
    return np.ascontiguousarray(side.swapaxes(0, 1), np.float32).reshape(channels, 2 * count)


def _handle_types(keys: Keys) -> np.ndarray:
    """(C, K) numbers of handle types."""
    plain = np.full(keys.values.T.shape, enum_value("handle_left_type", keys.handle_type), np.int32)
    if keys.corners is None:
        return plain
    free = enum_value("handle_left_type", "FREE")
    return np.ascontiguousarray(np.where(keys.corners.T, free, plain), np.int32)
