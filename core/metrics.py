# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a reconstructed motion is from the original, as the papers measure it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from .checks import FloatArray, frame_numbers, numbers
from .errors import InputError
from .feet.contacts import ROUNDED, Contact, floor_under, ground_under, planted, runs

# Paper 000 states distances as if every character were this tall.
NORMAL_HEIGHT = 1.7  # metres
BESIDE = 0.03  # metres from a bone to where ACL, the animation compression library, looks at its error
SHORTEST_FLIGHT = 0.1  # seconds
LIFTED = 0.02  # of the body's largest extent: feet that are never higher than that do not fly


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
        raise InputError("An average is over one dimension or more, not {dimensions}.", dimensions=dimensions)
    return float(np.sum((first - second) ** 2) / (len(first) * dimensions))


def psnr(
    original: ArrayLike, other: ArrayLike, *, peak: float = 360.0, dimensions: int | None = None
) -> float:
    """Peak signal-to-noise ratio in decibels (paper 004); infinite where nothing differs.

    `peak` is the largest value a channel can take: 360 for angles in degrees. `dimensions` is that of
    `mean_squared_error`.
    """
    if not peak > 0.0:
        raise InputError("The peak must be above zero, not {peak}.", peak=peak)
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


def slides(points: ArrayLike, contacts: Sequence[Contact], up: ArrayLike = (0.0, 0.0, 1.0)) -> FloatArray:
    """(N,) how far each contact slides: how far apart, level, the farthest two of its places are.

    Looked at along 16 directions, so it may be found a two-hundredth too small.

    Args:
        points: (F, P, 3) the points that the contacts are of.
    """
    places = numbers(points, "Points")
    return np.array([_extent(_level(places[each.rows, each.point], up)) for each in contacts])


def _extent(places: FloatArray) -> float:
    """Of points (N, 2)."""
    angles = np.arange(16) * np.pi / 16.0
    return float(np.ptp(places @ np.stack([np.cos(angles), np.sin(angles)]), axis=0).max())


def _level(places: FloatArray, up: ArrayLike) -> FloatArray:
    """(..., 2) as seen from above."""
    upward = np.asarray(up, np.float64)
    across = np.eye(3)[np.argmin(np.abs(upward))]
    first = np.cross(upward, across)
    first /= np.linalg.norm(first)
    return places @ np.stack([first, np.cross(upward, first)], axis=1)


def sinking(
    original: ArrayLike, other: ArrayLike, contacts: Sequence[Contact], up: ArrayLike = (0.0, 0.0, 1.0)
) -> float:
    """How deep the points get at most below what they stand on, or below the original where that is lower."""
    first, second = _pair(original, other)
    deepest = 0.0
    for point in {each.point for each in contacts}:
        floor = floor_under([each for each in contacts if each.point == point], first[:, point], up)
        deepest = max(deepest, float(np.max(floor - second[:, point] @ np.asarray(up, np.float64))))
    return deepest


def flight_error(
    original: ArrayLike,
    other: ArrayLike,
    contacts: Sequence[Contact],
    times: ArrayLike,
    up: ArrayLike = (0.0, 0.0, 1.0),
) -> float:
    """How much the level speed of a body in the air is off at most, in units a second.

    Nothing can change that speed in the air, and people see it where something does (Reitsma and Pollard
    2003). The body is the middle of its joints, and its true speed is the original's mean over a flight.
    """
    first, second = (_level(_joints(each).mean(axis=1), up) for each in _pair(original, other))
    seconds = frame_numbers(times, len(first))
    worst = 0.0
    for start, stop in _flights(numbers(original, "The original"), contacts, up) if len(contacts) else ():
        if seconds[stop] - seconds[start] < SHORTEST_FLIGHT - ROUNDED:
            continue  # a step between two contacts may be anything
        speed = (first[stop] - first[start]) / (seconds[stop] - seconds[start])
        moved = np.gradient(second[start : stop + 1], seconds[start : stop + 1], axis=0)
        worst = max(worst, float(np.linalg.norm(moved - speed, axis=1).max()))
    return worst


def _flights(positions: FloatArray, contacts: Sequence[Contact], up: ArrayLike) -> Iterator[tuple[int, int]]:
    """First and last rows in which no foot stands and all are lifted for a moment: who sits down slides them.

    What is cut off at an end may be anything.
    """
    levels = positions @ np.asarray(up, np.float64)
    feet = sorted({each.point for each in contacts})
    of_feet = [[each for each in contacts if each.point == foot] for foot in feet]
    ground = np.stack([ground_under(each, len(levels), up) for each in of_feet], axis=1)
    lifted = np.all(levels[:, feet] > ground + LIFTED * np.ptp(levels, axis=1).max(), axis=1)
    standing = planted(contacts, len(levels), feet[-1] + 1).any(axis=1)
    for start, stop in runs(~standing):
        if start > 0 and stop < len(levels) - 1 and lifted[start : stop + 1].any():
            yield start, stop


def added_jerk(original: ArrayLike, other: ArrayLike, times: ArrayLike) -> float:
    """By how much the third derivative of the joints is above the original's, averaged; in units per s^3."""
    first, second = _pair(original, other)
    seconds = frame_numbers(times, len(first))
    if len(seconds) < 4:
        return 0.0
    return float(np.mean(np.maximum(_jerk(second, seconds) - _jerk(_joints(first), seconds), 0.0)))


def _jerk(positions: FloatArray, times: FloatArray) -> FloatArray:
    """(F - 3, J) from every four neighbours, by divided differences, which uneven frames do not mislead."""
    found = positions
    for apart in (1, 2, 3):
        found = apart * np.diff(found, axis=0) / (times[apart:] - times[:-apart])[:, None, None]
    return np.linalg.norm(found, axis=2)


def errors_beside_bones(original: ArrayLike, other: ArrayLike, distance: float) -> FloatArray:
    """(F, B) how far off a point is that goes along with a bone, at a distance from its head (ACL's measure).

    So bones that turn count as they move a skin around them. Of the points along its three axes the worst.

    Args:
        original, other: (F, B, 4, 4) matrices of the bones in the world.
    """
    first, second = _pair(original, other)
    if first.ndim != 4 or first.shape[2:] != (4, 4):
        raise InputError(
            "Matrices of bones must have the shape (frames, bones, 4, 4), not {first}.", first=first.shape
        )
    apart = second - first
    axes = apart[..., :3, :3] / np.maximum(np.linalg.norm(first[..., :3, :3], axis=2, keepdims=True), 1e-12)
    return np.linalg.norm(apart[..., :3, 3, None] + distance * axes, axis=2).max(axis=2)


def _scale(height: float | None) -> float:
    if height is None:
        return 1.0
    if not np.isfinite(height) or height <= 0.0:
        raise InputError("The character's height must be above zero, not {height}.", height=height)
    return NORMAL_HEIGHT / height


def _joints(positions: FloatArray) -> FloatArray:
    if positions.ndim != 3 or positions.shape[2] != 3 or not positions.size:
        raise InputError(
            "Joint positions must have the shape (frames, joints, 3), not {shape}.", shape=positions.shape
        )
    return positions


def _pair(original: ArrayLike, other: ArrayLike) -> tuple[FloatArray, FloatArray]:
    first, second = numbers(original, "The original"), numbers(other, "What it is compared with")
    if first.shape != second.shape:
        raise InputError(
            "Only motions of the same shape can be compared, not {first} and {second}.",
            first=first.shape,
            second=second.shape,
        )
    if not first.size:
        raise InputError("There is nothing to compare: the motions are empty.")
    return first, second
