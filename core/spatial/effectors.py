# SPDX-License-Identifier: GPL-3.0-or-later
"""What inverse kinematics is asked for: places and rotations of bones, and how far joints may turn."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import FloatArray, IntArray, numbers, rotation_matrices, whole_numbers
from ..errors import InputError
from .skeleton import Skeleton

# Any angle from here on is no limit.
NO_LIMIT = 1e6


@dataclass(frozen=True)
class Effector:
    """A point of a bone that should come to a place, and how the bone should then be turned.

    Args:
        bone: number of the bone.
        target: (3,) the place, in armature space.
        point: (3,) the point in the bone's own space; its tail if left out.
        weight: how much it counts against other effectors.
        chain: how many bones may turn for it, itself included; 0 for all up to the root.
        rotation: (3, 3) the wanted axes of the bone, in armature space; any if left out.
    """

    bone: int
    target: ArrayLike
    point: ArrayLike | None = None
    weight: float = 1.0
    chain: int = 0
    rotation: ArrayLike | None = None


@dataclass(frozen=True)
class JointLimits:
    """(B, 3) each: which Euler XYZ axes are locked, and from where to where (radians) the others may turn."""

    locked: ArrayLike
    lowest: ArrayLike
    highest: ArrayLike


def checked_limits(
    limits: JointLimits, count: int, bones: IntArray
) -> tuple[NDArray[np.bool_], FloatArray, FloatArray]:
    """Locks and limits of `bones`; an infinite limit is none."""
    locked = numbers(limits.locked, "locks", (count, 3))[bones] != 0.0
    lowest, highest = (
        _with_infinite_as_none(bound, what, count)
        for bound, what in ((limits.lowest, "lower limits"), (limits.highest, "upper limits"))
    )
    if (lowest > highest).any():
        bone, axis = np.argwhere(lowest > highest)[0]
        raise InputError(
            "The lower limit of bone {bone}, axis {axis}, is above its upper limit.",
            bone=bone,
            axis="XYZ"[axis],
        )
    lowest, highest = lowest[bones], highest[bones]
    return (
        locked,
        np.where(lowest <= -NO_LIMIT, -np.inf, lowest),
        np.where(highest >= NO_LIMIT, np.inf, highest),
    )


def _with_infinite_as_none(bound: ArrayLike, what: str, count: int) -> FloatArray:
    """(count, 3) limits; NaN is kept, so that it is refused."""
    with contextlib.suppress(TypeError, ValueError):  # told with the other numbers
        bound = np.nan_to_num(np.asarray(bound, np.float64), nan=np.nan, posinf=NO_LIMIT, neginf=-NO_LIMIT)
    return numbers(bound, what, (count, 3))


def checked_effector(effector: Effector, skeleton: Skeleton) -> Effector:
    """The same effector, its bone and chain known to be numbers that mean something."""
    bone = int(whole_numbers(effector.bone, "bone of an effector", ()))
    chain = int(whole_numbers(effector.chain, "number of bones in a chain", ()))
    if not 0 <= bone < len(skeleton):
        raise InputError(
            "An effector is on bone {bone}; there are bones 0 to {last}.", bone=bone, last=len(skeleton) - 1
        )
    if chain < 0:
        raise InputError(
            "A chain of {chain} bones cannot turn; give 0 for all or a positive number.", chain=chain
        )
    return replace(effector, bone=bone, chain=chain)


def point_of(effector: Effector, skeleton: Skeleton) -> FloatArray:
    if effector.point is None:
        return skeleton.ends[effector.bone]
    return numbers(effector.point, "point of an effector", (3,))


def rotation_of(effector: Effector) -> FloatArray:
    """The wanted rotation; where none is wanted, one that nobody looks at."""
    if effector.rotation is None:
        return np.eye(3)
    return rotation_matrices(effector.rotation, "rotation of an effector", ())
