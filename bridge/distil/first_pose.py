# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the motion of an action begins after the T-pose that stands before it."""

from __future__ import annotations

import bpy
import numpy as np

from ...core.t_pose import LONGEST, NEXT, rows_before_motion
from .. import character, sampling


def motion_begins(armature: bpy.types.Object, first: float, last: float) -> float:
    """The frame of what the armature plays on which its motion begins; `first` if no other pose is before."""
    frames = np.arange(np.floor(first + sampling.SAME_FRAME), last + 1.0)[: LONGEST + NEXT + 2]
    bones = character.bones_that_matter(armature)
    joints = sampling.sample(armature, frames, bones=bones).positions
    rows = rows_before_motion(joints, sampling.height_of(armature))
    return float(frames[rows]) if rows else first
