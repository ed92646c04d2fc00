# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns between rotations (..., 3, 3), as vectors along the axis and as long as the angle."""

from __future__ import annotations

import numpy as np

from ..checks import FloatArray
from ..rotations import matrix_to_quaternion


def turn_toward(start: FloatArray, end: FloatArray, fraction: FloatArray | float) -> FloatArray:
    """The rotation reached after `fraction` of the shortest way from `start` to `end`."""
    way = rotation_vector(np.swapaxes(start, -1, -2) @ end)
    return start @ rotation_matrix(way * np.asarray(fraction)[..., None])


def rotation_matrix(vectors: FloatArray) -> FloatArray:
    """(..., 3, 3) rotations about `vectors` (..., 3) by their length in radians (Rodrigues' formula)."""
    angle = np.linalg.norm(vectors, axis=-1)[..., None, None]
    cross = cross_matrix(vectors)
    # sin(a)/a and (1 - cos(a))/a^2 by half the angle, written with sinc so that no angle is special.
    half = np.sinc(angle / (2.0 * np.pi))
    return np.eye(3) + half * np.cos(angle / 2.0) * cross + 0.5 * half**2 * (cross @ cross)


def rotation_vector(matrices: FloatArray) -> FloatArray:
    """(..., 3) the axis times the angle, 0 to pi, of rotations (..., 3, 3): undoes `rotation_matrix`."""
    quaternion = matrix_to_quaternion(matrices)
    axis = quaternion[..., 1:]
    sine = np.linalg.norm(axis, axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, quaternion[..., :1])
    return axis * np.where(sine > 0.0, angle / np.where(sine > 0.0, sine, 1.0), 2.0)


def cross_matrix(vectors: FloatArray) -> FloatArray:
    """(..., 3, 3) matrices that multiply like the cross product with `vectors` (..., 3)."""
    matrices = np.zeros((*vectors.shape, 3))
    matrices[..., [2, 0, 1], [1, 2, 0]] = vectors
    matrices[..., [1, 2, 0], [2, 0, 1]] = -vectors
    return matrices
