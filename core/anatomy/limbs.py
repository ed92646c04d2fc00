# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs: chains of bones that come in pairs and hang from the middle of the body.

A chain follows the bones that reach farthest. Where on it the ankle or the wrist, the knee or the elbow is
comes from names where they say so, and from how the chain bends and how its two halves balance where not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..checks import FloatArray
from . import names as naming
from .skeleton_tree import Tree
from .symmetry import Symmetry

SHORTEST = 0.12  # a limb is at least so long, as a share of the body's size, ...
SHORTEST_CALLED = 0.03  # ... or so long where names tell its parts, as of the arms of a tyrannosaur
ANKLE_FROM = 0.55  # share of a leg above its ankle
WRIST_FROM = 0.65  # share of an arm, with fingers, above its wrist
HANGS_FROM = {"hand": {"forearm", "upper arm", "arm"}, "foot": {"shin", "thigh", "leg"}}
BEND = np.cos(np.radians(25.0))  # a chain turns at least so much at the ankle


@dataclass(frozen=True)
class Chain:
    """One limb, in rows: from where it leaves the body to its last bone.

    Attributes:
        rows: the bones, from the body outwards; of an arm to the hand, of a leg to the toes.
        upper: thigh or upper arm.
        lower: shin or forearm.
        end: foot or hand; None where the limb ends with its lower half.
        tip: toes.
    """

    rows: tuple[int, ...]
    upper: int
    lower: int
    end: int | None
    tip: int | None


@dataclass(frozen=True)
class LimbPair:
    """A limb and its counterpart before it is known whether they are legs or arms."""

    roots: tuple[int, int]
    below: tuple[tuple[int, ...], tuple[int, ...]]  # all bones of each, the root first
    parts: frozenset[str]  # what the bones are called after
    reach: float  # how long they are
    soles: tuple[int, ...] = ()  # the last of the bones that are called after a part of a leg

    @property
    def called_leg(self) -> bool:
        return not naming.LEG_PARTS.isdisjoint(self.parts)

    @property
    def called_arm(self) -> bool:
        return not naming.ARM_PARTS.isdisjoint(self.parts)

    @property
    def is_foot_alone(self) -> bool:
        """Whether there is no leg above it: the feet of a penguin hang from its body."""
        return self.called_leg and self.parts <= {"foot", "toe"}


def without_what_is_held(tree: Tree, symmetry: Symmetry) -> Tree:
    """The tree without what hangs on one side alone from the end of a limb: a sword lengthens no arm."""
    held: set[int] = set()
    for row in tree.rows:
        limb = tree.up(row)[1:4]
        alone = symmetry.is_central(row) and len(limb) == 3 and not any(map(symmetry.is_central, limb))
        if alone and all(map(symmetry.is_central, tree.down(row))):
            held.update(tree.down(row))
    return Tree(tree.parents, [row for row in tree.rows if row not in held])


def limb_pairs(
    names: Sequence[str], tree: Tree, heads: FloatArray, symmetry: Symmetry, size: float
) -> list[LimbPair]:
    """Every pair of chains of some length that hangs from the middle of the body."""
    reach = tree.reaches(heads)
    found = []
    for row in tree.rows:
        other = symmetry.partners.get(row)
        above = int(tree.parents[row])
        if other not in tree.children or above in symmetry.partners or row >= other:
            continue
        below = tuple(tree.down(row)), tuple(tree.down(other))
        parts = {part for each in (*below[0], *below[1]) if (part := naming.part_of(names[each])) is not None}
        if parts == {"finger"}:  # of a hand without a body
            continue
        shortest = SHORTEST_CALLED if _is_whole(parts) else SHORTEST
        if min(reach[row], reach[other]) < shortest * size or not tree.children[row]:
            continue
        last = [each for each in (*below[0], *below[1]) if not tree.children[each]]
        soles = [each for each in last if _is_called(names[each], {"foot", "toe"})]
        soles = soles or [each for each in last if _is_called(names[each], set(naming.LEG_PARTS))]
        length = (reach[row] + reach[other]) / 2.0
        found.append(LimbPair((row, other), below, frozenset(parts), length, tuple(soles)))
    return found


