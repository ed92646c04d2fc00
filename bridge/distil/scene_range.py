# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the scene plays the whole of an action: importers leave it at 250 frames."""

from __future__ import annotations

import bpy

from .. import actions
from ..sampling import whole_ends


def last_frame_beyond(action: bpy.types.Action, scene: bpy.types.Scene) -> int | None:
    """The last frame of an action that goes on after the scene ends; None if it does not."""
    if action.frame_range[1] <= scene.frame_end:
        return None
    _, last = _ends(action)
    return last if last > scene.frame_end else None


def extend(action: bpy.types.Action, scene: bpy.types.Scene) -> None:
    """Let the scene begin and end with the action, or earlier and later as it does."""
    first, last = _ends(action)
    scene.frame_start = min(scene.frame_start, first)
    scene.frame_end = max(scene.frame_end, last)


def _ends(action: bpy.types.Action) -> tuple[int, int]:
    """The whole frames from end to end, as its fullest curve tells: asked whenever a panel is drawn."""
    curves = [curve for _, bag in actions.bags_in(action) for curve in bag.fcurves]
    fullest = max(curves, key=lambda curve: len(curve.keyframe_points), default=None)
    first, last = action.frame_range
    return whole_ends(first, last, None if fullest is None else actions.key_frames([fullest]))
