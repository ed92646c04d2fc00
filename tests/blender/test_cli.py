# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line, run for real: every clip in a Blender of its own."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

FRAMES = 40


@pytest.fixture(scope="module")
def clips(posewright: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one character's swing as .bvh, .fbx, .glb and .blend, and three files that are wrong."""
    folder = tmp_path_factory.mktemp("clips")
    files = importlib.import_module(f"{posewright.__name__}.bridge.files")
    for suffix in ("bvh", "fbx", "glb", "blend"):
        rig = make_swinging_rig()
        files.save_clip(folder / f"swing_{suffix}.{suffix}", [rig])
    (folder / "empty.bvh").touch()
    (folder / "corrupt.fbx").write_bytes(b"Kaydara FBX Binary but not really")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "nothing.blend"), copy=True)
    return folder


def make_swinging_rig(frames: int = FRAMES) -> Any:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for number in range(3):
        bone = rig.data.edit_bones.new(f"bone {number}")
        bone.head, bone.tail, bone.parent = (0, 0, number), (0, 0, number + 1), parent
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    for frame in range(1, frames + 1):
        for number, bone in enumerate(rig.pose.bones):
            bone.rotation_mode = "XYZ"
            bone.rotation_euler.x = np.sin(0.2 * frame + number)
            bone.keyframe_insert("rotation_euler", frame=frame)
    return rig


