# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations as Blender stores them: Euler angles of any order, quaternions, axis and angle.

Conventions are Blender's: quaternions are (w, x, y, z), axis-angle is (angle, x, y, z), angles are in
radians, and the Euler order "XYZ" turns about X first. Every function works on the last axis and takes
any leading axes, so all bones and all frames are converted in one call. The `continuous_*` functions
take time as their first axis.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .errors import InputError
from .motion import FloatArray

EULER_ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")

# What each entry of a matrix, row by row, adds to the products of its quaternion's components (w, x, y, z).
_PAIRS = np.array(
    [
        [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, 0], [0, 0, 0, -1]],
        [[0, 0, 0, -1], [0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0]],
        [[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]],
        [[0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]],
        [[1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 1, 0], [0, 0, 0, -1]],
        [[0, -1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]],
        [[0, 0, -1, 0], [0, 0, 0, 1], [-1, 0, 0, 0], [0, 1, 0, 0]],
        [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]],
        [[1, 0, 0, 0], [0, -1, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1]],
    ],
    dtype=np.float64,
).reshape(9, 16)


def quaternion_multiply(first: ArrayLike, second: ArrayLike) -> FloatArray:
    """The rotation `second` followed by `first`, as matrices multiply."""
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    w = a[..., :1] * b[..., :1] - np.sum(a[..., 1:] * b[..., 1:], axis=-1, keepdims=True)
    xyz = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return np.concatenate([w, xyz], axis=-1)


def quaternion_inverse(quaternion: ArrayLike) -> FloatArray:
    """The inverse of unit quaternions."""
    return np.asarray(quaternion, np.float64) * np.array([1.0, -1.0, -1.0, -1.0])


def normalized_quaternion(quaternion: ArrayLike) -> FloatArray:
    """Unit quaternions; one without length becomes no rotation, as in Blender."""
    values = np.asarray(quaternion, np.float64)
    w, x, y, z = np.moveaxis(values * values, -1, 0)  # written out: sums of so few are slow
    length = np.sqrt(w + x + y + z)[..., None]
    if np.all(length > 0.0):
        return values / length
    return np.where(length > 0.0, values / np.where(length > 0.0, length, 1.0), [1.0, 0.0, 0.0, 0.0])


def euler_to_quaternion(euler: ArrayLike, order: str = "XYZ") -> FloatArray:
    angles = np.asarray(euler, np.float64)
    turns = []
    for axis in _axes(order):
        turn = np.zeros((*angles.shape[:-1], 4))
        turn[..., 0] = np.cos(angles[..., axis] / 2.0)
        turn[..., 1 + axis] = np.sin(angles[..., axis] / 2.0)
        turns.append(turn)
    return quaternion_multiply(turns[2], quaternion_multiply(turns[1], turns[0]))


def quaternion_to_euler(quaternion: ArrayLike, order: str = "XYZ") -> FloatArray:
    return matrix_to_euler(quaternion_to_matrix(quaternion), order)


def euler_to_matrix(euler: ArrayLike, order: str = "XYZ") -> FloatArray:
    """The product of the three turns, written out: it is asked for thousands of poses at a time."""
    angles = np.asarray(euler, np.float64)
    i, j, k = _axes(order)
    turned = angles if (j - i) % 3 == 1 else -angles
    (ci, cj, ck), (si, sj, sk) = (
        np.moveaxis(part(turned)[..., (i, j, k)], -1, 0) for part in (np.cos, np.sin)
    )
    matrix = np.empty((*angles.shape[:-1], 3, 3))
    matrix[..., i, i], matrix[..., i, j], matrix[..., i, k] = (
        cj * ck,
        sj * si * ck - ci * sk,
        sj * ci * ck + si * sk,
    )
    matrix[..., j, i], matrix[..., j, j], matrix[..., j, k] = (
        cj * sk,
        sj * si * sk + ci * ck,
        sj * ci * sk - si * ck,
    )
    matrix[..., k, i], matrix[..., k, j], matrix[..., k, k] = -sj, cj * si, cj * ci
    return matrix


