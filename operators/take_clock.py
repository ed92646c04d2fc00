# SPDX-License-Identifier: GPL-3.0-or-later
"""`TakeClock`: which frame is being performed, by the wall clock or by the scene's own playback."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import bpy

from ..bridge.spatial.takes import playback
from ..bridge.stages import frames_per_second


class TakeClock:
    """Starts at the scene's current frame. Times are frames with a fraction."""

    def __init__(self, scene: bpy.types.Scene, *, by_playback: bool, speed: float, loops: bool):
        if by_playback or loops:
            playback.require_in_range(scene)
        self.by_playback, self.loops = by_playback, loops
        self._range = playback.played_range(scene)
        self.start = self.latest = float(scene.frame_current)
        self.rate = frames_per_second(scene) * (1.0 if by_playback else speed)
        self._began = perf_counter()
        self._sync_before: Any = ""

    def play(self, context: bpy.types.Context, scene: bpy.types.Scene) -> None:
        """Let the scene play if it gives the time; if it does not, its frames would be shown between ours."""
        playing = context.screen.is_animation_playing
        if self.by_playback and not playing:
            self._sync_before = playback.keep_to_sound(scene)
            # By default every frame is played: a slow scene would be performed in slow motion unnoticed.
            bpy.ops.screen.animation_play(sync=True)
        elif playing and not self.by_playback:
            bpy.ops.screen.animation_cancel(restore_frame=False)

    def now(self, scene: bpy.types.Scene) -> float:
        if self.by_playback:
            return scene.frame_float
        time = self.start + (perf_counter() - self._began) * self.rate
        first, beyond = self._range[0], self._range[1] + 1.0
        return time if not self.loops or time < beyond else first + (time - beyond) % (beyond - first)

    def has_wrapped(self, now: float) -> bool:
        """Whether the end of the range was passed since it was last asked, and it began again."""
        wrapped = (self.by_playback or self.loops) and now < self.latest
        self.latest = now
        return wrapped

    def stop_playing(self, context: bpy.types.Context) -> None:
        if self.by_playback and context.screen.is_animation_playing:
            bpy.ops.screen.animation_cancel(restore_frame=False)

    def give_back_sync(self, scene: bpy.types.Scene) -> None:
        """Let playback be synchronised as it was before."""
        if self._sync_before:
            scene.sync_mode = self._sync_before
            self._sync_before = ""
