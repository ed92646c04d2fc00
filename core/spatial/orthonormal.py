# SPDX-License-Identifier: GPL-3.0-or-later
"""From a blended 3x3 matrix back to a rotation.

Igarashi, Moscovich and Hughes 2005, section 4.2. The columns of the matrix are three axes. Each round moves
each axis halfway towards the direction perpendicular to the other two and makes it a unit vector again, so
that no axis is favoured. It ends when the squared cosines between the axes sum to less than 1e-6.

Departures from the paper. (1) The rounds end at 1e-7, and what is left is taken away in one step: the nearest
rotation, by the first terms of a power series. Without it the pose would twitch wherever the number of rounds
changes along a path; with it, by 1e-12. (2) The paper shows a skewed pose where the axes vanish or turn
inside out. Here such a matrix fades into the rotation nearest to it in the least-squares sense (by singular
values, determinant +1). (3) When the rotation of the previous frame is given, the result leaves it only as
far as the matrix can be trusted: not at all where every direction is as good as another. A cursor that
crosses such a place turns the bone over in several frames instead of one. (4) Large numbers of matrices go
through the rounds in single precision, which ends them at 5e-4 and makes the same rotations to within 1e-6;
those that cannot be trusted in full are left to double precision.

Complexity: O(N) for N matrices: one or two rounds for blends of similar poses, three for any axes that are
not inside out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..checks import FloatArray, IntArray, rotation_matrices
from .easing import smoothstep
from .rotation import turn_toward

# Where the rounds end: what is left is then so little that the series takes it away to within 1e-12, and in
# single precision to within rounding.
RESIDUAL = {np.dtype(np.float64): 1e-7, np.dtype(np.float32): 5e-4}
ROUNDS = 10
# A round leaves the axes this long instead of 1: then their squared products enter the series at the end as
# they are, which spares two multiplications.
LENGTH = (3 / 8) ** (1 / 5)
# So many matrices must be done already before going on with the others alone pays.
WORTH_SPARING = 1000
# Below this length of an axis, or volume of the unit axes, a matrix is not trusted in full.
DOUBTFUL = 0.2
# Below this one the rounds would divide by zero or turn the axes inside out; they are left out.
HOPELESS = 1e-9


def orthonormalise(matrices: ArrayLike, previous: ArrayLike | None = None) -> FloatArray:
    """The rotations that `matrices` (..., 3, 3) stand for.

    `previous`, rotations of the same shape, keeps those steady that stand for no rotation in particular.
    """
    given = np.asarray(matrices, np.float64)
    workshop = Orthonormaliser(given.size // 9)
    workshop.entries[...] = given.reshape(-1, 9).T.reshape(3, 3, -1)
    earlier = None
    if previous is not None:
        checked = rotation_matrices(previous, "previous rotations", given.shape[:-2])
        earlier = checked.reshape(-1, 3, 3)
    result = workshop.rotations(earlier)[0].reshape(9, -1)
    return np.ascontiguousarray(result.T).reshape(given.shape)


def nearest_rotation(matrices: FloatArray) -> FloatArray:
    """The rotations nearest to `matrices` (..., 3, 3) in the least-squares sense."""
    left, _, right = np.linalg.svd(matrices)
    left[..., 2] *= np.sign(np.linalg.det(left @ right))[..., None]
    return np.matmul(left, right)


class Orthonormaliser:
    """Room for `count` matrices at a time, to be used again and again.

    Fill `entries` (3, 3, count), then ask for the `rotations`. Matrices are stored entry by entry, because
    numpy is fast along the last axis, and every array is made once, because fetching fresh memory would cost
    more than the sums. In single precision the sums cost half as much; only `trusted_rotations` allow for it.
    """

    def __init__(self, count: int, precision: DTypeLike = np.float64):
        self.count = count
        # The axes x, y, z, and x, y once more: whatever goes round the axes is then a product of windows.
        self._around = np.empty((3, 5, count), precision)
        self.entries: FloatArray = self._around[:, :3]
        self._second, self._third = self._around[:, 1:4], self._around[:, 2:]
        # All rows at once numpy would take for overlapping, and copy twice.
        self._copies = [(row[3:], row[:2]) for row in self._around]
        self._upright = np.empty((3, 3, count), precision)
        blocks = _apart(4, 3, count, precision)
        self._squares, self._ratios, self._scale, self._scratch = blocks
        self._volume = np.empty(count, precision)
        # The cosines between y and z, z and x, x and y, and the first two once more.
        self._cosines = np.empty((5, count), precision)
        # After a round, in memory that is free by then: the squares of the cosines, their sum, and what the
        # axes are multiplied with in the end, where [n, axis] belongs to the nth axis from this one on.
        self._cosine_squares, self._residual, self._shares = self._scale, self._volume, blocks[:3]
        # Row by row less memory is in use at a time than for all entries at once, and that is faster.
        self._rows = list(zip(self._upright, self._second, self._third, strict=True))
        # [row, n, axis]: the entry of the nth axis from this one on.
        row, axis, matrix = self._around.strides
        self._windows = np.ndarray(
            (3, 3, 3, count), precision, self._around, strides=(row, axis, axis, matrix)
        )

    def rotations(self, previous: FloatArray | None = None) -> tuple[FloatArray, IntArray]:
        """(3, 3, count) rotations, kept until the next call, and which of them a frame before would change.

        `previous` (count, 3, 3) is the frame before, if there is one.
        """
        self._size_up()
        doubtful = np.flatnonzero(self._is_doubtful())
        if len(doubtful) == 0:
            return self._iterated(ROUNDS), doubtful
        matrices, trust = self.entries[:, :, doubtful], self._trust(doubtful)
        self._make_whole(doubtful[trust < HOPELESS])
        result = self._iterated(ROUNDS)
        settled = _settle(
            np.moveaxis(matrices, -1, 0),
            np.moveaxis(result[:, :, doubtful], -1, 0),
            trust / DOUBTFUL,
            None if previous is None else previous[doubtful],
        )
        result[:, :, doubtful] = np.moveaxis(settled, 0, -1)
        return result, doubtful

    def trusted_rotations(self) -> tuple[FloatArray, IntArray]:
        """Like `rotations`, but matrices that are doubtful are left out; the identity stands for them."""
        self._size_up()
        left_out = np.empty(0, np.int64) if self._all_trusted() else np.flatnonzero(self._is_doubtful())
        self._make_whole(left_out)
        return self._iterated(ROUNDS), left_out

    def _size_up(self) -> None:
        """Everything about the axes that the first round and the doubts about them need."""
        self._repeat()
        _dot(self.entries, self.entries, self._squares)
        self._measure()

    def _repeat(self) -> None:
        for copy, axes in self._copies:
            np.copyto(copy, axes)

    def _measure(self) -> None:
        """The directions perpendicular to two axes each, and the volume of the three."""
        scratch = self._scratch
        for i, (upright, _, _) in enumerate(self._rows):
            (_, second, third), (_, next_second, next_third) = self._rows[i - 2], self._rows[i - 1]
            np.multiply(second, next_third, out=upright)
            np.multiply(third, next_second, out=scratch)
            upright -= scratch
        np.einsum("in,in->n", self._around[:, 0], self._upright[:, 0], out=self._volume)

    def _all_trusted(self) -> bool:
        """Whether all matrices are surely trusted in full, by a quick look."""
        least, longest = self._squares.min(), self._squares.max()
        return bool(least >= DOUBTFUL**2 and self._volume.min() >= DOUBTFUL * longest**1.5)

    def _is_doubtful(self) -> NDArray[np.bool_]:
        """Which matrices are not trusted in full; without roots, as nearly all of them are."""
        least, signed, _ = self._scratch
        np.multiply.reduce(self._squares, axis=0, out=least)
        least *= DOUBTFUL**2
        np.abs(self._volume, out=signed)
        signed *= self._volume
        flat = signed < least
        flat |= self._squares.min(axis=0) < DOUBTFUL**2
        return flat

    def _trust(self, some: IntArray) -> FloatArray:
        """How far some matrices can be trusted: 1 for a rotation, 0 and less for none."""
        lengths = np.sqrt(self._squares[:, some])
        of_unit_axes = self._volume[some] / np.maximum(lengths, HOPELESS).prod(axis=0)
        return np.minimum(lengths.min(axis=0), of_unit_axes)

    def _make_whole(self, some: IntArray) -> None:
        """Put the identity in the place of some matrices."""
        if len(some):
            self.entries[:, :, some] = self._upright[:, :, some] = np.eye(3)[..., None]
            self._squares[:, some] = self._volume[some] = 1.0

    def _iterated(self, rounds: int) -> FloatArray:
        """The paper's rounds for measured axes, as long as any needs more, and what is left taken away."""
        self._turn()
        far = self._far()
        if len(far) == 0 or rounds == 1:
            return self._polished()
        if self.count - len(far) < WORTH_SPARING:
            self._squares.fill(LENGTH**2)
            self._measure()
            return self._iterated(rounds - 1)
        result = self._polished()
        result[:, :, far] = self._alone(far)._iterated(rounds - 1)
        return result

    def _far(self) -> IntArray:
        """Which matrices need another round."""
        return np.flatnonzero(self._residual >= RESIDUAL[self._residual.dtype] * LENGTH**4)

    def _alone(self, some: IntArray) -> Orthonormaliser:
        """Some matrices after a round, measured for the next."""
        others = Orthonormaliser(len(some), self._volume.dtype)
        # Clipping makes numpy write right into `out`; there is nothing to clip.
        np.take(self._around, some, axis=2, out=others._around, mode="clip")
        others._squares.fill(LENGTH**2)
        others._measure()
        return others

    def _turn(self) -> None:
        """One round: x becomes x / |x| + u / |u| for u = y x z, at the `LENGTH`; y and z likewise.

        That is the direction of x + r u with r = |x| / |u|, and its squared length is 2 (|x|^2 + r volume).
        """
        axes, upright, ratios, scale = self.entries, self._upright, self._ratios, self._scale
        _dot(upright, upright, ratios)
        np.divide(self._squares, ratios, out=ratios)
        np.sqrt(ratios, out=ratios)
        np.multiply(ratios, self._volume, out=scale)
        scale += self._squares
        np.divide(LENGTH**2 / 2, scale, out=scale)
        np.sqrt(scale, out=scale)
        ratios *= scale
        axes *= scale
        upright *= ratios
        axes += upright
        self._repeat()
        cosines = _dot(self._second, self._third, self._cosines[:3])
        np.multiply(cosines, cosines, out=self._cosine_squares)
        np.add.reduce(self._cosine_squares, axis=0, out=self._residual)

    def _polished(self) -> FloatArray:
        """The nearest rotations to unit axes with small cosines: axes times (1 + E)^(-1/2).

        E is the symmetric matrix of the cosines a, b, c. The series is 1 - E/2 + 3/8 E^2 - 5/16 E^3, and
        E^3 = (a^2 + b^2 + c^2) E + 2 a b c. Endless rounds would end elsewhere by terms like
        c (a^2 - b^2) / 16: 1e-12 with the cosines left here, 1e-7 with those in single precision.

        What was measured are not cosines but products of axes of the `LENGTH` g, so a power of g goes with
        each term: (3/8) / g^5 = 1 with the squares and products.
        """
        around, cosines, shares = self._cosines, self._cosines[:3], self._shares
        around[3:] = around[:2]
        products = np.multiply(around[1:4], around[2:], out=self._ratios)
        squares, residual = self._cosine_squares, self._residual
        cubic = np.multiply(products[0], cosines[0], out=self._scratch[0])
        # On the diagonal of the series, and beside it; of E^2 that is b^2 + c^2 and b c.
        diagonal = np.subtract(residual, squares, out=shares[0])
        cubic *= -5 / 8 / LENGTH**7
        cubic += 1 / LENGTH
        diagonal += cubic
        residual *= -5 / 16 / LENGTH**7
        residual -= 1 / 2 / LENGTH**3
        cosines *= residual
        cosines += products
        around[3:] = around[:2]
        shares[1], shares[2] = around[2:], around[1:4]
        for row, entries in zip(self._upright, self._windows, strict=True):
            np.einsum("djn,djn->jn", shares, entries, out=row)
        return self._upright


def _settle(
    matrices: FloatArray, iterated: FloatArray, trust: FloatArray, previous: FloatArray | None
) -> FloatArray:
    """What to show for doubtful matrices (N, 3, 3): the rounds, the nearest rotation or the frame before."""
    share = smoothstep(trust)
    settled = turn_toward(nearest_rotation(matrices), iterated, share)
    return settled if previous is None else turn_toward(previous, settled, share)


def _apart(blocks: int, rows: int, count: int, precision: DTypeLike) -> FloatArray:
    """(blocks, rows, count) with a little room between the blocks.

    Where one array ends right where another begins, numpy takes them for overlapping, and is slow.
    """
    return np.empty((blocks, rows * count + 1), precision)[:, :-1].reshape(blocks, rows, count)


def _dot(some: FloatArray, others: FloatArray, out: FloatArray) -> FloatArray:
    """(3, N) the products of the columns of one array (3, 3, N) with those of another."""
    return np.einsum("ijn,ijn->jn", some, others, out=out)