def matrix_to_euler(matrix: ArrayLike, order: str = "XYZ") -> FloatArray:
    """Angles with the middle one from -90 to 90 degrees; at exactly 90 the last one is zero."""
    m = np.asarray(matrix, np.float64)
    i, j, k = _axes(order)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    cosine = np.hypot(m[..., i, i], m[..., j, i])
    locked = cosine < 1e-12
    euler = np.empty(m.shape[:-1])
    euler[..., i] = np.where(
        locked,
        np.arctan2(-sign * m[..., j, k], m[..., j, j]),
        np.arctan2(sign * m[..., k, j], m[..., k, k]),
    )
    euler[..., j] = np.arctan2(-sign * m[..., k, i], cosine)
    euler[..., k] = np.where(locked, 0.0, np.arctan2(sign * m[..., j, i], m[..., i, i]))
    return euler


def quaternion_to_matrix(quaternion: ArrayLike) -> FloatArray:
    w, x, y, z = np.ascontiguousarray(np.moveaxis(normalized_quaternion(quaternion), -1, 0))
    matrix = np.empty((*w.shape, 3, 3))
    xx, yy, zz = x * x, y * y, z * z
    matrix[..., 0, 0], matrix[..., 1, 1], matrix[..., 2, 2] = (
        1.0 - 2.0 * (yy + zz),
        1.0 - 2.0 * (xx + zz),
        1.0 - 2.0 * (xx + yy),
    )
    for i, j, product, turn in ((0, 1, x * y, w * z), (2, 0, x * z, w * y), (1, 2, y * z, w * x)):
        matrix[..., i, j], matrix[..., j, i] = 2.0 * (product - turn), 2.0 * (product + turn)
    return matrix


def matrix_to_quaternion(matrix: ArrayLike) -> FloatArray:
    """Unit quaternions of rotation matrices, with w not negative.

    Four times the product of any two components is a sum of entries of the matrix, so one multiplication
    gives them all. Any row of products is the quaternion, but for its length; the longest keeps all digits.
    """
    m = np.asarray(matrix, np.float64)
    products = m.reshape(*m.shape[:-2], 9) @ _PAIRS + np.eye(4).ravel()
    products = products.reshape(*m.shape[:-2], 4, 4)
    largest = np.argmax(np.diagonal(products, axis1=-2, axis2=-1), axis=-1)
    best = np.take_along_axis(products, largest[..., None, None], axis=-2)[..., 0, :]
    unit = normalized_quaternion(best)
    return np.where(unit[..., :1] < 0.0, -unit, unit)


def axis_angle_to_quaternion(axis_angle: ArrayLike) -> FloatArray:
    """An axis without length means no rotation, as in Blender."""
    values = np.asarray(axis_angle, np.float64)
    length = np.linalg.norm(values[..., 1:], axis=-1, keepdims=True)
    half = np.where(length > 0.0, values[..., :1], 0.0) / 2.0
    axis = values[..., 1:] / np.where(length > 0.0, length, 1.0)
    return np.concatenate([np.cos(half), axis * np.sin(half)], axis=-1)


