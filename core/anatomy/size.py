# SPDX-License-Identifier: GPL-3.0-or-later
"""How high a character is and where its soles are: from its mesh where there is one, else from its joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..checks import FloatArray, IntArray
from . import names as naming
from .ends import tails_tell
from .limbs import Chain
from .skeleton_tree import Bones, BoolArray, Tree
from .stance import Standing

# A mesh whose extent is outside these shares of the joints' is of a part, or in another scale. It may be much
# larger: some bodies are a block with a few joints near its middle. The tails of the last bones say nothing
# against it: importers put them anywhere, also where all others are believed.
MESH_FITS = (0.75, 8.0)
LONGEST_TAIL = 0.4  # tails count that are not longer than this share of the size, or than all others


@dataclass(frozen=True, eq=False)
class Skin:
    """Points of the mesh in the pose of the bones, and the bone that moves each most; -1 for none."""

    points: FloatArray
    owners: IntArray


@dataclass(frozen=True)
class Size:
    height: float
    ground: float
    sole: float


def size_of(
    bones: Bones,
    tree: Tree,
    hips: int | None,
    head: int | None,
    legs: Sequence[Chain],
    arms: Sequence[Chain],
    standing: Standing,
    skin: Skin | None,
) -> Size:
    rows = _standing_rows(tree, hips, legs) if hips is not None and legs else tree.trunk
    if not rows:
        return Size(0.0, 0.0, 0.0)
    held = _held(tree, arms)
    rows = [row for row in rows if row not in held] or rows
    joints = _joints(bones, tree, rows)
    least = MESH_FITS[0] * _extent(bones.heads[rows])
    points = joints if skin is None else _mesh(skin, joints, held, least)
    ground = float((points @ standing.up).min())
    soles = bones.heads[[row for leg in legs for row in leg.rows]] @ standing.up
    if not legs:
        return Size(_extent(points), ground, 0.0)
    if not standing.plausible and head is not None:
        return Size(_stature(bones.heads, tree, head, legs), ground, 0.0)
    return Size(float(np.ptp(points @ standing.up)), ground, float(soles.min()) - ground)


def _standing_rows(tree: Tree, hips: int, legs: Sequence[Chain]) -> list[int]:
    """What the hips carry, and the legs: these may hang from nothing, beside the body."""
    return sorted({*tree.down(hips), *(row for leg in legs for row in leg.rows)})


def _joints(bones: Bones, tree: Tree, rows: Sequence[int]) -> FloatArray:
    """Heads, and the tails of last bones if tails mean anything in this armature.

    Bones that mark where others end, as exporters add them, have one because they have to.
    """
    heads = bones.heads[list(rows)]
    if not tails_tell(tree.children, bones.heads, bones.tails):
        return heads
    size = float(np.ptp(heads, axis=0).max())
    inner = [row for row in rows if tree.children[row]]
    last = [row for row in rows if not tree.children[row] and not naming.is_end(bones.names[row])]
    lengths = np.linalg.norm(bones.tails[last] - bones.heads[last], axis=1)
    others = np.linalg.norm(bones.tails[inner] - bones.heads[inner], axis=1)
    longest = max(LONGEST_TAIL * size, float(others.max())) if inner else np.inf
    return np.concatenate([heads, bones.tails[last][lengths <= longest]])


def _held(tree: Tree, arms: Sequence[Chain]) -> set[int]:
    """Hands and what hangs from them: fingers, and what they hold."""
    return {row for arm in arms if arm.end is not None for row in tree.down(arm.end)}


def _mesh(skin: Skin, joints: FloatArray, held: set[int], least: float) -> FloatArray:
    """The points of the mesh, without swords; the joints if it does not fit them."""
    worn: BoolArray = ~np.isin(skin.owners, sorted(held))
    points = skin.points[worn] if worn.any() else skin.points
    if not len(points):
        return joints
    extent, most = _extent(points), MESH_FITS[1] * _extent(joints) if least else np.inf
    return points if extent > 0.0 and least <= extent <= most else joints


def _extent(points: FloatArray) -> float:
    return float(np.ptp(points, axis=0).max())


def _stature(heads: FloatArray, tree: Tree, head: int, legs: Sequence[Chain]) -> float:
    """From the head along bones to the toes: how high it would stand upright."""

    def length(path: Sequence[int]) -> float:
        return float(np.linalg.norm(np.diff(heads[list(path)], axis=0), axis=1).sum())

    found = []
    for leg in legs:
        up, down = tree.up(head), tree.up(leg.rows[-1])
        meeting = next((row for row in up if row in down), None)
        if meeting is not None:
            found.append(length(up[: up.index(meeting) + 1]) + length(down[: down.index(meeting) + 1]))
    return float(np.mean(found)) if found else float(np.ptp(heads, axis=0).max())
