# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets and thumbnails show the poses that Distil would choose with the panel's settings."""

from __future__ import annotations

import importlib

import bpy
import numpy as np
import pytest

KEYS = 7


@pytest.fixture
def poses(posewright):
    return importlib.import_module(f"{posewright.__name__}.bridge.pictures.sampled_poses")


@pytest.fixture
def walker(humanoid):
    rig = humanoid(1.0)
    asked = rig.posewright
    asked.range_from, asked.range_start, asked.range_end = "NUMBERS", 11.0, 90.0
    asked.bones_from = "ALL"
    bpy.ops.posewright.bone_weights(preset="hand")
    asked.options.decimation.hierarchy = True
    asked.options.saliency.sigma = 2.0
    return rig


def distilled(posewright, rig, algorithm):
    reductions = importlib.import_module(f"{posewright.__name__}.bridge.distil.reductions")
    rig.posewright.algorithm = algorithm
    bpy.ops.posewright.analyze()
    analysed = reductions.get(rig).analysis()
    frames = analysed.frames[analysed.solutions.keys(KEYS)].tolist()
    bpy.ops.posewright.restore()
    return frames


@pytest.mark.parametrize("algorithm", ["salient", "greedy", "decimation", "saliency"])
def test_an_algorithm_chooses_the_frames_that_distil_chooses(posewright, poses, walker, algorithm):
    chosen = poses.chosen_poses(walker, bpy.context.scene, algorithm, KEYS)
    assert chosen.frames.tolist() == distilled(posewright, walker, algorithm)
    walker.posewright.range_from = "ACTION"
    walker.posewright.bone_weights.clear()
    other = poses.chosen_poses(walker, bpy.context.scene, algorithm, KEYS)
    assert other.frames.tolist() != chosen.frames.tolist(), "so the settings did make a difference"


def test_key_poses_of_a_picture_need_no_ends(poses, walker):
    walker.posewright.options.keyposes.root_weight = 0.0
    walker.posewright.fixed_frames.add().frame = 12
    chosen = poses.chosen_poses(walker, bpy.context.scene, "keyposes", 4)
    motion = poses.sampling.sample(walker, np.arange(11.0, 91.0), sides=True)
    bones, listed = walker.pose.bones.keys(), walker.posewright.bone_weights
    weights = [listed[poses.sampling.bone_of_joint(name, bones)].weight for name in motion.names]
    expected = poses.select(motion.with_weights(weights), "keyposes", ends=False, root_weight=0.0)
    assert chosen.frames.tolist() == motion.frames[expected.keys(4)].tolist()


@pytest.mark.parametrize("algorithm", ["salient", "greedy", "decimation", "saliency", "keyposes"])
def test_one_pose_is_one_pose(poses, walker, algorithm):
    chosen = poses.chosen_poses(walker, bpy.context.scene, algorithm, 1)
    assert len(chosen.frames) == 1
    if algorithm != "keyposes":  # to which an end may well be the most telling pose
        assert 11.0 < chosen.frames[0] < 90.0
    assert bpy.ops.posewright.pose_sheet(algorithm=algorithm, key_count=1) == {"FINISHED"}


def test_the_first_poses_chosen_are_the_important_ones(poses, walker):
    few = poses.chosen_poses(walker, bpy.context.scene, "keyposes", 2)
    many = poses.chosen_poses(walker, bpy.context.scene, "keyposes", 6)
    importance = dict(zip(many.frames.tolist(), many.importance.tolist(), strict=True))
    assert sorted(importance, key=importance.get)[-2:] == sorted(
        few.frames.tolist(), key=dict(zip(few.frames.tolist(), few.importance.tolist(), strict=True)).get
    )
    assert sorted(importance.values()) == pytest.approx(np.arange(1, 7) / 6)


def test_frames_of_one_action_are_not_asked_of_another(walker, set_keys):
    """A range that lies outside another action must not keep it from getting a thumbnail."""
    own = walker.animation_data.action
    walker.animation_data.action = None
    set_keys(walker.pose.bones[0], "location", {300: (0, 0, 0), 320: (0, 0, 1), 340: (1, 0, 0)})
    walker.animation_data.action = own
    assert bpy.ops.posewright.motion_thumbnail(actions="ALL") == {"FINISHED"}
    assert all(action.asset_data is not None for action in bpy.data.actions)
    assert walker.posewright.range_from == "NUMBERS", "the stand-in was changed, not the armature"


