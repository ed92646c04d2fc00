# SPDX-License-Identifier: GPL-3.0-or-later
"""What F-curves play where their keys tell it: Blender need not be asked curve by curve, frame by frame."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any

import numpy as np

from ..core.fitting.bezier import Handles
from ..core.motion import FloatArray
from . import curve_keys
from .baking import enum_value
from .bones import WIDTHS

ON_KEY = np.float32(1e-4)  # frames: Blender plays a key itself so near to it
APART = np.float32(2e-4)  # of keys that are nearer to each other, it plays the one that its search comes upon


def what_keys_tell(
    curves: Sequence[Any], frames: FloatArray, *, exactly: bool
) -> tuple[np.ndarray, FloatArray, bool]:
    """(C,) which curves tell what Blender plays, (F, N) values of those, and whether some are rounded.

    Args:
        curves: without modifiers, with keys on the same frames.
        exactly: to the last bit, which Bezier curves do not tell.
    """
    points = [curve_keys.read(curve, "co") for curve in curves]
    times, values = points[0][:, 0], np.stack([each[:, 1] for each in points], axis=1)
    if np.any(np.diff(times) <= APART):
        return np.zeros(len(curves), bool), np.empty((len(frames), 0)), False
    single = np.asarray(frames, np.float32)
    told, exact = told_by_keys(curves, times, values, single)
    others = np.flatnonzero(~told)
    if exactly or not len(others):
        return told, exact, False
    found = np.empty((len(frames), len(curves)))
    found[:, told] = exact
    nearly, rounded = nearly_told_by_keys(
        [curves[column] for column in others], times, values[:, others], single
    )
    found[:, others[nearly]] = rounded
    told[others[nearly]] = True
    return told, found[:, told], bool(nearly.any())


def told_by_keys(
    curves: Sequence[Any], times: np.ndarray, values: np.ndarray, frames: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(C,) which curves tell what Blender plays at the frames to the last bit, and (F, N) values of those.

    Those that stand still, are straight, or have a key on every frame.

    Args:
        times: (K,) of the keys that all of the curves have.
        values: (K, C) of these keys.
    """
    at = np.searchsorted(times, frames)
    if at.max(initial=0) < len(times) and np.array_equal(times[at], frames):
        return np.ones(len(curves), bool), values[at]
    still = np.all(values == values[0], axis=0)
    tells = np.array(
        [
            _stays_at(curve, value) if stands else _goes(curve, "LINEAR")
            for curve, value, stands in zip(curves, values[0], still, strict=True)
        ],
        bool,
    )
    read = np.repeat(values[:1], len(frames), axis=0)
    if not still.all():
        read[:, ~still] = _on_straight_lines(times, values[:, ~still], frames)
    return tells, read[:, tells]


def nearly_told_by_keys(
    curves: Sequence[Any], times: np.ndarray, values: np.ndarray, frames: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """`told_by_keys` for Bezier curves, which Blender plays with the rounding of its single precision."""
    tells = np.array([_goes(curve, "BEZIER") for curve in curves], bool)
    some = [*compress(curves, tells)]
    found = _on_bezier_curves(some, times, values[:, tells], frames) if some else None
    return (tells & False, np.empty((len(frames), 0))) if found is None else (tells, found)


def _goes(curve: Any, way: str) -> bool:
    """Whether a curve goes in one way from key to key and holds its ends; what moves bones jumps nowhere."""
    if curve.extrapolation != "CONSTANT" or not curve.data_path.endswith(tuple(WIDTHS)):
        return False
    ways = curve_keys.read(curve, "interpolation")[:-1]
    return len(ways) > 0 and bool(np.all(ways == enum_value("interpolation", way)))


def _stays_at(curve: Any, value: float) -> bool:
    """Whether a curve whose keys all have this value has it everywhere: an elastic one swings about it."""
    ways = curve_keys.read(curve, "interpolation")
    if len(ways) == 1 and curve.extrapolation == "CONSTANT":
        return True
    found = set(ways.tolist())
    if found <= {enum_value("interpolation", "CONSTANT"), enum_value("interpolation", "LINEAR")}:
        return True
    return found == {enum_value("interpolation", "BEZIER")} and all(
        np.all(curve_keys.read(curve, side)[:, 1] == value) for side in ("handle_left", "handle_right")
    )


def _on_straight_lines(times: np.ndarray, values: np.ndarray, frames: np.ndarray) -> np.ndarray:
    """(F, C) what Blender plays between keys, to the last bit: it reckons like this, in single precision."""
    if len(times) < 2:
        return np.repeat(values, len(frames), axis=0)
    before = np.clip(np.searchsorted(times, frames, side="right") - 1, 0, len(times) - 2)
    spans = (times[before + 1] - times[before])[:, None]
    since = (np.clip(frames, times[0], times[-1]) - times[before])[:, None]
    found = (values[before + 1] - values[before]) * since / spans + values[before]
    return _with_keys(found, times, values, frames)


def _on_bezier_curves(
    curves: Sequence[Any], times: np.ndarray, values: np.ndarray, frames: np.ndarray
) -> np.ndarray | None:
    """(F, C) what plays between handles that Blender takes as they are; None where one is too long."""
    left, right = (
        np.stack([curve_keys.read(curve, side) for curve in curves], axis=1).astype(np.float64)
        for side in ("handle_left", "handle_right")
    )
    moments = times.astype(np.float64)
    ahead, behind = right[:-1, :, 0] - moments[:-1, None], moments[1:, None] - left[1:, :, 0]
    spans = np.diff(moments)[:, None]
    taken = (np.minimum(ahead, behind) >= 0.0) & (np.maximum(ahead, behind) <= spans)
    if not taken.all():
        return None
    keys = Handles(moments, values.astype(np.float64), left, right, np.ones(values.shape, bool))
    found = keys.evaluate(frames.astype(np.float64))
    return _with_keys(found, times, values, frames)


def _with_keys(found: np.ndarray, times: np.ndarray, values: np.ndarray, frames: np.ndarray) -> np.ndarray:
    """(F, C) what was found between keys, with the keys themselves near them and the last one beyond."""
    before = np.clip(np.searchsorted(times, frames, side="right") - 1, 0, len(times) - 2)
    for key in (before, before + 1):
        on_key = np.abs(times[key] - frames) <= ON_KEY
        found[on_key] = values[key[on_key]]
    return np.where(frames[:, None] >= times[-1], values[-1], found)
