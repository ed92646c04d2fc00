# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the scene plays the whole of an action: importers leave it at 250 frames."""

from __future__ import annotations

import bpy

from ..sampling import whole_ends


def last_frame_beyond(action: bpy.types.Action, scene: bpy.types.Scene) -> int | None:
    """The last frame of an action that goes on after the scene ends; None if it does not."""
    _, last = whole_ends(*action.frame_range)
    return last if last > scene.frame_end else None


def extend(action: bpy.types.Action, scene: bpy.types.Scene) -> None:
    """Let the scene begin and end with the action, or earlier and later as it does."""
    first, last = whole_ends(*action.frame_range)
    scene.frame_start = min(scene.frame_start, first)
    scene.frame_end = max(scene.frame_end, last)
