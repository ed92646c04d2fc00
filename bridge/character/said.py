# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user has said about a character where what was found is wrong: `Object.posewright.character`."""

from __future__ import annotations

from typing import Any

import bpy

from ...core.motion import FloatArray

FEET = ("foot_left", "foot_right", "fore_foot_left", "fore_foot_right")
HANDS = ("hand_left", "hand_right")
AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


def corrections_of(armature: bpy.types.Object, axes: FloatArray) -> dict[str, Any]:
    """For `anatomy.corrected`; bones that are not there any more are left out.

    Args:
        axes: (3, 3) what turns and scales places of the armature into the world.
    """
    said, bones = armature.posewright.character, armature.data.bones
    found: dict[str, Any] = {
        name: bone for name in ("hips", "head") if (bone := getattr(said, name)) in bones
    }
    for part, names in (("feet", FEET), ("hands", HANDS)):
        ends = [bone if can_end_a_limb(armature, bone := getattr(said, name)) else None for name in names]
        if any(ends):
            found[part] = ends
    if said.height > 0.0:
        found["height"] = said.height
    if said.use_ground:
        found["ground"] = said.ground
    if said.front != "AUTO":
        sign, axis = said.front
        found["front"] = axes @ AXES[axis] * (1.0 if sign == "+" else -1.0)
    pairs = [
        (each.left, each.right)
        for each in said.pairs
        if each.left in bones and each.right in bones and each.left != each.right
    ]
    return found | ({"pairs": pairs} if pairs else {})


def can_end_a_limb(armature: bpy.types.Object, bone: str) -> bool:
    """Whether a bone is there and has two above it, the halves of an arm or a leg."""
    end = armature.data.bones.get(bone)
    return end is not None and end.parent is not None and end.parent.parent is not None
