# SPDX-License-Identifier: GPL-3.0-or-later
"""From bones to a `Character`: the body, its two sides, its limbs, what is up, where it looks, its size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..checks import FloatArray, IntArray
from . import names as naming
from .character import Character, Limb
from .ends import tails_tell
from .limbs import Chain, LimbPair, arm_of, leg_of, limb_pairs, without_what_is_held
from .loose_ends import with_loose_ends
from .single_bones import with_ends, without_ends
from .size import Size, Skin, size_of
from .skeleton_tree import Bones, BoolArray, Tree, body_of, with_carriers
from .stance import front_of, standing_of
from .symmetry import Symmetry, symmetry_of

WORLD_UP = np.array([0.0, 0.0, 1.0])
SAME_WAY = 0.85  # a body is laid out if so much of the length of its bones goes one way
ARM_OF_CAPE = 0.5  # arms are at least so long, as a share of what else hangs from a body without names


@dataclass(frozen=True, eq=False)
class _Parts:
    """What was found, in rows."""

    hips: int | None
    head: int | None
    spine: tuple[int, ...]
    legs: tuple[Chain, ...]
    arms: tuple[Chain, ...]


def describe(bones: Bones, axes: FloatArray, skin: Skin | None = None) -> Character:
    """Everything that can be told from the bones in one pose.

    Args:
        axes: (3, 3) the armature's own axes in the world, as rows.
        skin: the mesh in the same pose.
    """
    found = _describe(bones, axes, skin)
    if not (found.legs and found.stands):
        found = _on_short_limbs(bones, axes, skin) or found
    elif len(found.legs) == 2 and not found.arms:
        found = _with_short_arms(found, bones, axes, skin)
    if bones.weighted is not None and not found.legs:
        # There may be a mesh of a part alone, such as a hat.
        whole = _describe(replace(bones, weighted=None), axes, skin)
        return replace(whole, deform=found.deform) if whole.legs else found
    return found


def _with_short_arms(found: Character, bones: Bones, axes: FloatArray, skin: Skin | None) -> Character:
    """The same with arms that nothing begins at the end of, if there are any that are as long as arms."""
    other = _on_short_limbs(bones, axes, skin)
    if other is None or other.feet != found.feet or not other.arms:
        return found
    return replace(found, head=other.head, spine=other.spine, arms=other.arms)


def _on_short_limbs(bones: Bones, axes: FloatArray, skin: Skin | None) -> Character | None:
    """What stands on limbs that nothing begins at the end of; None if it does not."""
    tree = body_of(bones)
    symmetry = symmetry_of(bones.names, bones.parents, bones.heads, tree.trunk, axes)
    extended, owners = with_ends(bones, tree, symmetry, skin)
    if not owners:
        return None
    found = without_ends(_describe(extended, axes, skin), owners, bones)
    told = tails_tell(tree.children, bones.heads, bones.tails)
    return replace(found, tails_tell=told) if found.legs and found.stands else None


def _describe(bones: Bones, axes: FloatArray, skin: Skin | None) -> Character:
    tree = body_of(bones)
    symmetry = symmetry_of(bones.names, bones.parents, bones.heads, tree.trunk, axes)
    tree = with_loose_ends(bones, tree, symmetry)
    size = float(np.ptp(bones.heads[tree.trunk], axis=0).max()) if tree.rows else 0.0
    pairs = limb_pairs(bones.names, without_what_is_held(tree, symmetry), bones.heads, symmetry, size)
    ups = [WORLD_UP] if _is_laid_out(bones.heads, tree) else np.concatenate([[WORLD_UP], axes, -axes])
    standing = standing_of(pairs, bones.heads, tree.trunk, np.array(ups))
    parts = _parts(bones, tree, symmetry, pairs, standing.legs, standing.up)
    spine = None
    if parts.hips is not None and parts.head is not None:
        spine = bones.heads[parts.hips], bones.heads[parts.head]
    front = front_of(
        parts.legs, spine, bones.heads, standing.up, symmetry.normal, named=symmetry.named, size=size
    )
    if front is not None:
        parts = replace(parts, legs=_rear_first(parts.legs, bones.heads, front))
    measured = size_of(bones, tree, parts.hips, parts.head, parts.legs, parts.arms, standing, skin)
    return _named(bones, tree, symmetry, parts, standing.up, front, measured, standing.plausible)


def _is_laid_out(heads: FloatArray, tree: Tree) -> bool:
    """Whether all bones go one way, as some programs write BVH: then only the world says what is up."""
    rows = np.array([row for row in tree.trunk if int(tree.parents[row]) in tree.children], np.int64)
    steps = heads[rows] - heads[tree.parents[rows]]
    whole = float(np.linalg.norm(steps, axis=1).sum())
    return float(np.linalg.norm(steps.sum(axis=0))) > SAME_WAY * whole > 0.0


def _parts(
    bones: Bones,
    tree: Tree,
    symmetry: Symmetry,
    pairs: Sequence[LimbPair],
    standing: Sequence[LimbPair],
    up: FloatArray,
) -> _Parts:
    arms = _arm_pairs(bones.names, pairs, standing, tree, symmetry)
    carriers = [int(tree.parents[pair.roots[0]]) for pair in (*standing, *arms)]
    carriers = [row for row in carriers if row in tree.children]
    hips = tree.common(carriers)
    head = _head(
        bones, tree, symmetry, hips, [int(tree.parents[pair.roots[0]]) for pair in arms], standing, up
    )
    if head is not None and len(set(carriers)) < 2:
        hips = tree.common([*carriers, head]) if carriers else hips
    if hips is None or not standing:
        hips = _without_legs(bones, tree)
    else:
        hips = _called_hips(bones.names, tree, _carrying_more_than(tree, hips, standing))
    spine: tuple[int, ...] = ()
    if hips is not None and head is not None and hips in tree.up(head):
        path = tree.up(head)
        spine = tuple(path[1 : path.index(hips)][::-1])
    limbs = without_what_is_held(tree, symmetry)
    legs = [leg_of(bones.names, limbs, bones.heads, root) for pair in standing for root in pair.roots]
    return _Parts(
        hips,
        head,
        spine,
        tuple(sorted(legs, key=lambda leg: _depth(tree, hips, leg.rows[0]))),
        tuple(arm_of(bones.names, limbs, bones.heads, root) for pair in arms for root in pair.roots),
    )


def _carrying_more_than(tree: Tree, hips: int, legs: Sequence[LimbPair]) -> int:
    """The first bone from the hips upwards that carries more than legs, if any does: a group may not."""
    carried = {row for pair in legs for root in pair.roots for row in tree.down(root)}
    path = tree.up(hips)
    for row in path:
        if not carried.issuperset(set(tree.down(row)) - set(path)):
            return row
    return hips


def _called_hips(names: Sequence[str], tree: Tree, hips: int) -> int:
    """The bone right above that is called hips, if this one is not: legs may hang from the spine."""
    above = int(tree.parents[hips])
    called = [naming.part_of(names[row]) == "hips" for row in (hips, above)]
    return above if above in tree.children and called == [False, True] else hips


def _rear_first(legs: Sequence[Chain], heads: FloatArray, front: FloatArray) -> tuple[Chain, ...]:
    def ahead(pair: tuple[Chain, Chain]) -> float:
        return float((heads[[leg.rows[0] for leg in pair]] @ front).mean())

    pairs = sorted(zip(legs[::2], legs[1::2], strict=True), key=ahead)
    return tuple(leg for pair in pairs for leg in pair)


def _depth(tree: Tree, hips: int | None, row: int) -> int:
    path = tree.up(row)
    return path.index(hips) if hips in path else len(path)


def _arm_pairs(
    names: Sequence[str],
    pairs: Sequence[LimbPair],
    legs: Sequence[LimbPair],
    tree: Tree,
    symmetry: Symmetry,
) -> list[LimbPair]:
    """Those that are called arms; else the longest that hangs from the body and does not stand.

    Rather one with fingers than a longer one without, which may be a cape.
    """
    others = [
        pair for pair in pairs if pair not in legs and symmetry.is_central(int(tree.parents[pair.roots[0]]))
    ]
    called = [pair for pair in others if pair.called_arm and not pair.called_leg]
    if called or any(pair.called_arm for pair in pairs) or _has_short_arms(names, tree, symmetry):
        return called
    others = [pair for pair in others if pair.parts <= {"head"}]
    hips = {int(tree.parents[pair.roots[0]]) for pair in legs}
    others = [pair for pair in others if int(tree.parents[pair.roots[0]]) not in hips] or others
    if not others or not legs:
        return []
    longest = max(pair.reach for pair in others)
    branching = [
        pair
        for pair in others
        if pair.reach >= ARM_OF_CAPE * longest and any(len(tree.children[row]) > 1 for row in pair.below[0])
    ]
    return [max(branching or others, key=lambda pair: pair.reach)]


def _has_short_arms(names: Sequence[str], tree: Tree, symmetry: Symmetry) -> bool:
    """Whether there are arms of one bone each: then something longer is what they hold."""
    return any(
        naming.part_of(names[row]) in ("arm", "upper arm")
        and symmetry.partners[row] in tree.children
        and symmetry.is_central(int(tree.parents[row]))
        for row in tree.rows
        if row in symmetry.partners
    )


def _head(
    bones: Bones,
    tree: Tree,
    symmetry: Symmetry,
    hips: int | None,
    shoulders: Sequence[int],
    legs: Sequence[LimbPair],
    up: FloatArray,
) -> int | None:
    """The bone that is called head; else the last one in the middle above shoulders or front legs."""
    central = [row for row in tree.rows if symmetry.is_central(row)]
    inside = set(tree.down(hips)) if hips is not None else set(tree.rows)
    called = [
        row
        for row in central
        if row in inside
        and naming.part_of(bones.names[row]) == "head"
        and not naming.is_end(bones.names[row])
    ]
    if called:
        return min(called, key=lambda row: len(tree.up(row)))
    carriers = [row for row in shoulders if row in tree.children]
    carriers += [int(tree.parents[pair.roots[0]]) for pair in legs]
    carriers = [row for row in carriers if row in tree.children]
    if len(set(carriers)) < 2:
        return None
    # The shoulders are farther from the root than the hips.
    row = max(carriers, key=lambda each: len(tree.up(each)))
    limbs = {root for pair in legs for root in pair.roots}
    while True:
        following = [
            each
            for each in tree.children[row]
            if symmetry.is_central(each) and _goes_on(bones.names[each]) and each not in limbs
        ]
        paired = [each for each in tree.children[row] if not symmetry.is_central(each)]
        if not following or (paired and row not in carriers):
            return None if row in carriers else _first_at(tree, bones.heads, row, set(carriers))
        row = max(
            following, key=lambda each: (_towers(bones.heads, tree, each, up, upright=len(legs) < 2), -each)
        )


def _towers(heads: FloatArray, tree: Tree, row: int, up: FloatArray, *, upright: bool) -> float:
    """How much it looks as if bones below this one led to the head: on two legs it is above all else."""
    if upright:
        return float((heads[tree.down(row)] @ up).max())
    return tree.reaches(heads)[row] + float(heads[row] @ up)


def _first_at(tree: Tree, heads: FloatArray, row: int, stop: set[int]) -> int:
    """The first of the bones that begin at the same place: a face begins where its head does."""
    above = int(tree.parents[row])
    if above in tree.children and above not in stop and np.allclose(heads[above], heads[row]):
        return _first_at(tree, heads, above, stop)
    return row


def _goes_on(name: str) -> bool:
    return not naming.is_end(name) and naming.part_of(name) != "loose" and "jaw" not in naming.words(name)


def _without_legs(bones: Bones, tree: Tree) -> int | None:
    """What carries most, where there are no legs to tell: of a snake its first bone, of a prop its root.

    Where nothing hangs from anything, as in hands that are tracked, it is what is called hips or wrist, else
    what lies in the middle.
    """
    if not tree.roots:
        return None
    middle = bones.heads[tree.rows].mean(axis=0)

    def carrying(row: int) -> tuple[int, bool, bool, float]:
        part = naming.part_of(bones.names[row])
        away = float(np.linalg.norm(bones.heads[row] - middle))
        return len(tree.down(row)), part == "hips", part == "hand", -away

    return max(tree.roots, key=carrying)


def _named(
    bones: Bones,
    tree: Tree,
    symmetry: Symmetry,
    parts: _Parts,
    up: FloatArray,
    front: FloatArray | None,
    size: Size,
    stands: bool,
) -> Character:
    left = _left_rows(bones, symmetry, up, front)
    deform = bones.deforms if bones.weighted is None else bones.deforms & bones.weighted
    controls, mechanism = _handled(bones, tree, deform)
    middle = (parts.hips, parts.head, *parts.spine)
    return Character(
        height=size.height,
        up=up,
        front=front,
        ground=size.ground,
        sole=size.sole,
        hips=_name(bones, parts.hips),
        head=_name(bones, parts.head),
        spine=_names(bones, parts.spine),
        legs=_limbs(bones, parts.legs, left),
        arms=_limbs(bones, parts.arms, left),
        pairs=tuple((bones.names[row], bones.names[symmetry.partners[row]]) for row in sorted(left)),
        unpaired=_names(
            bones, [row for row in symmetry.alone(bones.names, bones.heads, tree.trunk) if row not in middle]
        ),
        left_is_left=_left_is_left(symmetry, up, front),
        body=_names(bones, tree.rows),
        carriers=() if parts.hips is None else _names(bones, tree.up(parts.hips)[1:]),
        deform=_names(bones, np.flatnonzero(deform)),
        controls=_names(bones, np.flatnonzero(controls)),
        mechanism=_names(bones, np.flatnonzero(mechanism)),
        tails_tell=tails_tell(tree.children, bones.heads, bones.tails),
        stands=stands,
    )


def _left_rows(bones: Bones, symmetry: Symmetry, up: FloatArray, front: FloatArray | None) -> set[int]:
    """One of each pair: the one that is called left, else the one on the left."""
    across = symmetry.normal
    if not symmetry.named and front is not None:
        across = np.cross(up, front)
    left = set()
    for row, other in symmetry.partners.items():
        if row > other:
            continue
        side = naming.side_of(bones.names[row])
        if side == naming.CENTRE or side == naming.side_of(bones.names[other]):
            beside = 0.0 if across is None else float((bones.heads[row] - bones.heads[other]) @ across)
            side = naming.LEFT if beside >= 0.0 else naming.RIGHT
        left.add(row if side == naming.LEFT else other)
    return left


def _left_is_left(symmetry: Symmetry, up: FloatArray, front: FloatArray | None) -> bool:
    if not symmetry.named or symmetry.normal is None or front is None:
        return True
    return float(np.cross(symmetry.normal, up) @ front) >= 0.0


def _handled(bones: Bones, tree: Tree, deform: BoolArray) -> tuple[BoolArray, BoolArray]:
    """Which bones are controls and which are mechanism.

    In a control rig some bones have shapes and move no mesh: what has a shape is a control. (Importers give
    all bones one.) Other skeletons are animated by their own bones; what is not seen, and what neither is,
    carries nor hangs from the body, helps.
    """
    shaped = bones.shaped & bones.visible
    if (shaped & ~bones.deforms).any():
        return shaped, ~shaped & ~deform
    inside = with_carriers(_only(len(bones), tree.rows), bones.parents)
    roots = with_carriers(_only(len(bones), tree.roots), bones.parents)
    below = inside & ~roots
    for row, above in enumerate(bones.parents.tolist()):
        below[row] |= above >= 0 and bool(below[above])  # in an armature parents come first
    helping = ~deform & (~bones.visible | ~(inside | below))
    return bones.visible & ~helping, helping


def _only(count: int, rows: Sequence[int]) -> BoolArray:
    chosen = np.zeros(count, bool)
    chosen[list(rows)] = True
    return chosen


def _limbs(bones: Bones, chains: Sequence[Chain], left: set[int]) -> tuple[Limb, ...]:
    """Left before right within each pair."""
    found = []
    for chain in chains:
        on_left = chain.rows[0] in left
        found.append(
            Limb(
                "left" if on_left else "right",
                _names(bones, chain.rows),
                bones.names[chain.upper],
                bones.names[chain.lower],
                _name(bones, chain.end),
                _name(bones, chain.tip),
            )
        )
    ordered = []
    for first, second in zip(found[::2], found[1::2], strict=True):
        ordered += [first, second] if first.side == "left" else [second, first]
    return tuple(ordered)


def _name(bones: Bones, row: int | None) -> str | None:
    return None if row is None else bones.names[row]


def _names(bones: Bones, rows: Sequence[int] | IntArray) -> tuple[str, ...]:
    return tuple(bones.names[row] for row in rows)
