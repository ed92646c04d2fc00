# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose seen in a mirror: left bones take what right bones did, across the plane between them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

import bpy
import numpy as np

from ....core import InputError
from ....core.anatomy import Character
from ....core.motion import FloatArray
from ....core.spatial import nearest_rotation
from ....core.spatial.mirrored_axes import mirrored_axes
from ...bones import parent_rows
from ...character import describe
from ..posing.dials import Dial, Dials, found_on
from ..posing.poses import Pose, posed_bones
from .mirror_plane import MirrorPlane, plane_of, rest_heads, size_of
from .upkeep import some_of

MIRRORED = " mirrored"

BESIDE = 0.015  # a bone that begins farther from the plane, as a share of the size, is not in the middle


def mirrored_pose(armature: bpy.types.Object, pose: Pose) -> Pose:
    """The pose with left and right exchanged; refused where it holds a bone whose other side is unknown.

    The tip of a limb that the other side lacks, such as the last bone of one thumb, keeps its own pose.
    """
    character, plane = describe(armature), plane_of(armature)
    held, alone = pose.only(armature.data.bones.keys()), _alone(armature, character, plane)
    kept = _kept(armature, character, alone)
    _refuse_half(held, [name for name in alone if name not in kept])
    partners = tuple(character.mirror_of(name) or name for name in held.bones)
    around, change = _changes(armature, character, plane, held.bones)
    for each in (around, change):
        each[[name in kept for name in held.bones]] = np.eye(3)
    rotations = around @ held.rotations @ change.transpose(0, 2, 1)
    locations = np.einsum("bij,bj->bi", around, held.locations)
    # Scales have no sign to mirror: only where axes point matters, and they are exchanged if rolls differ.
    # Squared, every row sums to one, so that a bone without scale gets none however its axes lie.
    scales = np.einsum("bij,bj->bi", change**2, held.scales)
    return Pose(partners, rotations, locations, scales)


def _changes(
    armature: bpy.types.Object, character: Character, plane: MirrorPlane, held: Sequence[str]
) -> tuple[FloatArray, FloatArray]:
    """(B, 3, 3) from each bone's rest axes to its counterpart's: of what turns it, and of what it turns.

    Mirrored in the space of the armature, so that any roll is right.
    """
    bones = armature.data.bones
    rows = {name: row for row, name in enumerate(bones.keys())}
    partners = np.array([rows[character.mirror_of(name) or name] for name in rows])
    # Imported in single precision they may be off right angles, and poses would drift.
    axes = nearest_rotation(np.array([bone.matrix_local.to_3x3() for bone in bones]).reshape(-1, 3, 3))
    seen = mirrored_axes(parent_rows(armature), rest_heads(armature), partners, plane.normal)
    here = np.array([rows[name] for name in held], np.int64)
    other = axes[partners[here]].transpose(0, 2, 1)
    return other @ seen.around[here] @ axes[here], other @ seen.own[here] @ axes[here]


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


def _alone(armature: bpy.types.Object, character: Character, plane: MirrorPlane) -> list[str]:
    """Bones on one side that have no counterpart.

    What carries the body and what it is strung on are meant to be in the middle, wherever they begin.
    """
    heads, names = rest_heads(armature), armature.data.bones.keys()
    beside = np.abs(heads @ plane.normal - plane.level) > BESIDE * size_of(heads)
    middle = {character.hips, character.head, *character.spine, *character.carriers}
    sided = compress(names, beside.tolist())
    return [name for name in sided if name not in middle and character.mirror_of(name) is None]


def _kept(armature: bpy.types.Object, character: Character, alone: Sequence[str]) -> set[str]:
    """What keeps its own pose: bones on one side that neither are seen nor move a mesh, such as what a game
    reaches for by, and the tip of a part that both sides have, from which nothing hangs.
    """
    bones = armature.data.bones
    tips = {
        bone.name
        for bone in bones
        if bone.parent is not None
        and not bone.children
        and character.mirror_of(bone.name) is None
        and character.mirror_of(bone.parent.name) is not None
    }
    return tips.union(set(alone).intersection(character.mechanism))


def _refuse_half(pose: Pose, alone: Sequence[str]) -> None:
    """Refuse a pose of bones that have no counterpart; those that are at rest do no harm."""
    posed = posed_bones(pose)
    half = [name for name in alone if name in posed]
    if half:
        raise InputError(
            "No counterpart on the other side was found for {bones}, so the pose cannot be "
            "mirrored: name both sides alike, such as hand.L and hand.R, or set a key of other bones only.",
            bones=some_of(half),
        )
