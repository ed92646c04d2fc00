# SPDX-License-Identifier: GPL-3.0-or-later
"""From a blended 3x3 matrix back to a rotation.

Igarashi, Moscovich and Hughes 2005, section 4.2. The columns of the matrix are three axes. Each round moves
each axis halfway towards the direction perpendicular to the other two and makes it a unit vector again, so
that no axis is favoured. It ends when the squared cosines between the axes sum to less than 1e-6.

Departures from the paper. (1) The error squares with every round, so two more rounds after the paper's end
take the result from a thousandth down to rounding; without them the pose would twitch wherever the number
of rounds changes along a path. (2) The paper shows a skewed pose where the axes vanish or turn inside out.
Here such a matrix fades into the rotation nearest to it in the least-squares sense (by singular values,
determinant +1). (3) When the rotation of the previous frame is given, the result leaves it only as far as the
matrix can be trusted: not at all where every direction is as good as another. A cursor that crosses such
a place turns the bone over in several frames instead of one.

Complexity: O(N) for N matrices; three rounds and the two more suffice for any axes that are not inside out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .checks import FloatArray, IntArray
from .rotation import turn_toward

RESIDUAL = 1e-6
ROUNDS = 10
POLISHING_ROUNDS = 2
# Below this length of an axis, or volume of the unit axes, a matrix is not trusted in full.
DOUBTFUL = 0.2
# Below this one the rounds would divide by zero or turn the axes inside out; they are left out.
HOPELESS = 1e-9


def orthonormalise(matrices: ArrayLike, previous: ArrayLike | None = None) -> FloatArray:
    """The rotations that `matrices` (..., 3, 3) stand for.

    `previous`, rotations of the same shape, keeps those steady that stand for no rotation in particular.
    """
    given = np.asarray(matrices, np.float64)
    entries = np.ascontiguousarray(given.reshape(-1, 9).T).reshape(3, 3, -1)
    earlier = None if previous is None else np.asarray(previous, np.float64).reshape(-1, 3, 3)
    result = orthonormalise_entries(entries, earlier).reshape(9, -1)
    return np.ascontiguousarray(result.T).reshape(given.shape)


def orthonormalise_entries(entries: FloatArray, previous: FloatArray | None = None) -> FloatArray:
    """The same for matrices stored entry by entry, (3, 3, N), the order in which numpy is fast."""
    axes, trust = _unit_axes(entries)
    hopeless = trust < HOPELESS
    if hopeless.any():
        axes[:, :, hopeless] = np.eye(3)[..., None]
    result = _iterate(axes)
    doubtful = np.flatnonzero(trust < DOUBTFUL)
    if len(doubtful):
        settled = _settle(
            np.moveaxis(entries[:, :, doubtful], -1, 0),
            np.moveaxis(result[:, :, doubtful], -1, 0),
            np.maximum(trust[doubtful] / DOUBTFUL, 0.0),
            None if previous is None else previous[doubtful],
        )
        result[:, :, doubtful] = np.moveaxis(settled, 0, -1)
    return result


def doubtful_entries(entries: FloatArray) -> IntArray:
    """Which of the matrices (3, 3, N) are not trusted in full, so that a frame before would count."""
    return np.flatnonzero(_unit_axes(entries)[1] < DOUBTFUL)


def nearest_rotation(matrices: FloatArray) -> FloatArray:
    """The rotations nearest to `matrices` (..., 3, 3) in the least-squares sense."""
    left, _, right = np.linalg.svd(matrices)
    left[..., 2] *= np.sign(np.linalg.det(left @ right))[..., None]
    return np.matmul(left, right)


def _unit_axes(entries: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The axes made unit vectors, and how far each matrix can be trusted: 1 for a rotation, 0 for none."""
    lengths = np.sqrt(_squares(entries))
    axes = entries / np.maximum(lengths, HOPELESS)
    return axes, np.minimum(lengths.min(axis=0), _volume(axes))


def _iterate(start: FloatArray) -> FloatArray:
    """The paper's rounds on unit axes (3, 3, N) that are not inside out.

    All work arrays are made once: for many matrices, fetching fresh memory would cost more than the sums.
    """
    # The axes and, below and to the right, a repeat of them: every cofactor is then a product of windows.
    around = np.empty((5, 5, start.shape[2]))
    axes = around[:3, :3]
    axes[...] = start
    upright, scratch, scale = np.empty_like(start), np.empty_like(start), np.empty_like(start[0])
    polished = 0
    for _ in range(ROUNDS + POLISHING_ROUNDS):
        around[3:, :3] = around[:2, :3]
        around[:, 3:] = around[:, :2]
        np.multiply(around[1:4, 1:4], around[2:, 2:], out=upright)
        np.multiply(around[1:4, 2:], around[2:, 1:4], out=scratch)
        np.subtract(upright, scratch, out=upright)
        _squares(upright, out=scale)
        # For unit axes |y x z|^2 = 1 - (y . z)^2, so the paper's residual needs no products of its own.
        polished += 3.0 - scale.sum(axis=0).min(initial=3.0) < RESIDUAL
        upright *= _inverse_root(scale)
        axes += upright
        axes *= _inverse_root(_squares(axes, out=scale))
        if polished == POLISHING_ROUNDS:
            break
    return np.ascontiguousarray(axes)


def _settle(
    matrices: FloatArray, iterated: FloatArray, trust: FloatArray, previous: FloatArray | None
) -> FloatArray:
    """What to show for doubtful matrices (N, 3, 3): the rounds, the nearest rotation or the frame before."""
    share = trust * trust * (3.0 - 2.0 * trust)
    settled = turn_toward(nearest_rotation(matrices), iterated, share)
    return settled if previous is None else turn_toward(previous, settled, share)


def _squares(axes: FloatArray, out: FloatArray | None = None) -> FloatArray:
    """(3, N) squared lengths of the columns."""
    return np.einsum("ijn,ijn->jn", axes, axes, out=out)


def _inverse_root(values: FloatArray) -> FloatArray:
    """1 / sqrt, in place."""
    np.sqrt(values, out=values)
    return np.reciprocal(values, out=values)


def _volume(axes: FloatArray) -> FloatArray:
    (a, b, c), (d, e, f), (g, h, i) = axes
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
