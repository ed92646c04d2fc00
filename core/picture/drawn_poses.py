# SPDX-License-Identifier: GPL-3.0-or-later
"""`Poses`: what is drawn of a character, a stick a bone and a row a pose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ..anatomy.names import CENTRE, LEFT, RIGHT, side_of
from ..errors import InputError
from ..motion import FloatArray, IntArray, Motion


def _is_head(name: str) -> bool:
    # A joint called "x head" is where bone x begins, see bridge/sampling.py.
    return name.lower().endswith("head") and not name.endswith(" head")


@dataclass(frozen=True, eq=False)
class Poses:
    """Bones of several poses in world space, Z up.

    Attributes:
        heads, tails: (P, B, 3) where each bone begins and ends.
        frames: (P,) frame number of each pose.
        names: B bone names; left and right are read from them.
    """

    heads: FloatArray
    tails: FloatArray
    frames: FloatArray
    names: tuple[str, ...]

    @classmethod
    def of(cls, heads: ArrayLike, tails: ArrayLike, frames: ArrayLike, names: Sequence[str]) -> Poses:
        """Checked once here, so that no picture has to check again."""
        heads, tails = np.asarray(heads, np.float64), np.asarray(tails, np.float64)
        numbers = np.asarray(frames, np.float64)
        if heads.ndim != 3 or heads.shape != tails.shape or heads.shape[2] != 3:
            raise InputError(
                "Bone heads and tails must both have the shape (poses, bones, 3), not {heads} and {tails}.",
                heads=heads.shape,
                tails=tails.shape,
            )
        if not heads.shape[0] or not heads.shape[1]:
            raise InputError("There is nothing to draw: choose at least one pose and one bone.")
        if numbers.shape != heads.shape[:1] or len(names) != heads.shape[1]:
            raise InputError("There must be one frame number for each pose and one name for each bone.")
        if not (np.isfinite(heads).all() and np.isfinite(tails).all()):
            raise InputError(
                "A bone has no finite place in one of the poses: check the rig's scale and drivers."
            )
        return cls(heads, tails, numbers, tuple(names))

    @classmethod
    def from_motion(cls, motion: Motion, rows: ArrayLike) -> Poses:
        """The poses at `rows` of a motion, each joint joined to its parent."""
        rows = np.asarray(rows, np.int64)
        positions = motion.positions[rows]
        bones = np.flatnonzero(motion.parents >= 0)
        if not len(bones):
            bones = np.arange(positions.shape[1])
        parents = np.where(motion.parents[bones] >= 0, motion.parents[bones], bones)
        names = [motion.names[bone] for bone in bones]
        return cls.of(positions[:, parents], positions[:, bones], motion.frames[rows], names)

    def __len__(self) -> int:
        return len(self.heads)

    def at(self, rows: IntArray) -> Poses:
        """Only some of the poses."""
        return Poses(self.heads[rows], self.tails[rows], self.frames[rows], self.names)

    @cached_property
    def sides(self) -> IntArray:
        """(B,) LEFT, CENTRE or RIGHT."""
        return np.array([side_of(name) for name in self.names], dtype=np.int64)

    @cached_property
    def ends(self) -> FloatArray:
        """(P, 2B, 3) all heads, then all tails."""
        return np.concatenate([self.heads, self.tails], axis=1)

    @cached_property
    def size(self) -> float:
        """How big the character is: the largest diagonal of a pose's box, never zero."""
        boxes = self.ends.max(axis=1) - self.ends.min(axis=1)
        return float(max(np.linalg.norm(boxes, axis=1).max(), 1e-6))

    @cached_property
    def radii(self) -> FloatArray:
        """(B,) how thick each bone is drawn, in world units: the trunk thicker, heads thickest."""
        lengths = np.median(np.linalg.norm(self.tails - self.heads, axis=2), axis=0)
        radii = np.clip(0.13 * lengths, 0.006 * self.size, 0.017 * self.size)
        radii[self.sides == CENTRE] = np.maximum(radii[self.sides == CENTRE], 0.013 * self.size)
        head = np.array([_is_head(name) for name in self.names])
        radii[head] = np.clip(0.5 * lengths[head], radii[head], 0.036 * self.size)
        return radii

    @cached_property
    def grounds(self) -> FloatArray:
        """(P, 3) the ground under each pose's middle, as low as the lowest point of all poses."""
        middles = self.ends.mean(axis=1)
        middles[:, 2] = self.ends[..., 2].min()
        return middles

    @cached_property
    def facing(self) -> FloatArray | None:
        """(P, 3) where the character looks, level, from its left and right limbs; None without sides."""
        left, right = self.sides == LEFT, self.sides == RIGHT
        if not left.any() or not right.any():
            return None
        across = self.heads[:, right].mean(axis=1) - self.heads[:, left].mean(axis=1)
        ahead = np.stack([-across[:, 1], across[:, 0], np.zeros(len(self))], axis=1)
        return ahead / np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-12)
