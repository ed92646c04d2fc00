# SPDX-License-Identifier: GPL-3.0-or-later
"""Finding the pose of a character among all actions of a file."""

from __future__ import annotations

import importlib

import bpy
import pytest

from tests.blender.panel_recorder import draw


@pytest.fixture
def walker(humanoid):
    rig = humanoid(1.0)
    rig.animation_data.action.name = "Walk"
    bpy.context.scene.frame_set(40)
    return rig


def finds():
    """[(action, frame, percent)] in the order of the panel."""
    found = bpy.context.scene.posewright.search.finds
    return [(each.action, each.frame, round(100 * each.distance, 2)) for each in found]


def test_the_frame_that_the_character_is_at_is_found(walker):
    before = set(bpy.data.objects), walker.animation_data.action
    assert bpy.ops.posewright.find_pose(count=3) == {"FINISHED"}
    assert finds()[0] == ("Walk", 40.0, 0.0)
    assert len(finds()) == 2, "no more of them are half a second apart"
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
    assert finds() == [("Walk", 90.0, 0.0)]


def test_what_was_searched_is_remembered_until_it_changes(walker, posewright, monkeypatch):
    search = importlib.import_module(f"{posewright.__name__}.bridge.pictures.pose_search")
    sampled, honest = [], search.postures_in_steps
    monkeypatch.setattr(search, "postures_in_steps", lambda *a: sampled.append(a) or honest(*a))
    bpy.ops.posewright.find_pose()
    bpy.ops.posewright.find_pose()
    assert len(sampled) == 1
    other = walker.animation_data.action.copy()
    other.name = "Stroll"
    bpy.ops.posewright.find_pose()
    assert {action for action, _, _ in finds()} == {"Walk", "Stroll"}
    assert len(sampled) == 1, "a copy holds the same poses"
    walker.pose.bones["hips"].location.z += 0.2
    walker.pose.bones["hips"].keyframe_insert("location", frame=40)
    bpy.ops.posewright.find_pose()
    assert len(sampled) == 2


def test_what_was_searched_is_looked_at_again_once_the_character_is_corrected(walker):
    """Poses are compared by its limbs: of those that were remembered, by others."""
    bpy.ops.posewright.find_pose(count=1)
    walker.posewright.character.hand_left = "head"
    bpy.ops.posewright.find_pose(count=1)
    assert finds() == [("Walk", 40.0, 0.0)]


def test_a_find_is_gone_to(walker):
    other = walker.animation_data.action.copy()
    other.name = "Stroll"
    assert bpy.ops.posewright.go_to_find(action="Stroll", frame=17.0) == {"FINISHED"}
    assert (walker.animation_data.action, bpy.context.scene.frame_current) == (other, 17)
    with pytest.raises(RuntimeError, match="no longer in this file"):
        bpy.ops.posewright.go_to_find(action="gone", frame=1.0)


def test_the_panel_lists_what_was_found(walker, posewright):
    bpy.ops.posewright.find_pose(count=2)
    panels = importlib.import_module(f"{posewright.__name__}.panels.pictures_panel")
    assert "Walk  40" in draw(panels.POSEWRIGHT_PT_find_pose)


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
    assert finds()[0] == (rig.animation_data.action.name, middle, 0.0)


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
    assert finds()[0][:2] == ("Stroll", 60.0)
    # Importers before Blender 4.4 name actions after what plays them, too.
    assert {"Idle", "Run"} & {action.split("_")[0] for action, _, _ in finds()}, f"of {rig.name}"


@pytest.fixture
def folder_of_clips(posewright, humanoid, tmp_path):
    """Two walks as .bvh, one of them below, and a character without limbs."""
    files = importlib.import_module(f"{posewright.__name__}.bridge.files")
    folder = tmp_path / "clips"
    for name, seconds in (("long", 1.0), ("deep/short", 0.3)):
        rig = humanoid(seconds)
        files.save_clip(folder / f"{name}.bvh", [rig])
    (folder / "broken.bvh").write_text("HIERARCHY and nothing else")
    return folder


def index_of(posewright, folder):
    """What the command line says and what is in the index then."""
    cli = importlib.import_module(f"{posewright.__name__}.cli")
    core = importlib.import_module(f"{posewright.__name__}.core.pose_index")
    code = cli.main(["index", str(folder), "--jobs", "2"])
    return code, core.PoseIndex.load(folder / "posewright-poses.npz")


def test_a_folder_is_indexed_and_only_what_changes_is_looked_at_again(posewright, folder_of_clips, capsys):
    code, index = index_of(posewright, folder_of_clips)
    assert code == 1, "one of them is broken"
    assert {(clip.file, clip.name) for clip in index.clips} == {
        ("long.bvh", "long"),
        ("deep/short.bvh", "short"),
    }
    assert "2 done" in capsys.readouterr().out
    (folder_of_clips / "broken.bvh").unlink()
    (folder_of_clips / "long.bvh").unlink()
    code, index = index_of(posewright, folder_of_clips)
    assert (code, [clip.file for clip in index.clips]) == (0, ["deep/short.bvh"])
    assert "0 done" in capsys.readouterr().out
    assert sorted(each.name for each in folder_of_clips.iterdir()) == ["deep", "posewright-poses.npz"]


def test_a_pose_is_found_in_the_clips_of_a_folder(posewright, folder_of_clips, humanoid):
    """By a character that was never there."""
    index_of(posewright, folder_of_clips)
    rig = humanoid(1.0)
    bpy.context.scene.frame_set(50)
    shown = {bone.name: bone.matrix_basis.copy() for bone in rig.pose.bones}
    rig.animation_data_clear()
    for bone in rig.pose.bones:
        bone.matrix_basis = shown[bone.name]
    bpy.context.view_layer.update()
    bpy.data.batch_remove(list(bpy.data.actions))
    with pytest.raises(RuntimeError, match="There is nothing to search"):
        bpy.ops.posewright.find_pose()
    bpy.context.scene.posewright.search.folder = str(folder_of_clips)
    bpy.ops.posewright.find_pose(count=1)
    assert finds()[0][:2] == ("long", 50.0)
    assert bpy.context.scene.posewright.search.finds[0].file == "long.bvh"


def test_a_folder_is_indexed_from_the_panel(clean_blender, folder_of_clips):
    """By other Blenders, as the button has it."""
    assert not bpy.ops.posewright.index_folder.poll()
    bpy.context.scene.posewright.search.folder = str(folder_of_clips)
    assert bpy.ops.posewright.index_folder() == {"FINISHED"}
    assert (folder_of_clips / "posewright-poses.npz").is_file()
    bpy.context.scene.posewright.search.folder = str(folder_of_clips / "nowhere")
    with pytest.raises(RuntimeError, match="There is no folder"):
        bpy.ops.posewright.index_folder()
