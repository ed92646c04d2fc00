# SPDX-License-Identifier: GPL-3.0-or-later
"""A character of any size to perform with, for measuring."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Quaternion, Vector


def random_character(bones: int, keys: int, random: np.random.Generator) -> bpy.types.Object:
    """Branching chains of bones, with random poses (turns of some 35 degrees) at random places."""
    rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    made: list[bpy.types.EditBone] = []
    for n in range(bones):
        bone = rig.data.edit_bones.new(f"bone {n}")
        bone.parent = made[(n - 1) // 2] if made else None
        bone.head = bone.parent.tail if bone.parent else (0, 0, 0)
        bone.tail = bone.head + Vector(random.normal(size=3) * 0.1)
        made.append(bone)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.posewright.spatial_set_add()
    for place in random.uniform(-1.0, 1.0, (keys, 3)):
        for bone in rig.pose.bones:
            bone.rotation_quaternion = Quaternion(random.normal(size=3), random.normal() * 0.6)
        bpy.ops.posewright.spatial_key_add(place=place)
    return rig
