# SPDX-License-Identifier: GPL-3.0-or-later
"""Finding the pose of a character among all actions of a file."""

from __future__ import annotations

import bpy
import pytest


@pytest.fixture
def walker(humanoid):
    rig = humanoid(1.0)
    rig.animation_data.action.name = "Walk"
    bpy.context.scene.frame_set(40)
    return rig


def lines():
    table = bpy.data.texts["Find Pose"].as_string().partition("\n\n")[0]
    return [line.split() for line in table.splitlines()[1:]]


def test_the_frame_that_the_character_is_at_is_found(walker):
    before = set(bpy.data.objects), walker.animation_data.action
    assert bpy.ops.posewright.find_pose(count=3) == {"FINISHED"}
    assert lines()[0][:2] == ["Walk", "40"]
    assert float(lines()[0][2]) < 0.01
    assert (set(bpy.data.objects), walker.animation_data.action) == before
    assert bpy.context.scene.frame_current == 40


def test_a_pose_that_is_not_keyed_can_be_looked_for(walker):
    """The character is put into the pose of another frame by hand."""
    bpy.context.scene.frame_set(90)
    wanted = {bone.name: bone.matrix_basis.copy() for bone in walker.pose.bones}
    bpy.context.scene.frame_set(10)
    for bone in walker.pose.bones:
        bone.matrix_basis = wanted[bone.name]
    bpy.context.view_layer.update()
    bpy.ops.posewright.find_pose(count=1)
    assert lines()[0][:2] == ["Walk", "90"]


def test_an_index_on_disk_is_used_and_kept_up_to_date(walker, tmp_path):
    path = tmp_path / "library.npz"
    bpy.ops.posewright.find_pose(filepath=str(path))
    written = path.stat().st_mtime_ns
    bpy.ops.posewright.find_pose(filepath=str(path))
    assert path.stat().st_mtime_ns == written, "nothing new was there to add"
    other = walker.animation_data.action.copy()
    other.name = "Stroll"
    bpy.ops.posewright.find_pose(filepath=str(path))
    assert {line[0] for line in lines()} == {"Walk", "Stroll"}


def test_a_character_without_limbs_is_told_so(make_rig, set_keys):
    rig = make_rig(2)
    set_keys(rig.pose.bones[0], "location", {1: (0, 0, 0), 5: (0, 0, 1)})
    with pytest.raises(RuntimeError, match="were found, which nine joints need"):
        bpy.ops.posewright.find_pose()


@pytest.mark.parametrize("file", ["Soldier.glb", "Fox.glb", "RobotExpressive.glb", "walk_elderly.bvh"])
def test_characters_of_all_importers_find_their_own_frames(import_character, file):
    """Tails anywhere, centimetres, helper bones, a root far from the body."""
    rig = import_character(file)
    bpy.context.view_layer.objects.active = rig
    middle = int(sum(rig.animation_data.action.frame_range) / 2)
    bpy.context.scene.frame_set(middle)
    bpy.ops.posewright.find_pose(count=2)
    assert lines()[0][:3] == [rig.animation_data.action.name, str(middle), "0.00"]


def test_actions_of_another_character_are_found_too(import_character, humanoid):
    """A larger one, elsewhere, that looks the other way."""
    rig = import_character("Soldier.glb")
    walker = humanoid(1.0)
    walker.animation_data.action.name = "Stroll"
    twin = walker.copy()
    twin.animation_data_clear()
    bpy.context.collection.objects.link(twin)
    twin.scale, twin.rotation_euler, twin.location = (3.0,) * 3, (0.0, 0.0, 2.0), (5.0, 1.0, 2.0)
    bpy.context.scene.frame_set(60)
    for bone in twin.pose.bones:
        bone.matrix_basis = walker.pose.bones[bone.name].matrix_basis
    bpy.context.view_layer.objects.active = twin
    bpy.context.view_layer.update()
    bpy.ops.posewright.find_pose(count=40)
    assert lines()[0][:2] == ["Stroll", "60"]
    assert {"Idle", "Run"} & {line[0] for line in lines()}, f"of {rig.name}"