def _is_whole(parts: set[str]) -> bool:
    """Whether names tell a hand or a foot and what it hangs from."""
    return any(end in parts and not parts.isdisjoint(above) for end, above in HANGS_FROM.items())


def main_path(names: Sequence[str], tree: Tree, heads: FloatArray, root: int, ends: set[str]) -> list[int]:
    """From the root of a limb by way of a bone that is called after an end, as far as it goes."""
    reach = tree.reaches(heads)
    path = [root]
    called = [row for row in tree.down(root) if _is_called(names[row], ends)]
    if called:
        path = tree.up(called[0])
        path = path[: path.index(root) + 1][::-1]
    while below := tree.children[path[-1]]:
        path.append(max(below, key=lambda row: _attraction(names, tree, heads, reach, row)))
    return path


def _is_called(name: str, parts: set[str]) -> bool:
    return naming.part_of(name) in parts and not naming.is_twist(name) and not naming.is_mechanism(name)


def _attraction(
    names: Sequence[str], tree: Tree, heads: FloatArray, reach: dict[int, float], row: int
) -> tuple[bool, float, int]:
    """How much a chain wants to go on by way of a bone: twist and loose bones are turned down."""
    part = naming.part_of(names[row])
    step = float(np.linalg.norm(heads[row] - heads[int(tree.parents[row])]))
    turned_down = naming.is_twist(names[row]) or part == "loose"
    return not turned_down, step + reach[row], len(tree.children[row])


def leg_of(names: Sequence[str], tree: Tree, heads: FloatArray, root: int) -> Chain:
    # On all fours a front leg may be called an arm.
    last = "foot" if any(_is_called(names[row], {"foot"}) for row in tree.down(root)) else "hand"
    path = main_path(names, tree, heads, root, {last})
    called = [row for row in path if _is_called(names[row], {last})]
    end = called[0] if called else _ankle(path, heads)
    if end is None or path.index(end) == 0:
        # A thigh and a shin: the foot is not below them, or the shin's tail is where it would be.
        return Chain(tuple(path), path[max(len(path) - 2, 0)], path[-1], None, None)
    place = path.index(end)
    upper, lower = _halves(names, path[:place], end, heads)
    tip = _toes(names, path[place + 1 :])
    rows = path[: path.index(tip) + 1] if tip is not None else path[: place + 1]
    return Chain(tuple(rows), upper, lower, end, tip)


def _toes(names: Sequence[str], path: Sequence[int]) -> int | None:
    """What is called so, or a hoof; else the first bone below a foot, which may be in pieces itself."""
    toes = [row for row in path if not naming.is_end(names[row])] or path
    hooves = [row for row in toes if "hoof" in naming.words(names[row])]
    if hooves:  # toes are in it, or above it
        return hooves[-1]
    return next((row for row in toes if _is_called(names[row], {"toe"})), next(iter(toes), None))


def arm_of(names: Sequence[str], tree: Tree, heads: FloatArray, root: int) -> Chain:
    path = main_path(names, tree, heads, root, {"hand"})
    called = [row for row in path if _is_called(names[row], {"hand"})]
    called.sort(key=lambda row: not _is_hand(names, tree, row))  # rather than a wrist before it
    if called:
        end: int | None = called[0]
    elif forearm := _ending_with_forearm(names, path):
        path, end = forearm, None
    else:
        end = _wrist(names, tree, path, heads)
    if end is None or path.index(end) == 0:
        return Chain(tuple(path), path[max(len(path) - 2, 0)], path[-1], None, None)
    place = path.index(end)
    upper, lower = _halves(names, path[:place], end, heads)
    return Chain(tuple(path[: place + 1]), upper, lower, end, None)


