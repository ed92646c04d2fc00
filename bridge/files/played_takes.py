# SPDX-License-Identifier: GPL-3.0-or-later
"""What an armature plays, frame by frame: for writing it to a file and for measuring what was written."""

from __future__ import annotations

import bpy

from ...core import InputError
from ...core.motion import FloatArray
from .. import actions, sampling
from ..posed_bones import pose_matrices


def frames_of(armature: bpy.types.Object) -> FloatArray:
    """The frames at which what the armature plays is looked at."""
    keyed = actions.key_frames(curve for curve in actions.curves_of(armature) if not actions.is_muted(curve))
    if not len(keyed):
        raise InputError("{armature} has no animation.", armature=armature.name)
    return sampling.frames_to_sample(keyed, float(keyed[0]), float(keyed[-1]))


def heads(armature: bpy.types.Object, frames: FloatArray) -> FloatArray:
    """(F, B, 3) where the bones start, in the world."""
    bones, objects = pose_matrices(armature, frames)
    return (objects[:, None] @ bones)[..., :3, 3]
