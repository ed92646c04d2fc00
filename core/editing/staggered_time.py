# SPDX-License-Identifier: GPL-3.0-or-later
"""Overlapping action: the keys of a limb some frames after the columns that they belong to, or before."""

from __future__ import annotations

import numpy as np

from ..motion import FloatArray

NEAR = 1e-3  # frames closer than this are the same


def staggered(columns: FloatArray, by: float) -> FloatArray:
    """(K,) where the keys of a limb go that is late by so many frames; before, where that is negative.

    The first and the last stay, so that the action begins and ends with its poses. Where there is no room
    keys go as far as they can and stay in order, a frame apart.
    """
    steps = np.minimum(np.diff(columns), 1.0)
    behind = np.concatenate([[0.0], np.cumsum(steps)])
    moved = np.clip(columns + by, columns[0] + behind, columns[-1] - (behind[-1] - behind))
    moved[[0, -1]] = columns[[0, -1]]
    return moved


def on_columns(frames: FloatArray, columns: FloatArray, by: float) -> FloatArray:
    """(N,) the other way round: where keys of such a limb belong, also those that were moved or are new.

    Args:
        frames: (N,) of all keys of a channel, ascending. The first and the last are ends wherever they are.
        columns: (K,) as they were when the keys were written.
    """
    written = staggered(columns, by)
    found = frames - by
    outside = (found <= columns[0]) | (found >= columns[-1])
    found[outside] = np.interp(frames[outside], written, columns)
    at = np.abs(frames[:, None] - written).argmin(axis=1)
    there = np.abs(frames - written[at]) < NEAR
    found[there] = columns[at[there]]
    found[[0, -1]] = frames[[0, -1]]
    return found


def late_values(values: FloatArray, frames: FloatArray, columns: FloatArray, by: float) -> FloatArray:
    """(F, C) what channels play whose keys are staggered: the same as before, at another time."""
    moments = np.interp(frames, staggered(columns, by), columns)
    after = np.clip(np.searchsorted(frames, moments), 1, len(frames) - 1)
    share = ((moments - frames[after - 1]) / (frames[after] - frames[after - 1]))[:, None]
    return (1.0 - share) * values[after - 1] + share * values[after]


def handle_scales(before: FloatArray, after: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(K,) how many times as long handles to the left and right get when keys move.

    They fill as much of their segments as before. Scaled in time and value they keep their slope, so that
    what was smooth at a key stays smooth.
    """
    ratios = np.diff(after) / np.maximum(np.diff(before), NEAR)
    return np.concatenate([[1.0], ratios]), np.concatenate([ratios, [1.0]])
