# SPDX-License-Identifier: GPL-3.0-or-later
"""What ghosts are made of: key poses where they are, paths through their keys, skins as they deform."""

from __future__ import annotations

import importlib

import bpy
import numpy as np
import pytest

CHAIN = {"low": ((0, 0, 0), (0, 0, 1), None), "high": ((0, 0, 1), (0, 0, 2), "low")}


@pytest.fixture
def source(clean_blender):
    return importlib.import_module(f"{clean_blender.__name__}.bridge.pictures.ghosts")


@pytest.fixture
def drawing(clean_blender):
    return importlib.import_module(f"{clean_blender.__name__}.drawing.ghost_overlay")


@pytest.fixture
def bending(make_rig, set_keys):
    rig = make_rig(CHAIN, rotation_mode="XYZ", location=(3, 0, 0))
    set_keys(rig.pose.bones["high"], "rotation_euler", {1: (0, 0, 0), 10: (1.2, 0, 0), 30: (0, 0, 1)})
    set_keys(rig, "location", {1: (3, 0, 0), 30: (3, 5, 0)})
    return rig


def wanted(source, rig, **changes):
    values = {"armature": rig.name, "action": "", "most": 60, "between": 0, "skin": False, "path_bones": ()}
    return source.Wanted(**(values | changes))


def test_one_ghost_a_key_with_every_bone_where_the_pose_has_it(source, bending):
    data = source.gather(bending, wanted(source, bending))
    assert data.frames.tolist() == [1, 10, 30]
    for frame, body in zip(data.frames, data.bodies, strict=True):
        bpy.context.scene.frame_set(int(frame))
        corners = body.corners.reshape(2, 24, 3)
        for bone, solid in zip(bending.pose.bones, corners, strict=True):
            for end in (bone.head, bone.tail):
                place = np.array(bending.matrix_world @ end)
                assert np.linalg.norm(solid - place, axis=1).min() < 1e-4


def test_poses_between_the_keys_are_shown_beside_them(source, bending):
    plain = source.gather(bending, wanted(source, bending))
    data = source.gather(bending, wanted(source, bending, between=2))
    assert not plain.between
    assert data.frames.tolist() == [1, 10, 30]
    np.testing.assert_allclose(data.between_places, [1 / 3, 2 / 3, 4 / 3, 5 / 3])
    for one, other in zip(plain.bodies, data.bodies, strict=True):
        np.testing.assert_array_equal(one.corners, other.corners)
    for frame, body in zip((4, 7, 10 + 20 / 3, 10 + 40 / 3), data.between, strict=True):
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1)
        tip = np.array(bending.matrix_world @ bending.pose.bones["high"].tail)
        assert np.linalg.norm(body.corners - tip, axis=1).min() < 1e-3
    assert len(source.gather(bending, wanted(source, bending, between=9, most=5)).between) == 2


def test_colours_run_from_early_to_late_and_numbers_stand_above(source, bending):
    data = source.gather(bending, wanted(source, bending))
    assert data.colours[0, 2] > data.colours[-1, 2]
    assert data.colours[-1, 0] > data.colours[0, 0]
    highest = [body.corners[:, 2].max() for body in data.bodies]
    assert np.all(data.tops[:, 2] > np.array(highest) - 0.1)


def test_too_many_keys_are_thinned_evenly(source, make_rig, set_keys):
    rig = make_rig(1)
    set_keys(rig.pose.bones[0], "location", {frame: (frame, 0, 0) for frame in range(1, 102)})
    data = source.gather(rig, wanted(source, rig, most=11))
    assert data.frames.tolist() == list(range(1, 102, 10))
    assert data.left_out == 90


def test_a_path_passes_through_its_keys_as_dots(source, bending):
    data = source.gather(bending, wanted(source, bending, path_bones=("high",)))
    (path,) = data.paths
    assert len(path.points) >= 200
    for row, frame in enumerate(data.frames):
        bpy.context.scene.frame_set(int(frame))
        tail = np.array(bending.matrix_world @ bending.pose.bones["high"].tail)
        assert np.linalg.norm(path.points - tail, axis=1).min() < 1e-4
        assert np.linalg.norm(data.dots[row].corners.mean(axis=0) - tail) < 1e-4


def test_the_skin_deforms_as_blender_deforms_it(source, bending):
    mesh = bpy.data.meshes.new("Skin")
    mesh.from_pydata([(0, 0, 1.5), (0.1, 0, 1.9), (0, 0.1, 1.9), (-0.1, 0, 1.7)], [], [(0, 1, 2, 3)])
    skin = bpy.data.objects.new("Skin", mesh)
    bpy.context.scene.collection.objects.link(skin)
    skin.parent = bending
    skin.vertex_groups.new(name="high").add(range(4), 1.0, "REPLACE")
    skin.modifiers.new("Armature", "ARMATURE").object = bending
    data = source.gather(bending, wanted(source, bending, skin=True))
    assert not data.skin_left_out
    for frame, body in zip(data.frames, data.bodies, strict=True):
        bpy.context.scene.frame_set(int(frame))
        evaluated = skin.evaluated_get(bpy.context.evaluated_depsgraph_get())
        expected = [evaluated.matrix_world @ vertex.co for vertex in evaluated.data.vertices]
        assert np.allclose(body.corners, expected, atol=1e-4)
        assert body.faces.shape == (2, 3)
    assert [scene.name for scene in skin.users_scene] == [bpy.context.scene.name]


def test_without_a_skin_the_bones_are_shown(source, bending):
    data = source.gather(bending, wanted(source, bending, skin=True))
    assert data.skin_left_out
    assert len(data.bodies[0].corners) == 48


def test_without_keys_there_is_a_sentence(source, make_rig, posewright):
    rig = make_rig(1)
    with pytest.raises(posewright.core.InputError, match="has no keys"):
        source.gather(rig, wanted(source, rig))


def test_gathering_leaves_the_scene_alone(source, bending):
    bpy.context.scene.frame_set(7)
    before = [list(each) for each in (bpy.data.scenes, bpy.data.objects, bpy.data.meshes, bpy.data.actions)]
    source.gather(bending, wanted(source, bending, path_bones=("low",)))
    assert [
        list(each) for each in (bpy.data.scenes, bpy.data.objects, bpy.data.meshes, bpy.data.actions)
    ] == before
    assert bpy.context.scene.frame_current == 7


def test_the_switch_is_kept_in_the_file_and_does_no_harm_without_a_window(drawing, bending, tmp_path):
    bpy.context.scene.posewright.ghosts.show = True
    assert drawing.information(bending) is None
    path = str(tmp_path / "ghosts.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert bpy.context.scene.posewright.ghosts.show


@pytest.mark.parametrize(("frame", "row"), [(-50, 0), (4, 0), (6, 1), (10, 1), (500, 2)])
def test_the_strong_ghost_is_the_nearest(drawing, frame, row):
    assert drawing.ghost_drawing.nearest(np.array([1.0, 10.0, 30.0]), frame) == row


def test_while_the_original_is_shown_ghosts_stay_those_of_the_solution(source, make_rig, set_keys):
    rig = make_rig(2, rotation_mode="XYZ")
    turns = {frame: (np.sin(frame / 6.0), 0.0, 0.1 * np.cos(frame / 3.0)) for frame in range(1, 61)}
    set_keys(rig.pose.bones[1], "rotation_euler", turns)
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 7
    reduced = source.gather(rig, wanted(source, rig)).frames
    assert len(reduced) == 7
    rig.posewright.show_original = True
    assert np.allclose(source.gather(rig, wanted(source, rig)).frames, reduced)
