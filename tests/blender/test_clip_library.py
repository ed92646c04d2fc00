# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder of clips as an asset library, and clips that were found in it, fetched onto a character."""

from __future__ import annotations

import importlib
import os

import bpy
import pytest

CATALOGUES = "blender_assets.cats.txt"


@pytest.fixture
def clips(posewright, humanoid, tmp_path):
    """Two walks as .bvh, one of them below, two actions in a .blend, and a broken file."""
    files = importlib.import_module(f"{posewright.__name__}.bridge.files")
    folder = tmp_path / "clips"
    for name, seconds in (("long", 0.5), ("deep/short", 0.3)):
        files.save_clip(folder / f"{name}.bvh", [humanoid(seconds)])
        bpy.data.batch_remove([*bpy.data.objects, *bpy.data.actions])
    rig = humanoid(0.3)
    rig.animation_data.action.name = "Walk"
    rig.animation_data.action.copy().name = "Stroll"
    bpy.data.actions["Stroll"].use_fake_user = True
    files.save_clip(folder / "two.blend", [rig])
    bpy.data.batch_remove([*bpy.data.objects, *bpy.data.actions])
    (folder / "broken.bvh").write_text("HIERARCHY and nothing else")
    return folder


def assets_in(path):
    """{action: (catalogue, pixels of its preview that show something)} of a library."""
    with bpy.data.libraries.load(str(path), assets_only=True) as (there, here):
        here.actions = list(there.actions)
    found = {}
    for action in here.actions:
        pixels = action.preview.image_pixels_float[:]
        found[action.name] = (action.asset_data.catalog_id, sum(alpha > 0.0 for alpha in pixels[3::4]))
    bpy.data.batch_remove(list(here.actions))
    return found


def catalogues(folder):
    lines = (folder / CATALOGUES).read_text(encoding="utf-8").splitlines()
    return {
        line.split(":")[0]: line.split(":")[1] for line in lines if ":" in line and not line.startswith("#")
    }


def test_a_folder_becomes_a_library(posewright, clips, capsys):
    cli = importlib.import_module(f"{posewright.__name__}.cli")
    assert cli.main(["library", str(clips), "-o", str(clips / "lib"), "--jobs", "2"]) == 1, "one is broken"
    named = catalogues(clips / "lib")
    assert sorted(named.values()) == ["Motions/clips", "Motions/deep", "Motions/two"]
    for file, names, catalogue in (
        ("long.bvh_motions.blend", {"long"}, "Motions/clips"),
        ("deep/short.bvh_motions.blend", {"short"}, "Motions/deep"),
        ("two.blend_motions.blend", {"Walk", "Stroll"}, "Motions/two"),
    ):
        found = assets_in(clips / "lib" / file)
        assert set(found) == names
        for number, drawn in found.values():
            assert named[number] == catalogue
            assert drawn > 500, "a thumbnail that shows something"
    (clips / "broken.bvh").unlink()
    capsys.readouterr()
    os.utime(clips / "long.bvh")
    before = (clips / "lib" / CATALOGUES).read_bytes()
    assert cli.main(["library", str(clips), "-o", str(clips / "lib"), "--jobs", "2"]) == 0
    assert "1 done, 2 kept" in capsys.readouterr().out, "only what has changed is made again"
    assert (clips / "lib" / CATALOGUES).read_bytes() == before


def test_a_library_is_made_and_listed_from_the_panel(posewright, clips):
    known = bpy.context.preferences.filepaths.asset_libraries
    there = len(known)
    bpy.context.scene.posewright.search.folder = str(clips)
    assert bpy.ops.posewright.make_library() == {"FINISHED"}
    library = clips / "posewright-library"
    assert sorted(path.name for path in library.rglob("*.blend")) == [
        "long.bvh_motions.blend",
        "short.bvh_motions.blend",
        "two.blend_motions.blend",
    ]
    assert len(known) == there, "only if that is asked for"
    for _ in range(2):
        bpy.ops.posewright.make_library(listed=True)
        assert [each.name for each in known][there:] == ["clips"], "once"
    while len(known) > there:
        bpy.ops.preferences.asset_library_remove(index=len(known) - 1)
    bpy.context.scene.posewright.search.folder = str(clips / "nowhere")
    with pytest.raises(RuntimeError, match="There is no folder"):
        bpy.ops.posewright.make_library()


@pytest.fixture
def searched(posewright, clips, humanoid):
    """A character that plays nothing, in the pose of a frame of one of the clips, and what was found."""
    cli = importlib.import_module(f"{posewright.__name__}.cli")
    (clips / "broken.bvh").unlink()
    cli.main(["index", str(clips), "--jobs", "2"])
    bpy.data.batch_remove([*bpy.data.objects, *bpy.data.actions])
    rig = humanoid(0.5)
    bpy.context.scene.frame_set(40)
    shown = {bone.name: bone.matrix_basis.copy() for bone in rig.pose.bones}
    rig.animation_data_clear()
    bpy.data.batch_remove(list(bpy.data.actions))
    for bone in rig.pose.bones:
        bone.matrix_basis = shown[bone.name]
    bpy.context.view_layer.update()
    bpy.context.scene.posewright.search.folder = str(clips)
    bpy.ops.posewright.find_pose(count=2)
    return rig


def test_a_find_in_another_file_is_fetched(searched):
    find = bpy.context.scene.posewright.search.finds[0]
    assert (find.file, find.frame) == ("long.bvh", 40.0)
    wanted = {bone.name: bone.head.copy() for bone in searched.pose.bones}
    options = {"action": find.action, "file": find.file, "frame": find.frame}
    assert bpy.ops.posewright.go_to_find(**options) == {"FINISHED"}
    action = searched.animation_data.action
    assert (action.name, bpy.context.scene.frame_current) == ("long", 40)
    assert action.library is None
    for bone in searched.pose.bones:
        assert (bone.head - wanted[bone.name]).length < 1e-3, "it stands like it stood"
    bpy.ops.posewright.go_to_find(**{**options, "frame": 12.0})
    assert (list(bpy.data.actions), bpy.context.scene.frame_current) == ([action], 12), "fetched once"


def test_a_find_of_other_bones_is_refused(searched, make_rig):
    other = make_rig(3)
    bpy.context.view_layer.objects.active = other
    bpy.data.objects.remove(searched)
    with pytest.raises(RuntimeError, match="moves bones that Rig does not have"):
        bpy.ops.posewright.go_to_find(action="long", file="long.bvh", frame=3.0)
    assert not bpy.data.actions
    with pytest.raises(RuntimeError, match="is no longer there: index its folder again"):
        bpy.ops.posewright.go_to_find(action="gone", file="gone.bvh", frame=3.0)
