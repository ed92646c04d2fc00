# SPDX-License-Identifier: GPL-3.0-or-later
"""A bear with a spatial set to play with, made with the operators a user presses."""

from __future__ import annotations

from math import radians

import bpy
from mathutils import Euler, Vector

from .bear import Place, build_bear

# All keys are in one plane in front of the bear, so that depth does not matter. For each key: where it
# belongs, how bones turn about the world's axes (degrees), and where the hips go.
KEYS: dict[str, tuple[Place, dict[str, Place], Place]] = {
    "front": ((0, -1.0, 1.2), {}, (0, 0, 0)),
    "look left": (
        (1.1, -1.0, 1.25),
        {"head": (0, 0, 40), "spine": (0, -12, 22), "upper_arm.L": (0, -45, 0), "upper_arm.R": (0, 15, 0)},
        (0.06, 0, 0),
    ),
    "reach up": (
        (0, -1.0, 2.15),
        {
            "head": (-28, 0, 0),
            "spine": (-12, 0, 0),
            "upper_arm.L": (0, -75, 0),
            "forearm.L": (0, -20, 0),
            "upper_arm.R": (0, 75, 0),
            "forearm.R": (0, 20, 0),
        },
        (0, 0, 0.08),
    ),
    "bow": (
        (0, -1.0, 0.35),
        {"head": (22, 0, 0), "spine": (42, 0, 0), "upper_arm.L": (25, 25, 0), "upper_arm.R": (25, -25, 0)},
        (0, 0.1, -0.03),
    ),
    "wave left": (
        (1.0, -1.0, 2.0),
        {
            "head": (-8, 10, 25),
            "spine": (0, -8, 10),
            "upper_arm.L": (0, -60, 0),
            "forearm.L": (0, -60, 0),
            "upper_arm.R": (0, 25, 0),
        },
        (0.04, 0, 0.02),
    ),
}
MIRRORED = ("look left", "wave left")


def ready_bear() -> bpy.types.Object:
    """A bear that follows its red cursor: seven poses around it, two of them mirrored from the others."""
    armature = build_bear()
    bpy.ops.posewright.spatial_set_add(name="Acting")
    settings = armature.posewright.spatial
    spatial_set = settings.sets[0]
    for name, (place, turns, hips) in KEYS.items():
        pose(armature, turns, hips)
        bpy.ops.posewright.spatial_key_add(name=name, place=place)
    for name in MIRRORED:
        spatial_set.key_index = spatial_set.keys.find(name)
        bpy.ops.posewright.spatial_key_mirror()
    spatial_set.key_index = 0
    bpy.ops.posewright.spatial_key_go_to()
    settings.live = True
    bpy.context.view_layer.update()
    return armature


def pose(armature: bpy.types.Object, turns: dict[str, Place], hips: Place) -> None:
    """Turn bones from their rest position about the world's axes; bones without a turn are at rest."""
    for bone in armature.pose.bones:
        rest = bone.bone.matrix_local.to_3x3()
        turn = Euler([radians(angle) for angle in turns.get(bone.name, (0, 0, 0))]).to_matrix()
        bone.rotation_mode = "QUATERNION"
        bone.rotation_quaternion = (rest.inverted() @ turn @ rest).to_quaternion()
        bone.location = (0, 0, 0)
    root = armature.pose.bones["hips"]
    root.location = root.bone.matrix_local.to_3x3().inverted() @ Vector(hips)
