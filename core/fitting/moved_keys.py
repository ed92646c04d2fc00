# SPDX-License-Identifier: GPL-3.0-or-later
"""Key values that leave the motion a little, so that curves which are smooth at every key stay close to it.

With values as sampled, smooth curves have two to six times the error of a free fit, and with values free as
well 1.3 to 3.4 times (motion capture at 4% to 10% keys; most clips are at the lower end). One least-squares
problem with a value and a slope for each key has the same matrix for every channel: what channels do together
survives, as it does in `aligned_handles`.

Poses that would go too far are held back: leaving the values costs them more, by the same for all channels.
That is what a bound on the whole pose comes to. A bound for each channel would take nearly all of the gain
away, since channels that run into their limits one by one no longer make up for each other.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from ..motion import FloatArray
from .bezier import BoolArray
from .segments import Segments

Strays = Callable[[FloatArray], FloatArray]  # from (K, C) to (K,)

# So often poses are held back anew. On motion capture they are at most a hundredth over the limit by then.
PASSES = 4
SETTLED = 0.99  # a pose that is held back is as far as it may be, or nearly so


def moved_keys(
    segments: Segments,
    values: FloatArray,
    start_slopes: FloatArray,
    end_slopes: FloatArray,
    held: BoolArray,
    level: BoolArray,
    strays: Strays | None = None,
) -> FloatArray:
    """(K, C) how far the keys of smooth curves with the least squared error are from the values.

    Args:
        segments: between the keys.
        values: (F, C) what the curves shall play.
        start_slopes: (S, C) of the free fit at the start of segments, which decide where too few frames do.
        end_slopes: at their end.
        held: (K,) keys that keep their values.
        level: (K,) keys at which curves are level.
        strays: how many times as far as it may be each pose is moved, if keys are moved by (K, C); they go
            where they like if left out.
    """
    grams, pulls = _normal_equations(segments, values)
    little = 1e-6 * segments.lengths**2
    for place, slopes in ((1, start_slopes), (3, end_slopes)):
        grams[:, place, place] += little
        pulls[:, place] += little[:, None] * slopes
    count, channels = len(segments.rows), values.shape[1]
    diagonal, pull = np.zeros((count, 2, 2)), np.zeros((count, 2, channels))
    diagonal[:-1] += grams[:, :2, :2]
    diagonal[1:] += grams[:, 2:, 2:]
    pull[:-1] += pulls[:, :2]
    pull[1:] += pulls[:, 2:]
    beside = grams[:, :2, 2:].copy()
    for place, given in ((0, held), (1, level)):
        diagonal[given, place, :] = diagonal[given, :, place] = 0.0
        diagonal[given, place, place] = 1.0
        beside[given[:-1], place, :] = 0.0
        beside[given[1:], :, place] = 0.0
        pull[given, place] = 0.0
    if strays is None:
        return _solved(diagonal, beside, pull)[:, 0]
    return _held_back(diagonal, beside, pull, strays)


def _held_back(diagonal: FloatArray, beside: FloatArray, pull: FloatArray, strays: Strays) -> FloatArray:
    """(K, C) how far keys are moved if each pose is held back as much as it takes, and none goes too far."""
    own = diagonal[:, 0, 0] - diagonal[:, 0, 1] ** 2 / diagonal[:, 1, 1]
    stiffness = np.zeros(len(own))
    moved = _solved(diagonal.copy(), beside, pull.copy())[:, 0]
    over = strays(moved)
    for _ in range(PASSES):
        if np.all((over <= 1.0) & ((stiffness == 0.0) | (over > SETTLED))):
            break
        stiffness = np.maximum((own + stiffness) * over - own, 0.0)
        stiffer = diagonal.copy()
        stiffer[:, 0, 0] += stiffness
        moved = _solved(stiffer, beside, pull.copy())[:, 0]
        over = strays(moved)
    while np.any(far := over > 1.0):  # by little, unless how far a pose goes changes in leaps
        moved[far] /= 1.0001 * over[far, None]
        over = strays(moved)
    return moved


def _normal_equations(segments: Segments, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(S, 4, 4) and (S, 4, C) of each segment: its first value and slope, its last, off the sampled."""
    u, rows, length = segments.u, segments.rows, segments.spread(segments.lengths)
    basis = np.stack(
        [
            (1.0 + 2.0 * u) * (1.0 - u) ** 2,
            u * (1.0 - u) ** 2 * length,
            u * u * (3.0 - 2.0 * u),
            -u * u * (1.0 - u) * length,
        ],
        axis=1,
    )
    grams = segments.sums(basis[:, :, None] * basis[:, None, :])
    pulls = np.empty((len(rows) - 1, 4, values.shape[1]))
    for index, (start, stop) in enumerate(pairwise(rows)):
        np.matmul(basis[start:stop].T, values[start:stop], out=pulls[index])
    ends = np.stack([values[rows[:-1]], values[rows[1:]]], axis=1)
    pulls -= grams[:, :, ::2] @ ends
    return grams, pulls


def _solved(diagonal: FloatArray, beside: FloatArray, pull: FloatArray) -> FloatArray:
    """(K, 2, C) the solution of a block-tridiagonal system; the arguments are used up. O(K C)."""
    inverse = np.empty_like(diagonal)
    for key in range(len(diagonal)):
        if key:
            factor = beside[key - 1].T @ inverse[key - 1]
            diagonal[key] -= factor @ beside[key - 1]
            pull[key] -= factor @ pull[key - 1]
        (a, b), (c, d) = diagonal[key].tolist()
        inverse[key] = np.array([[d, -b], [-c, a]]) / (a * d - b * c)
    for key in range(len(diagonal) - 1, -1, -1):
        if key + 1 < len(diagonal):
            pull[key] -= beside[key] @ pull[key + 1]
        pull[key] = inverse[key] @ pull[key]
    return pull
