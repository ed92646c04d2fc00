# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the bones of an armature end, also where its importer has put their tails anywhere."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ...core.anatomy import ends_without_tails
from ...core.motion import FloatArray, IntArray
from ..bones import parent_rows
from .description import describe
from .held import held_once_found

SIDE = 0.5  # how far from the axis of an end bone its side is, in lengths of the bone


@dataclass(frozen=True, eq=False)
class Ends:
    """The bones of an armature at rest.

    Attributes:
        above: (B,) the row of the bone above each.
        starts: (B,) which always begin where the one above them ends.
        along: (B, 3) from head to end in the space of each bone.
    """

    above: IntArray
    starts: np.ndarray
    along: FloatArray


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
    found, own_heads = describe(armature), np.zeros(count, bool)
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
    apart = np.linalg.norm(begin - end[above], axis=1)
    near = (apart <= 1e-5 * np.maximum(lengths, lengths[above])) & ~own_heads
    starts = (above >= 0) & (connected | near)
    return Ends(above, starts, along)
