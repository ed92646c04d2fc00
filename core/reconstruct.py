# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion that a few of its frames play back, for each way of filling the gaps."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .checks import channel_values, frame_numbers, key_rows, numbers
from .errors import InputError
from .fitting.fit import fit_handles
from .motion import FloatArray, IntArray

INTERPOLATIONS = ("linear", "hermite", "bezier", "aligned", "stepped")


def reconstruct(
    values: ArrayLike, keys: ArrayLike, interpolation: str = "bezier", *, frames: ArrayLike | None = None
) -> FloatArray:
    """(F, C) what plays at every row of `values` when only the rows in `keys` are kept.

    Args:
        values: (F, C) channels over time.
        keys: ascending rows that are kept; before the first and after the last the nearest one holds.
        interpolation: "linear"; "hermite" (piecewise cubic, with the tangents of Fritsch and Carlson
            that never overshoot: paper 003 names the method but not its tangents, and these are the
            usual reading); "bezier" (fitted free handles); "aligned" (fitted smooth handles);
            "stepped" (each key holds until the next).
        frames: (F,) frame numbers of the rows; 0, 1, 2 ... if left out.
    """
    array = channel_values(values)
    times = frame_numbers(frames, len(array))
    rows = key_rows(keys, len(array))
    if interpolation not in INTERPOLATIONS:
        raise InputError(
            "There is no interpolation called {interpolation!r}: choose one of {choices}.",
            interpolation=interpolation,
            choices=", ".join(INTERPOLATIONS),
        )
    if interpolation in ("bezier", "aligned"):
        mode = "free" if interpolation == "bezier" else "aligned"
        return fit_handles(array, rows, mode, frames=times).evaluate(times)
    if interpolation == "stepped" or len(rows) == 1:
        return array[rows[np.clip(np.searchsorted(rows, np.arange(len(array)), side="right") - 1, 0, None)]]
    if interpolation == "linear":
        segment, u = _places(times, rows)
        first, last = array[rows[segment]], array[rows[segment + 1]]
        return first + u[:, None] * (last - first)
    return monotone_cubic(times[rows], array[rows], np.clip(times, times[rows[0]], times[rows[-1]]))


def reconstruct_quaternions(
    quaternions: ArrayLike, keys: ArrayLike, *, frames: ArrayLike | None = None
) -> FloatArray:
    """(F, B, 4) rotations between the kept rows by spherical linear interpolation, the short way round."""
    array = numbers(quaternions, "Quaternions")
    if array.ndim != 3 or array.shape[2] != 4:
        raise InputError(
            "Quaternions must have the shape (frames, bones, 4), not {shape}.", shape=array.shape
        )
    norms = np.linalg.norm(array, axis=2, keepdims=True)
    if np.any(norms == 0.0):
        raise InputError("A quaternion of length zero is no rotation.")
    times = frame_numbers(frames, len(array))
    rows = key_rows(keys, len(array))
    unit = array / norms
    if len(rows) == 1:
        return np.repeat(unit[rows], len(array), axis=0)
    segment, u = _places(times, rows)
    return slerp(unit[rows[segment]], unit[rows[segment + 1]], u[:, None])


def slerp(first: FloatArray, last: FloatArray, u: FloatArray) -> FloatArray:
    """Unit quaternions (..., 4) at the share u (...) of the way from first to last."""
    cosine = np.sum(first * last, axis=-1)
    last = np.where(cosine[..., None] < 0.0, -last, last)
    # Half the angle from the sum and the difference keeps its digits for near and opposite rotations alike.
    angle = 2.0 * np.arctan2(np.linalg.norm(last - first, axis=-1), np.linalg.norm(last + first, axis=-1))
    sine = np.sin(angle)
    near = sine < 1e-9
    safe = np.where(near, 1.0, sine)
    a = np.where(near, 1.0 - u, np.sin((1.0 - u) * angle) / safe)
    b = np.where(near, u, np.sin(u * angle) / safe)
    blended = a[..., None] * first + b[..., None] * last
    return blended / np.linalg.norm(blended, axis=-1, keepdims=True)


def monotone_cubic(at: FloatArray, values: FloatArray, wanted: FloatArray) -> FloatArray:
    """(Q, C) at `wanted`, not outside of `at`: cubics through (n, C) values that never overshoot."""
    if len(at) == 1:
        return np.repeat(values, len(wanted), axis=0)
    segment = np.clip(np.searchsorted(at, wanted, side="right") - 1, 0, len(at) - 2)
    span = np.diff(at)[segment][:, None]
    u = (wanted - at[segment])[:, None] / span
    slopes, first, last = monotone_slopes(at, values), values[segment], values[segment + 1]
    blend = u * u * (3.0 - 2.0 * u)
    bent = u * (1.0 - u) ** 2 * slopes[segment] - u * u * (1.0 - u) * slopes[segment + 1]
    return first + blend * (last - first) + bent * span


def monotone_slopes(frames: FloatArray, values: FloatArray) -> FloatArray:
    """(K, C) tangents for cubic Hermite interpolation that never overshoots (Fritsch and Carlson)."""
    steps = np.diff(frames)[:, None]
    rise = np.diff(values, axis=0) / steps
    if len(rise) == 1:
        return np.repeat(rise, 2, axis=0)
    before, after = rise[:-1], rise[1:]
    heavy_before, heavy_after = 2.0 * steps[1:] + steps[:-1], steps[1:] + 2.0 * steps[:-1]
    same_way = before * after > 0.0
    harmonic = (heavy_before + heavy_after) / (
        heavy_before / np.where(same_way, before, 1.0) + heavy_after / np.where(same_way, after, 1.0)
    )
    slopes = np.empty_like(values)
    slopes[1:-1] = np.where(same_way, harmonic, 0.0)
    slopes[0] = _end_slope(steps[0], steps[1], rise[0], rise[1])
    slopes[-1] = _end_slope(steps[-1], steps[-2], rise[-1], rise[-2])
    return slopes


def _end_slope(
    step: FloatArray, next_step: FloatArray, rise: FloatArray, next_rise: FloatArray
) -> FloatArray:
    """A one-sided three-point slope, limited where it would reverse the curve."""
    slope = ((2.0 * step + next_step) * rise - step * next_rise) / (step + next_step)
    slope = np.where(np.sign(slope) != np.sign(rise), 0.0, slope)
    turns = (np.sign(rise) != np.sign(next_rise)) & (np.abs(slope) > 3.0 * np.abs(rise))
    return np.where(turns, 3.0 * rise, slope)


def _places(frames: FloatArray, rows: IntArray) -> tuple[IntArray, FloatArray]:
    """For every row its segment, and the share of that segment passed; held at the outer keys."""
    segment = np.clip(np.searchsorted(rows, np.arange(len(frames)), side="right") - 1, 0, len(rows) - 2)
    start, end = frames[rows[segment]], frames[rows[segment + 1]]
    return segment, np.clip((frames - start) / (end - start), 0.0, 1.0)
