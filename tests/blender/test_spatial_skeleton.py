# SPDX-License-Identifier: GPL-3.0-or-later
"""The skeleton of the core follows its parents as Blender's bones do, and its solutions hold in Blender."""

import importlib

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Quaternion, Vector

from core import Effector, solve_ik
from core.rotations import matrix_to_quaternion
from core.spatial.inheritance import SCALES

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
        bone.location, bone.scale = Vector(rng.normal(size=3)), Vector(rng.uniform(0.8, 1.2, size=3))
    bpy.context.view_layer.update()
    return rig


def pose_of(rig):
    bones = rig.pose.bones
    turned = np.array([bone.rotation_quaternion.to_matrix() for bone in bones])
    return turned, np.array([bone.location for bone in bones]), np.array([bone.scale for bone in bones])


@pytest.fixture
def skeleton_of(posewright):
    return importlib.import_module(
        f"{posewright.__name__}.bridge.spatial.posing.forward_kinematics"
    ).skeleton_of


def unusual(rig, seed):
    """Bones that follow their parents in every way there is, by turns."""
    rng = np.random.default_rng(seed)
    for n, bone in enumerate(rig.data.bones):
        bone.inherit_scale = SCALES[(n + seed) % len(SCALES)]
        bone.use_inherit_rotation, bone.use_local_location = (bool(flag) for flag in rng.integers(0, 2, 2))
    bpy.context.view_layer.update()


@pytest.mark.parametrize("seed", range(12))
def test_bones_follow_their_parents_in_every_way_that_blenders_do(posed_rig, skeleton_of, seed):
    unusual(posed_rig, seed)
    skeleton = skeleton_of(posed_rig)
    pose = skeleton.pose_matrices(*pose_of(posed_rig))
    np.testing.assert_allclose(pose, [bone.matrix for bone in posed_rig.pose.bones], atol=2e-4)


@pytest.mark.parametrize("seed", range(6))
def test_unusual_bones_reach_their_place_and_rotation_in_blender(posed_rig, skeleton_of, seed):
    unusual(posed_rig, seed)
    for bone in posed_rig.pose.bones:
        bone.scale = (1.1, 1.1, 1.1)
    bpy.context.view_layer.update()
    skeleton = skeleton_of(posed_rig)
    turned, moved, scaled = pose_of(posed_rig)
    tip = int(np.argmax([len(skeleton.chain(bone)) for bone in range(BONES)]))
    shown = posed_rig.pose.bones[tip]
    target = shown.tail + Vector((0.05, -0.04, 0.03))
    wanted = shown.matrix.to_3x3().normalized() @ Euler((0.1, 0.2, -0.1)).to_matrix()
    effector = Effector(tip, target, rotation=wanted)
    found = solve_ik(skeleton, turned, [effector], translations=moved, scales=scaled)
    for bone, rotation in zip(posed_rig.pose.bones, found.rotations, strict=True):
        bone.rotation_quaternion = matrix_to_quaternion(rotation)
    bpy.context.view_layer.update()
    assert (shown.tail - target).length < 1e-3
    assert wanted.to_quaternion().rotation_difference(shown.matrix.to_quaternion()).angle < 2e-3


def test_pose_matrices_and_tails_are_blenders(posed_rig, skeleton_of):
    skeleton = skeleton_of(posed_rig)
    pose = skeleton.pose_matrices(*pose_of(posed_rig))
    np.testing.assert_allclose(pose, [bone.matrix for bone in posed_rig.pose.bones], atol=2e-5)
    np.testing.assert_allclose(skeleton.tails(pose), [bone.tail for bone in posed_rig.pose.bones], atol=2e-5)


def test_a_solution_reaches_its_target_in_blender(posed_rig, skeleton_of):
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


@pytest.mark.parametrize("kept_in_place", [False, True])
def test_joints_are_where_blender_puts_them_below_a_parent(posed_rig, posewright, kept_in_place):
    """A character that walks is moved by its location, which its parent scales and turns."""
    skeletons = importlib.import_module(f"{posewright.__name__}.bridge.spatial.posing.forward_kinematics")
    poses = importlib.import_module(f"{posewright.__name__}.bridge.spatial.posing.poses")
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.location, parent.rotation_euler, parent.scale = (1, -2, 3), (0.3, 0.2, 0.8), (10, 10, 10)
    bpy.context.view_layer.update()
    posed_rig.parent = parent
    if kept_in_place:
        posed_rig.matrix_parent_inverse = parent.matrix_world.inverted() @ Matrix.Translation((0, 1, 0))
        parent.scale = (2, 2, 2)
    bpy.context.view_layer.update()
    pose = poses.current_pose(posed_rig, posed_rig.pose.bones.keys())
    places = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.5, -2.0, 3.0)])
    parts = (np.stack([part] * 3) for part in (pose.rotations, pose.locations, pose.scales))
    many = poses.Pose(pose.bones, *parts)
    found = skeletons.Joints(posed_rig).positions(many, skeletons.Base(locations=places))
    for place, positions in zip(places, found, strict=True):
        posed_rig.location = place
        bpy.context.view_layer.update()
        bones, world = posed_rig.pose.bones, posed_rig.matrix_world
        sides = [
            bone.tail + 0.5 * bone.bone.length * bone.matrix.col[0].to_3d()
            for bone in bones
            if not bone.children
        ]
        ends = [bone.head for bone in bones] + [bone.tail for bone in bones] + sides
        shown = [world @ end for end in ends]
        np.testing.assert_allclose(positions, shown, atol=2e-3)
