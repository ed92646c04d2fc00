# SPDX-License-Identifier: GPL-3.0-or-later
"""Left and right: which bones belong together and the plane between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..checks import FloatArray, IntArray
from . import names as naming
from .alike import alike_pairs, going_on

NEAR = 0.015  # bones whose places mirror each other within this share of the size are counterparts
FAR = 0.1  # pairs by name that mirror each other so badly are doubted
# The plane between all pairs is believed where it is at most so far from that between the first ones.
POSED = np.cos(np.radians(3.0))
MOST_MATCH = 0.6  # a plane mirrors a body if so many of the bones beside it have counterparts


@dataclass(frozen=True, eq=False)
class Symmetry:
    """The counterpart of every bone that has one, and the plane that they mirror each other in.

    Attributes:
        partners: row of the counterpart, both ways.
        normal: (3,) from the right to the left where names say which is which; None if there is no plane.
        level: where the plane is along the normal.
        named: whether names tell left from right.
    """

    partners: dict[int, int]
    normal: FloatArray | None
    level: float
    named: bool

    def is_central(self, row: int) -> bool:
        return row not in self.partners

    def alone(self, names: Sequence[str], heads: FloatArray, rows: Sequence[int]) -> list[int]:
        """Which of some bones are on one side, by name or by place, and have nothing opposite."""
        beside = np.zeros(len(heads), bool)
        if self.normal is not None:
            size = float(np.ptp(heads[list(rows)], axis=0).max()) if len(rows) else 0.0
            beside = np.abs(heads @ self.normal - self.level) > FAR * size
        return [
            row
            for row in rows
            if self.is_central(row) and (beside[row] or naming.side_of(names[row]) != naming.CENTRE)
        ]


def symmetry_of(
    names: Sequence[str], parents: IntArray, heads: FloatArray, body: Sequence[int], axes: FloatArray
) -> Symmetry:
    """By name, else by place.

    Args:
        body: the rows that decide where the plane is.
        axes: (A, 3) directions that the normal may have where names do not tell.
    """
    size = float(np.ptp(heads[list(body)], axis=0).max()) if len(body) else 0.0
    partners = _named_pairs(names, parents, heads, size)
    inside = set(body)
    left = [
        (row, other)
        for row, other in partners.items()
        if naming.side_of(names[row]) == naming.LEFT and row in inside and other in inside
    ]
    if plane := _middle_plane(left, parents, heads, size):
        normal, level = plane
        believed = _believed(partners, _depths(parents), heads, normal, level, size)
        found = _pairs_by_place(parents, heads, normal, level, size, believed)
        return Symmetry(going_on(found, parents, heads, NEAR * size), normal, level, named=True)
    best: dict[int, int] = {}
    chosen: tuple[FloatArray, float] | None = None
    for normal, level in _planes(heads[list(body)], axes):
        found = _pairs_by_place(parents, heads, normal, level, size, partners)
        beside = [row for row in body if abs(heads[row] @ normal - level) > NEAR * size]
        matched = sum(row in found for row in beside)
        if matched >= max(MOST_MATCH * len(beside), 2) and len(found) > len(best):
            best, chosen = found, (normal, level)
    if chosen is not None:
        return Symmetry(going_on(best, parents, heads, NEAR * size), chosen[0], chosen[1], named=False)
    return _of_limbs_alike(partners, parents, heads, inside, size)


def _named_pairs(names: Sequence[str], parents: IntArray, heads: FloatArray, size: float) -> dict[int, int]:
    """Pairs by name; where limbs are alike but for how their names are counted, bone by bone.

    Exporters number bones to make names distinct, and may count from the hand on one side.
    """
    partners, depths = naming.pairs_by_name(names), _depths(parents)
    sides = [naming.side_of(name) for name in names]
    alone = {row for row, side in enumerate(sides) if side != naming.CENTRE and row not in partners}
    limbs = alike_pairs(alone, parents, heads, NEAR * size, lambda one, other: sides[one] != sides[other])
    alike = {row: other for limb in limbs for pair in limb for row, other in (pair, pair[::-1])}
    mistaken = {row for row, other in partners.items() if depths[row] != depths[other]} & set(alike)
    mistaken |= {partners[row] for row in mistaken}
    partners = {row: other for row, other in partners.items() if row not in mistaken}
    return {**{row: alike[row] for row in alike if {row, alike[row]}.isdisjoint(partners)}, **partners}


def _middle_plane(
    pairs: Sequence[tuple[int, int]], parents: IntArray, heads: FloatArray, size: float
) -> tuple[FloatArray, float] | None:
    """The plane between left and right: that of all pairs, unless a pose has moved limbs away from it.

    Then it is that of the pairs with which limbs leave the body.
    """
    apart = {row for row, other in pairs if np.linalg.norm(heads[row] - heads[other]) > NEAR * size}
    below_one: set[int] = set()
    for row, above in enumerate(parents.tolist()):  # parents come first
        if above in apart or above in below_one:
            below_one.add(row)
    both = np.array(pairs, np.int64).reshape(-1, 2)
    ways = heads[both[:, 0]] - heads[both[:, 1]]
    first = ways[~np.isin(both[:, 0], list(below_one))].sum(axis=0)
    if np.linalg.norm(first) <= NEAR * size:
        return None
    every = _unit(ways.sum(axis=0))
    normal = every if every @ _unit(first) >= POSED else _unit(first)
    middles = (heads[both[:, 0]] + heads[both[:, 1]]) / 2.0
    return normal, float(np.median(middles @ normal))


def _of_limbs_alike(
    partners: dict[int, int], parents: IntArray, heads: FloatArray, body: set[int], size: float
) -> Symmetry:
    """Where neither names nor a plane tell pairs: limbs of several bones that are alike, in any pose."""
    carrying = set(parents.tolist()) & body - set(partners)

    def are_apart(one: int, other: int) -> bool:
        return float(np.linalg.norm(heads[one] - heads[other])) > NEAR * size

    limbs = alike_pairs(carrying, parents, heads, NEAR * size, are_apart)
    if not limbs:
        return Symmetry(partners, None, 0.0, named=False)
    ways = [heads[one] - heads[other] for (one, other), *_ in limbs]
    longest = max(ways, key=lambda way: float(way @ way))
    pairs = [
        (one, other) if way @ longest >= 0.0 else (other, one)
        for limb, way in zip(limbs, ways, strict=True)
        for one, other in limb
    ]
    plane = _middle_plane(pairs, parents, heads, size)
    partners = {**partners, **{row: other for pair in pairs for row, other in (pair, pair[::-1])}}
    return Symmetry(partners, *(plane or (None, 0.0)), named=False)


def _planes(heads: FloatArray, axes: FloatArray) -> Iterator[tuple[FloatArray, float]]:
    """Which may be in the middle: half of the bones are on either side, unless one side holds something."""
    for normal in axes if len(heads) else ():
        levels = heads @ normal
        yield from ((normal, float(level)) for level in (np.median(levels), levels[0]))


def _believed(
    partners: dict[int, int],
    depths: list[int],
    heads: FloatArray,
    normal: FloatArray,
    level: float,
    size: float,
) -> dict[int, int]:
    """The pairs by name without those that are mistaken: something else lies where the counterpart should.

    Such bones are not equally deep in the tree; others may be apart just because the rest pose is not
    symmetric.
    """
    mistaken = set()
    for row, other in partners.items():
        place = heads[row] - 2.0 * (heads[row] @ normal - level) * normal
        if (
            depths[row] != depths[other]
            and np.linalg.norm(heads[other] - place) > FAR * size
            and np.linalg.norm(heads - place, axis=1).min() <= NEAR * size
        ):
            mistaken |= {row, other}
    return {row: other for row, other in partners.items() if row not in mistaken}


def _depths(parents: IntArray) -> list[int]:
    """How many bones are above each; parents come first."""
    depths: list[int] = []
    for above in parents.tolist():
        depths.append(depths[above] + 1 if above >= 0 else 0)
    return depths


def _pairs_by_place(
    parents: IntArray,
    heads: FloatArray,
    normal: FloatArray,
    level: float,
    size: float,
    known: dict[int, int],
) -> dict[int, int]:
    """`known` pairs and those that lie opposite to each other below bones that do."""
    partners = dict(known)
    offsets = heads @ normal - level
    middle = _carrying_both(parents, known)
    beside = np.flatnonzero(np.abs(offsets) > NEAR * size)
    beside = np.array([row for row in beside.tolist() if row not in partners and row not in middle], np.int64)
    if not len(beside):
        return partners
    mirrored = heads[beside] - 2.0 * offsets[beside, None] * normal
    distances = np.linalg.norm(mirrored[:, None] - heads[beside][None], axis=2)
    # Parents come first in an armature, so that those of a pair are known by the time it is looked at.
    for place, row in enumerate(beside.tolist()):
        if row in partners:
            continue
        above = int(parents[row])
        for other_place in np.argsort(distances[place], kind="stable")[:8].tolist():
            other = int(beside[other_place])
            if distances[place, other_place] > NEAR * size:
                break
            if other == row or other in partners:
                continue
            between = _between(parents, heads, partners, above, int(parents[other]), 2.0 * NEAR * size)
            if between is not None:
                for one, its in ((row, other), *between):
                    partners[one], partners[its] = its, one
                break
    return partners


def _carrying_both(parents: IntArray, partners: dict[int, int]) -> set[int]:
    """Bones above both of a pair are in the middle of a body: two people are no left and right."""
    above: list[set[int]] = []
    for row, parent in enumerate(parents.tolist()):  # parents come first
        above.append(above[parent] | {row} if parent >= 0 else {row})
    return {row for one, other in partners.items() for row in above[one] & above[other]}


def _between(
    parents: IntArray, heads: FloatArray, partners: dict[int, int], one: int, other: int, near: float
) -> list[tuple[int, int]] | None:
    """The pairs above two bones up to what is known to belong together; None where they do not.

    The first bones of two limbs may both begin in the middle, or hardly beside it.
    """
    found: list[tuple[int, int]] = []
    while partners.get(one, one) != other:
        if min(one, other) < 0 or one in partners or other in partners:
            return None
        if np.linalg.norm(heads[one] - heads[other]) > near:
            return None
        found.append((one, other))
        one, other = int(parents[one]), int(parents[other])
    return found


def _unit(vector: FloatArray) -> FloatArray:
    return vector / max(float(np.linalg.norm(vector)), 1e-12)
