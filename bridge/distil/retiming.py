# SPDX-License-Identifier: GPL-3.0-or-later
"""Key columns are moved to other frames as wholes, handles included, as if dragged in the Dope Sheet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ...core import InputError
from ...core.motion import FloatArray
from .. import actions, sampling
from ..editable import check_editable
from ..splicing import read_keys, write_arrays
from . import reductions
from .reductions import Reduction

PARTS = ("co", "handle_left", "handle_right")


def columns_of(reduction: Reduction) -> FloatArray:
    """The frames on which a reduced action has keys."""
    frames = [actions.key_points(curve)[:, 0] for curve in reduction.curves]
    if not frames:
        return np.zeros(0)
    frames = np.unique(np.concatenate(frames))
    apart = np.concatenate([[True], np.diff(frames) > sampling.SAME_FRAME])
    return frames[apart]


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


def retime(armature: bpy.types.Object, columns: FloatArray, moved: FloatArray) -> None:
    """Move the key columns of what an armature plays, in order; between them the spacing of keys follows."""
    check_editable(armature)
    reduction = reductions.get(armature)
    if reduction.shows_original:
        raise InputError("The original plays now: turn off Show Original, then retime the keys.")
    if len(columns) != len(moved) or np.any(np.diff(moved) <= 0.0):
        raise InputError("Poses keep their order: let every one come after the one before.")
    for curve in reduction.curves:
        _move(curve, columns, moved)
    reduction.action.update_tag()


def _move(curve: Any, columns: FloatArray, moved: FloatArray) -> None:
    keys = read_keys(curve)
    if not len(keys["co"]):
        return
    shift = np.interp(keys["co"][:, 0], columns, moved - columns)
    for part in PARTS:
        keys[part] = keys[part] + np.stack([shift, np.zeros_like(shift)], axis=1)
    write_arrays(curve, keys)
