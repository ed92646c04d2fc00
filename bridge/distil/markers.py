# SPDX-License-Identifier: GPL-3.0-or-later
"""The chosen frames as timeline markers, for those who want to see them in every editor."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ...core.motion import FloatArray
from ..everything import armatures

PREFIX = "Pose "


def is_ours(marker: bpy.types.TimelineMarker) -> bool:
    """Markers of any armature that were made here; the user's own may be called "Pose 1" too."""
    return any(_belongs_to(marker, thing) for thing in armatures())


def _belongs_to(marker: bpy.types.TimelineMarker, armature: bpy.types.Object) -> bool:
    return bool(marker.name) and marker.name == armature.posewright.marker_name


def are_wanted_or_there(armature: bpy.types.Object) -> bool:
    return armature.posewright.show_markers or bool(armature.posewright.marker_name)


def sync(armature: bpy.types.Object, scene: bpy.types.Scene, frames: FloatArray | Sequence[float]) -> None:
    """Markers at the armature's keys if it wants them, otherwise none of its."""
    asked = armature.posewright
    wanted = np.unique(np.round(frames)) if asked.show_markers and len(frames) else ()
    others = [other for other in armatures() if other != armature]
    if any(other.posewright.marker_name == asked.marker_name for other in others):
        asked.marker_name = ""  # a duplicate: the markers are those of the armature it was made from
    for marker in [each for each in scene.timeline_markers if _belongs_to(each, armature)]:
        scene.timeline_markers.remove(marker)
    # The name under which they can be found again, whatever the armature is called then.
    asked.marker_name = ""
    for frame in wanted:
        marker = scene.timeline_markers.new(f"{PREFIX}{armature.name}", frame=int(frame))
        asked.marker_name = marker.name  # Blender may have shortened it
