# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of limbs that are alike bone by bone, in whatever pose they are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container
from itertools import combinations

import numpy as np

from ..checks import FloatArray, IntArray


def alike_pairs(
    first: Container[int],
    parents: IntArray,
    heads: FloatArray,
    near: float,
    may_be: Callable[[int, int], bool],
) -> list[list[tuple[int, int]]]:
    """All bones of each two limbs that begin at the same bone and are like each other and like no third.

    Args:
        first: the bones that such limbs may begin with.
        near: bones whose lengths differ by more are not alike.
        may_be: whether two of the first may be of a pair.
    """
    below, lengths = _below(parents), _lengths(parents, heads)
    found = []
    for group in list(below.values()):
        siblings = [row for row in group if row in first]
        alike = ((*roots, _alike(*roots, below, lengths, near)) for roots in combinations(siblings, 2))
        limbs = [limb for one, other, limb in alike if limb and may_be(one, other)]
        times = Counter(root for limb in limbs for root in limb[0])
        found += [limb for limb in limbs if all(times[root] == 1 for root in limb[0])]
    return found


def going_on(partners: dict[int, int], parents: IntArray, heads: FloatArray, near: float) -> dict[int, int]:
    """The pairs, and with them those that both of a pair go on with as their only bones, equally long."""
    below, lengths = _below(parents), _lengths(parents, heads)
    found = dict(partners)
    pairs = list(partners.items())
    for pair in pairs:
        ours, theirs = (below[row] for row in pair)
        if len(ours) != 1 or len(theirs) != 1 or not found.keys().isdisjoint((*ours, *theirs)):
            continue
        one, other = ours[0], theirs[0]
        if abs(lengths[one] - lengths[other]) <= near:
            found[one], found[other] = other, one
            pairs.append((one, other))
    return found


def _below(parents: IntArray) -> defaultdict[int, list[int]]:
    below: defaultdict[int, list[int]] = defaultdict(list)
    for row, above in enumerate(parents.tolist()):
        below[above].append(row)
    return below


def _lengths(parents: IntArray, heads: FloatArray) -> list[float]:
    return np.linalg.norm(heads - heads[np.maximum(parents, 0)], axis=1).tolist()


def _alike(
    one: int, other: int, below: dict[int, list[int]], lengths: list[float], near: float
) -> list[tuple[int, int]]:
    """The pairs of two limbs, the first bones first; none if they differ."""
    pairs = [(one, other)]
    for pair in pairs:
        if abs(lengths[pair[0]] - lengths[pair[1]]) > near or len(below[pair[0]]) != len(below[pair[1]]):
            return []
        pairs += zip(*(sorted(below[row], key=lengths.__getitem__) for row in pair), strict=True)
    return pairs
