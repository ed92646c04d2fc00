# SPDX-License-Identifier: GPL-3.0-or-later
"""Ready-made bone weights."""

from __future__ import annotations

import bpy
import numpy as np

from ...core import InputError, Motion
from ...core.selection import weights
from .. import sampling

# How much more the bones of a limb's end count than the others.
EMPHASIS = 4.0

PRESETS = (
    ("equal", "Whole Body", "All bones count the same"),
    ("hand", "Hands", "Hands and fingers count four times"),
    ("foot", "Feet", "Feet and toes count four times"),
    ("nine joints", "Nine Joints", "Only the root, elbows, hands, knees and feet count"),
    ("hierarchy", "Hierarchical", "A bone counts for all the bones that hang from it"),
)


def preset_weights(armature: bpy.types.Object, preset: str) -> dict[str, float]:
    """The weight of every bone."""
    if preset in ("hand", "foot"):
        return _emphasised(armature, preset)
    joints = sampling.joints_of(armature)
    rest = np.array(
        [_rest_position(armature, name, bone) for name, bone in zip(joints.names, joints.bones, strict=True)]
    )
    found = weights.PRESETS[preset](Motion(rest[None], names=joints.names, parents=joints.parents))
    return {
        name: float(weight)
        for name, weight in zip(joints.names, found, strict=True)
        if name in armature.data.bones
    }


def _rest_position(armature: bpy.types.Object, name: str, bone: str) -> tuple[float, float, float]:
    rest = armature.data.bones[bone]
    return tuple(rest.tail_local if name == bone else rest.head_local)


def _emphasised(armature: bpy.types.Object, limb: str) -> dict[str, float]:
    chosen = {
        bone.name for bone in armature.data.bones if (weights.limb_of(bone.name) or ("", ""))[1] == limb
    }
    if not chosen:
        raise InputError(
            f"No bone of {armature.name} looks like a {limb}: names such as Left{limb.title()} or {limb}.L "
            "are known. Set the weights by hand instead."
        )
    below = {child.name for name in chosen for child in armature.data.bones[name].children_recursive}
    return {bone.name: EMPHASIS if bone.name in chosen | below else 1.0 for bone in armature.data.bones}


def set_weights(armature: bpy.types.Object, wanted: dict[str, float]) -> None:
    """Show all bones with their weights in the armature's list."""
    shown = armature.posewright.bone_weights
    shown.clear()
    for name, weight in wanted.items():
        entry = shown.add()
        entry.name, entry.weight = name, weight