def test_saliency_shows_twelve_poses_unless_told(posewright, walker, monkeypatch):
    previews = importlib.import_module(f"{posewright.__name__}.bridge.pictures.previews")
    asked = []
    real = previews.sampled_poses.chosen_poses

    def noted(actor, scene, algorithm, count, progress=None):
        asked.append(count)
        return real(actor, scene, algorithm, count, progress)

    monkeypatch.setattr(previews.sampled_poses, "chosen_poses", noted)
    for words in ({}, {"algorithm": "saliency"}, {"algorithm": "saliency", "key_count": 3}):
        bpy.ops.posewright.motion_thumbnail(**words)
    assert asked == [5, 12, 3]


def test_fading_by_importance_makes_another_picture(walker, tmp_path):
    files = []
    for fade in ("TIME", "IMPORTANCE"):
        path = tmp_path / f"{fade}.png"
        bpy.ops.posewright.pose_sheet(
            algorithm="keyposes", key_count=5, arrangement="SYNOPSIS", fade=fade, filepath=str(path)
        )
        files.append(path.read_bytes())
    assert files[0] != files[1]


def test_saliency_over_time_is_plotted(walker, tmp_path):
    path = tmp_path / "saliency.png"
    assert bpy.ops.posewright.saliency_plot(filepath=str(path)) == {"FINISHED"}
    assert path.is_file()
    assert any(image.name.endswith("saliency") for image in bpy.data.images)


# What is drawn


@pytest.fixture
def skinned(make_rig):
    """A body of two bones with a skin, a root that carries them and a helper beside them."""
    rig = make_rig(
        {
            "root": ((0, 0, 0), (0, 0, 0.5), None),
            "hips": ((0, 0, 1), (0, 0, 1.5), "root"),
            "spine": ((0, 0, 1.5), (0, 0, 1.8), "hips"),
            "head": ((0, 0, 1.8), (0, 0, 2), "spine"),
            "pole": ((0, 1, 1), (0, 1.2, 1), "root"),
        }
    )
    mesh = bpy.data.meshes.new("Skin")
    mesh.from_pydata([(0, 0, 1), (1, 0, 1), (0, 0, 2), (0, 1, 1)], [], [(0, 1, 2), (0, 2, 3)])
    skin = bpy.data.objects.new("Skin", mesh)
    bpy.context.collection.objects.link(skin)
    for bone, vertex, weight in (("hips", 0, 1.0), ("head", 2, 1.0), ("pole", 3, 0.0)):
        skin.vertex_groups.new(name=bone).add([vertex], weight, "REPLACE")
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    skin.parent = rig
    return rig


def test_helpers_beside_the_body_are_not_drawn(poses, skinned):
    drawn = poses.drawn_bones(skinned)
    assert {"hips", "spine", "head"} <= set(drawn)
    assert "pole" not in drawn


def test_a_stand_in_wears_the_skin_and_leaves_nothing_behind(poses, skinned, set_keys):
    set_keys(skinned.pose.bones["head"], "location", {1: (0, 0, 0), 9: (0, 0, 1)})
    before = {item.name for item in bpy.data.objects}
    with poses.stand_in(skinned, skinned.animation_data.action, with_skin=True) as actor:
        (skin,) = poses.meshes.skins_of(actor)
        assert skin.data == bpy.data.objects["Skin"].data
        assert poses.meshes.skins_of(skinned) == [bpy.data.objects["Skin"]]
        early, late = poses.meshes.sample_skin(actor, np.array([1.0, 9.0]))
        assert not np.allclose(early[0], late[0]), "the copy is moved by the stand-in"
    assert {item.name for item in bpy.data.objects} == before


def test_without_a_window_the_skeleton_is_drawn_unless_the_mesh_was_asked_for(skinned, set_keys):
    set_keys(skinned.pose.bones["head"], "location", {1: (0, 0, 0), 9: (0, 0, 1)})
    assert bpy.ops.posewright.pose_sheet() == {"FINISHED"}
    with pytest.raises(RuntimeError, match="only in a window"):
        bpy.ops.posewright.pose_sheet(character=True)
