# SPDX-License-Identifier: GPL-3.0-or-later
"""How a bone follows its parent: whether it turns with it, what it makes of its scale, where it moves along.

These are the relations of Blender's bones (Inherit Rotation, Inherit Scale, Local Location). The head always
goes with the parent; the settings decide in which axes the bone then turns, scales and moves.

Complexity: O(B) for B bones, vectorised over all bones of a level that follow in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..checks import FloatArray, IntArray
from ..errors import InputError

# FULL: scale and shear of the parent. FIX_SHEAR: its scale, without shear. ALIGNED: its scale, along the
# bone's own axes. AVERAGE: its change of volume, evenly. NONE: nothing. NONE_LEGACY: shear alone.
SCALES = ("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY")
TINY = 1e-12
SHEARED = 1e-4  # the cosine from which Blender straightens two axes


@dataclass(frozen=True, eq=False)
class Inheritance:
    """(B,) each: whether bones inherit rotation, one of `SCALES`, and whether they move in their own axes."""

    rotation: NDArray[np.bool_]
    scale: NDArray[np.str_]
    local_location: NDArray[np.bool_]

    def __post_init__(self) -> None:
        unknown = set(np.asarray(self.scale).tolist()) - set(SCALES)
        if unknown:
            raise InputError(
                "Bones inherit scale as {choices}, and not as {unknown}.",
                choices=", ".join(SCALES),
                unknown=sorted(unknown)[0],
            )

    @property
    def is_usual(self) -> bool:
        return bool(self.rotation.all() and (self.scale == "FULL").all() and self.local_location.all())

    def part(self, bones: IntArray) -> Inheritance:
        return Inheritance(self.rotation[bones], self.scale[bones], self.local_location[bones])

    def follow(
        self, bones: IntArray, parent: FloatArray, rest: FloatArray, offset: FloatArray, basis: FloatArray
    ) -> FloatArray:
        """(..., n, 4, 4) the poses of `bones`, given poses and rest of their parents.

        `offset` is the rest of each bone in its parent's space, `basis` its local pose.
        """
        axes = parent[..., :3, :3]
        usual = axes @ offset[:, :3, :3]
        frames, stretch = usual.copy(), np.ones(usual.shape[:-1])
        for some, rotation, scale in self._kinds(bones):
            frames[..., some, :, :], stretch[..., some, :] = _frames(
                axes[..., some, :, :], rest[some, :3, :3], offset[some, :3, :3], rotation, scale
            )
        pose = np.zeros(basis.shape)
        pose[..., :3, :3] = frames @ basis[..., :3, :3] * stretch[..., None, :]
        along = np.where(self.local_location[bones][:, None, None], usual, axes)
        heads = np.einsum("...ij,...j->...i", axes, offset[:, :3, 3]) + parent[..., :3, 3]
        pose[..., :3, 3] = heads + np.einsum("...ij,...j->...i", along, basis[..., :3, 3])
        pose[..., 3, 3] = 1.0
        return pose

    def _kinds(self, bones: IntArray) -> Iterator[tuple[IntArray, bool, str]]:
        """The positions in `bones` of those that follow in each unusual way."""
        for rotation in (True, False):
            for scale in SCALES:
                some = np.flatnonzero((self.rotation[bones] == rotation) & (self.scale[bones] == scale))
                if len(some) and not (rotation and scale == "FULL"):
                    yield some, rotation, scale


def _frames(
    parent: FloatArray, rest: FloatArray, offset: FloatArray, rotation: bool, scale: str
) -> tuple[FloatArray, FloatArray]:
    """The axes (..., n, 3, 3) in which bones turn, and (..., n, 3) the scale along their own axes."""
    stretch = np.ones(parent.shape[:-1])
    axes = parent if rotation else np.broadcast_to(rest, parent.shape)
    if scale in ("NONE", "AVERAGE") and rotation:
        axes = _straightened(axes, unit=True)
    elif scale == "NONE_LEGACY" and rotation:
        axes = axes / _sizes(axes)[..., None, :]
    elif scale == "ALIGNED":
        straight = _straightened(parent, unit=False) if rotation else axes
        stretch = _sizes(straight) if rotation else _sizes_without_shear(parent)
        axes = straight / _sizes(straight)[..., None, :]
    elif scale in ("FULL", "FIX_SHEAR") and not rotation:
        sizes = _sizes(parent) if scale == "FULL" else _sizes_without_shear(parent)
        axes = axes * sizes[..., None, :]
    if scale == "AVERAGE":
        axes = axes * np.cbrt(np.abs(np.linalg.det(parent)))[..., None, None]
    frames = axes @ offset
    return (_straightened(frames, unit=False) if scale == "FIX_SHEAR" else frames), stretch


def _sizes(axes: FloatArray) -> FloatArray:
    """(..., 3) the lengths of the axes, which are columns."""
    return np.maximum(np.linalg.norm(axes, axis=-2), TINY)


def _sizes_without_shear(axes: FloatArray) -> FloatArray:
    """The same, made smaller so that a box of these sizes has the volume of the sheared one."""
    sizes = _sizes(axes)
    return sizes * np.cbrt(np.abs(np.linalg.det(axes)) / sizes.prod(axis=-1))[..., None]


def _straightened(axes: FloatArray, *, unit: bool) -> FloatArray:
    """Axes at right angles: y stays, z and x lean by the same angle; the volume stays unless `unit`."""
    x, y, z = axes[..., 0], axes[..., 1], axes[..., 2]
    along = np.maximum(_dot(y, y), TINY)
    z, x = z - y * _dot(z, y) / along, x - y * _dot(x, y) / along
    long_z, long_x = (np.maximum(np.linalg.norm(axis, axis=-1, keepdims=True), TINY) for axis in (z, x))
    z, x = z / long_z, x / long_x
    cosine = np.clip(_dot(z, x), -1.0, 1.0)
    angle = np.arccos(cosine)
    leans = (np.abs(cosine) > SHEARED) & (np.abs(cosine) < 1.0 - 1e-7)
    # Half of what is missing to a right angle is made up by each of the two.
    beside = z - x * cosine
    beside = beside / np.maximum(np.linalg.norm(beside, axis=-1, keepdims=True), TINY)
    wanted = 0.5 * (angle + 0.5 * np.pi)
    new_z = beside * np.sin(wanted) + x * np.cos(wanted)
    new_x = x - new_z * _dot(x, new_z)
    new_x = new_x / np.maximum(np.linalg.norm(new_x, axis=-1, keepdims=True), TINY)
    z, x = np.where(leans, new_z, z), np.where(leans, new_x, x)
    if unit:
        return np.stack([x, y / np.sqrt(along), z], axis=-1)
    shrunk = np.where(leans, np.sqrt(np.sin(angle)), 1.0)
    return np.stack([x * long_x * shrunk, y, z * long_z * shrunk], axis=-1)


def _dot(one: FloatArray, other: FloatArray) -> FloatArray:
    return np.sum(one * other, axis=-1, keepdims=True)
