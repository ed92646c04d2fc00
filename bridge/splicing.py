# SPDX-License-Identifier: GPL-3.0-or-later
"""Replacing the keys of a stretch of time while those before and after stay as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .baking import Keys, write_keys

# Everything that makes a key, and how many numbers each takes. Handle types come before handles: setting
# a type afterwards would let Blender move what was already written.
ATTRIBUTES: dict[str, tuple[type, int]] = {
    "co": (np.float32, 2),
    "handle_left_type": (np.int32, 1),
    "handle_right_type": (np.int32, 1),
    "handle_left": (np.float32, 2),
    "handle_right": (np.float32, 2),
    "interpolation": (np.int32, 1),
    "easing": (np.int32, 1),
    "type": (np.int32, 1),
    "back": (np.float32, 1),
    "amplitude": (np.float32, 1),
    "period": (np.float32, 1),
}
NEAR = 1e-3  # frames closer than this are the same


def replace_between(curves: Sequence[Any], keys: Keys) -> None:
    """Write keys to the curves; of the old keys only those outside their time remain."""
    first, last = keys.frames[0] - NEAR, keys.frames[-1] + NEAR
    kept = [_outside(read_keys(curve), first, last) for curve in curves]
    write_keys(curves, keys)
    for curve, old in zip(curves, kept, strict=True):
        if len(old["co"]):
            _add_keys(curve, old)


def read_keys(curve: Any) -> dict[str, np.ndarray]:
    """All attributes of all keys of a curve."""
    points = curve.keyframe_points
    arrays = {name: np.empty((len(points), size), kind) for name, (kind, size) in ATTRIBUTES.items()}
    for name, array in arrays.items():
        points.foreach_get(name, array.ravel())
    return arrays


def write_arrays(curve: Any, arrays: dict[str, np.ndarray]) -> None:
    """Replace all keys of a curve by such attributes, in the order of time."""
    points = curve.keyframe_points
    points.clear()
    points.add(len(arrays["co"]))
    for name in ATTRIBUTES:
        points.foreach_set(name, np.ascontiguousarray(arrays[name]).ravel())
    curve.update()


def keys_between(curve: Any, first: float, last: float) -> dict[str, np.ndarray]:
    """All attributes of the keys from one frame to another."""
    arrays = read_keys(curve)
    rows = ~_are_outside(arrays, first - NEAR, last + NEAR)
    return {name: array[rows] for name, array in arrays.items()}


def _outside(arrays: dict[str, np.ndarray], first: float, last: float) -> dict[str, np.ndarray]:
    rows = _are_outside(arrays, first, last)
    return {name: array[rows] for name, array in arrays.items()}


def _are_outside(arrays: dict[str, np.ndarray], first: float, last: float) -> np.ndarray:
    times = arrays["co"][:, 0]
    return (times < first) | (times > last)


def _add_keys(curve: Any, more: dict[str, np.ndarray]) -> None:
    here = read_keys(curve)
    merged = {name: np.concatenate([here[name], more[name]]) for name in here}
    order = np.argsort(merged["co"][:, 0], kind="stable")
    write_arrays(curve, {name: array[order] for name, array in merged.items()})
