# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones and dots as shaded triangles, for drawing over a viewport."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..motion import FloatArray

Floats = NDArray[np.float32]

_WAIST = 0.18  # where a bone is thickest, as a share of its length: shows which end is the head
_LIGHT = np.array([0.35, -0.5, 0.79])  # from above, the front and the right
_DARKEST = 0.45

# Faces of a bone by its corners: 0 head, 1 to 4 waist, 5 tail.
_BONE_FACES = np.array(
    [[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 1, 4], [5, 1, 2], [5, 2, 3], [5, 3, 4], [5, 4, 1]]
)


def octahedra(heads: FloatArray, tails: FloatArray, radii: FloatArray) -> tuple[Floats, Floats]:
    """(24B, 3) corners of the triangles of B bones, and (24B,) how bright each is, 0 to 1."""
    along = tails - heads
    side, other = _across(along)
    reach = radii[:, None]
    middle = heads + _WAIST * along
    waist = [middle + reach * turned for turned in (side, other, -side, -other)]
    corners = np.stack([heads, *waist, tails], axis=1)
    return _triangles(corners, _BONE_FACES)


def dots(places: FloatArray, radius: float) -> tuple[Floats, Floats]:
    """(60N, 3) corners and (60N,) brightness of N small balls."""
    corners, faces = _icosahedron()
    return _triangles(places[:, None] + radius * corners, faces)


def brightness(normals: FloatArray) -> Floats:
    """How bright a surface is that looks along `normals` (..., 3)."""
    share = 0.5 + 0.5 * (normals @ _LIGHT)
    return (_DARKEST + (1.0 - _DARKEST) * share).astype(np.float32)


def _across(along: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Two unit vectors square to each bone and to each other."""
    length = np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-12)
    unit = along / length
    # The axis that a bone points along least gives the safest cross product.
    least = np.eye(3)[np.argmin(np.abs(unit), axis=1)]
    side = np.cross(unit, least)
    side /= np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-12)
    return side, np.cross(unit, side)


def _triangles(corners: FloatArray, faces: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Flat triangles of many solids of the same make: (N, C, 3) corners, (T, 3) faces."""
    triangles = corners[:, faces]
    normals = np.cross(triangles[:, :, 1] - triangles[:, :, 0], triangles[:, :, 2] - triangles[:, :, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=2, keepdims=True), 1e-12)
    shades = np.repeat(brightness(normals).ravel(), 3)
    return triangles.reshape(-1, 3).astype(np.float32), shades


def _icosahedron() -> tuple[FloatArray, NDArray[np.int64]]:
    golden = (1.0 + 5.0**0.5) / 2.0
    corners = np.array(
        [[s, t * golden, 0.0] for s in (-1, 1) for t in (-1, 1)]
        + [[0.0, s, t * golden] for s in (-1, 1) for t in (-1, 1)]
        + [[t * golden, 0.0, s] for s in (-1, 1) for t in (-1, 1)]
    )
    apart = np.linalg.norm(corners[:, None] - corners[None], axis=2)
    near = np.isclose(apart, 2.0)
    faces = [
        (a, b, c)
        for a in range(12)
        for b in range(a + 1, 12)
        for c in range(b + 1, 12)
        if near[a, b] and near[b, c] and near[a, c]
    ]
    outward = [_outward(corners, face) for face in faces]
    return corners / np.linalg.norm(corners[0]), np.array(outward)


def _outward(corners: FloatArray, face: tuple[int, int, int]) -> tuple[int, int, int]:
    a, b, c = (corners[index] for index in face)
    return face if np.cross(b - a, c - a) @ a > 0.0 else (face[0], face[2], face[1])
