# SPDX-License-Identifier: GPL-3.0-or-later
"""`Snapshot`: all that performing changes in a file, to be brought back by Esc or for a save."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Vector

from . import live, sets
from .poses import all_channels, bring_back


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A character, its cursors and sets, and the frame that is shown."""

    bones: tuple[str, ...]
    channels: np.ndarray
    location: Vector
    cursors: dict[str, Vector]  # by the names of the sets
    shares: dict[str, float]
    set_index: int
    live: bool
    message: str
    frame: tuple[int, float]  # and its fraction

    @classmethod
    def of(cls, armature: bpy.types.Object, scene: bpy.types.Scene) -> Snapshot:
        settings = sets.settings_of(armature)
        return cls(
            tuple(armature.pose.bones.keys()),
            all_channels(armature),
            armature.location.copy(),
            {each.name: each.cursor.location.copy() for each in sets.ready_sets(armature)},
            {each.name: each.influence for each in settings.sets},
            settings.set_index,
            settings.live,
            settings.message,
            _shown_frame(scene),
        )

    def restore(self, armature: bpy.types.Object, scene: bpy.types.Scene) -> None:
        settings = sets.settings_of(armature)
        with live.paused(armature):
            settings.live, settings.message = self.live, self.message
            if not self.shows_frame(scene):
                self.show_frame(scene)
            for each in sets.ready_sets(armature):
                each.cursor.location = self.cursors.get(each.name, each.cursor.location)
            for each in settings.sets:
                each.influence = self.shares.get(each.name, each.influence)
            settings.set_index = self.set_index
            armature.location = self.location
            bring_back(armature, self.bones, self.channels)
            bpy.context.view_layer.update()

    def shows_frame(self, scene: bpy.types.Scene) -> bool:
        """Whether the scene is at the frame of the snapshot."""
        return _shown_frame(scene) == self.frame

    def show_frame(self, scene: bpy.types.Scene) -> None:
        """Go to the frame of the snapshot, with the animation that there is now."""
        frame, subframe = self.frame
        scene.frame_set(frame, subframe=subframe)


def _shown_frame(scene: bpy.types.Scene) -> tuple[int, float]:
    return scene.frame_current, scene.frame_subframe
