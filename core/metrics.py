# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a reconstructed motion is from the original, as the papers measure it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .checks import FloatArray, numbers
from .errors import InputError

# Paper 000 states distances as if every character were this tall.
NORMAL_HEIGHT = 1.7  # metres


def mean_joint_distance(original: ArrayLike, other: ArrayLike, *, height: float | None = None) -> float:
    """Distance between corresponding joints, averaged over joints and frames (paper 000).

    Args:
        original: (F, J, 3) joint positions.
        other: (F, J, 3) joint positions to compare with.
        height: the character's height in the same unit; if given, the result is in metres for a
            character scaled to 1.7 m.
    """
    return float(joint_distances(original, other).mean()) * _scale(height)


def largest_joint_distance(original: ArrayLike, other: ArrayLike, *, height: float | None = None) -> float:
    """The farthest any joint is off in any frame."""
    return float(joint_distances(original, other).max()) * _scale(height)


def joint_distances(original: ArrayLike, other: ArrayLike) -> FloatArray:
    """(F, J) how far each joint is off in each frame."""
    first, second = _pair(original, other)
    return np.linalg.norm(_joints(first) - second, axis=2)


def standing_height(positions: ArrayLike, up: int = 2) -> float:
    """How tall a character stands, told from its motion alone: the median extent along the `up` axis.

    The median passes over frames in which it crouches or reaches up.
    """
    heights = _joints(numbers(positions, "Positions"))[:, :, up]
    return float(np.median(np.ptp(heights, axis=1)))


def mean_squared_error(original: ArrayLike, other: ArrayLike, *, dimensions: int | None = None) -> float:
    """Squared difference averaged over frames and dimensions: the E of paper 004.

    `dimensions` is the number to divide by where it is not that of the values: channels that never move
    make an average look better than the motion does, and the paper counts degrees of freedom.
    """
    first, second = _pair(original, other)
    if dimensions is None:
        return float(np.mean((first - second) ** 2))
    if dimensions < 1:
        raise InputError(f"An average is over one dimension or more, not {dimensions}.")
    return float(np.sum((first - second) ** 2) / (len(first) * dimensions))


def psnr(
    original: ArrayLike, other: ArrayLike, *, peak: float = 360.0, dimensions: int | None = None
) -> float:
    """Peak signal-to-noise ratio in decibels (paper 004); infinite where nothing differs.

    `peak` is the largest value a channel can take: 360 for angles in degrees. `dimensions` is that of
    `mean_squared_error`.
    """
    if not peak > 0.0:
        raise InputError(f"The peak must be above zero, not {peak}.")
    error = mean_squared_error(original, other, dimensions=dimensions)
    return float("inf") if error == 0.0 else float(20.0 * np.log10(peak / np.sqrt(error)))


def angle_error(original: ArrayLike, other: ArrayLike) -> float:
    """Length of the difference of a joint's three angles, averaged over frames and joints (paper 003).

    Takes (F, J, 3) angles of the joints, the root's translation left out.
    """
    return mean_joint_distance(original, other)


def position_error(original: ArrayLike, other: ArrayLike) -> float:
    """Mean distance of each joint in world space, summed over joints: the position error of paper 003."""
    return float(joint_distances(original, other).mean(axis=0).sum())


def _scale(height: float | None) -> float:
    if height is None:
        return 1.0
    if not np.isfinite(height) or height <= 0.0:
        raise InputError(f"The character's height must be above zero, not {height}.")
    return NORMAL_HEIGHT / height


def _joints(positions: FloatArray) -> FloatArray:
    if positions.ndim != 3 or positions.shape[2] != 3 or not positions.size:
        raise InputError(f"Joint positions must have the shape (frames, joints, 3), not {positions.shape}.")
    return positions


def _pair(original: ArrayLike, other: ArrayLike) -> tuple[FloatArray, FloatArray]:
    first, second = numbers(original, "The original"), numbers(other, "What it is compared with")
    if first.shape != second.shape:
        raise InputError(
            f"Only motions of the same shape can be compared, not {first.shape} and {second.shape}."
        )
    if not first.size:
        raise InputError("There is nothing to compare: the motions are empty.")
    return first, second
