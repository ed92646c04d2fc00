# SPDX-License-Identifier: GPL-3.0-or-later
"""Which part of a body leads from one pose to the next, and by how many frames.

Named as future work by Roberts et al. 2018 (4.2). When a part moves is the mean of the time between two keys,
each moment weighted by the part's speed: that needs no threshold, is finer than a frame, and a part that does
the same as another some frames later is late by just so many. Limbs are seen from the hips, these from the
world. The first to move leads, by the time until the others do, each of them counted by its way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .anatomy import Character, joint_at_head, joint_at_tail
from .checks import FloatArray
from .errors import InputError
from .motion import Motion

MOVES = 0.2  # parts that go less than this share of the farthest's way neither lead nor follow


@dataclass(frozen=True)
class Lead:
    """From one key to the next: the part that leads, and how many frames it is ahead of the others."""

    first: float
    last: float
    part: str
    frames: float

    @property
    def side(self) -> int:
        """-1 for what is on the left, 1 on the right, 0 in the middle."""
        return {"left": -1, "right": 1}.get(self.part.partition(" ")[0], 0)


def parts_of(motion: Motion, character: Character) -> dict[str, tuple[int, ...]]:
    """The joints of hips, head, arms and legs, as far as there are any."""
    rows = {
        part: [joint_at_tail(motion.names, bone) for bone in limb.bones[1:]]
        for part, limb in character.limbs_by_name.items()
    }
    rows["hips"] = [motion.root]
    if character.head is not None:
        rows["head"] = [joint_at_head(motion.names, motion.parents, character.head)]
    found = {part: tuple(row for row in joints if row is not None) for part, joints in rows.items()}
    return {part: joints for part, joints in found.items() if joints}


@dataclass(frozen=True, eq=False)
class Ways:
    """How far the parts of a body go from frame to frame: all that is needed to tell who leads.

    Attributes:
        parts: (P,) their names.
        lengths: (P, F - 1) as the mean of a part's joints.
        frames: (F,)
    """

    parts: tuple[str, ...]
    lengths: FloatArray
    frames: FloatArray

    @staticmethod
    def of(motion: Motion, parts: Mapping[str, Sequence[int]]) -> Ways:
        """Of the joints of each part: seen from the root, or from the world where the root is one of them."""
        lengths = np.stack([_ways(motion, joints) for joints in parts.values()])
        return Ways(tuple(parts), lengths, motion.frames)

    def leads(self, keys: ArrayLike) -> list[Lead]:
        """The leading part of each transition, between ascending rows, in which two parts or more move."""
        rows = np.asarray(keys, dtype=np.int64)
        if (
            rows.ndim != 1
            or len(rows) < 2
            or np.any(np.diff(rows) <= 0)
            or rows[0] < 0
            or rows[-1] >= len(self.frames)
        ):
            raise InputError("Keys must be two or more rows of the motion that ascend.")
        middles = (self.frames[1:] + self.frames[:-1]) / 2.0
        found = []
        for first, last in zip(rows[:-1].tolist(), rows[1:].tolist(), strict=True):
            lead = _lead(self.lengths[:, first:last], middles[first:last], self.parts)
            if lead is not None:
                found.append(Lead(float(self.frames[first]), float(self.frames[last]), *lead))
        return found

    def leads_between(self, frames: ArrayLike) -> list[Lead]:
        """`leads` between the rows nearest to some frames."""
        wanted = np.asarray(frames, dtype=np.float64)
        return self.leads(np.unique(np.abs(self.frames - wanted[:, None]).argmin(axis=1)))


def _ways(motion: Motion, joints: Sequence[int]) -> FloatArray:
    """(F - 1,) how far a part goes from frame to frame, as the mean of its joints."""
    seen = motion if motion.root in joints else motion.in_space("root")
    return np.linalg.norm(np.diff(seen.positions[:, list(joints)], axis=0), axis=2).mean(axis=1)


def _lead(ways: FloatArray, times: FloatArray, names: Sequence[str]) -> tuple[str, float] | None:
    """The first part to move and its frames ahead; None where only one moves, or none."""
    lengths = ways.sum(axis=1)
    moving = np.flatnonzero((lengths > 0.0) & (lengths >= MOVES * lengths.max(initial=0.0)))
    if len(moving) < 2:
        return None
    when = ways[moving] @ times / lengths[moving]
    first = int(when.argmin())
    others = np.delete(np.arange(len(moving)), first)
    behind = np.average(when[others], weights=lengths[moving][others])
    return names[int(moving[first])], float(behind - when[first])
