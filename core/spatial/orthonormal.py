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
crosses such a place turns the bone over in several frames instead of one.

Complexity: O(N) for N matrices: one or two rounds for blends of similar poses, three for any axes that are
not inside out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .checks import FloatArray, IntArray
from .easing import smoothstep
from .rotation import turn_toward

# A tenth of the paper's: what is left is then so little that the number of rounds makes no difference.
RESIDUAL = 1e-7
ROUNDS = 10
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
    earlier = None if previous is None else np.asarray(previous, np.float64).reshape(-1, 3, 3)
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
    more than the sums.
    """

    def __init__(self, count: int):
        # The axes and, below and to the right, a repeat of them: every cofactor is then a product of windows.
        self._around = np.empty((5, 5, count))
        self.entries: FloatArray = self._around[:3, :3]
        self._upright, self._scratch = np.empty((2, 3, 3, count))
        self._squares, self._ratios, self._scale = np.empty((3, 3, count))
        self._volume = np.empty(count)
        # The cosines between y and z, z and x, x and y, and the first two once more.
        self._cosines = np.empty((5, count))

    def rotations(self, previous: FloatArray | None = None) -> tuple[FloatArray, IntArray]:
        """(3, 3, count) rotations, kept until the next call, and which of them a frame before would change.

        `previous` (count, 3, 3) is the frame before, if there is one.
        """
        _dot(self.entries, self.entries, self._squares)
        self._measure()
        doubtful = self._doubtful()
        if len(doubtful) == 0:
            return self._iterated(), doubtful
        matrices, trust = self.entries[:, :, doubtful], self._trust(doubtful)
        self._make_whole(doubtful[trust < HOPELESS])
        result = self._iterated()
        settled = _settle(
            np.moveaxis(matrices, -1, 0),
            np.moveaxis(result[:, :, doubtful], -1, 0),
            trust / DOUBTFUL,
            None if previous is None else previous[doubtful],
        )
        result[:, :, doubtful] = np.moveaxis(settled, 0, -1)
        return result, doubtful

    def _iterated(self) -> FloatArray:
        self._go_rounds(ROUNDS)
        return self._polished()

    def _measure(self) -> None:
        """The directions perpendicular to two axes each, and the volume of the three."""
        around, upright = self._around, self._upright
        around[3:, :3] = around[:2, :3]
        around[:, 3:] = around[:, :2]
        np.multiply(around[1:4, 1:4], around[2:, 2:], out=upright)
        np.multiply(around[1:4, 2:], around[2:, 1:4], out=self._scratch)
        np.subtract(upright, self._scratch, out=upright)
        np.einsum("in,in->n", self.entries[:, 0], upright[:, 0], out=self._volume)

    def _doubtful(self) -> IntArray:
        """Which matrices are not trusted in full; without roots, as nearly all of them are."""
        x, y, z = self._squares
        flat = self._volume * np.abs(self._volume) < DOUBTFUL**2 * (x * y * z)
        return np.flatnonzero(flat | (self._squares.min(axis=0) < DOUBTFUL**2))

    def _trust(self, some: IntArray) -> FloatArray:
        """How far some matrices can be trusted: 1 for a rotation, 0 and less for none."""
        lengths = np.sqrt(self._squares[:, some])
        of_unit_axes = self._volume[some] / np.maximum(lengths, HOPELESS).prod(axis=0)
        return np.minimum(lengths.min(axis=0), of_unit_axes)

    def _make_whole(self, some: IntArray) -> None:
        """Put the identity in the place of some matrices."""
        self.entries[:, :, some] = self._upright[:, :, some] = np.eye(3)[..., None]
        self._squares[:, some] = self._volume[some] = 1.0

    def _go_rounds(self, left: int) -> None:
        """The paper's rounds for measured axes, as long as any needs more."""
        self._turn()
        cosines = self._cosines[:3]
        far = np.flatnonzero(np.einsum("in,in->n", cosines, cosines) >= RESIDUAL)
        if len(far) == 0 or left == 1:
            return
        if len(self._volume) - len(far) < WORTH_SPARING:
            self._measure()
            self._go_rounds(left - 1)
            return
        others = Orthonormaliser(len(far))
        others.entries[...] = self.entries[:, :, far]
        others._squares.fill(1.0)
        others._measure()
        others._go_rounds(left - 1)
        self._around[:3, :, far] = others._around[:3]
        cosines[:, far] = others._cosines[:3]

    def _turn(self) -> None:
        """One round: x becomes x / |x| + u / |u| for u = y x z, made a unit vector; y and z likewise.

        That is the direction of x + r u with r = |x| / |u|, and its squared length is 2 (|x|^2 + r volume).
        """
        around, upright, ratios, scale = self._around, self._upright, self._ratios, self._scale
        _dot(upright, upright, ratios)
        np.divide(self._squares, ratios, out=ratios)
        np.sqrt(ratios, out=ratios)
        np.multiply(ratios, self._volume, out=scale)
        scale += self._squares
        np.divide(0.5, scale, out=scale)
        np.sqrt(scale, out=scale)
        ratios *= scale
        self.entries *= scale
        upright *= ratios
        self.entries += upright
        self._squares.fill(1.0)
        around[:3, 3:] = around[:3, :2]
        _dot(around[:3, 1:4], around[:3, 2:], self._cosines[:3])

    def _polished(self) -> FloatArray:
        """The nearest rotations to unit axes with small cosines: axes times (1 + E)^(-1/2).

        E is the symmetric matrix of the cosines a, b, c. The series 1 - E/2 + 3/8 E^2 - 5/16 E^3 is good to
        1e-12 here, and E^3 = (a^2 + b^2 + c^2) E + 2 a b c.
        """
        around, cosines, result = self._around, self._cosines, self._upright
        cosines[3:] = cosines[:2]
        products = np.multiply(cosines[1:4], cosines[2:], out=self._ratios)
        squares = np.multiply(cosines[:3], cosines[:3], out=self._scale)
        residual = squares.sum(axis=0)
        cubic = products[0] * cosines[0]
        # On the diagonal of the series, and beside it; of E^2 that is b^2 + c^2 and b c.
        diagonal = np.subtract(residual, squares, out=self._squares)
        diagonal *= 3 / 8
        cubic *= -5 / 8
        cubic += 1.0
        diagonal += cubic
        residual *= -5 / 16
        residual -= 1 / 2
        cosines[:3] *= residual
        products *= 3 / 8
        cosines[:3] += products
        cosines[3:] = cosines[:2]
        np.multiply(self.entries, diagonal, out=result)
        result += np.multiply(around[:3, 1:4], cosines[2:], out=self._scratch)
        result += np.multiply(around[:3, 2:], cosines[1:4], out=self._scratch)
        return result


def _settle(
    matrices: FloatArray, iterated: FloatArray, trust: FloatArray, previous: FloatArray | None
) -> FloatArray:
    """What to show for doubtful matrices (N, 3, 3): the rounds, the nearest rotation or the frame before."""
    share = smoothstep(trust)
    settled = turn_toward(nearest_rotation(matrices), iterated, share)
    return settled if previous is None else turn_toward(previous, settled, share)


def _dot(some: FloatArray, others: FloatArray, out: FloatArray) -> FloatArray:
    """(3, N) the products of the columns of one array (3, 3, N) with those of another."""
    return np.einsum("ijn,ijn->jn", some, others, out=out)
