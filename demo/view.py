# SPDX-License-Identifier: GPL-3.0-or-later
"""How a demo file looks when it is opened: the character fills the 3D viewports."""

from __future__ import annotations

from math import radians
from typing import Any

import bpy
import numpy as np
from mathutils import Euler

MOMENTS = 9  # of the motion, which shall all be in sight
DISTANCE = 1.25  # from the middle, in diagonals of what is to be seen


def show(armature: bpy.types.Object, azimuth: float) -> None:
    """Look at the whole motion and at what belongs to the armature, `azimuth` degrees beside its front."""
    scene = bpy.context.scene
    before = scene.frame_current
    points = [tuple(child.matrix_world.translation) for child in armature.children]
    for frame in np.linspace(scene.frame_start, scene.frame_end, MOMENTS):
        scene.frame_set(round(frame))
        points += [tuple(armature.matrix_world @ bone.tail) for bone in armature.pose.bones]
    scene.frame_set(before)
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    for screen in bpy.data.screens:
        for area in screen.areas:
            if area.type == "VIEW_3D":
                _look(area.spaces.active, (low + high) / 2, float(np.linalg.norm(high - low)), azimuth)


def _look(space: Any, middle: np.ndarray, diagonal: float, azimuth: float) -> None:
    view = space.region_3d
    view.view_perspective = "PERSP"
    view.view_location = middle
    view.view_rotation = Euler((radians(78.0), 0.0, radians(azimuth))).to_quaternion()
    view.view_distance = DISTANCE * diagonal
    space.overlay.show_relationship_lines = False
