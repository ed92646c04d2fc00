# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the motion of an action begins after the T-pose that stands before it."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ....core.motion import FloatArray
from ....core.t_pose import LOOKED_AT, rows_before_motion
from ... import character, sampling
from .played_joints import PlayedJoints


def motion_begins(armature: bpy.types.Object, first: float, last: float) -> float:
    """The frame of what the armature plays on which its motion begins; `first` if no other pose is before."""
    frames = np.arange(np.floor(first + sampling.SAME_FRAME), last + 1.0)[:LOOKED_AT]
    bones = character.bones_that_matter(armature)
    rows = rows_before(armature, bones, sampling.sample(armature, frames, bones=bones, sides=True).positions)
    return float(frames[rows]) if rows else first


def rows_before(armature: bpy.types.Object, bones: Sequence[str], joints: FloatArray) -> int:
    """How many rows of the joints of some bones, with sides, are before the motion of the armature.

    Only what has legs begins with a pose at rest that is none of its motion: a door is closed at rest.
    """
    rest = None
    if character.describe(armature).legs:
        at_rest = PlayedJoints(armature, (), bones, others_at_rest=True)
        rest = at_rest.positions(np.empty((1, 0)), np.array(armature.matrix_world)[None])[0]
    return rows_before_motion(joints, sampling.height_of(armature), rest)
