# SPDX-License-Identifier: GPL-3.0-or-later
"""The plane between the left and the right of a character."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import bpy
import numpy as np

from ....core.anatomy import Character
from ....core.motion import FloatArray
from ...bones import parent_rows
from ...character import describe, up_and_front
from ...character.description import axes_of

# A plane so near to one of the armature's own, by the sine of the angle between them and by the distance as a
# share of the size, is meant to be that one: rest poses are symmetric to some decimals only.
NEARLY_AXIS = 0.03
NEARLY_ORIGIN = 0.005
LIES = 0.7  # what is up for a character is less up where it lies
AGREED = 0.9  # of the ways from right to left, added up: where less is left of them, they go to several sides

X = np.array([1.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class MirrorPlane:
    """The plane between left and right, in the space of the armature.

    Attributes:
        normal: (3,) unit vector.
        level: where the plane is along it.
    """

    normal: FloatArray
    level: float

    @property
    def reflection(self) -> FloatArray:
        """(3, 3) what mirrors directions."""
        return np.eye(3) - 2.0 * np.outer(self.normal, self.normal)

    def mirrored(self, place: Iterable[float]) -> FloatArray:
        return self.reflection @ np.asarray(tuple(place)) + 2.0 * self.level * self.normal


def plane_of(armature: bpy.types.Object) -> MirrorPlane:
    """The plane that the armature's pairs mirror each other in; across its X axis if there are none.

    Where a rest pose has no sides, as where all bones lie along one axis, it is across the way the character
    looks, through its hips; and so it is where a character that is shown upright rests on its side.
    """
    character, heads = describe(armature), rest_heads(armature)
    left, right = _opposite(armature, character, heads)
    if not len(left):
        return _plane(X, heads, size_of(heads))
    apart = left - right
    across = apart.sum(axis=0)
    agreed = np.linalg.norm(across) >= AGREED * np.linalg.norm(apart, axis=1).sum()
    up, front = character.up, character.front
    if agreed:
        shown = up_and_front(armature, character)
        if not _rests_on_its_side(axes_of(armature) @ across, up, shown[0]):
            return _plane(across, (left + right) / 2.0, size_of(heads))
        up, front = shown
    hips = armature.data.bones.find(character.hips) if character.hips else 0
    across = X if front is None else np.linalg.solve(axes_of(armature), np.cross(up, front))
    return _plane(across, heads[[hips]], size_of(heads))


def rest_heads(armature: bpy.types.Object) -> FloatArray:
    """(B, 3) where the bones begin at rest, in the armature."""
    heads = np.empty(3 * len(armature.data.bones), np.float32)
    armature.data.bones.foreach_get("head_local", heads)
    return heads.reshape(-1, 3).astype(np.float64)


def size_of(heads: FloatArray) -> float:
    return float(np.ptp(heads, axis=0).max()) if len(heads) else 0.0


def _opposite(
    armature: bpy.types.Object, character: Character, heads: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """(P, 3) places on the left and on the right that lie opposite each other.

    Where limbs leave the body, if that is apart: where they go at rest may differ on the two sides.
    """
    rows = {name: row for row, name in enumerate(armature.data.bones.keys())}
    pairs = np.array([[rows[bone] for bone in pair] for pair in character.pairs], np.int64).reshape(-1, 2)
    left, right = pairs.T
    apart = np.linalg.norm(heads[left] - heads[right], axis=1) > NEARLY_ORIGIN * size_of(heads)
    above = parent_rows(armature)
    leaving = apart & (above[left] == above[right]) & (above[left] >= 0)
    some = leaving if leaving.any() else apart
    return heads[left[some]], heads[right[some]]


def _plane(across: FloatArray, middles: FloatArray, size: float) -> MirrorPlane:
    """Along an axis and through the origin where that is meant."""
    normal = across / np.linalg.norm(across)
    axis = np.eye(3)[np.abs(across).argmax()]
    if np.linalg.norm(np.cross(axis, normal)) < NEARLY_AXIS:
        normal = axis
    level = float(np.median(middles @ normal)) if len(middles) else 0.0
    return MirrorPlane(normal, 0.0 if abs(level) < NEARLY_ORIGIN * size else level)


def _rests_on_its_side(across: FloatArray, up: FloatArray, shown_up: FloatArray) -> bool:
    """Whether a body is shown upright, and what is across it at rest goes up and down there."""
    return bool(up @ shown_up < LIES and abs(across @ shown_up) > LIES * np.linalg.norm(across))