@pytest.fixture
def run(posewright: Any, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs a command line; gives its exit code and its report."""
    cli = importlib.import_module(f"{posewright.__name__}.cli")

    def run(*words: object) -> tuple[int, dict[str, Any]]:
        code = cli.main([*(str(word) for word in words), "--json"])
        out = capsys.readouterr().out
        return code, json.loads(out[out.index("{") : out.rindex("}") + 1])

    return run


def by_name(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {Path(file["input"]).name: file for file in report["files"]}


def test_a_folder_goes_through_whatever_some_of_its_files_are(run: Any, clips: Path, tmp_path: Path) -> None:
    code, report = run("reduce", clips, "-o", tmp_path, "--keys", 7)
    files = by_name(report)
    assert code == 1
    assert (report["done"], report["failed"]) == (4, 3), report
    for suffix in ("bvh", "fbx", "glb", "blend"):
        file = files[f"swing_{suffix}.{suffix}"]
        assert file["status"] == "done"
        assert file["clips"][0]["keys"] == 7
        assert 0 < file["clips"][0]["mean_error_percent"] < 5
        assert Path(file["output"]).stat().st_size > 0
    assert "empty.bvh is empty" in files["empty.bvh"]["reason"]
    assert "corrupt.fbx cannot be read" in files["corrupt.fbx"]["reason"]
    assert "nothing.blend holds no armature with an action" in files["nothing.blend"]["reason"]
    assert not list(tmp_path.glob(".*")), "no half-written file is left"

    code, report = run("reduce", *clips.glob("swing_*"), "-o", tmp_path, "--keys", 7)
    assert (report["done"], report["kept"], report["failed"]) == (0, 4, 0), "what was done is not done again"

    code, report = run("reduce", clips / "swing_bvh.bvh", "-o", tmp_path, "--keys", 9)
    assert code == 1
    assert "is already there: add --overwrite" in report["files"][0]["reason"]


def test_a_blend_keeps_the_keys_and_the_source(run: Any, clips: Path, tmp_path: Path) -> None:
    code, report = run(
        "reduce", clips / "swing_bvh.bvh", "-o", tmp_path, "--format", "blend", "--share", 10, "--fixed", "11"
    )
    assert code == 0
    keys = report["files"][0]["clips"][0]["keys"]
    assert keys == 4
    bpy.ops.wm.open_mainfile(filepath=report["files"][0]["output"])
    armature = next(obj for obj in bpy.context.scene.objects if obj.type == "ARMATURE")
    action = armature.animation_data.action
    assert len(bpy.data.actions) == 2
    assert armature.posewright.reduced is None, "applied: nothing is left of the analysis"
    frames = {round(point.co.x) for curve in curves_of(action) for point in curve.keyframe_points}
    assert 11 in frames
    assert len(frames) <= keys


def curves_of(action: Any) -> Any:
    if hasattr(action, "fcurves"):
        return action.fcurves
    return action.layers[0].strips[0].channelbags[0].fcurves


def test_as_many_keys_as_saliency_suggests(run: Any, clips: Path, tmp_path: Path) -> None:
    words = ("reduce", clips / "swing_bvh.bvh", "-o", tmp_path, "--suggested")
    _, report = run(*words, "--algorithm", "saliency")
    assert 2 < report["files"][0]["clips"][0]["keys"] < report["files"][0]["clips"][0]["frames"]
    code, report = run(*words, "--overwrite")
    assert code == 1
    assert "choose Saliency" in report["files"][0]["reason"]


def test_fewest_keys_for_a_wanted_error(run: Any, clips: Path, tmp_path: Path) -> None:
    _, report = run("reduce", clips / "swing_bvh.bvh", "-o", tmp_path, "--error", 0.5)
    clip = report["files"][0]["clips"][0]
    assert clip["mean_error_percent"] <= 0.5
    assert clip["within_error"]
    assert clip["keys"] < FRAMES / 2
    assert clip["added_slide_percent"] == clip["sinking_percent"] == 0.0
    assert clip["beside_bones_99th_percent"] > clip["beside_bones_50th_percent"] > 0.0


def test_no_number_of_keys_slides_too_far_where_nothing_stands(run: Any, clips: Path, tmp_path: Path) -> None:
    code, report = run("reduce", clips / "swing_bvh.bvh", "-o", tmp_path, "--slide", 0.3)
    assert code == 1
    assert "stands still" in report["files"][0]["reason"]


def make_clip(posewright: Any, path: Path, frames: int) -> None:
    """A swing of so many frames."""
    files = importlib.import_module(f"{posewright.__name__}.bridge.files")
    rig = make_swinging_rig(frames)
    files.save_clip(path, [rig])


@pytest.mark.parametrize("frames", [20, 300], ids=["shorter than a new scene", "longer"])
def test_a_result_lasts_as_long_as_its_clip(run: Any, posewright: Any, tmp_path: Path, frames: int) -> None:
    for suffix in ("bvh", "fbx", "glb"):
        make_clip(posewright, tmp_path / f"swing.{suffix}", frames)
    _, report = run("reduce", tmp_path, "-o", tmp_path / "out", "--keys", 9)
    files = importlib.import_module(f"{posewright.__name__}.bridge.files")
    for file in report["files"]:
        assert file["status"] == "done", file
        before, after = (
            tuple(files.open_clip(Path(file[which]))[0].animation_data.action.frame_range)
            for which in ("input", "output")
        )
        assert after == pytest.approx(before, abs=1e-3), Path(file["output"]).name
        assert after[1] - after[0] == pytest.approx(frames - 1, abs=1e-3)


def test_an_armature_that_the_scene_leaves_out_is_no_clip(run: Any, tmp_path: Path) -> None:
    spare = make_swinging_rig().copy()
    left_out = bpy.data.collections.new("Left Out")
    left_out.objects.link(spare)
    bpy.context.scene.collection.children.link(left_out)
    bpy.context.view_layer.layer_collection.children["Left Out"].exclude = True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    code, report = run("reduce", tmp_path / "shot.blend")
    assert code == 0, report
    assert [clip["armature"] for clip in report["files"][0]["clips"]] == ["Rig"]


def test_a_share_and_an_error_that_need_more_keys_than_usual(
    run: Any, posewright: Any, tmp_path: Path
) -> None:
    make_clip(posewright, tmp_path / "long.blend", 260)
    _, report = run("reduce", tmp_path / "long.blend", "--share", 50)
    assert report["files"][0]["clips"][0]["keys"] == 130
    _, report = run("reduce", tmp_path / "long.blend", "-o", tmp_path / "out", "--error", 1e-9)
    assert not report["files"][0]["clips"][0]["within_error"]


def test_a_missing_file_is_named_and_the_rest_go_on(run: Any, clips: Path, tmp_path: Path) -> None:
    code, report = run("reduce", tmp_path / "gone.bvh", clips / "swing_bvh.bvh", "-o", tmp_path)
    files = by_name(report)
    assert code == 1
    assert "There is no file" in files["gone.bvh"]["reason"]
    assert files["swing_bvh.bvh"]["status"] == "done"


def test_a_sheet_is_a_picture(run: Any, clips: Path, tmp_path: Path) -> None:
    code, report = run("sheet", clips / "swing_bvh.bvh", "-o", tmp_path, "--keys", 5)
    assert code == 0
    made = Path(report["files"][0]["output"])
    assert made.name == "swing_bvh_sheet.png"
    assert made.read_bytes().startswith(b"\x89PNG")


def test_a_comparison_is_a_picture_and_a_table(run: Any, clips: Path, tmp_path: Path) -> None:
    code, _ = run("compare", clips / "swing_bvh.bvh", "-o", tmp_path, "--algorithms", "salient,greedy")
    assert code == 0
    assert (tmp_path / "swing_bvh_compare.png").read_bytes().startswith(b"\x89PNG")
    assert "greedy" in (tmp_path / "swing_bvh_compare.csv").read_text().lower()


def test_nothing_of_a_comparison_or_a_sheet_is_overwritten_unasked(run: Any, tmp_path: Path) -> None:
    rig = make_swinging_rig()
    bpy.context.scene.collection.objects.link(rig.copy())
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "two.blend"))
    pictures = {"compare": "two_Rig_RigAction_compare.csv", "sheet": "two_Rig.001_RigAction_sheet.png"}
    for verb, name in pictures.items():
        (tmp_path / name).write_text("mine")
        words = [verb, tmp_path / "two.blend", *(["--algorithms", "greedy"] if verb == "compare" else [])]
        for _ in range(2):
            code, report = run(*words)
            assert code == 1
            assert f"{name} is already there: add --overwrite" in report["files"][0]["reason"]
            assert (tmp_path / name).read_text() == "mine"
    code, report = run("sheet", tmp_path / "two.blend", "--overwrite")
    assert code == 0
    assert (tmp_path / "two_Rig.001_RigAction_sheet.png").read_bytes().startswith(b"\x89PNG")


def test_a_folder_that_cannot_be_written_is_named(run: Any, clips: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file and no folder")
    code, report = run("reduce", *clips.glob("swing_*"), "-o", tmp_path / "out", "--jobs", 1)
    assert code == 1
    assert report["failed"] == 4
    assert f"Nothing can be written to {tmp_path / 'out'}" in report["files"][0]["reason"]


def test_a_name_that_is_too_long_for_a_result_is_said(run: Any, clips: Path, tmp_path: Path) -> None:
    shutil.copy(clips / "swing_bvh.bvh", tmp_path / f"{'x' * 248}.bvh")
    code, report = run("reduce", tmp_path, "--keys", 6)
    assert code == 1
    assert "File name too long" in report["files"][0]["reason"]


def test_a_killed_batch_goes_on_without_loss_or_double(clips: Path, tmp_path: Path, run: Any) -> None:
    if bpy.app.binary_path:
        pytest.skip("killing is tested with Blender as a module; here it would kill the tests' own Blender")
    files = [clips / name for name in ("empty.bvh", "swing_blend.blend", "swing_bvh.bvh")]
    words = ["reduce", *files, "-o", tmp_path, "--keys", 6, "--jobs", 1]
    folder = Path(__file__).resolve().parents[2]
    batch = subprocess.Popen(
        [sys.executable, str(folder), *map(str, words)], stdout=subprocess.PIPE, text=True
    )
    assert batch.stdout is not None
    told = [batch.stdout.readline() for _ in range(2)]
    batch.kill()
    batch.wait()
    batch.stdout.close()
    assert all(told), "two files were through when the batch was killed"
    assert ["FAILED" in line for line in told] == [True, False]
    _, report = run(*words)
    assert report["kept"] >= 1
    assert report["kept"] + report["done"] == 2
    assert len(list(tmp_path.glob("swing_*"))) == 2
    assert not list(tmp_path.glob(".*"))


def test_the_words_know_the_formats_that_are_read_and_written(posewright):
    """The command line names them itself: it is read where there is no Blender to ask."""
    files, plan, arguments = (
        importlib.import_module(f"{posewright.__name__}.{name}")
        for name in ("bridge.files", "cli.plan", "cli.arguments")
    )
    assert set(plan.READABLE) == set(files.READERS)
    assert {f".{name}" for name in arguments.FORMATS} == set(files.WRITERS)
