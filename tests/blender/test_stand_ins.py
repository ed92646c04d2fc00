# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies of an armature that play in its place."""

import importlib
from typing import Any

import bpy
import numpy as np
import pytest


@pytest.fixture
def parts(posewright):
    names = ("stand_ins", "sampling", "stages", "character", "actions")
    return {name: importlib.import_module(f"{posewright.__name__}.bridge.{name}") for name in names}


def drive(owner, path, armature):
    """Let a property be driven by the turn of a bone of the armature."""
    driver = owner.driver_add(path, 0).driver
    variable = driver.variables.new()
    variable.targets[0].id = armature
    variable.targets[0].data_path = 'pose.bones["bone 0"].rotation_euler[0]'
    driver.expression = variable.name
    return driver


def test_a_stand_in_is_known_as_the_armature_is(make_rig, parts):
    rig = make_rig(3, rotation_mode="XYZ")
    expected = parts["character"].describe(rig)
    with parts["stand_ins"].stand_in(rig) as copy:
        assert parts["character"].is_stand_in(copy)
        assert parts["character"].describe(copy).height == expected.height
    assert list(bpy.data.objects) == [rig]


@pytest.mark.parametrize("is_linked", [False, True])
def test_the_meshes_of_an_armature_tell_about_its_stand_in(make_rig, parts, tmp_path, is_linked):
    """Also where it is linked from another file and one of the same name is here."""
    rig = make_rig(3)
    mesh = bpy.data.meshes.new("Hat")
    mesh.from_pydata([(0, 0, 0), (0, 0, 7)], [], [])
    hat = bpy.data.objects.new("Hat", mesh)
    bpy.context.scene.collection.objects.link(hat)
    hat.modifiers.new("Armature", "ARMATURE").object = rig
    if is_linked:
        path = str(tmp_path / "Characters.blend")
        bpy.ops.wm.save_as_mainfile(filepath=path)
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        make_rig(2)
        with bpy.data.libraries.load(path, link=True) as (_, wanted):
            wanted.objects = ["Rig", "Hat"]
        rig = wanted.objects[0]
    assert parts["character"].height_of(rig) == pytest.approx(7.0)
    with parts["stand_ins"].stand_in(rig) as copy:
        assert parts["character"].height_of(copy) == pytest.approx(7.0)


def test_what_its_data_reads_is_read_from_the_stand_in(make_rig, set_keys, parts):
    rig = make_rig(3, rotation_mode="XYZ")
    set_keys(rig.pose.bones[0], "rotation_euler", {1: (0, 0, 0), 20: (1, 0, 0)})
    rig.data["turn"] = [0.0]
    drive(rig.data, '["turn"]', rig)
    with parts["stand_ins"].stand_in(rig) as copy:
        [curve] = copy.data.animation_data.drivers
        assert curve.driver.variables[0].targets[0].id == copy
        with parts["stages"].evaluation_scene(copy) as scene:
            graph = scene.view_layers[0].depsgraph
            assert {each.name for each in graph.objects} == {copy.name}, "the armature need not play along"
    assert rig.data.animation_data.drivers[0].driver.variables[0].targets[0].id == rig
    assert list(bpy.data.armatures) == [rig.data]


def test_who_follows_what_follows_it(make_rig, parts):
    follows_itself = parts["stand_ins"].follows_itself
    rig = make_rig(3, rotation_mode="XYZ")
    target, between = (bpy.data.objects.new(name, None) for name in ("Target", "Between"))
    held: Any = rig.pose.bones["bone 2"].constraints.new("COPY_LOCATION")
    held.target = rig
    held.subtarget = "bone 0"
    assert not follows_itself(rig), "bones of its own are its own affair"
    held.target = target
    assert not follows_itself(rig)
    target.parent = between
    following: Any = between.constraints.new("COPY_LOCATION")
    following.target = rig
    assert follows_itself(rig)


def test_what_hangs_from_an_armature_that_stays_does_not_follow_its_pose(make_rig, set_keys, parts):
    follows_itself = parts["stand_ins"].follows_itself
    rig = make_rig(3, rotation_mode="XYZ")
    set_keys(rig.pose.bones[0], "rotation_euler", {1: (0, 0, 0), 20: (1, 0, 0)})
    target = bpy.data.objects.new("Target", None)
    rig.pose.bones["bone 2"].constraints.new("IK").target = target
    target.parent = rig
    assert not follows_itself(rig)
    target.parent_type, target.parent_bone = "BONE", "bone 0"
    assert follows_itself(rig)
    target.parent_type = "OBJECT"
    set_keys(rig, "location", {1: (0, 0, 0), 20: (1, 0, 0)})
    assert follows_itself(rig), "its copy may play another action, and be elsewhere"


def test_a_stage_within_a_stage_is_the_same(make_rig, parts):
    rig = make_rig(2)
    evaluation_scene = parts["stages"].evaluation_scene
    with evaluation_scene(rig) as outer:
        with evaluation_scene(rig) as inner:
            assert inner == outer
        assert len(bpy.data.scenes) == 2
    assert len(bpy.data.scenes) == 1


def test_undo_does_not_bring_a_stand_in_back(make_rig, parts):
    rig = make_rig(2)
    name = rig.name
    bpy.ops.ed.undo_push(message="before")
    with parts["stand_ins"].stand_in(rig) as copy, parts["stages"].evaluation_scene(copy):
        bpy.ops.ed.undo_push(message="while it plays")
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert [each.name for each in bpy.data.objects] == [name]
    assert len(bpy.data.scenes) == 1


def test_kept_poses_are_evaluated_once_and_are_those_of_one_action(make_rig, set_keys, parts, monkeypatch):
    sampling, stages, actions = parts["sampling"], parts["stages"], parts["actions"]
    rig = make_rig(2, rotation_mode="XYZ")
    set_keys(rig.pose.bones[0], "rotation_euler", {1: (0, 0, 0), 9: (1, 0, 0)})
    frames = [1.0, 4.0, 9.0]
    expected = sampling.sample(rig, frames).positions
    evaluated = []
    set_frame = stages.set_frame
    monkeypatch.setattr(stages, "set_frame", lambda scene, at: evaluated.append(at) or set_frame(scene, at))
    other = rig.animation_data.action.copy()
    with sampling.poses_kept(rig):
        assert np.array_equal(sampling.sample(rig, [4.0]).positions, expected[[1]])
        assert np.array_equal(sampling.sample(rig, frames).positions, expected)
        assert sorted(evaluated) == frames
        rig.animation_data.action = other
        actions.curves_of(rig)[0].keyframe_points[1].co.y = 0.5
        assert not np.allclose(sampling.sample(rig, [9.0]).positions, expected[[2]])
    assert len(evaluated) == 4
    sampling.sample(rig, [9.0])
    assert len(evaluated) == 5


def test_no_more_poses_are_kept_than_there_is_room_for(make_rig, set_keys, parts, monkeypatch):
    sampling = parts["sampling"]
    rig = make_rig(2, rotation_mode="XYZ")
    set_keys(rig.pose.bones[0], "rotation_euler", {1: (0, 0, 0), 9: (1, 0, 0)})
    monkeypatch.setattr(sampling, "KEPT_BYTES", 3 * 2 * 64)  # of three poses of two bones
    with sampling.poses_kept(rig):
        first, again = (sampling.sample(rig, np.arange(1.0, 10.0)).positions for _ in range(2))
        assert len(sampling._kept_of(rig)) == 3
    assert np.allclose(first, again, rtol=0.0, atol=1e-6), "worked out or played"
