# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses at other times: their columns of keys move, and what lies between follows the original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import bpy
import numpy as np

from ....core import InputError
from ....core.motion import FloatArray
from ... import sampling
from .. import reduced_action
from ..reductions import Reduction


def columns_of(reduction: Reduction) -> FloatArray:
    """The frames of the key poses."""
    analysis = reduction.analysis()
    return analysis.frames[analysis.keys(reduction.state.key_count)]


def tapped_columns(columns: FloatArray, begin: float, taps: Sequence[float]) -> FloatArray:
    """Where all columns go when those from `begin` on were tapped one after the other.

    What comes after the last that was tapped moves along with it: no spacing but the tapped changes.
    """
    first = int(np.searchsorted(columns, begin - sampling.SAME_FRAME))
    taps = list(taps)[: len(columns) - first]
    if not taps:
        raise InputError("No pose was tapped: play, and press Space at each pose.")
    moved = columns.copy()
    moved[first : first + len(taps)] = _a_frame_apart(np.round(np.asarray(taps, np.float64)))
    last = first + len(taps) - 1
    moved[last + 1 :] += moved[last] - columns[last]
    if first > 0 and moved[first] <= moved[first - 1]:
        raise InputError("A pose cannot come before the one that it follows: tap later, or begin earlier.")
    return moved


def _a_frame_apart(frames: FloatArray) -> FloatArray:
    """Two taps within a frame are two poses all the same."""
    steps = np.arange(len(frames), dtype=np.float64)
    return np.maximum.accumulate(frames - steps) + steps


def move_pose(armature: bpy.types.Object, frame: float, to: float) -> None:
    """Move one key pose, as far as its neighbours let it."""
    reduction = reduced_action.own_with_edits(armature)
    columns = columns_of(reduction)
    place = int(np.argmin(np.abs(columns - frame)))
    if not reduction.analysis().whole and place in (0, len(columns) - 1):
        raise InputError(
            "Only a part of the action is reduced: its first and last pose stay where the rest goes on. "
            "Move a pose between them."
        )
    low = columns[place - 1] + 1.0 if place > 0 else -np.inf
    high = columns[place + 1] - 1.0 if place + 1 < len(columns) else np.inf
    moved = columns.copy()
    moved[place] = np.clip(np.round(to), low, high)
    _move(reduction, columns, moved)


def retime(armature: bpy.types.Object, begin: float, taps: Sequence[float]) -> int:
    """Move the key poses from a frame on to where they were tapped: how many moved."""
    reduction = reduced_action.own_with_edits(armature)
    columns = columns_of(reduction)
    moved = tapped_columns(columns, begin, taps)
    if not reduction.analysis().whole:
        moved = _within_part(columns, moved)
    _move(reduction, columns, moved)
    return int(np.count_nonzero(moved != columns))


def _within_part(columns: FloatArray, moved: FloatArray) -> FloatArray:
    """The ends of a part stay where the rest of the action goes on."""
    moved[[0, -1]] = columns[[0, -1]]
    if np.any(np.diff(moved) <= 0.0):
        raise InputError(
            "Only a part of the action is reduced, and the rest goes on at its ends: tap each of its poses "
            "between frames {first:g} and {last:g}.",
            first=columns[0],
            last=columns[-1],
        )
    return moved


def _move(reduction: Reduction, columns: FloatArray, moved: FloatArray) -> None:
    edits = reduction.edits
    reduced_action.set_edits(reduction, replace(edits, warp=edits.warp.moved(columns, moved)))
