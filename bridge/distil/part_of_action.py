# SPDX-License-Identifier: GPL-3.0-or-later
"""Reducing a part of an action: keys before and after it stay as they were, and the joints are smooth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...core.fitting.bezier import Handles
from ...core.motion import FloatArray
from .. import actions
from ..baking import Keys, enum_value, type_values
from ..splicing import ATTRIBUTES, NEAR, read_keys, write_arrays

# A curve goes on in the direction it has outside if it is then at most so many times as far from the original
# as without, from the cut to the next key.
TIED_COST = 2.0
SAME = 1e-6  # differences below this are none


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


def hold(curves: Iterable[Any], first: float, last: float) -> None:
    """Leave two keys, at the ends of the part, to curves that stand still in it."""
    for curve in curves:
        keys = read_keys(curve)
        span = _span(keys, first, last)
        inner = slice(span.start + 1, span.stop - 1)
        if inner.stop <= inner.start:
            continue
        # Handles that Blender computes would move with their new neighbours, and the rest of the curve too.
        for side in ("left", "right"):
            keys[f"handle_{side}_type"][[span.start, inner.stop]] = enum_value("handle_left_type", "FREE")
        keys["interpolation"][span.start] = enum_value("interpolation", "LINEAR")
        write_arrays(curve, {name: np.delete(array, inner, axis=0) for name, array in keys.items()})


def write_part(curves: Sequence[Any], keys: Keys, frames: FloatArray, source: FloatArray) -> None:
    """Replace the keys from the first to the last of `frames`.

    The first and the last are keys already (see `cut`), unless somebody deleted them, or the whole curve.

    Args:
        frames, source: (F,) and (F, C) what the part plays before it is reduced.
    """
    olds = [read_keys(curve) for curve in curves]
    spans = [_span(old, frames[0], frames[-1]) for old in olds]
    slopes = np.array(
        [_slopes(curve, span, len(old["co"])) for curve, old, span in zip(curves, olds, spans, strict=True)]
    ).reshape(-1, 2)
    handles = _handles(keys)
    if keys.interpolation == "BEZIER":
        handles = _meeting_outside(handles, slopes, frames, source)
    for column, (curve, old, span) in enumerate(zip(curves, olds, spans, strict=True)):
        new = _part(keys, handles, column)
        _join(new, old, span)
        before, after = slice(span.start), slice(span.stop, None)
        write_arrays(
            curve, {name: np.concatenate([old[name][before], new[name], old[name][after]]) for name in old}
        )


@dataclass(frozen=True)
class _Span:
    """The part as one curve has it: its first and last frame, and the rows of its keys."""

    first: float
    last: float
    start: int
    stop: int


def _span(old: dict[str, np.ndarray], first: float, last: float) -> _Span:
    start, stop = np.searchsorted(old["co"][:, 0], [first - NEAR, last + NEAR])
    return _Span(first, last, int(start), int(stop))


def _handles(keys: Keys) -> Handles:
    """The handles of the keys; level ones where Blender would compute them."""
    level = np.stack([np.broadcast_to(keys.frames[:, None], keys.values.shape), keys.values], axis=-1)
    third = np.diff(keys.frames) / 3.0
    left, right = keys.left, keys.right
    if left is None:
        left = level.copy()
        left[:, :, 0] -= np.concatenate([third[:1], third])[:, None]
    if right is None:
        right = level.copy()
        right[:, :, 0] += np.concatenate([third, third[-1:]])[:, None]
    return Handles(keys.frames, keys.values, left, right, np.ones(keys.values.shape, bool))


def _meeting_outside(handles: Handles, slopes: FloatArray, frames: FloatArray, source: FloatArray) -> Handles:
    """Let the curves go on in the direction they have outside, but not where that costs too much.

    That may come from elsewhere, as from the T-pose that many clips have in their first frame: a curve
    that went on in that direction would be thrown far off.
    """
    for at, side in ((0, "right"), (-1, "left")):
        fitted: FloatArray = getattr(handles, side)
        inner = fitted.copy()
        reach = inner[at, :, 0] - handles.frames[at]
        goes_on = np.isfinite(slopes[:, at])
        inner[at, goes_on, 1] = (handles.values[at] + slopes[:, at] * reach)[goes_on]
        tied = replace(handles, **{side: inner})
        allowed = TIED_COST * _error_at_end(handles, at, frames, source)
        costly = _error_at_end(tied, at, frames, source) > allowed
        inner[at, costly] = fitted[at, costly]
        handles = tied
    return handles


def _error_at_end(handles: Handles, at: int, frames: FloatArray, source: FloatArray) -> FloatArray:
    """(C,) the root of the mean squared error between the two keys at an end."""
    first, last = (handles.frames[0], handles.frames[1]) if at == 0 else handles.frames[-2:]
    inside = (frames >= first) & (frames <= last)
    squares = (handles.evaluate(frames[inside]) - source[inside]) ** 2
    return np.sqrt(squares.mean(axis=0)) + SAME


def _part(keys: Keys, handles: Handles, column: int) -> dict[str, np.ndarray]:
    """The keys of one column, as arrays like those that `read_keys` gives."""
    count = len(keys.frames)
    part = {name: np.zeros((count, size), kind) for name, (kind, size) in ATTRIBUTES.items()}
    part["co"][:, 0], part["co"][:, 1] = keys.frames, keys.values[:, column]
    part["handle_left"][:], part["handle_right"][:] = handles.left[:, column], handles.right[:, column]
    for name in ("handle_left_type", "handle_right_type"):
        part[name][:] = enum_value(name, keys.handle_type)
        if keys.corners is not None:
            part[name][keys.corners[:, column]] = enum_value(name, "FREE")
    part["interpolation"][:] = enum_value("interpolation", keys.interpolation)
    part["easing"][:] = enum_value("easing", "AUTO")
    part["type"][:, 0] = type_values(keys.types, count)
    part["back"][:], part["period"][:] = 1.70158, 4.1
    return part


def _slopes(curve: Any, span: _Span, count: int) -> tuple[float, float]:
    """How steeply the curve outside arrives at the part and leaves it; not a number where there is none."""
    first, last = span.first, span.last
    arrives = curve.evaluate(first) - curve.evaluate(first - 1.0) if span.start > 0 else np.nan
    leaves = curve.evaluate(last + 1.0) - curve.evaluate(last) if span.stop < count else np.nan
    return arrives, leaves


def _join(new: dict[str, np.ndarray], old: dict[str, np.ndarray], span: _Span) -> None:
    """What end keys have to do with what lies outside stays as it was, where they are still there."""
    free = enum_value("handle_left_type", "FREE")
    times, end = old["co"][:, 0], span.stop - 1
    ends = []
    if 0 < span.start <= end and abs(times[span.start] - span.first) < NEAR:
        ends.append((0, span.start, "handle_left"))
    if span.start <= end < len(times) - 1 and abs(times[end] - span.last) < NEAR:
        ends.append((-1, end, "handle_right"))
        # How the last key goes on is a matter of what lies outside.
        for name in ("interpolation", "easing", "back", "amplitude", "period"):
            new[name][-1] = old[name][end]
    for at, old_at, outer in ends:
        new["co"][at] = old["co"][old_at]
        new[outer][at] = old[outer][old_at]
        new["handle_left_type"][at] = new["handle_right_type"][at] = free
