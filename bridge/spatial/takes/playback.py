# SPDX-License-Identifier: GPL-3.0-or-later
"""Performing to the scene's own playback: it has to begin where the hand does, and keep to the sound."""

from __future__ import annotations

from typing import Any

import bpy

from ....core import InputError
from ...versions import sequence_strips


def keep_to_sound(scene: bpy.types.Scene) -> str:
    """Let playback keep to the scene's sound if it has any, and return how it was synchronised before."""
    before = scene.sync_mode
    if before == "NONE" and _has_sound(scene):
        scene.sync_mode = "AUDIO_SYNC"
    return before


def played_range(scene: bpy.types.Scene) -> tuple[int, int]:
    """The first and the last frame that playback shows."""
    if scene.use_preview_range:
        return scene.frame_preview_start, scene.frame_preview_end
    return scene.frame_start, scene.frame_end


def require_in_range(scene: bpy.types.Scene) -> None:
    """Refuse to begin where playback would jump away at once."""
    first, last = played_range(scene)
    if not first <= scene.frame_current < last:
        raise InputError(
            "Playback goes from frame {first} to {last} and this is frame {frame_current}: "
            "go to a frame in between, or change the range.",
            first=first,
            last=last,
            frame_current=scene.frame_current,
        )


def _has_sound(scene: bpy.types.Scene) -> bool:
    editor: Any = scene.sequence_editor
    if editor is None:
        return any(thing.type == "SPEAKER" for thing in scene.objects)
    return any(strip.type == "SOUND" for strip in sequence_strips(editor))
