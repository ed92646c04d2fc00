# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose seen in a mirror: left bones take what right bones did, across the plane between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ....core import InputError
from ....core.anatomy import Character
from ....core.motion import FloatArray
from ...character import describe
from ..posing.dials import Dial, Dials, found_on
from ..posing.poses import Pose, posed_bones
from .upkeep import some_of

MIRRORED = " mirrored"

# A plane so near to one of the armature's own, by the sine of the angle between them and by the distance as a
# share of the size, is meant to be that one: rest poses are symmetric to some decimals only.
NEARLY_AXIS = 0.03
NEARLY_ORIGIN = 0.005
BESIDE = 0.015  # a bone that begins farther from the plane, as a share of the size, is not in the middle


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
    """The plane that the armature's pairs mirror each other in; across its X axis if there are none."""
    return _plane(_heads(armature), describe(armature), armature.data.bones.keys())


def mirrored_pose(armature: bpy.types.Object, pose: Pose) -> Pose:
    """The pose with left and right exchanged; refused where it holds a bone whose other side is unknown.

    The tip of a limb that the other side lacks, such as the last bone of one thumb, keeps its own pose.
    A bone turned by B about its own rest axes R makes its counterpart, with rest axes R', turn by C B C^-1
    where C = R'^-1 X R and X mirrors: right for any bone roll, as long as joints are placed symmetrically.
    """
    bones, character = armature.data.bones, describe(armature)
    heads, names = _heads(armature), bones.keys()
    plane, held = _plane(heads, character, names), pose.only(names)
    tips = _tips_alone(armature, character)
    _refuse_half(held, character, plane, heads, names, tips)
    partners = [character.mirror_of(name) or name for name in held.bones]
    axes = _rest_axes(bones, partners).transpose(0, 2, 1)
    change = axes @ plane.reflection @ _rest_axes(bones, held.bones)
    change[[name in tips for name in held.bones]] = np.eye(3)
    rotations = change @ held.rotations @ change.transpose(0, 2, 1)
    locations = np.einsum("bij,bj->bi", change, held.locations)
    # Scales have no sign to mirror: only where axes point matters, and they are exchanged if rolls differ.
    # Squared, every row sums to one, so that a bone without scale gets none however its axes lie.
    parts = change**2 / (change**2).sum(axis=-1, keepdims=True)  # rest axes are in single precision
    scales = np.einsum("bij,bj->bi", parts, held.scales)
    return Pose(tuple(partners), rotations, locations, scales)


def mirrored_dials(armature: bpy.types.Object, dials: Dials) -> Dials:
    """Custom properties go to the bone on the other side, and `smile.L` to `smile.R`, where these are."""
    character = describe(armature)

    def seen(dial: Dial) -> Dial:
        name = bpy.utils.flip_name(dial.name)
        return Dial(name, character.mirror_of(dial.bone) or dial.bone if dial.bone else "", dial.mesh)

    found = found_on(armature, (seen(dial) for dial in dials.which))
    return Dials.of({found.get(seen(dial), dial): value for dial, value in dials.as_dict().items()})


def mirrored_name(name: str) -> str:
    """`look.L` becomes `look.R`, `left` becomes `right`; a name without a side says that it is mirrored.

    Twice mirrored, every name is what it was.
    """
    if name.endswith(MIRRORED):
        return name.removesuffix(MIRRORED)
    flipped = bpy.utils.flip_name(name)
    if flipped != name:
        return flipped
    words = {"left": "right", "Left": "Right", "right": "left", "Right": "Left"}
    swapped = [words.get(word, word) for word in name.split(" ")]
    return " ".join(swapped) if swapped != name.split(" ") else name + MIRRORED


def _plane(heads: FloatArray, character: Character, names: Sequence[str]) -> MirrorPlane:
    rows = {name: row for row, name in enumerate(names)}
    left = heads[[rows[bone] for bone, _ in character.pairs]]
    right = heads[[rows[bone] for _, bone in character.pairs]]
    size = _size(heads)
    across = (left - right).sum(axis=0)
    length = float(np.linalg.norm(across))
    normal = across / length if length > NEARLY_ORIGIN * size else np.array([1.0, 0.0, 0.0])
    axis = np.eye(3)[np.abs(normal).argmax()]
    if np.linalg.norm(np.cross(axis, normal)) < NEARLY_AXIS:
        normal = axis
    middles = (left + right) / 2.0 if len(left) else heads
    level = float(np.median(middles @ normal)) if len(middles) else 0.0
    return MirrorPlane(normal, 0.0 if abs(level) < NEARLY_ORIGIN * size else level)


def _tips_alone(armature: bpy.types.Object, character: Character) -> set[str]:
    """Bones that nothing hangs from, and that one side has at the end of a part that both sides have."""
    return {
        bone.name
        for bone in armature.data.bones
        if bone.parent is not None
        and not bone.children
        and character.mirror_of(bone.name) is None
        and character.mirror_of(bone.parent.name) is not None
    }


def _refuse_half(
    pose: Pose,
    character: Character,
    plane: MirrorPlane,
    heads: FloatArray,
    names: Sequence[str],
    tips: set[str],
) -> None:
    """Refuse a pose of bones on one side that have no counterpart; those that are at rest do no harm.

    What carries the body and what it is strung on are meant to be in the middle, wherever they begin.
    """
    away = np.abs(heads @ plane.normal - plane.level)
    beside = away > BESIDE * _size(heads)
    posed = posed_bones(pose) - {character.hips, character.head, *character.spine, *character.carriers} - tips
    alone = [
        name
        for name, on_one_side in zip(names, beside.tolist(), strict=True)
        if on_one_side and name in posed and character.mirror_of(name) is None
    ]
    if alone:
        raise InputError(
            "No counterpart on the other side was found for {bones}, so the pose cannot be "
            "mirrored: name both sides alike, such as hand.L and hand.R, or set a key of other bones only.",
            bones=some_of(alone),
        )


def _size(heads: FloatArray) -> float:
    return float(np.ptp(heads, axis=0).max()) if len(heads) else 0.0


def _heads(armature: bpy.types.Object) -> FloatArray:
    """(B, 3) where the bones begin at rest, in the armature."""
    heads = np.empty(3 * len(armature.data.bones), np.float32)
    armature.data.bones.foreach_get("head_local", heads)
    return heads.reshape(-1, 3).astype(np.float64)


def _rest_axes(bones: bpy.types.bpy_prop_collection, names: Iterable[str]) -> np.ndarray:
    return np.array([bones[name].matrix_local.to_3x3() for name in names]).reshape(-1, 3, 3)
