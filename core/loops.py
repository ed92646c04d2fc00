# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops: whether a motion ends where it begins, and how smoothly it goes round its seam."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .checks import number, numbers
from .motion import FloatArray

# A loop is closed to within these shares: of the character's height for every joint, since artists let one
# slip a little, and of how far the joints move at all for their mean, since an idle hardly moves.
GAP_OF_HEIGHT = 0.005
GAP_OF_MOTION = 0.05
# A seam bends sharply where it bends so many times as much as the motion does within three rows of it.
KINK = 8.0
NEIGHBOURS = 3


def is_loop(positions: ArrayLike, height: float) -> bool:
    """Whether the joints end where they began, apart from a way that all of them went.

    Args:
        positions: (F, J, 3) where the joints are.
        height: of the character, in the same unit.
    """
    joints = numbers(positions, "positions", (None, None, 3))
    height = number(height, "height", at_least=0.0)
    if len(joints) < 4 or not joints.shape[1]:
        return False
    travel = np.median(joints[-1] - joints[0], axis=0)
    in_place = joints - np.linspace(0.0, 1.0, len(joints))[:, None, None] * travel
    gaps = np.linalg.norm(in_place[-1] - in_place[0], axis=1)
    reach = np.linalg.norm(in_place - in_place.mean(axis=0), axis=2).mean(axis=1).max()
    return bool(gaps.max() <= GAP_OF_HEIGHT * height and gaps.mean() <= GAP_OF_MOTION * reach)


def seam_kinks(values: FloatArray, frames: FloatArray) -> FloatArray:
    """(C,) how much steeper each channel arrives at the seam than it leaves it; 0 where it goes on smoothly.

    Args:
        values: (F, C) channels over one round, both ends included.
        frames: (F,) when they are reached.
    """
    if len(values) < 2 * NEIGHBOURS + 2:
        return np.zeros(values.shape[1])
    slopes = np.diff(values, axis=0) / np.diff(frames)[:, None]
    bends = np.abs(np.diff(slopes, axis=0))
    usual = np.maximum(bends[:NEIGHBOURS].max(axis=0), bends[-NEIGHBOURS:].max(axis=0))
    rounding = 1e-6 * np.abs(slopes).max(axis=0)
    sharp = np.abs(slopes[-1] - slopes[0]) > KINK * usual + rounding
    return np.where(sharp, slopes[-1] - slopes[0], 0.0)


def automatic_seam(values: FloatArray, frames: FloatArray) -> FloatArray:
    """(C,) slopes at the seam as Blender's clamped handles would have them if they knew the other end.

    Halfway between those of the neighbouring segments, level at an extreme, and with handles a third as long
    as their segments nowhere above the next key.
    """
    steps = np.diff(values[[0, 1, -2, -1]], axis=0)[[0, 2]]
    slopes = steps / np.array([[frames[1] - frames[0]], [frames[-1] - frames[-2]]])
    gentler = np.abs(slopes).min(axis=0)
    mean = slopes.mean(axis=0)
    return np.where(slopes[0] * slopes[1] > 0.0, np.clip(mean, -3.0 * gentler, 3.0 * gentler), 0.0)
