# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo distils what it makes itself and what users bring."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from demo import run, sources
from tools.places import Stop


@pytest.fixture
def short_demo(monkeypatch: pytest.MonkeyPatch):
    movement = sources.make_movement(3.0)
    monkeypatch.setattr(sources, "make_movement", lambda: movement)


def results(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_it_leaves_a_file_pictures_and_a_table(clean_blender, short_demo, tmp_path, capsys):
    run.distil(None, tmp_path)
    assert results(tmp_path) == {"demo.blend", "demo-error.png", "demo-poses.png"}
    table = capsys.readouterr().out
    assert "31 bones, 361 frames" in table
    assert "cm" in table


def test_the_file_opens_and_plays_the_keys(clean_blender, short_demo, tmp_path):
    run.distil(None, tmp_path)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "demo.blend"))
    character = bpy.data.objects["Character"]
    assert character.posewright.reduced.posewright.source.name == "Character capture"
    assert character.animation_data.action != character.posewright.reduced.posewright.source
    assert character.posewright.problem == ""


@pytest.mark.parametrize("suffix", [".bvh", ".fbx", ".blend"])
def test_it_takes_a_users_file(humanoid, tmp_path, suffix):
    path = tmp_path / f"mine{suffix}"
    humanoid(seconds=1.0)
    if suffix == ".bvh":
        bpy.ops.export_anim.bvh(filepath=str(path), frame_end=121)
    elif suffix == ".fbx":
        bpy.ops.export_scene.fbx(filepath=str(path), object_types={"ARMATURE"}, add_leaf_bones=False)
    else:
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
    before = path.read_bytes()
    run.distil(path, tmp_path / "out")
    assert results(tmp_path / "out") == {"mine.blend", "mine-error.png", "mine-poses.png"}
    assert path.read_bytes() == before, "the user's file is only read"


def test_what_cannot_be_distilled_is_said(clean_blender, tmp_path):
    with pytest.raises(Stop, match="no file"):
        run.distil(tmp_path / "missing.bvh", tmp_path)
    text = tmp_path / "notes.txt"
    text.write_text("no motion")
    with pytest.raises(Stop, match="cannot be opened"):
        run.distil(text, tmp_path)
    empty = tmp_path / "empty.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(empty))
    with pytest.raises(Stop, match="nothing to work on"):
        run.distil(empty, tmp_path)