def quaternion_to_axis_angle(quaternion: ArrayLike) -> FloatArray:
    """Angles from 0 to 360 degrees; without rotation the axis is Y, along the bone."""
    unit = normalized_quaternion(quaternion)
    sine = np.linalg.norm(unit[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, unit[..., :1])
    axis = unit[..., 1:] / np.where(sine > 0.0, sine, 1.0)
    return np.concatenate([angle, np.where(sine > 0.0, axis, [0.0, 1.0, 0.0])], axis=-1)


def quaternion_power(quaternion: ArrayLike, share: ArrayLike) -> FloatArray:
    """A share of each rotation, the short way round; shares (...) fit all but the last axis."""
    unit = normalized_quaternion(quaternion)
    unit = np.where(unit[..., :1] < 0.0, -unit, unit)
    sine = np.linalg.norm(unit[..., 1:], axis=-1)
    angle = np.arctan2(sine, unit[..., 0]) * np.asarray(share, np.float64)
    axis = unit[..., 1:] / np.maximum(sine, 1e-300)[..., None]
    return np.concatenate([np.cos(angle)[..., None], np.sin(angle)[..., None] * axis], axis=-1)


def between(first: ArrayLike, second: ArrayLike, share: ArrayLike) -> FloatArray:
    """Rotation matrices (..., 3, 3) a share of the short way from the first to the second."""
    start = np.asarray(first, np.float64)
    turn = matrix_to_quaternion(np.asarray(second, np.float64) @ start.swapaxes(-1, -2))
    return quaternion_to_matrix(quaternion_power(turn, share)) @ start


def continuous_quaternion(quaternions: ArrayLike) -> FloatArray:
    """Unit quaternions of the same rotations (F, ..., 4) whose sign never jumps."""
    unit = normalized_quaternion(quaternions)
    return unit * _running_sign(np.sum(unit[1:] * unit[:-1], axis=-1))


def continuous_axis_angle(axis_angles: ArrayLike) -> FloatArray:
    """The same rotations (F, ..., 4) with a unit axis that never flips and an angle that never jumps.

    Turning by a negative angle about the opposite axis is the same rotation, and so are whole turns more.
    """
    values = np.array(axis_angles, np.float64)
    axis = _without_gaps(values[..., 1:])
    angle = np.where(np.any(values[..., 1:] != 0.0, axis=-1), values[..., 0], 0.0)
    sign = _running_sign(np.sum(axis[1:] * axis[:-1], axis=-1))
    return np.concatenate([np.unwrap(angle * sign[..., 0], axis=0)[..., None], axis * sign], axis=-1)


def continuous_euler(eulers: ArrayLike, order: str = "XYZ") -> FloatArray:
    """The same rotations (F, ..., 3) without jumps; the first frame stays as it is.

    Besides whole turns of each angle there is one other set of angles for every rotation: half a turn
    more on the outer axes and the middle angle mirrored. Moving from one set to the other costs the same
    in both directions, so the nearest set for every frame follows from a running parity.
    """
    angles = np.array(eulers, np.float64)
    other = _other_set(angles, order)
    stay = np.abs(_wrapped(angles[1:] - angles[:-1])).sum(axis=-1)
    swap = np.abs(_wrapped(other[1:] - angles[:-1])).sum(axis=-1)
    # The margin keeps rounding from swapping at gimbal lock, where both sets are equally near.
    parity = np.cumsum(swap < stay - 1e-6, axis=0) % 2
    swapped = np.concatenate([np.zeros((1, *parity.shape[1:])), parity])
    return np.unwrap(np.where(swapped[..., None] == 1, other, angles), axis=0)


def near_euler(eulers: ArrayLike, like: ArrayLike, order: str = "XYZ") -> FloatArray:
    """The same rotations (..., 3), each by the angles that are nearest to some others."""
    angles, wanted = np.asarray(eulers, np.float64), np.asarray(like, np.float64)
    both = np.stack([angles, _other_set(angles, order)])
    away = _wrapped(both - wanted)
    swapped = np.abs(away[1]).sum(axis=-1) < np.abs(away[0]).sum(axis=-1) - 1e-9
    return wanted + np.where(swapped[..., None], away[1], away[0])


def _other_set(angles: FloatArray, order: str) -> FloatArray:
    """The other angles of the same rotations."""
    other = angles + np.pi
    middle = _axes(order)[1]
    other[..., middle] = np.pi - angles[..., middle]
    return other


def _axes(order: str) -> tuple[int, int, int]:
    if order not in EULER_ORDERS:
        raise InputError(
            "There is no Euler order called {order!r}: choose one of {choices}.",
            order=order,
            choices=", ".join(EULER_ORDERS),
        )
    first, second, third = ("XYZ".index(letter) for letter in order)
    return first, second, third


def _wrapped(angle: FloatArray) -> FloatArray:
    return (angle + np.pi) % (2.0 * np.pi) - np.pi


def _running_sign(products: FloatArray) -> FloatArray:
    """(F, ..., 1) signs that make neighbours point the same way, from their F - 1 dot products."""
    steps = np.where(products < 0.0, -1.0, 1.0)
    first = np.ones((1, *steps.shape[1:]))
    return np.concatenate([first, np.multiply.accumulate(steps, axis=0)])[..., None]


def _without_gaps(axes: FloatArray) -> FloatArray:
    """Unit axes (F, ..., 3); one without length takes over the one before (or the first that has one)."""
    length = np.linalg.norm(axes, axis=-1, keepdims=True)
    present = length > 0.0
    row = np.arange(len(axes)).reshape((-1,) + (1,) * (axes.ndim - 1))
    latest = np.maximum.accumulate(np.where(present, row, -1), axis=0)
    source = np.where(latest >= 0, latest, np.argmax(present, axis=0)[None])
    unit = np.take_along_axis(axes / np.where(present, length, 1.0), source, axis=0)
    return np.where(np.any(present, axis=0)[None], unit, [0.0, 1.0, 0.0])
