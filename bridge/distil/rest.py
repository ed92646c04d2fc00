# SPDX-License-Identifier: GPL-3.0-or-later
"""Reducing a part of an action: keys before and after it stay as they were, and the joints are smooth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import actions
from ..baking import Keys, enum_value, type_values
from ..splicing import ATTRIBUTES, NEAR, read_keys, write_arrays


def cut(curves: Sequence[Any], first: float, last: float) -> None:
    """Give every curve keys at both ends of the part without changing how it plays."""
    for curve in curves:
        for frame in (first, last):
            _split(curve, frame)


def _split(curve: Any, frame: float) -> None:
    times = actions.key_points(curve)[:, 0]
    at = int(np.searchsorted(times, frame))
    if np.any(np.abs(times - frame) < NEAR):
        return
    value = curve.evaluate(frame)
    # Handles that Blender computes would move when they get a new neighbour; as free ones they stay.
    for neighbour in (at - 1, at):
        if 0 <= neighbour < len(times):
            key = curve.keyframe_points[neighbour]
            key.handle_left_type = key.handle_right_type = "FREE"
    curve.keyframe_points.insert(frame, value)
    curve.update()


def write_part(curves: Sequence[Any], keys: Keys, first: float, last: float) -> None:
    """Replace the keys from `first` to `last`, which must be keys already (see `cut`)."""
    for column, curve in enumerate(curves):
        old = read_keys(curve)
        times = old["co"][:, 0]
        before, after = times < first - NEAR, times > last + NEAR
        start = int(np.argmin(np.abs(times - first)))
        end = int(np.argmin(np.abs(times - last)))
        new = _part(keys, column)
        _join(new, old, start, end, _slopes(curve, old, start, end))
        write_arrays(
            curve, {name: np.concatenate([old[name][before], new[name], old[name][after]]) for name in old}
        )


def _part(keys: Keys, column: int) -> dict[str, np.ndarray]:
    """The keys of one column, as arrays like those that `read_keys` gives."""
    count = len(keys.frames)
    part = {name: np.zeros((count, size), kind) for name, (kind, size) in ATTRIBUTES.items()}
    part["co"][:, 0], part["co"][:, 1] = keys.frames, keys.values[:, column]
    third = np.diff(keys.frames) / 3.0
    for name, side, reach in (
        ("handle_left", keys.left, -np.concatenate([third[:1], third])),
        ("handle_right", keys.right, np.concatenate([third, third[-1:]])),
    ):
        part[name][:] = part["co"] if side is None else side[:, column]
        if side is None:
            part[name][:, 0] += reach
    for name in ("handle_left_type", "handle_right_type"):
        part[name][:] = enum_value(name, keys.handle_type)
        if keys.corners is not None:
            part[name][keys.corners[:, column]] = enum_value(name, "FREE")
    part["interpolation"][:] = enum_value("interpolation", keys.interpolation)
    part["easing"][:] = enum_value("easing", "AUTO")
    part["type"][:, 0] = type_values(keys.types, count)
    part["back"][:], part["period"][:] = 1.70158, 4.1
    return part


def _slopes(
    curve: Any, old: dict[str, np.ndarray], start: int, end: int
) -> tuple[float | None, float | None]:
    """How steeply the rest of the curve arrives at the part and leaves it; None where there is no rest."""
    first, last = (float(old["co"][at, 0]) for at in (start, end))
    arrives = curve.evaluate(first) - curve.evaluate(first - 1.0) if start > 0 else None
    leaves = curve.evaluate(last + 1.0) - curve.evaluate(last) if end < len(old["co"]) - 1 else None
    return arrives, leaves


def _join(
    new: dict[str, np.ndarray],
    old: dict[str, np.ndarray],
    start: int,
    end: int,
    slopes: tuple[float | None, float | None],
) -> None:
    """Outer handles of the end keys as they were, inner ones in the direction of the rest."""
    free = enum_value("handle_left_type", "FREE")
    for at, old_at, outer, inner, slope in (
        (0, start, "handle_left", "handle_right", slopes[0]),
        (-1, end, "handle_right", "handle_left", slopes[1]),
    ):
        if slope is None:
            continue
        new["co"][at] = old["co"][old_at]
        new[outer][at] = old[outer][old_at]
        new[inner][at, 1] = new["co"][at, 1] + slope * (new[inner][at, 0] - new["co"][at, 0])
        new["handle_left_type"][at] = new["handle_right_type"][at] = free
    if slopes[1] is not None:
        # How the last key goes on is a matter of the rest.
        for name in ("interpolation", "easing", "back", "amplitude", "period"):
            new[name][-1] = old[name][end]
