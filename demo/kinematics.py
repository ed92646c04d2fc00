# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations, smooth curves and two-bone limbs, for all frames of a motion at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def turn(axis: str, degrees: ArrayLike) -> Array:
    """(F, 3, 3) rotations about one axis."""
    angle = np.radians(np.asarray(degrees, np.float64))
    first, second = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    rotation = np.zeros((*angle.shape, 3, 3))
    rotation[...] = np.eye(3)
    rotation[..., first, first] = rotation[..., second, second] = np.cos(angle)
    rotation[..., second, first] = np.sin(angle)
    rotation[..., first, second] = -np.sin(angle)
    return rotation


def apply(rotations: Array, vector: ArrayLike) -> Array:
    return np.einsum("...ij,...j->...i", rotations, np.asarray(vector, np.float64))


def unit(vectors: Array) -> Array:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def across(vectors: Array, direction: Array) -> Array:
    """The unit part of `vectors` at right angles to the unit `direction`."""
    return unit(vectors - np.sum(vectors * direction, axis=-1, keepdims=True) * direction)


def smooth(values: Array, width: float) -> Array:
    """Gaussian smoothing over time; `width` in frames. The ends are held."""
    reach = int(np.ceil(4.0 * width))
    if reach == 0:
        return values
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    kernel /= kernel.sum()
    flat = values.reshape(len(values), -1)
    padded = np.concatenate([flat[:1].repeat(reach, 0), flat, flat[-1:].repeat(reach, 0)])
    columns = [np.convolve(column, kernel, mode="valid") for column in padded.T]
    return np.stack(columns, axis=1).reshape(values.shape)


def keyed(times: Array, keys: Sequence[tuple[float, ArrayLike]], softness: float = 0.08) -> Array:
    """A curve through keys of (seconds, value), with corners rounded over `softness` seconds."""
    at = [key[0] for key in keys]
    values = np.array([key[1] for key in keys], np.float64)
    flat = values.reshape(len(values), -1)
    curve = np.stack([np.interp(times, at, column) for column in flat.T], axis=1)
    return smooth(curve, softness / (times[1] - times[0])).reshape(len(times), *values.shape[1:])


def minimum_jerk(share: Array) -> Array:
    """From 0 to 1 as people move: at rest at both ends."""
    s = np.clip(share, 0.0, 1.0)
    return s**3 * (10.0 + s * (6.0 * s - 15.0))


def limb(
    root: Array,
    target: Array,
    pole: Array,
    rest: tuple[Array, Array],
    rest_pole: Array,
) -> tuple[Array, Array]:
    """Rotations (F, 3, 3) of two bones, from their `rest` vectors, that reach from `root` to `target`.

    The joint between them points to `pole`, as it points to `rest_pole` in the rest pose. A target out of
    reach is approached as far as the limb goes.
    """
    upper, lower = (float(np.linalg.norm(bone)) for bone in rest)
    offset = target - root
    distance = np.linalg.norm(offset, axis=-1, keepdims=True)
    direction = offset / distance
    reach = _within_reach(distance, upper + lower)
    cosine = (upper**2 + reach**2 - lower**2) / (2.0 * upper * reach)
    sine = np.sqrt(np.clip(1.0 - cosine**2, 0.0, 1.0))
    joint = upper * (cosine * direction + sine * across(pole, direction))
    hinge = unit(np.cross(direction, across(pole, direction)))
    rotations = []
    for bone, now in zip(rest, (joint, reach * direction - joint), strict=True):
        rest_direction = bone / np.linalg.norm(bone)
        rest_hinge = unit(np.cross(rest_direction, across(rest_pole, rest_direction)))
        rotations.append(_frame(unit(now), hinge) @ _frame(rest_direction, rest_hinge).swapaxes(-1, -2))
    return rotations[0], rotations[1]


def _within_reach(distance: Array, length: float) -> Array:
    """The distance as far as the limb goes; it is never quite straight, where the joint would snap."""
    easy = 0.975 * length
    beyond = np.maximum(distance - easy, 0.0) / (length - easy)
    return np.maximum(np.minimum(distance, easy), 0.3 * length) + (length - easy) * (1.0 - np.exp(-beyond))


def _frame(direction: Array, hinge: Array) -> Array:
    return np.stack([direction, hinge, np.cross(direction, hinge)], axis=-1)
