# SPDX-License-Identifier: GPL-3.0-or-later
"""`Skeleton`: just enough of an armature to know where its bones are in a pose."""

from __future__ import annotations

import copy

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import FloatArray, IntArray, numbers, whole_numbers
from ..errors import InputError
from .inheritance import Inheritance


class Skeleton:
    """Bones, their parents and their rest pose.

    Args:
        parents: (B,) index of each bone's parent, -1 for a root; any order.
        rest: (B, 4, 4) rest matrix of each bone in armature space (Blender's `Bone.matrix_local`).
        lengths: (B,) length of each bone; its tail is that far along its own y axis. Zero if left out.
        inheritance: how bones follow their parents; as Blender's do by default if left out.
        ends: (B, 3) where bones end in their own space, for those whose tails do not tell.

    By default the pose of a bone is pose of parent @ inverse rest of parent @ rest @ basis, and basis is
    translation @ rotation @ scale.
    """

    def __init__(
        self,
        parents: ArrayLike,
        rest: ArrayLike,
        lengths: ArrayLike | None = None,
        inheritance: Inheritance | None = None,
        ends: ArrayLike | None = None,
    ):
        self.rest = numbers(rest, "rest matrices", (None, 4, 4))
        self.parents = _parents(parents, len(self.rest))
        count = len(self.rest)
        self.ends = np.zeros((count, 3)) if ends is None else numbers(ends, "ends of bones", (count, 3))
        if ends is None and lengths is not None:
            self.ends[:, 1] = numbers(lengths, "bone lengths", (count,))
        if count and np.abs(np.linalg.det(self.rest)).min() < 1e-12:
            raise InputError("A rest matrix cannot be inverted; every bone needs a length and a direction.")
        self.levels = _levels(self.parents)
        unusual = inheritance is not None and not inheritance.is_usual
        self.inheritance = inheritance if unusual else None
        followed = np.where((self.parents < 0)[:, None, None], np.eye(4), self.rest[self.parents])
        # Each bone's rest matrix in the space of its parent; in armature space for a root.
        self.offsets: FloatArray = np.linalg.solve(followed, self.rest)

    def __len__(self) -> int:
        return len(self.parents)

    def pose_matrices(
        self, rotations: FloatArray, translations: FloatArray | None = None, scales: FloatArray | None = None
    ) -> FloatArray:
        """(..., B, 4, 4) where every bone is, for local poses (..., B, 3, 3), (..., B, 3) and (..., B, 3)."""
        basis = np.zeros((*rotations.shape[:-2], 4, 4))
        basis[..., :3, :3] = rotations if scales is None else rotations * scales[..., None, :]
        basis[..., :3, 3] = 0.0 if translations is None else translations
        basis[..., 3, 3] = 1.0
        if self.inheritance is not None:
            return self._followed(basis, self.inheritance)
        pose = self.offsets @ basis
        for level in self.levels[1:]:
            pose[..., level, :, :] = pose[..., self.parents[level], :, :] @ pose[..., level, :, :]
        return pose

    def _followed(self, basis: FloatArray, inheritance: Inheritance) -> FloatArray:
        pose = np.empty_like(basis)
        roots = self.levels[0]
        pose[..., roots, :, :] = self._roots(basis[..., roots, :, :], inheritance.local_location[roots])
        for level in self.levels[1:]:
            above = self.parents[level]
            pose[..., level, :, :] = inheritance.follow(
                level, pose[..., above, :, :], self.rest[above], self.offsets[level], basis[..., level, :, :]
            )
        return pose

    def _roots(self, basis: FloatArray, local_location: NDArray[np.bool_]) -> FloatArray:
        """Roots turn about their own axes; those without local location move along the armature's."""
        offsets = self.offsets[self.levels[0]]
        pose = offsets @ basis
        along_armature = offsets[:, :3, 3] + basis[..., :3, 3]
        pose[..., :3, 3] = np.where(local_location[:, None], pose[..., :3, 3], along_armature)
        return pose

    def tails(self, pose: FloatArray) -> FloatArray:
        """(..., B, 3) the ends of the bones for pose matrices (..., B, 4, 4)."""
        return pose[..., :3, 3] + np.einsum("...bij,bj->...bi", pose[..., :3, :3], self.ends)

    def chain(self, bone: int, length: int = 0) -> IntArray:
        """`bone` and its ancestors, at most `length` of them (0: up to the root), the bone itself first."""
        found = []
        while bone >= 0 and (length == 0 or len(found) < length):
            found.append(bone)
            bone = int(self.parents[bone])
        return np.array(found, dtype=np.int64)

    def with_all_above(self, bones: IntArray) -> IntArray:
        """Ascending: `bones` and all their ancestors."""
        found = np.zeros(len(self), bool)
        found[bones] = True
        for level in reversed(self.levels[1:]):
            found[self.parents[level[found[level]]]] = True
        return np.flatnonzero(found)

    def part(self, bones: IntArray) -> Skeleton:
        """Only `bones`, whose parents must be among them."""
        place = np.full(len(self) + 1, -1)
        place[bones] = np.arange(len(bones))
        part = copy.copy(self)
        part.parents = place[self.parents[bones]]
        part.levels = _levels(part.parents)
        part.rest, part.ends, part.offsets = self.rest[bones], self.ends[bones], self.offsets[bones]
        part.inheritance = None if self.inheritance is None else self.inheritance.part(bones)
        return part


def _parents(values: ArrayLike, count: int) -> IntArray:
    parents = whole_numbers(values, "parents", (count,))
    if (parents < -1).any() or (parents >= count).any():
        raise InputError("Parents must be bone numbers from 0 to {last}, or -1 for a root.", last=count - 1)
    return parents


def _levels(parents: IntArray) -> list[IntArray]:
    """The bones by their distance from the root, so that a whole level can be posed at once."""
    depth = np.where(parents < 0, 0, -1)
    levels = [np.flatnonzero(depth == 0)]
    while (depth < 0).any():
        level = np.flatnonzero((depth < 0) & (depth[parents] >= 0))
        if len(level) == 0:
            raise InputError("The parents go around in a circle; every bone must lead up to a root.")
        depth[level] = len(levels)
        levels.append(level)
    return levels
