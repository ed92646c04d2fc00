# SPDX-License-Identifier: GPL-3.0-or-later
"""How many frames the keys of bones are after the poses that they belong to, as a reduced action keeps it."""

from __future__ import annotations

import json

import bpy


def offsets_of(action: bpy.types.Action) -> dict[str, int]:
    """By how many frames the keys of each staggered bone are late; none where that cannot be read."""
    try:
        kept = json.loads(action.posewright.stagger or "{}")
        return {str(bone): int(frames) for bone, frames in kept.items()}
    except (ValueError, TypeError, AttributeError):
        return {}


def keep_offsets(action: bpy.types.Action, offsets: dict[str, int]) -> None:
    action.posewright.stagger = json.dumps(offsets) if offsets else ""
