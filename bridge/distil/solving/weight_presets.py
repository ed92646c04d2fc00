# SPDX-License-Identifier: GPL-3.0-or-later
"""Ready-made bone weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import bpy
import numpy as np

from ....core import InputError, Motion, anatomy
from ....core.motion import FloatArray
from ....core.selection import weights
from ... import sampling
from ...character.description import describe
from ...sampling import bone_of_joint

# How much more the bones of a limb's end count than the others.
EMPHASIS = 4.0

PRESETS = (
    ("equal", "Whole Body", "All bones count the same"),
    ("hand", "Hands", "Hands and fingers count four times"),
    ("foot", "Feet", "Feet and toes count four times"),
    ("nine joints", "Nine Joints", "Only the hips, elbows, hands, knees and feet count"),
    ("hierarchy", "Hierarchical", "A bone counts for all the bones that hang from it"),
)


def preset_weights(armature: bpy.types.Object, preset: str) -> dict[str, float]:
    """The weight of every bone, and of the joints where bones begin that count without the bone."""
    if preset in ("hand", "foot"):
        return _emphasised(armature, preset)
    joints = sampling.joints_of(armature)
    rest = np.array(
        [_rest_position(armature, name, bone) for name, bone in zip(joints.names, joints.bones, strict=True)]
    )
    motion = Motion(rest[None], names=joints.names, parents=joints.parents)
    if preset == "nine joints":
        nine = anatomy.nine_joints(motion.names, motion.parents, describe(armature))
        found = weights.nine_joint_weights(motion, nine)
    else:
        found = weights.PRESETS[preset](motion)
    of_joints = list(zip(joints.names, joints.bones, found.tolist(), strict=True))
    of_bones = {bone: weight for name, bone, weight in of_joints if name == bone}
    # Where a bone begins may count though its tail does not: hips do, what their tail points to does not.
    heads = {name: weight for name, bone, weight in of_joints if name != bone and not of_bones[bone]}
    return of_bones | {name: weight for name, weight in heads.items() if weight}


def weights_of_joints(listed: Mapping[str, float], names: Sequence[str], bones: Iterable[str]) -> FloatArray:
    """(J,) joints have the weights of their bones unless they are listed themselves; one where neither is."""
    known = set(bones)
    return np.array([listed.get(name, listed.get(bone_of_joint(name, known), 1.0)) for name in names])


def _rest_position(armature: bpy.types.Object, name: str, bone: str) -> tuple[float, float, float]:
    rest = armature.data.bones[bone]
    return tuple(rest.tail_local if name == bone else rest.head_local)


def _emphasised(armature: bpy.types.Object, limb: str) -> dict[str, float]:
    character = describe(armature)
    chosen = set(character.hands if limb == "hand" else character.feet) or _called(armature, limb)
    if not chosen:
        raise InputError(
            "No bone of {armature} looks like a {limb}: names such as Left{name} or {limb}.L are known. Set "
            "the weights by hand instead.",
            armature=armature.name,
            limb=limb,
            name=limb.title(),
        )
    below = {child.name for name in chosen for child in armature.data.bones[name].children_recursive}
    return {bone.name: EMPHASIS if bone.name in chosen | below else 1.0 for bone in armature.data.bones}


def _called(armature: bpy.types.Object, limb: str) -> set[str]:
    """Of a part of a body, which is not understood, the bones with such a name."""
    return {bone.name for bone in armature.data.bones if (anatomy.limb_of(bone.name) or ("", ""))[1] == limb}


def set_weights(armature: bpy.types.Object, wanted: dict[str, float]) -> None:
    """Show all bones with their weights in the armature's list."""
    shown = armature.posewright.bone_weights
    shown.clear()
    for name, weight in wanted.items():
        entry = shown.add()
        entry.name, entry.weight = name, weight
