# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet and hands that hang from the root beside the body: they are where IK pulls a limb to.

They move a part of the mesh, and in files that were baked nothing else tells that they belong to a limb. Each
is put below the last bone of the limb that ends there.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..checks import FloatArray
from . import names as naming
from .limbs import SHORTEST
from .skeleton_tree import Bones, Tree
from .symmetry import Symmetry

# What goes on with a limb is at most so far from its last joint, as a share of how far that is from the one
# before.
GOES_ON = 1.25


def with_loose_ends(bones: Bones, tree: Tree, symmetry: Symmetry) -> Tree:
    """The tree with such feet and hands below their limbs: told by name, else by place."""
    named = _with_feet(bones, tree, symmetry)
    parents = named.parents.copy()
    for limb, end in _meetings(bones.heads, named, symmetry):
        parents[end] = limb
    return Tree(parents, tree.rows)


def _with_feet(bones: Bones, tree: Tree, symmetry: Symmetry) -> Tree:
    parts = [naming.part_of(name) for name in bones.names]
    parents = tree.parents.copy()
    for foot in tree.rows:
        alone = int(tree.parents[foot]) not in symmetry.partners and foot in symmetry.partners
        if parts[foot] != "foot" or not alone:
            continue
        side = naming.side_of(bones.names[foot])
        shins = [
            row
            for row in tree.rows
            if parts[row] in ("shin", "leg") and naming.side_of(bones.names[row]) == side
        ]
        # Nor above: what hangs from the foot, such as a leg that goes up from the ground, cannot carry it.
        bare = [
            row for row in shins if all(parts[each] != "foot" for each in (*tree.up(row), *tree.down(row)))
        ]
        if bare:
            near = np.linalg.norm(bones.heads[bare] - bones.heads[foot], axis=1)
            parents[foot] = bare[int(np.argmin(near))]
    return Tree(parents, tree.rows)


def _meetings(heads: FloatArray, tree: Tree, symmetry: Symmetry) -> Iterator[tuple[int, int]]:
    """The last bone of a limb and what goes on with it, the nearest first; on both sides or on none."""
    reach = tree.reaches(heads)
    shortest = SHORTEST * float(np.ptp(heads[tree.rows], axis=0).max()) if tree.rows else 0.0
    loose = [row for row in tree.rows if _is_beside(tree, symmetry, row) and reach[row] < shortest]
    limbs = [row for row in tree.rows if loose and _ends_a_limb(tree, symmetry, reach, shortest, row)]
    found = [(limb, end) for limb in limbs for end in loose if _goes_on(heads, tree, limb, end)]
    taken: set[int] = set()
    for limb, end in sorted(found, key=lambda each: float(np.linalg.norm(heads[each[0]] - heads[each[1]]))):
        opposite = symmetry.partners[limb], symmetry.partners[end]
        if opposite in found and taken.isdisjoint((limb, end)):
            taken |= {limb, end}
            yield limb, end


def _is_beside(tree: Tree, symmetry: Symmetry, row: int) -> bool:
    """Whether one of a pair hangs from nothing, or from the root."""
    return (
        row in symmetry.partners
        and len(tree.up(row)) <= 2
        and int(tree.parents[row]) not in symmetry.partners
    )


def _ends_a_limb(tree: Tree, symmetry: Symmetry, reach: dict[int, float], shortest: float, row: int) -> bool:
    if tree.children[row] or row not in symmetry.partners:
        return False
    limb = [each for each in tree.up(row) if each in symmetry.partners]
    return len(limb) > 1 and reach[limb[-1]] >= shortest


def _goes_on(heads: FloatArray, tree: Tree, limb: int, end: int) -> bool:
    before = heads[int(tree.parents[limb])]
    last, farther = np.linalg.norm(heads[[limb, end]] - before, axis=1)
    return last < farther and float(np.linalg.norm(heads[end] - heads[limb])) <= GOES_ON * last
