# SPDX-License-Identifier: GPL-3.0-or-later
"""Few keys for what pins a foot: how strongly it holds, and where the pin is.

A pin holds in full from the first to the last frame of a contact and comes and goes softly around it. Only
while it holds does it matter where it is: there it is keyed, as seldom as its path allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..checks import FloatArray, IntArray
from .contacts import Contact
from .planting import EASE, weights


def influence_keys(
    contacts: Sequence[Contact], times: FloatArray, *, open_ends: bool = False, goes_round: bool = False
) -> tuple[IntArray, FloatArray]:
    """Rows and values of keys that, flat and smooth between them, are `planting.weights`.

    Args:
        times: (F,) seconds.
        open_ends: whether something goes on before the first and after the last row that is not held.
        goes_round: whether the last row is the first one of the next round.
    """
    held = weights(contacts, times)
    keys = {row: 1.0 for each in contacts for row in (each.first, each.last)}
    for before, after in zip([None, *contacts], [*contacts, None], strict=True):
        start, end = (-1 if before is None else before.last), (len(times) if after is None else after.first)
        let_go = None if before is None else int(np.searchsorted(times, times[start] + EASE))
        back = None if after is None else int(np.searchsorted(times, times[end] - EASE, "right")) - 1
        if let_go is not None and back is not None and let_go > back:  # on its way back before it has let go
            let_go = back = int(np.searchsorted(times, 0.5 * (times[start] + times[end])))
        ends = (min(max(row, 0), len(times) - 1) for row in (let_go, back) if row is not None)
        keys |= {row: float(held[row]) for row in ends if start < row < end}
    if open_ends:
        _let_go_at_ends(keys, contacts, times)
    elif goes_round:
        _join_ends(keys, held, times)
    rows = np.array(sorted(keys), np.int64)
    return rows, np.array([keys[row] for row in rows.tolist()])


def _let_go_at_ends(keys: dict[int, float], contacts: Sequence[Contact], times: FloatArray) -> None:
    """Nothing is held at the ends; a contact that is there comes softly inside of it."""
    last = len(times) - 1
    if contacts and contacts[0].first == 0:
        keys[min(int(np.searchsorted(times, times[0] + EASE)), contacts[0].last)] = 1.0
    if contacts and contacts[-1].last == last:
        keys[max(int(np.searchsorted(times, times[-1] - EASE)), contacts[-1].first)] = 1.0
    keys[0] = keys[last] = 0.0


def _join_ends(keys: dict[int, float], held: FloatArray, times: FloatArray) -> None:
    """What is held at one end is held at the other, and comes or goes softly there."""
    last = len(times) - 1
    if held[0] > held[last]:
        keys.setdefault(max(int(np.searchsorted(times, times[-1] - EASE)) - 1, 0), float(held[last]))
    elif held[last] > held[0]:
        keys.setdefault(min(int(np.searchsorted(times, times[0] + EASE)), last), float(held[0]))
    keys[0] = keys[last] = float(max(held[0], held[last]))


def path_rows(
    points: FloatArray, contacts: Sequence[Contact], times: FloatArray, tolerance: float
) -> IntArray:
    """Rows at which a pin has to be keyed for some of its points to be within a tolerance of their path.

    The tolerance is that of a pin that holds in full; where it holds by half, the path may be twice as far
    off, and where it does not hold at all no key is needed. (Douglas and Peucker, between contacts' ends.)

    Args:
        points: (F, P, 3).
    """
    held = weights(contacts, times)
    fixed = sorted({0, len(times) - 1, *(row for each in contacts for row in (each.first, each.last))})
    rows = set(fixed)
    stack = list(pairwise(fixed))
    while stack:
        first, last = stack.pop()
        if last - first < 2:
            continue
        inside = slice(first + 1, last)
        share = ((times[inside] - times[first]) / (times[last] - times[first]))[:, None, None]
        straight = (1.0 - share) * points[first] + share * points[last]
        off = held[inside] * np.linalg.norm(points[inside] - straight, axis=2).max(axis=1)
        if off.max() > tolerance:
            middle = first + 1 + int(off.argmax())
            rows.add(middle)
            stack += [(first, middle), (middle, last)]
    return np.array(sorted(rows), np.int64)
