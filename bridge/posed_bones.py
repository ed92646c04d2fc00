# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones as Blender evaluates them, frame by frame: not only where they are, also how they are turned."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ..core.motion import FloatArray
from . import stages


def pose_matrices(
    armature: bpy.types.Object, frames: FloatArray, bones: Sequence[str] | None = None
) -> tuple[FloatArray, FloatArray]:
    """(F, B, 4, 4) bones seen from the armature, all if none are named; (F, 4, 4) the armature."""
    wanted = armature.data.bones.keys() if bones is None else bones
    order = [armature.pose.bones.find(name) for name in wanted]
    posing = np.empty((len(armature.pose.bones), 4, 4), np.float32)
    found = np.empty((len(frames), len(order), 4, 4), np.float32)
    objects = np.empty((len(frames), 4, 4))
    with stages.evaluation_scene(armature) as scene:
        for row, frame in enumerate(np.asarray(frames, np.float64).tolist()):
            stages.set_frame(scene, frame)
            evaluated = stages.posed(armature, scene)
            evaluated.pose.bones.foreach_get("matrix", posing.ravel())
            found[row] = posing[order]
            objects[row] = evaluated.matrix_world
    # Blender stores its matrices column by column.
    return np.swapaxes(found, -1, -2).astype(np.float64), objects


def world_matrices(armature: bpy.types.Object, frames: FloatArray, bones: Sequence[str]) -> FloatArray:
    """(F, B, 4, 4) some bones in the world."""
    matrices, objects = pose_matrices(armature, frames, bones)
    return objects[:, None] @ matrices


def ways_back(matrices: FloatArray) -> tuple[FloatArray, np.ndarray]:
    """(F, 4, 4) inverses, and (F,) where there is one: from what is scaled to nothing no way leads back."""
    has_one = np.linalg.matrix_rank(matrices) == 4
    return np.linalg.inv(np.where(has_one[:, None, None], matrices, np.eye(4))), has_one
