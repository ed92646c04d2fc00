# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether what plays is a loop: Cycles modifiers or its action say so, or it ends as it began."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy

from ....core import Motion, is_loop
from ... import actions, sampling
from .settings import Settings

Round = tuple[float, float]  # the frames on which a loop begins and ends


def round_of(armature: bpy.types.Object, settings: Settings, motion: Motion) -> Round | None:
    """The round that a whole action is, as the settings want it; None for what is no loop.

    Args:
        motion: what the action plays.
    """
    if not settings.whole or settings.loop == "OFF":
        return None
    first, last = settings.first, settings.last
    if (
        settings.loop == "ON"
        or _goes_on(actions.curves_of(armature), first, last)
        or _is_declared(actions.playing_action(armature), first, last)
        or is_loop(motion.positions, sampling.height_of(armature))
    ):
        return first, last
    return None


def _goes_on(curves: Iterable[Any], first: float, last: float) -> bool:
    """Whether a modifier lets the whole of a curve go round; where it swings back instead, nothing does."""
    return any(
        "MIRROR" not in (modifier.mode_before, modifier.mode_after)
        for curve in curves
        for modifier in sampling.cycles_from_end_to_end(curve, first, last)
    )


def _is_declared(action: bpy.types.Action, first: float, last: float) -> bool:
    """Whether the action says that it is used as a loop, from its first to its last key or nearly so."""
    return (
        action.use_frame_range
        and action.use_cyclic
        and abs(action.frame_start - first) < 0.5
        and abs(action.frame_end - last) < 0.5
    )
