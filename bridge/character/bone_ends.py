# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the bones of an armature end, also where its importer has put their tails anywhere."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ...core.anatomy import Character, ends_without_tails
from ...core.motion import FloatArray, IntArray
from ..bones import parent_rows
from .description import axes_of, describe
from .held import held_once_found

SIDE = 0.5  # how far from the axis of an end bone its side is, in lengths of the bone


@dataclass(frozen=True, eq=False)
class Ends:
    """The bones of an armature at rest.

    Attributes:
        above: (B,) the row of the bone above each.
        starts: (B,) which always begin where the one above them ends.
        along: (B, 3) from head to end in the space of each bone.
        sunk: (B,) how far in the world an end that is a guess lies below what the body stands on.
    """

    above: IntArray
    starts: np.ndarray
    along: FloatArray
    sunk: FloatArray


@held_once_found
def ends_of(armature: bpy.types.Object) -> Ends:
    bones, above = armature.data.bones, parent_rows(armature)
    count = len(above)
    heads, tails, lengths = (np.empty(size * count, np.float32) for size in (3, 3, 1))
    connected = np.empty(count, bool)
    bones.foreach_get("head_local", heads)
    bones.foreach_get("tail_local", tails)
    bones.foreach_get("length", lengths)
    bones.foreach_get("use_connect", connected)
    begin, end = heads.reshape(-1, 3).astype(np.float64), tails.reshape(-1, 3).astype(np.float64)
    along = np.stack([np.zeros(count), lengths, np.zeros(count)], axis=1)
    found, own_heads, sunk = describe(armature), np.zeros(count, bool), np.zeros(count)
    if found.hips is not None:  # they move about, wherever a root above them ends
        own_heads[bones.find(found.hips)] = True
    if not found.tails_tell:
        matrices = np.empty(16 * count, np.float32)
        bones.foreach_get("matrix_local", matrices)
        axes = matrices.reshape(-1, 4, 4)[:, :3, :3]  # column by column
        end = ends_without_tails(above, begin, np.isin(bones.keys(), found.body))
        along = np.einsum("bkj,bj->bk", axes, end - begin)
        lengths = np.linalg.norm(along, axis=1)
        connected[:] = False
        sunk = _sunk(found, bones.keys(), *((each @ axes_of(armature).T) @ found.up for each in (begin, end)))
    apart = np.linalg.norm(begin - end[above], axis=1)
    near = (apart <= 1e-5 * np.maximum(lengths, lengths[above])) & ~own_heads
    starts = (above >= 0) & (connected | near)
    return Ends(above, starts, along, sunk)


def _sunk(found: Character, names: list[str], heads: FloatArray, ends: FloatArray) -> FloatArray:
    """(B,) how far ends are below the ground at rest, from the heights of heads and ends.

    None by more than the bone itself leads down.
    """
    legs = [names.index(bone) for leg in found.legs for bone in leg.bones]
    if not legs:
        return np.zeros(len(heads))
    ground = float(heads[legs].min()) - found.sole
    return np.maximum(np.minimum(ground, heads) - ends, 0.0)
