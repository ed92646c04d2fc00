# SPDX-License-Identifier: GPL-3.0-or-later
"""The skeleton of the core follows its parents as Blender's bones do, and its solutions hold in Blender."""

import bpy
import numpy as np
import pytest
from mathutils import Quaternion, Vector

from core import Effector, Skeleton, solve_ik
from core.rotations import matrix_to_quaternion

BONES = 10


@pytest.fixture
def posed_rig(clean_blender):
    """A tree of bones in no particular direction, each turned, moved and scaled."""
    rng = np.random.default_rng(0)
    rig = bpy.data.objects.new("Tree", bpy.data.armatures.new("Tree"))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    made = []
    for i in range(BONES):
        bone = rig.data.edit_bones.new(f"Bone {i}")
        bone.head, bone.tail, bone.roll = rng.normal(size=3), rng.normal(size=3), rng.random()
        if made:
            bone.parent = made[rng.integers(len(made))]
        made.append(bone)
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in rig.pose.bones:
        bone.rotation_mode = "QUATERNION"
        bone.rotation_quaternion = Quaternion(rng.normal(size=4)).normalized()
        bone.location, bone.scale = rng.normal(size=3), rng.uniform(0.8, 1.2, size=3)
    bpy.context.view_layer.update()
    return rig


def skeleton_of(rig):
    bones = list(rig.data.bones)
    parents = [bones.index(bone.parent) if bone.parent else -1 for bone in bones]
    return Skeleton(parents, [bone.matrix_local for bone in bones], [bone.length for bone in bones])


def pose_of(rig):
    bones = rig.pose.bones
    turned = np.array([bone.rotation_quaternion.to_matrix() for bone in bones])
    return turned, np.array([bone.location for bone in bones]), np.array([bone.scale for bone in bones])


def test_pose_matrices_and_tails_are_blenders(posed_rig):
    skeleton = skeleton_of(posed_rig)
    pose = skeleton.pose_matrices(*pose_of(posed_rig))
    np.testing.assert_allclose(pose, [bone.matrix for bone in posed_rig.pose.bones], atol=2e-5)
    np.testing.assert_allclose(skeleton.tails(pose), [bone.tail for bone in posed_rig.pose.bones], atol=2e-5)


def test_a_solution_reaches_its_target_in_blender(posed_rig):
    skeleton = skeleton_of(posed_rig)
    turned, moved, scaled = pose_of(posed_rig)
    tip = int(np.argmax([len(skeleton.chain(bone)) for bone in range(BONES)]))
    assert len(skeleton.chain(tip)) >= 3
    target = posed_rig.pose.bones[tip].tail + Vector((0.2, -0.1, 0.15))
    found = solve_ik(skeleton, turned, [Effector(tip, target)], translations=moved, scales=scaled)
    for bone, rotation in zip(posed_rig.pose.bones, found.rotations, strict=True):
        bone.rotation_quaternion = matrix_to_quaternion(rotation)
    bpy.context.view_layer.update()
    assert (posed_rig.pose.bones[tip].tail - target).length < 1e-4
