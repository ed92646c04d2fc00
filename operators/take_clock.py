# SPDX-License-Identifier: GPL-3.0-or-later
"""`TakeClock`: which frame is being performed, by the wall clock or by the scene's own playback."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import bpy

from ..bridge.sampling import frames_per_second
from ..bridge.spatial import playback


class TakeClock:
    """Starts at the scene's current frame. Times are frames with a fraction."""

    def __init__(self, scene: bpy.types.Scene, *, by_playback: bool, speed: float):
        if by_playback:
            playback.require_in_range(scene)
        self.by_playback = by_playback
        self.start = self.latest = float(scene.frame_current)
        self.rate = frames_per_second(scene) * (1.0 if by_playback else speed)
        self._began = perf_counter()
        self._sync_before: Any = ""

    def play(self, context: bpy.types.Context, scene: bpy.types.Scene) -> None:
        """Let the scene play if it gives the time and does not play already."""
        if self.by_playback and not context.screen.is_animation_playing:
            self._sync_before = playback.keep_to_sound(scene)
            # By default every frame is played: a slow scene would be performed in slow motion unnoticed.
            bpy.ops.screen.animation_play(sync=True)

    def now(self, scene: bpy.types.Scene) -> float:
        if self.by_playback:
            return scene.frame_float
        return self.start + (perf_counter() - self._began) * self.rate

    def has_wrapped(self, now: float) -> bool:
        """Whether playback came to the end of its range and began again."""
        if self.by_playback and now < self.latest:
            return True
        self.latest = max(self.latest, now)
        return False

    def stop_playing(self, context: bpy.types.Context) -> None:
        if self.by_playback and context.screen.is_animation_playing:
            bpy.ops.screen.animation_cancel(restore_frame=False)

    def give_back_sync(self, scene: bpy.types.Scene) -> None:
        """Let playback be synchronised as it was before."""
        if self._sync_before:
            scene.sync_mode = self._sync_before
            self._sync_before = ""
