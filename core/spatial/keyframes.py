# SPDX-License-Identifier: GPL-3.0-or-later
"""`SpatialKeyframes`: poses attached to places, and the pose anywhere between and around them."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from threading import local

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..checks import FloatArray, IntArray, numbers, rotation_matrices
from ..errors import InputError
from ..workers import each
from .orthonormal import Orthonormaliser, orthonormalise
from .radial_basis import RadialBasis

SingleArray = NDArray[np.float32]

# Matrices blended at a time: so many that the threads seldom have to wait for each other, few enough that
# memory stays bounded.
MATRICES_AT_A_TIME = 50_000
# Multiplications of one matrix product: larger ones BLAS divides among threads of its own, which would get in
# the way of ours.
PRODUCT = 250_000
# The same for a single row: of these BLAS divides much smaller ones, and waiting for its threads takes longer
# than the product, the more so while Blender uses all cores.
ROW_PRODUCT = 9_000
# Influences of more than this in all, whatever their signs, are blended in double precision: far away from
# the keys these cancel each other, and of single precision too little would be left.
MODEST = 8.0


class SpatialKeyframes:
    """A map from places to poses that passes through every key.

    Igarashi, Moscovich and Hughes 2005, section 4: every entry of every bone's rotation matrix, and every
    translation and scale, is interpolated with the same influences of the keys (`influence.py`), and the
    matrices are made rotations again (`orthonormal.py`).

    Args:
        places: (n, 3) where the keys are; no two at one place.
        rotations: (n, B, 3, 3) rotation of each bone in each key, in any frame that is the same for all keys.
        translations: (n, B, 3) translation of each bone in each key, if there is any.
        scales: (n, B, 3) scale of each bone in each key, if there is any; blended entry by entry.
        names: what the keys are called in messages; their numbers if left out.

    Complexity: O(n^3) to make or to move places, O(n^2 + n B) a pose. Changing poses solves nothing again.
    """

    def __init__(
        self,
        places: ArrayLike,
        rotations: ArrayLike,
        translations: ArrayLike | None = None,
        scales: ArrayLike | None = None,
        *,
        names: Sequence[str] | None = None,
    ):
        self._names = names
        self._influence = RadialBasis(places, names)
        self._set_poses(rotations, translations, scales)

    def __len__(self) -> int:
        return len(self.places)

    @property
    def places(self) -> FloatArray:
        """(n, 3) where the keys are."""
        return self._influence.places

    @property
    def bone_count(self) -> int:
        return self._entries.shape[-1]

    @property
    def dimensions(self) -> int:
        """How many directions the places span: 0 (one key), 1 (a line), 2 (a plane) or 3."""
        return self._influence.dimensions

    def with_places(self, places: ArrayLike) -> SpatialKeyframes:
        """The same poses at other places, as when markers are dragged; the poses are shared, not copied."""
        moved = copy.copy(self)
        moved._influence = RadialBasis(places, self._names)
        if len(moved) != len(self):
            raise InputError(
                "There are {moved} places for {count} keys; give one for each.",
                moved=len(moved),
                count=len(self),
            )
        return moved

    def with_poses(
        self, rotations: ArrayLike, translations: ArrayLike | None = None, scales: ArrayLike | None = None
    ) -> SpatialKeyframes:
        """Other poses at the same places, as when a key is updated; nothing is solved again."""
        changed = copy.copy(self)
        changed._set_poses(rotations, translations, scales)
        return changed

    def weights(self, point: ArrayLike) -> FloatArray:
        """(n,) the influence of every key at `point` (3,); they sum to one and may be negative outside."""
        return self._influence(_one(point))[0]

    def weights_along(self, points: ArrayLike) -> FloatArray:
        """(m, n) the influence of every key at `points` (m, 3)."""
        return self._influence(numbers(points, "points", (None, 3)))

    def pose(
        self, point: ArrayLike, previous: ArrayLike | None = None
    ) -> tuple[FloatArray, FloatArray | None]:
        """Rotations (B, 3, 3), and translations (B, 3) or None, for a cursor at `point` (3,).

        `previous`, the rotations shown before, keeps a bone steady where the keys cancel each other out.
        """
        influence = self._influence(_one(point))
        if previous is not None:
            previous = rotation_matrices(previous, "previous rotations", (self.bone_count,))
        room = Orthonormaliser(self.bone_count)
        _row_product(influence, self._entries, out=room.entries.reshape(3, 3, 1, -1))
        turned, _ = room.rotations(previous)
        rotations = np.ascontiguousarray(turned.reshape(9, -1).T).reshape(-1, 3, 3)
        return rotations, _first(_blend(influence, self._translations))

    def poses(self, points: ArrayLike) -> tuple[SingleArray, FloatArray | None]:
        """Rotations (m, B, 3, 3), and translations (m, B, 3) or None, at `points` (m, 3), each on its own.

        The rotations are in single precision, which is all that Blender keeps of a pose.
        """
        where = numbers(points, "points", (None, 3))
        rotations, translations, doubtful = self._trusted_poses(where)
        for some in _portions(len(doubtful), MATRICES_AT_A_TIME // len(self)):
            rotations.reshape(-1, 3, 3)[doubtful[some]] = self._settled(where, doubtful[some])
        return rotations, translations

    def path(
        self, points: ArrayLike, previous: ArrayLike | None = None
    ) -> tuple[SingleArray, FloatArray | None]:
        """Like `poses`, for points that follow each other in time: `pose` with the frame before, every time.

        `previous` (B, 3, 3) is what was shown before the first point. The frame before counts only where keys
        cancel each other out, so all other points are blended at once.
        """
        where = numbers(points, "points", (None, 3))
        if previous is not None:
            previous = rotation_matrices(previous, "previous rotations", (self.bone_count,))
        rotations, translations, doubtful = self._trusted_poses(where)
        for i in np.unique(doubtful // self.bone_count):
            before = rotations[i - 1] if i > 0 else previous
            rotations[i] = self.pose(where[i], before)[0]
        return rotations, translations

    def scale(self, point: ArrayLike) -> FloatArray | None:
        """(B, 3) the scale of every bone at `point` (3,); None if the keys have no scale."""
        return _first(_blend(self._influence(_one(point)), self._scales))

    def scales(self, points: ArrayLike) -> FloatArray | None:
        """(m, B, 3) the scale of every bone at `points` (m, 3); None if the keys have no scale."""
        where = numbers(points, "points", (None, 3))
        if self._scales is None:
            return None
        scales = np.empty((len(where), self.bone_count, 3))
        for some in self._portions(len(where)):
            _product(self._influence(where[some]), _flat(self._scales), out=_flat(scales[some]))
        return scales

    def _set_poses(
        self, rotations: ArrayLike, translations: ArrayLike | None, scales: ArrayLike | None
    ) -> None:
        keys = len(self.places)
        matrices = rotation_matrices(rotations, "rotations of the spatial keys", (keys, None))
        bones = matrices.shape[1]
        if bones == 0:
            raise InputError("The spatial keys hold no bones; give the rotation of at least one.")
        # (3, 3, n, B), the order in which they are blended and orthonormalised fast.
        self._entries = np.moveaxis(matrices, (2, 3), (0, 1)).copy()
        self._translations = _per_bone(translations, "translations of the spatial keys", keys, bones)
        self._scales = _per_bone(scales, "scales of the spatial keys", keys, bones)

    def _trusted_poses(self, where: FloatArray) -> tuple[SingleArray, FloatArray | None, IntArray]:
        """`poses` without the rotations that are not trusted in full, and the numbers of these, ascending.

        The number of bone b at point i is i B + b.
        """
        rotations = np.empty((len(where), self.bone_count, 3, 3), np.float32)
        translations = None if self._translations is None else np.empty((len(where), self.bone_count, 3))
        doubtful = [np.empty(0, np.int64)]
        single, double = _Blender(self._entries, np.float32), _Blender(self._entries, np.float64)

        def blend(some: slice) -> None:
            influence = self._influence(where[some])
            turn = single if np.abs(influence).sum(axis=1).max() < MODEST else double
            doubtful.append(turn(influence, out=rotations[some]) + some.start * self.bone_count)
            if translations is not None and self._translations is not None:
                _product(influence, _flat(self._translations), out=_flat(translations[some]))

        each(blend, list(self._portions(len(where))))
        return rotations, translations, np.sort(np.concatenate(doubtful))

    def _settled(self, where: FloatArray, doubtful: IntArray) -> FloatArray:
        """(d, 3, 3) the rotations that are not trusted in full, by their numbers, in double precision."""
        points, bones = np.divmod(doubtful, self.bone_count)
        blended = np.einsum("kn,ijnk->kij", self._influence(where[points]), self._entries[..., bones])
        return orthonormalise(blended)

    def _portions(self, count: int) -> Iterator[slice]:
        """`count` points in portions small enough to blend at a time."""
        return _portions(count, MATRICES_AT_A_TIME // max(self.bone_count, len(self)))


class _Blender(local):
    """Blends the rotations of portions of points, in single or double precision; each thread has its own."""

    def __init__(self, entries: FloatArray, precision: DTypeLike):
        self._entries = entries.astype(precision, copy=False)
        self._room = Orthonormaliser(0, precision)

    def __call__(self, influence: FloatArray, out: SingleArray) -> IntArray:
        """Fill `out` (m, B, 3, 3) for influences (m, n).

        Returns which of the m B rotations are left out, because they are not trusted in full.
        """
        points, bones = out.shape[:2]
        precision = self._entries.dtype
        if self._room.count != points * bones:  # all portions but the last are of one size
            self._room = Orthonormaliser(points * bones, precision)
        blended = self._room.entries.reshape(3, 3, points, bones)
        _product(influence.astype(precision, copy=False), self._entries, out=blended)
        turned, left_out = self._room.trusted_rotations()
        out.reshape(-1, 9)[...] = turned.reshape(9, -1).T
        return left_out


def _portions(count: int, step: int) -> Iterator[slice]:
    step = max(1, step)
    return (slice(start, start + step) for start in range(0, count, step))


def _one(point: ArrayLike) -> FloatArray:
    return numbers(point, "coordinates of the point", (3,))[None]


def _per_bone(values: ArrayLike | None, what: str, keys: int, bones: int) -> FloatArray | None:
    return None if values is None else numbers(values, what, (keys, bones, 3)).copy()


def _blend(influence: FloatArray, values: FloatArray | None) -> FloatArray | None:
    """(1, B, 3) for influences (1, n) and values of the keys (n, B, 3)."""
    if values is None:
        return None
    blended = np.empty((1, *values.shape[1:]))
    _row_product(influence, _flat(values), out=_flat(blended))
    return blended


def _flat(values: FloatArray) -> FloatArray:
    """All that belongs to a key, or to a point, in a row."""
    return values.reshape(len(values), -1)


def _product(left: FloatArray, right: FloatArray, out: FloatArray) -> None:
    """left (m, n) times right (..., n, k), in products of so many rows that BLAS does each in one thread."""
    rows = max(1, PRODUCT // (right.shape[-2] * right.shape[-1]))
    evenly = len(left) // rows * rows
    for some, height in ((slice(evenly), rows), (slice(evenly, None), len(left) - evenly)):
        if len(left[some]):
            piles = out[..., some, :].reshape(*out.shape[:-2], -1, height, out.shape[-1])
            np.matmul(left[some].reshape(-1, height, left.shape[1]), right[..., None, :, :], out=piles)


def _row_product(row: FloatArray, right: FloatArray, out: FloatArray) -> None:
    """row (1, n) times right (..., n, k), so many columns at a time that BLAS does them in one thread."""
    for some in _portions(right.shape[-1], ROW_PRODUCT // right.shape[-2]):
        np.matmul(row, right[..., some], out=out[..., some])


def _first(values: FloatArray | None) -> FloatArray | None:
    return None if values is None else values[0]
