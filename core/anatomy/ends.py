# SPDX-License-Identifier: GPL-3.0-or-later
"""Where bones end. Importers guess their tails, which may be metres away or point anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..checks import FloatArray, IntArray

BoolArray = np.ndarray

CONNECTED = 0.5  # tails are believed where so many of them are where the next bone begins
FEW = 5  # bones with others below them
FAR_OFF = 3.0  # as a share of the size
SAME_PLACE = 1e-3  # as a share of the size
LAST = (0.02, 0.15)  # how long a last bone may be, as shares of the size


def tails_tell(children: Mapping[int, Sequence[int]], heads: FloatArray, tails: FloatArray) -> bool:
    """Whether the tails of an armature are where its bones end: most are where another one begins.

    Of a few bones that says little: theirs are believed unless they are far off. None ends many times as far
    from where it begins as the whole body is large: where importers put tails so far away, exporters put leaf
    bones.
    """
    rows = list(children)
    inner = [row for row in rows if children[row]]
    size = float(np.ptp(heads[rows], axis=0).max()) if rows else 0.0
    near = SAME_PLACE * size
    hanging = sorted({row for above in rows for row in children[above]})
    if len(rows) >= FEW and np.any(np.linalg.norm(tails[hanging] - heads[hanging], axis=1) > FAR_OFF * size):
        return False
    if len(inner) < FEW:
        lengths = np.linalg.norm(tails[inner] - heads[inner], axis=1)
        return not inner or size <= 0.0 or float(np.median(lengths)) < FAR_OFF * size
    meets = [np.linalg.norm(heads[children[row]] - tails[row], axis=1).min() <= near for row in inner]
    return float(np.mean(meets)) >= CONNECTED


def ends_without_tails(parents: IntArray, heads: FloatArray, body: BoolArray | None = None) -> FloatArray:
    """(B, 3) where bones end, from where they begin alone.

    A bone ends in the middle of those below it; a last one goes on as the one above it did.

    Args:
        body: (B,) which make up the body. Others tell neither where its bones end nor how large it is.
    """
    count = len(parents)
    inside = np.ones(count, bool) if body is None or not body.any() else body
    below = (parents >= 0) & (inside | ~inside[parents])
    number = np.bincount(parents[below], minlength=count)
    sums = np.zeros((count, 3))
    np.add.at(sums, parents[below], heads[below])
    ends = sums / np.maximum(number, 1)[:, None]
    size = float(np.ptp(heads[inside], axis=0).max()) if count else 0.0
    shortest, longest = LAST[0] * size, LAST[1] * size
    steps = heads - heads[np.where(below, parents, np.arange(count))]
    lengths = np.linalg.norm(steps, axis=1, keepdims=True)
    ways = np.where(lengths > 0.0, steps / np.maximum(lengths, 1e-12), [0.0, 0.0, 1.0])
    going_on = heads + ways * np.clip(0.5 * lengths, shortest, longest)
    # Where all below begin at the bone itself there is no middle of them either.
    last = (number == 0) | (np.linalg.norm(ends - heads, axis=1) <= SAME_PLACE * size)
    return np.where(last[:, None], going_on, ends)
