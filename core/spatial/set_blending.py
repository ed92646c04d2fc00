# SPDX-License-Identifier: GPL-3.0-or-later
"""Several spatial sets on one character: changes from one to another, and sets for parts of the body.

Section 7 of Igarashi, Moscovich and Hughes 2005 names this as future work; the method is ours.

A share is the part a set takes in the pose, 0 to 1. Bones are blended as the spatial keys are, by matrix
entries that are made rotations again: the result does not depend on the order of the sets, a change that is
interrupted by another goes on smoothly, and opposite poses are crossed as calmly as inside a set. Turning
along the shortest way (quaternions) gives the same for two sets at equal poses, but is not defined for three.
Where the sets of a bone do not add up to one, the pose underneath (the rest pose, or a lower layer) fills up.
Layers are blends on top of each other: the result of one is what lies underneath the next.

Complexity: O(B) a blend for each set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..checks import FloatArray, IntArray, number, numbers, rotation_matrices, whole_numbers
from ..errors import InputError
from ..rotations import (
    axis_angle_to_quaternion,
    matrix_to_quaternion,
    quaternion_to_axis_angle,
    quaternion_to_matrix,
)
from .orthonormal import orthonormalise


@dataclass(frozen=True, init=False, eq=False)
class Pose:
    """Rotations (B, 3, 3), translations (B, 3) and scales (B, 3) of bones; at rest where left out."""

    rotations: FloatArray
    translations: FloatArray
    scales: FloatArray

    def __init__(
        self, rotations: ArrayLike, translations: ArrayLike | None = None, scales: ArrayLike | None = None
    ):
        turned = rotation_matrices(rotations, "rotations of the pose", (None,))
        shape = (len(turned), 3)
        moved = np.zeros(shape) if translations is None else numbers(translations, "translations", shape)
        sized = np.ones(shape) if scales is None else numbers(scales, "scales", shape)
        for name, value in (("rotations", turned), ("translations", moved), ("scales", sized)):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.rotations)


@dataclass(frozen=True)
class Part:
    """What one set says: the pose of some bones, and its share."""

    pose: Pose
    bones: ArrayLike
    share: float = 1.0


def blend_sets(underneath: Pose, parts: Sequence[Part], previous: ArrayLike | None = None) -> Pose:
    """The pose of the whole character, from what lies underneath and the sets that act on it.

    `previous`, the rotations (B, 3, 3) shown before, keeps bones steady between opposite poses.
    """
    count = len(underneath)
    checked = [_checked(part, count) for part in parts]
    taken = np.zeros(count)
    for bones, share, _ in checked:
        taken[bones] += share
    # Shares of more than one in all are scaled down; what is missing to one comes from underneath.
    scale = 1.0 / np.maximum(taken, 1.0)
    left = 1.0 - taken * scale
    rotations = underneath.rotations * left[:, None, None]
    translations = underneath.translations * left[:, None]
    scales = underneath.scales * left[:, None]
    for bones, share, pose in checked:
        weight = share * scale[bones]
        rotations[bones] += pose.rotations * weight[:, None, None]
        translations[bones] += pose.translations * weight[:, None]
        scales[bones] += pose.scales * weight[:, None]
    return Pose(orthonormalise(rotations, previous), translations, scales)


def add_on_top(underneath: Pose, part: Part) -> Pose:
    """A set on top of a pose: its bones turn, move and grow by its share of what the set says, beside rest.

    Rotations are about the axes that the bones have underneath, as Blender's *Combine* does it.
    """
    bones, share, pose = _checked(part, len(underneath))
    turned = matrix_to_quaternion(pose.rotations)
    axis_angles = quaternion_to_axis_angle(np.where(turned[:, :1] < 0.0, -turned, turned))
    axis_angles[:, 0] *= share
    rotations, translations, scales = (
        values.copy() for values in (underneath.rotations, underneath.translations, underneath.scales)
    )
    rotations[bones] = rotations[bones] @ quaternion_to_matrix(axis_angle_to_quaternion(axis_angles))
    translations[bones] += share * pose.translations
    scales[bones] *= 1.0 + share * (pose.scales - 1.0)
    return Pose(rotations, translations, scales)


def _checked(part: Part, count: int) -> tuple[IntArray, float, Pose]:
    bones = whole_numbers(part.bones, "bones of a set", (len(part.pose),))
    if len(bones) and (bones.min() < 0 or bones.max() >= count):
        raise InputError(
            "A set acts on bone {largest}; the character has bones 0 to {last}.",
            largest=bones.max(),
            last=count - 1,
        )
    if len(np.unique(bones)) != len(bones):
        raise InputError("A set acts on the same bone twice; name every bone once.")
    return bones, number(part.share, "share of a set", at_least=0.0), part.pose
