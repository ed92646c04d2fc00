# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of the actions that a layer plays: one on every frame, and nothing that changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import compress
from typing import Any

import bpy
import numpy as np

from ....core.feet.between_frames import handles_through
from ....core.motion import FloatArray
from ... import actions
from ...baking import Keys, write_keys
from ..solving.analysis import Analysis
from . import residuals


def write_columns(
    action: bpy.types.Action,
    analysis: Analysis,
    columns: Sequence[int],
    frames: FloatArray,
    values: FloatArray,
) -> None:
    """Keys for some channels, of which those that stay the same need one; other channels are removed.

    Keys are on frames of the analysis; through what is between them curves are bent.
    """
    thirds = ~np.isin(frames, analysis.frames)
    wanted = {analysis.paths[column]: place for place, column in enumerate(columns)}
    for slot, bag in actions.bags_in(action):
        curves, places = [], []
        for curve in list(bag.fcurves):
            place = wanted.get((actions.slot_handle(slot), curve.data_path, curve.array_index))
            if place is None:
                bag.fcurves.remove(curve)
                continue
            _keep_cycles(curve)
            curves.append(curve)
            places.append(place)
        found = values[:, places]
        stays = np.ptp(found, axis=0) == 0.0
        still = Keys(frames[:1], found[:1, stays], interpolation="LINEAR", handle_type="VECTOR")
        write_keys(list(compress(curves, stays)), still)
        write_keys(list(compress(curves, ~stays)), _bent(frames, found[:, ~stays], thirds))


def _bent(frames: FloatArray, values: FloatArray, thirds: np.ndarray) -> Keys:
    """Keys on all frames that are no thirds; curves go through those and are straight elsewhere."""
    whole = ~thirds
    keys = Keys(frames[whole], values[whole], interpolation="LINEAR", handle_type="VECTOR")
    if not thirds.any():
        return keys
    gaps = np.flatnonzero(thirds[1:][whole[:-1]])
    levels = handles_through(keys.values, values[thirds], gaps)
    steps = np.diff(keys.frames, append=keys.frames[-1:]) / 3.0
    times = keys.frames - np.roll(steps, 1), keys.frames + steps
    left, right = (
        np.stack([np.broadcast_to(time[:, None], level.shape), level], axis=2)
        for time, level in zip(times, levels, strict=True)
    )
    ways = np.full(len(keys.frames), "LINEAR")
    ways[gaps] = "BEZIER"
    return replace(keys, left=left, right=right, interpolation=ways.tolist(), handle_type="FREE")


def mute_unchanged(action: bpy.types.Action, analysis: Analysis, still: np.ndarray) -> None:
    """Mute properties that the layer does not change: all that plays in a layer takes its time."""
    changed = residuals.whole_properties(analysis.paths, ~still)
    muted = {path for path, changes in zip(analysis.paths, changed, strict=True) if not changes}
    for slot, bag in actions.bags_in(action):
        for curve in bag.fcurves:
            mute = (actions.slot_handle(slot), curve.data_path, curve.array_index) in muted
            if curve.mute != mute:
                curve.mute = mute


def _keep_cycles(curve: Any) -> None:
    """What is lost is lost again in every round, and in each the same."""
    for modifier in list(curve.modifiers):
        if modifier.type != "CYCLES":
            curve.modifiers.remove(modifier)
            continue
        for side in ("mode_before", "mode_after"):
            if getattr(modifier, side) == "REPEAT_OFFSET":
                setattr(modifier, side, "REPEAT")
