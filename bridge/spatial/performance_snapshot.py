# SPDX-License-Identifier: GPL-3.0-or-later
"""`Snapshot`: all that performing changes in a file, to be brought back by Esc or for a save."""

from __future__ import annotations

from dataclasses import dataclass, replace

import bpy
import numpy as np
from mathutils import Vector

from . import live, sets
from .blending.mapping_cache import acting_dials
from .posing.dials import Dial, Dials, apply_dials, current_dials
from .posing.poses import all_channels, bring_back
from .references import Gone, Reference


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A character, its cursors and sets, and the frame that is shown."""

    bones: tuple[str, ...]
    channels: np.ndarray
    dials: Dials
    meshes: dict[str, Reference]  # whose shape keys are among the dials, by the names that they had
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
        dials = current_dials(armature, _acting(armature))
        return cls(
            tuple(armature.pose.bones.keys()),
            all_channels(armature),
            dials,
            {
                dial.mesh: Reference("objects", bpy.data.objects[dial.mesh])
                for dial in dials.which
                if dial.mesh
            },
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
            apply_dials(armature, Dials(tuple(map(self._renamed, self.dials.which)), self.dials.values))
            bpy.context.view_layer.update()

    def _renamed(self, dial: Dial) -> Dial:
        """The dial by the name that its mesh has now."""
        try:
            return replace(dial, mesh=self.meshes[dial.mesh].get().name) if dial.mesh else dial
        except Gone:
            return dial

    def shows_frame(self, scene: bpy.types.Scene) -> bool:
        """Whether the scene is at the frame of the snapshot."""
        return _shown_frame(scene) == self.frame

    def show_frame(self, scene: bpy.types.Scene) -> None:
        """Go to the frame of the snapshot, with the animation that there is now."""
        frame, subframe = self.frame
        scene.frame_set(frame, subframe=subframe)


def _acting(armature: bpy.types.Object) -> list[Dial]:
    """The dials that performing may turn."""
    said = [dials for each in sets.ready_sets(armature) for dials in acting_dials(armature, each)]
    return list(dict.fromkeys(dial for dials in said for dial in dials.which))


def _shown_frame(scene: bpy.types.Scene) -> tuple[int, float]:
    return scene.frame_current, scene.frame_subframe
