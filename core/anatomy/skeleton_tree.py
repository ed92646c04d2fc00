# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of an armature's bones before they are understood, and the tree of those that make a body."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..checks import FloatArray, IntArray
from . import names as naming

BoolArray = np.ndarray

FEW_CARRY = 1.0 / 3.0  # such a share of the bones below them may only carry these
SAME_PLACE = 1e-3  # bones whose heads are nearer, as a share of the size, stand for the same joint


@dataclass(frozen=True, eq=False)
class Bones:
    """The bones of an armature at rest, in axes of the world around the origin of the armature.

    Attributes:
        names: B names.
        parents: (B,) row of each bone's parent, -1 for none; parents come first.
        heads, tails: (B, 3). Importers guess tails, so that these may be far away.
        deforms: (B,) which are meant to move a mesh.
        weighted: (B,) which do move a part of a mesh; None where there is no mesh.
        visible: (B,) which an animator can see.
        shaped: (B,) which are drawn with a shape of their own, as controls are.
    """

    names: tuple[str, ...]
    parents: IntArray
    heads: FloatArray
    tails: FloatArray
    deforms: BoolArray
    weighted: BoolArray | None
    visible: BoolArray
    shaped: BoolArray

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        parents: Sequence[int] | IntArray,
        heads: Sequence[Sequence[float]] | FloatArray,
        tails: Sequence[Sequence[float]] | FloatArray | None = None,
        **flags: BoolArray | None,
    ) -> Bones:
        """Bones about which little may be known: by default all deform and are visible."""
        count = len(names)
        places = np.asarray(heads, np.float64).reshape(count, 3)
        known = {name: value for name, value in flags.items() if value is not None}
        return cls(
            tuple(names),
            np.asarray(parents, np.int64),
            places,
            places if tails is None else np.asarray(tails, np.float64).reshape(count, 3),
            known.get("deforms", np.ones(count, bool)),
            known.get("weighted"),
            known.get("visible", np.ones(count, bool)),
            known.get("shaped", np.zeros(count, bool)),
        )

    def __len__(self) -> int:
        return len(self.names)


class Tree:
    """Bones below bones; only `rows` take part."""

    def __init__(self, parents: IntArray, rows: Iterable[int]):
        self.parents = parents
        self.rows = list(rows)
        self.children: dict[int, list[int]] = {row: [] for row in self.rows}
        self.roots: list[int] = []
        for row in self.rows:
            above = int(parents[row])
            if above in self.children:
                self.children[above].append(row)
            else:
                self.roots.append(row)

    def up(self, row: int) -> list[int]:
        """A bone and what is above it, up to its root."""
        path = [row]
        while int(self.parents[path[-1]]) in self.children:
            path.append(int(self.parents[path[-1]]))
        return path

    def down(self, row: int) -> list[int]:
        """A bone and all below it."""
        found = [row]
        for each in found:
            found += self.children[each]
        return found

    def common(self, rows: Sequence[int]) -> int | None:
        """The lowest bone that carries all of some bones."""
        paths = [self.up(row) for row in rows]
        shared = set(paths[0]).intersection(*paths[1:]) if paths else set()
        return next((row for row in paths[0] if row in shared), None) if shared else None

    @cached_property
    def trunk(self) -> list[int]:
        """The bones without those that only carry all others, which may be far away from them."""
        above: set[int] = set()
        for root in self.roots:
            row = root
            while len(self.children[row]) == 1:
                row = self.children[row][0]
            carriers = self.up(row)[1:]
            # Many that carry few are a body themselves: of a snake that ends with a jaw, of a robot's arm.
            if len(carriers) <= FEW_CARRY * len(self.down(row)):
                above.update(carriers)
        return [row for row in self.rows if row not in above]

    @cached_property
    def from_below(self) -> list[int]:
        """All bones, children before parents."""
        order = [row for root in self.roots for row in self.down(root)]
        return order[::-1]

    def reaches(self, heads: FloatArray) -> dict[int, float]:
        """How far it is from each bone's head along bones to the farthest head below it."""
        reach = dict.fromkeys(self.rows, 0.0)
        for row in self.from_below:
            above = int(self.parents[row])
            if above in reach:
                step = float(np.linalg.norm(heads[row] - heads[above]))
                reach[above] = max(reach[above], reach[row] + step)
        return reach


def body_of(bones: Bones) -> Tree:
    """The bones that make up the body, without controls, mechanism and helpers around it.

    They are those that move the mesh and what carries these. In a control rig the parts of a deforming
    skeleton hang from controls; each part is put below the deforming bone that lies where the control does.
    """
    wanted = bones.deforms if bones.deforms.any() else np.ones(len(bones), bool)
    if bones.weighted is not None and (bones.weighted & wanted).any():
        wanted = with_carriers(bones.weighted & wanted, bones.parents) & wanted
    else:
        plain = np.array([not naming.is_mechanism(_without_layer(name)) for name in bones.names], bool)
        wanted = wanted & plain if (wanted & plain).any() else wanted
    rows = np.flatnonzero(wanted)
    parents = np.full(len(bones), -1, np.int64)
    size = float(np.ptp(bones.heads[rows], axis=0).max()) if len(rows) else 0.0
    for row in rows.tolist():
        parents[row] = _carrier(bones, row, parents, rows, SAME_PLACE * size)
    return Tree(parents, rows.tolist())


def _without_layer(name: str) -> str:
    return name.removeprefix("DEF-").removeprefix("ORG-")


def with_carriers(rows: BoolArray, parents: IntArray) -> BoolArray:
    """Some bones and all above them."""
    found = rows.copy()
    above = parents[np.flatnonzero(found)]
    while len(above := np.unique(above[above >= 0])):
        found[above] = True
        above = parents[above]
    return found


def _carrier(bones: Bones, row: int, found: IntArray, rows: IntArray, near: float) -> int:
    """The nearest bone above that takes part, or the one that lies where a bone above does."""
    taking_part = set(rows.tolist())
    above = int(bones.parents[row])
    while above >= 0:
        candidates = [above] if above in taking_part else _twins(bones, above, rows, near)
        for candidate in candidates:
            if not _hangs_from(bones.parents, candidate, row) and not _hangs_from(found, candidate, row):
                return candidate
        above = int(bones.parents[above])
    return -1


def _twins(bones: Bones, control: int, rows: IntArray, near: float) -> list[int]:
    """The bones that start where a control does, those that also end there first."""
    twins = rows[np.linalg.norm(bones.heads[rows] - bones.heads[control], axis=1) <= near]
    apart = np.linalg.norm(bones.tails[twins] - bones.tails[control], axis=1)
    return twins[np.argsort(apart, kind="stable")].tolist()


def _hangs_from(parents: IntArray, row: int, other: int) -> bool:
    """Whether a bone is another one or is below it."""
    while row >= 0:
        if row == other:
            return True
        row = int(parents[row])
    return False
