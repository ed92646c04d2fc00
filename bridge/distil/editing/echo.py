# SPDX-License-Identifier: GPL-3.0-or-later
"""Edit once, echo where it happens again: an edited pose's change, given to poses that look alike."""

from __future__ import annotations

import bpy
import numpy as np

from ....core import InputError
from ....core.editing.echoes import echoes
from ....core.editing.time_warp import nearest
from ....core.motion import FloatArray
from ... import character, sampling
from ...pictures.pose_search import postures_in_steps
from ...steps import run
from .. import reduced_action, reductions
from ..playing import playing_original

APART = 0.25  # seconds around a pose that belong to it
LIMB = 0.3  # of the height, where none is known


def echo(armature: bpy.types.Object, frame: float, difference: float, strength: float) -> FloatArray:
    """Give what was changed at the edited key nearest to a frame to poses that look like it.

    Args:
        difference: how different those may be, in lengths of a limb.
        strength: of the echo of a pose that looks the same; the less alike, the weaker.

    Returns:
        The frames that the echoes play on.
    """
    reduction = reduced_action.own_with_edits(armature)
    edits = reduction.edits
    if not len(edits.keyed) or not len(edits.times):
        raise InputError("No pose was edited: change the pose at a key, then echo it.")
    number = int(nearest(edits.keyed_frames, np.array([frame]))[0])
    with playing_original(reduction):
        poses, frames, fps = _poses(armature)
    at = int(nearest(frames, edits.keyed[number : number + 1])[0])
    rows, alike = echoes(poses, at, difference, max(1, round(APART * fps)))
    moments = frames[rows]
    free = np.array([np.abs(edits.keyed - moment).min() > APART * fps for moment in moments], bool)
    if not np.any(free):
        raise InputError(
            "No other pose of the clip looks like the one on frame {frame:g}: let poses differ more.",
            frame=edits.keyed_frames[number],
        )
    moments, alike = moments[free], alike[free]
    reduced_action.set_edits(reduction, edits.echoed(number, moments, strength * alike))
    return reduction.edits.warp.from_source(moments)


def _poses(armature: bpy.types.Object) -> tuple[FloatArray, FloatArray, float]:
    """(F, D) poses to compare, their frames, and how many of these a second has.

    Without arms and legs that Find Pose could go by, the joints count as they are around their middle.
    """
    found = character.describe(armature)
    if len(found.legs) + len(found.arms) >= 4:
        postures = run(postures_in_steps(armature, found))
        return postures.rows.astype(np.float64), postures.frames, postures.fps
    motion = sampling.sample(armature, reductions.get(armature).analysis().frames)
    joints = motion.positions - motion.positions.mean(axis=1, keepdims=True)
    unit = LIMB * sampling.height_of(armature) * np.sqrt(joints.shape[1])
    return joints.reshape(len(joints), -1) / unit, motion.frames, motion.fps
