# SPDX-License-Identifier: GPL-3.0-or-later
"""Compression by principal components, which paper 000 compares key poses with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .checks import channel_values
from .errors import InputError
from .motion import FloatArray


@dataclass(frozen=True, eq=False)
class PoseComponents:
    """A motion as weighted sums of a few typical poses."""

    mean: FloatArray  # (D,)
    poses: FloatArray  # (n, D) orthonormal, by descending variance
    amounts: FloatArray  # (F, n)

    @property
    def stored(self) -> int:
        """How many numbers this keeps, all of them counted."""
        return self.mean.size + self.poses.size + self.amounts.size

    def motion(self) -> FloatArray:
        """(F, D) the motion that is left."""
        return self.mean + self.amounts @ self.poses

    def first(self, count: int) -> PoseComponents:
        """With the `count` components of largest variance only."""
        if not 0 <= count <= len(self.poses):
            raise InputError(
                "There are {there} components to choose from, not {count}.",
                there=len(self.poses),
                count=count,
            )
        return PoseComponents(self.mean, self.poses[:count], self.amounts[:, :count])


def principal_components(values: ArrayLike) -> PoseComponents:
    """All principal components of a motion, its poses being the data points (paper 000, 3.2).

    The first n of them are the closest any n poses can come in squared error (Eckart and Young).
    O(F D min(F, D)).

    Args:
        values: (F, D) one pose a row, such as `Motion.points()`.
    """
    array = channel_values(values)
    mean = array.mean(axis=0)
    amounts, strengths, poses = np.linalg.svd(array - mean, full_matrices=False)
    return PoseComponents(mean, poses, amounts * strengths)
