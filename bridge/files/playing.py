# SPDX-License-Identifier: GPL-3.0-or-later
"""What an armature plays, frame by frame: for writing it to a file and for measuring what was written."""

from __future__ import annotations

import bpy
import numpy as np

from ...core import InputError
from ...core.motion import FloatArray
from .. import actions, sampling


def frames_of(armature: bpy.types.Object) -> FloatArray:
    """The frames at which what the armature plays is looked at."""
    keyed = actions.key_frames(curve for curve in actions.curves_of(armature) if not actions.is_muted(curve))
    if not len(keyed):
        raise InputError(f"{armature.name} has no animation.")
    return sampling.frames_to_sample(keyed, float(keyed[0]), float(keyed[-1]))


def pose_matrices(armature: bpy.types.Object, frames: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(F, B, 4, 4) the bones in the order of the armature, seen from it, and (F, 4, 4) the armature."""
    order = [armature.pose.bones.find(bone.name) for bone in armature.data.bones]
    flat = np.empty((len(frames), len(order) * 16), np.float32)
    objects = np.empty((len(frames), 4, 4))
    with sampling.evaluation_scene(armature) as scene:
        for row, frame in enumerate(np.asarray(frames, np.float64).tolist()):
            sampling.set_frame(scene, frame)
            evaluated = sampling.posed(armature, scene)
            evaluated.pose.bones.foreach_get("matrix", flat[row])
            objects[row] = evaluated.matrix_world
    # Blender stores its matrices column by column.
    bones = np.swapaxes(flat.reshape(len(frames), -1, 4, 4), -1, -2)[:, order]
    return bones.astype(np.float64), objects


def heads(armature: bpy.types.Object, frames: FloatArray) -> FloatArray:
    """(F, B, 3) where the bones start, in the world."""
    bones, objects = pose_matrices(armature, frames)
    return (objects[:, None] @ bones)[..., :3, 3]