def _ending_with_forearm(names: Sequence[str], path: Sequence[int]) -> list[int]:
    """The path to the last bone that is called forearm, if at most fingers are beyond it; else none."""
    places = [
        place
        for place, row in enumerate(path)
        if _is_called(names[row], {"forearm"}) and not naming.is_end(names[row])
    ]
    beyond = path[places[-1] + 1 :] if places else []
    ends = bool(places) and all(naming.part_of(names[row]) == "finger" for row in beyond)
    return list(path[: places[-1] + 1]) if ends else []


def _is_hand(names: Sequence[str], tree: Tree, row: int) -> bool:
    """Whether a bone is called so and holds something: below a wrist it may mark where the palm ends."""
    return "hand" in naming.words(names[row]) and any(
        not naming.is_end(names[each]) for each in tree.children[row]
    )


def _along(path: Sequence[int], heads: FloatArray) -> FloatArray:
    """(P,) how far it is along a path to each of its bones."""
    steps = np.linalg.norm(np.diff(heads[list(path)], axis=0), axis=1)
    return np.concatenate([[0.0], np.cumsum(steps)])


def _ankle(path: Sequence[int], heads: FloatArray) -> int | None:
    """The first bone in the lower part of a leg at which it turns forwards; else the last."""
    if len(path) < 3:
        return None
    along = _along(path, heads)
    for place in range(1, len(path) - 1):
        if along[place] >= ANKLE_FROM * along[-1]:
            before = heads[path[place]] - heads[path[place - 1]]
            after = heads[path[place + 1]] - heads[path[place]]
            if before @ after < BEND * np.linalg.norm(before) * np.linalg.norm(after):
                return path[place]
    return path[-1]


def _wrist(names: Sequence[str], tree: Tree, path: Sequence[int], heads: FloatArray) -> int | None:
    """Where fingers branch off, or the first bone in the outer part of an arm, which a forearm is not."""
    if len(path) < 3:
        return None
    along = _along(path, heads)
    outer = [row for row, far in zip(path, along, strict=True) if far >= WRIST_FROM * along[-1]]
    outer = [row for row in outer if naming.part_of(names[row]) != "forearm"] or outer
    branching = [row for row in outer if len(tree.children[row]) > 1]
    return (branching or outer)[0]


def _halves(names: Sequence[str], path: Sequence[int], end: int, heads: FloatArray) -> tuple[int, int]:
    """The bones that the two halves of a limb begin with, from the bones above its end."""
    called = [None if naming.is_twist(names[row]) else naming.part_of(names[row]) for row in path]
    for upper, lower, either in (("thigh", "shin", "leg"), ("upper arm", "forearm", "arm")):
        # LeftArm is above LeftForeArm, and LeftLeg below LeftUpLeg.
        if either in called and (upper in called) != (lower in called):
            called[called.index(either)] = lower if upper in called else upper
        if upper in called and lower in called and called.index(upper) < called.index(lower):
            return path[called.index(upper)], path[called.index(lower)]
    moved = [row for row, part in zip(path, called, strict=True) if part != "clavicle"]
    return _balanced([*(moved if len(moved) > 1 else path), end], heads)


def _balanced(path: Sequence[int], heads: FloatArray) -> tuple[int, int]:
    """Where two halves begin that are about as long as each other and make up most of the path."""
    along = _along(path, heads)
    whole = max(float(along[-1]), 1e-12)
    choices = [(a, b) for b in range(1, len(path) - 1) for a in range(b)] or [(0, 0)]

    def unlikely(choice: tuple[int, int]) -> float:
        start, middle = along[choice[0]], along[choice[1]]
        first, second = middle - start, along[-1] - middle
        return abs(first - second) / max(first + second, 1e-12) + 0.5 * float(start) / whole

    upper, lower = min(choices, key=unlikely)
    return path[upper], path[lower]
