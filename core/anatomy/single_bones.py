# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs of one bone, or of two without a foot, as toys and people of blocks have them.

A limb is a chain of joints, and nothing begins where such a one ends. So its end is made a joint for as long
as the body is looked at: where the mesh of its last bone ends, else where its tail is if tails tell.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..checks import FloatArray
from . import names as naming
from .character import Character, Limb
from .ends import tails_tell
from .size import Skin
from .skeleton_tree import Bones, Tree
from .symmetry import Symmetry

MOST_BONES = 2  # of a limb that has no foot or hand
LOPSIDED = 0.2  # a mesh lies on one side of its joint if its middle is so far off, as a share of its reach
NO_LIMBS = {"loose", "finger", "toe"}


def with_ends(
    bones: Bones, tree: Tree, symmetry: Symmetry, skin: Skin | None
) -> tuple[Bones, dict[str, str]]:
    """The bones and the ends of short limbs, and the bone that each end belongs to, by name."""
    told = tails_tell(tree.children, bones.heads, bones.tails)
    ends: dict[int, FloatArray] = {}
    for row in tree.rows:
        if _ends_a_short_limb(bones, tree, symmetry, row):
            end = _end_of_mesh(bones.heads[row], row, skin)
            if end is None and told:
                end = bones.tails[row]
            if end is not None:
                ends[row] = end
    # Opposite there may be more bones, such as fingers on one hand alone; or none that moves a mesh.
    opposite = {row: symmetry.partners[row] for row in ends}
    paired = [row for row, other in opposite.items() if other in ends or tree.children.get(other)]
    return _extended(bones, paired, np.array([ends[row] for row in paired]).reshape(-1, 3))


def _ends_a_short_limb(bones: Bones, tree: Tree, symmetry: Symmetry, row: int) -> bool:
    limb = tree.up(row)
    count = next((place for place, each in enumerate(limb) if symmetry.is_central(each)), len(limb))
    last = not tree.children[row] and 0 < count <= MOST_BONES
    return last and not any(naming.part_of(bones.names[each]) in NO_LIMBS for each in limb[:count])


def _end_of_mesh(head: FloatArray, row: int, skin: Skin | None) -> FloatArray | None:
    """Where the mesh of a bone ends; None if it has none, or lies around its joint as a wheel does."""
    own = skin.points[skin.owners == row] - head if skin is not None else np.empty((0, 3))
    if not len(own):
        return None
    middle = (own.min(axis=0) + own.max(axis=0)) / 2.0
    far = float(np.linalg.norm(middle))
    reach = float(np.linalg.norm(own, axis=1).max())
    if far <= LOPSIDED * reach:
        return None
    return head + middle / far * float((own @ middle).max()) / far


def _extended(bones: Bones, rows: list[int], ends: FloatArray) -> tuple[Bones, dict[str, str]]:
    owners: dict[str, str] = {}
    for row in rows:
        owners[_free_name(f"{bones.names[row]} end", {*bones.names, *owners})] = bones.names[row]
    count = len(rows)
    weighted = bones.weighted
    extended = Bones(
        (*bones.names, *owners),
        np.concatenate([bones.parents, np.array(rows, np.int64)]),
        np.concatenate([bones.heads, ends]),
        np.concatenate([bones.tails, ends]),
        np.concatenate([bones.deforms, bones.deforms[rows]]),
        None if weighted is None else np.concatenate([weighted, weighted[rows]]),
        np.concatenate([bones.visible, bones.visible[rows]]),
        np.concatenate([bones.shaped, np.zeros(count, bool)]),
    )
    return extended, owners


def _free_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += " end"
    return name


def without_ends(found: Character, owners: dict[str, str], bones: Bones) -> Character:
    """What was found with the ends of limbs as joints, told by the bones that there are."""

    def real(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in names if name not in owners)

    def limb(each: Limb) -> Limb:
        return Limb(
            each.side,
            real(each.bones),
            each.upper,
            owners.get(each.lower, each.lower),
            None if each.end in owners else each.end,
            None if each.tip in owners else each.tip,
        )

    legs = tuple(map(limb, found.legs))
    joints = [bones.names.index(bone) for leg in legs for bone in leg.bones]
    return replace(
        found,
        sole=float((bones.heads[joints] @ found.up).min()) - found.ground if joints else found.sole,
        legs=legs,
        arms=tuple(map(limb, found.arms)),
        pairs=tuple(pair for pair in found.pairs if pair[0] not in owners),
        unpaired=real(found.unpaired),
        body=real(found.body),
        deform=real(found.deform),
        controls=real(found.controls),
        mechanism=real(found.mechanism),
    )
