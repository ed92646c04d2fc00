# SPDX-License-Identifier: GPL-3.0-or-later
"""The T-pose, or whatever other pose, that many clips begin with before their motion does."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .checks import FloatArray, number, numbers

# Joints leave such a pose at once, by so much of the height on average and so many times as much as in any of
# the next steps. Capture from CMU jumps by 0.15 to 0.33, and no step of the motions themselves exceeds 0.006;
# those of a fast dance at 30 frames a second are up to 0.05.
JUMP = 0.06
TIMES_THE_NEXT = 5.0
NEXT = 30
HELD = 0.002  # of the height: a pose that changes less from frame to frame is held
LONGEST = 60  # rows
# Or it blends into the motion, which then never comes near it again: nearer than this share of how far from
# it poses are in the middle, as a dance does, and nobody knows where the blend ends.
AWAY = 0.5
LONGEST_BLEND = 120  # rows
GOES_ON = 0.5  # while the pose still changes by such a share of how fast the blend was
LOOKED_AT = 2 * LONGEST_BLEND  # rows at the beginning that tell


def rows_before_motion(positions: ArrayLike, height: float, rest: ArrayLike | None = None) -> int:
    """How many rows at the beginning are a pose that the motion then jumps away from, or blends with.

    Args:
        positions: (F, J, 3) where the joints are; `LOOKED_AT` rows are enough.
        height: of the character, in the same unit.
        rest: (J, 3) the joints at rest, if what begins with them and leaves them slowly shall be found, too.
    """
    joints = numbers(positions, "positions", (None, None, 3))[:LOOKED_AT]
    height = number(height, "height", at_least=0.0)
    if len(joints) < 5 or not joints.shape[1] or height == 0.0:
        return 0
    rows = _rows_before_jump(joints, height)
    if rows or rest is None:
        return rows
    return _rows_of_blend(joints, numbers(rest, "rest", (joints.shape[1], 3)), height)


def _rows_before_jump(joints: FloatArray, height: float) -> int:
    steps = np.diff(joints[: LONGEST + NEXT + 2], axis=0)
    # Apart from a way that all joints go: a body that is only put elsewhere has its pose.
    steps -= np.median(steps, axis=1, keepdims=True)
    changes = np.linalg.norm(steps, axis=2).mean(axis=1) / height
    jump = int(np.argmax(changes > HELD))
    after = changes[jump + 1 : jump + 1 + NEXT]
    apart = jump < LONGEST and len(after) >= 3 and changes[jump] > max(JUMP, TIMES_THE_NEXT * after.max())
    return jump + 1 if apart else 0


def _rows_of_blend(joints: FloatArray, rest: FloatArray, height: float) -> int:
    """Until where the motion gets away from rest, and no more is nearer to it than on the way."""
    if _distances(joints[:1], rest)[0] > HELD * height:
        return 0
    apart = _distances(joints, rest) / height
    nearest_yet_to_come = np.minimum.accumulate(apart[::-1])[::-1]
    arrived = np.flatnonzero(apart > nearest_yet_to_come + HELD)
    if not len(arrived):
        return 0
    row = int(arrived[0])
    after = apart[row:]
    if row > LONGEST_BLEND or len(after) < NEXT or after.min() < max(JUMP, AWAY * np.median(after)):
        return 0
    pace = GOES_ON * apart[row] / row
    stays = np.flatnonzero(np.diff(after) <= pace)
    return row + int(stays[0]) if len(stays) else 0


def _distances(joints: FloatArray, pose: FloatArray) -> FloatArray:
    """(F,) mean distance of the joints from those of a pose that is put and turned to where they are."""
    centred, wanted = joints - joints.mean(axis=1, keepdims=True), pose - pose.mean(axis=0)
    first, _, second = np.linalg.svd(np.einsum("fji,jk->fik", centred, wanted))
    first[:, :, 2] *= np.linalg.det(first @ second)[:, None]  # turned, not mirrored
    return np.linalg.norm(centred @ (first @ second) - wanted, axis=2).mean(axis=1)
