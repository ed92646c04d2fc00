# SPDX-License-Identifier: GPL-3.0-or-later
"""How bones are seen in a mirror, also where the rest pose is not the same on both sides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..checks import FloatArray, IntArray

ALIKE = np.cos(np.radians(0.1))  # rest poses that differ by less are meant to be symmetric
ACROSS = np.cos(np.radians(30.0))  # bones in the middle whose sides are turned by more have their own plane
NEAR = 1e-3  # what begins nearer to a bone's head, as a share of the size, does not tell where it goes
OPPOSED = -0.8  # what points so far the other way is turned by half, not by the shortest way


@dataclass(frozen=True, eq=False)
class MirroredAxes:
    """What turns each bone's rest axes into its counterpart's, both in the space of the armature.

    A turn T of a bone, as seen from its parent, is `around[b] @ T @ own[b].T` of its counterpart. Where both
    sides are symmetric at rest, all of these are the reflection in the plane between them.

    Attributes:
        around: (B, 3, 3) for what the bone is turned within.
        own: (B, 3, 3) for the bone itself.
    """

    around: FloatArray
    own: FloatArray


def mirrored_axes(
    parents: IntArray, heads: FloatArray, partners: IntArray, normal: FloatArray
) -> MirroredAxes:
    """From where bones begin at rest; mirrored twice, all is as before.

    Args:
        parents: (B,) rows of parents, which come first; -1 without.
        heads: (B, 3).
        partners: (B,) rows of the counterparts; of bones in the middle their own.
        normal: (3,) unit vector across the plane.
    """
    plane = np.eye(3) - 2.0 * np.outer(normal, normal)
    around, own = (np.tile(plane, (len(parents), 1, 1)) for _ in range(2))
    children = _paired_children(parents, partners)
    near = NEAR * float(np.ptp(heads, axis=0).max()) if len(heads) else 0.0
    for row, partner in enumerate(partners.tolist()):
        if partner < row:
            around[row], own[row] = around[partner].T, own[partner].T
            continue
        above = parents[partner]
        if above >= 0:
            around[row] = own[partners[above]]
        first, second = children[row], partners[children[row]]
        if partner == row:
            sides = second > first
            apart = (heads[first[sides]] - heads[second[sides]]).sum(axis=0)
            own[row] = _own_plane(around[row], apart, near)
        else:
            way, other = (heads[first] - heads[row]).sum(axis=0), (heads[second] - heads[partner]).sum(axis=0)
            own[row] = _pointed(around[row], way, other, near)
    return MirroredAxes(around, own)


def _paired_children(parents: IntArray, partners: IntArray) -> list[IntArray]:
    """For each row, those below it whose counterparts are below its counterpart."""
    found: list[list[int]] = [[] for _ in range(len(parents))]
    for child, above in enumerate(parents.tolist()):
        other = partners[child]
        if above >= 0 and other != child and parents[other] == partners[above]:
            found[above].append(child)
    return [np.array(rows, np.int64) for rows in found]


def _own_plane(seen: FloatArray, apart: FloatArray, near: float) -> FloatArray:
    """The reflection that exchanges the two sides of a bone in the middle; as around it if that does."""
    length = np.linalg.norm(apart)
    if length <= near:
        return seen
    across = apart / length
    if -(across @ seen @ across) >= ACROSS:
        return seen
    return np.asarray(np.eye(3) - 2.0 * np.outer(across, across))


def _pointed(seen: FloatArray, way: FloatArray, other: FloatArray, near: float) -> FloatArray:
    """`seen`, turned on so that a bone that goes this way is seen to go the other's."""
    lengths = np.linalg.norm(way), np.linalg.norm(other)
    if min(lengths) <= near:
        return seen
    way, other = seen @ way / lengths[0], other / lengths[1]
    if way @ other >= ALIKE:
        return seen
    if way @ other < OPPOSED:
        turn = _half_turn(np.linalg.svd(seen + np.eye(3))[2][-1], way)
        seen, way = turn @ seen, turn @ way
    return np.asarray(_shortest_turn(way, other) @ seen)


def _half_turn(across: FloatArray, way: FloatArray) -> FloatArray:
    """(3, 3) what points a way back, about what is across the plane if it can.

    All axes point the other way then, as programs have it that mirror joints "by behaviour".
    """
    asides = (each - (each @ way) * way for each in (across, *np.eye(3)))
    aside = next(each for each in asides if np.linalg.norm(each) > 0.5)
    return np.asarray(2.0 * np.outer(aside, aside) / (aside @ aside) - np.eye(3))


def _shortest_turn(way: FloatArray, other: FloatArray) -> FloatArray:
    """(3, 3) the smallest rotation from a unit vector to another that does not point the other way."""
    x, y, z = np.cross(way, other)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + cross + cross @ cross / (1.0 + way @ other)
