# SPDX-License-Identifier: GPL-3.0-or-later
"""Files come out as they went in, judged by readers that share nothing with what wrote them."""

from __future__ import annotations

import importlib
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from tests.readers import bvh
from tests.readers.build_gltf import write_character
from tests.readers.gltf import Gltf


@pytest.fixture
def reduce(do: Any) -> Any:
    return partial(do, "reduce")


def off(first: np.ndarray, second: np.ndarray) -> float:
    """The largest distance of joints, as a share of how far they reach."""
    return float(np.linalg.norm(first - second, axis=-1).max() / np.ptp(first.reshape(-1, 3), axis=0).max())


# BVH

HIERARCHY = """HIERARCHY
ROOT Hips
{
  OFFSET 0.5 90.0 -3.25
  CHANNELS 6 Xposition Yposition Zposition Yrotation Xrotation Zrotation
  JOINT Left Leg
  {
    OFFSET 10 -5 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT LeftFoot
    {
      OFFSET 0 -40 0
      CHANNELS 6 Xposition Yposition Zposition Xrotation Yrotation Zrotation
      End Site
      {
        OFFSET 0 0 12
      }
    }
  }
  JOINT Spine
  {
    OFFSET 0 20 1
    CHANNELS 3 Zrotation Yrotation Xrotation
    End Site
    {
      OFFSET 0 30 0
    }
  }
}
MOTION
Frames: 41
Frame Time: 0.0166834
"""


@pytest.fixture
def y_up(tmp_path: Path) -> Path:
    """A .bvh of another program: Y up, centimetres, an order of rotations for every joint, odd frame time."""
    frames = np.arange(41)
    columns = [3 * np.sin(0.1 * frames + n) for n in range(18)]
    for n, place in ((0, 0.5), (1, 90.0), (2, -3.25), (9, 0.0), (10, -40.0), (11, 0.0)):
        columns[n] = place + columns[n]
    for n in (3, 4, 5, 6, 7, 8, 12, 13, 14, 15, 16, 17):
        columns[n] = 15 * columns[n]
    rows = [" ".join(f"{value:.4f}" for value in row) for row in np.transpose(columns)]
    path = tmp_path / "walk.bvh"
    path.write_bytes((HIERARCHY + "\n".join(rows) + "\n").replace("\n", "\r\n").encode())
    return path


def test_a_bvh_keeps_axes_scale_orders_frame_time_and_length(reduce: Any, y_up: Path) -> None:
    result = reduce(y_up, "--share", 100)
    made = Path(result["output"])
    before, after = bvh.read(y_up), bvh.read(made)
    assert len(after.rows) == 41
    assert off(before.positions(), after.positions()) < 1e-4
    head = y_up.read_bytes().partition(b"MOTION")[0]
    assert made.read_bytes().startswith(head), "the skeleton is the same to the letter"
    assert b"Frame Time: 0.0166834\r\n" in made.read_bytes()


def test_a_reduced_bvh_is_as_far_off_as_the_report_says(reduce: Any, y_up: Path) -> None:
    result = reduce(y_up, "--keys", 6)
    before, after = bvh.read(y_up), bvh.read(Path(result["output"]))
    clip = result["clips"][0]
    scale = clip["mean_error"] / clip["mean_error_percent"]
    mean = np.linalg.norm(before.positions() - after.positions(), axis=-1).mean()
    assert mean == pytest.approx(clip["file_mean_error_percent"] * scale, rel=1e-3)
    assert clip["file_mean_error_percent"] == pytest.approx(clip["joints_mean_error_percent"], rel=1e-2)


def test_every_action_gets_a_bvh_of_its_own(reduce: Any, tmp_path: Path) -> None:
    write_character(tmp_path / "hero.glb")
    result = reduce(tmp_path / "hero.glb", "--format", "bvh", "--keys", 8)
    assert sorted(path.name for path in tmp_path.glob("*.bvh")) == [
        "hero_nod_reduced.bvh",
        "hero_wave_reduced.bvh",
    ]
    assert {Path(clip["file"]).name for clip in result["clips"]} == {
        "hero_nod_reduced.bvh",
        "hero_wave_reduced.bvh",
    }
    source, written = Gltf(tmp_path / "hero.glb"), bvh.read(tmp_path / "hero_wave_reduced.bvh")
    frames = np.arange(31) / 30
    wanted = source.positions(0, frames)[:, 1:5]
    assert written.frame_time == pytest.approx(1 / 30)
    assert off(wanted, written.positions()) < 0.05
    again = reduce(tmp_path / "hero.glb", "--format", "bvh", "--keys", 8, fails=True)
    assert "is already there: add --overwrite" in again["reason"]


# glTF


@pytest.mark.parametrize("way", ["smooth", "free", "linear", "stepped", "auto"])
def test_a_glb_plays_all_its_animations_as_blender_played_them(reduce: Any, tmp_path: Path, way: str) -> None:
    write_character(tmp_path / "hero.glb")
    result = reduce(tmp_path / "hero.glb", "--keys", 9, "--keyed-as", way)
    before, after = Gltf(tmp_path / "hero.glb"), Gltf(Path(result["output"]))
    assert after.animations == ["wave", "nod"]
    figures = {clip["action"]: clip for clip in result["clips"]}
    for number, name in enumerate(after.animations):
        clip = figures[name]
        times = before.times(number)
        apart = np.linalg.norm(
            before.positions(number, times)[:, 1:5] - after.positions(number, times)[:, 1:5], axis=-1
        )
        scale = clip["mean_error"] / clip["mean_error_percent"]
        # Straight lines between quaternions are an even turn there and a chord in Blender.
        near = 2e-2 if way == "linear" else 1e-3
        assert apart.mean() == pytest.approx(clip["file_mean_error_percent"] * scale, rel=near)
        assert clip["file_off_percent"] < 0.01


def test_a_glb_with_all_keys_is_the_same_motion(reduce: Any, tmp_path: Path) -> None:
    write_character(tmp_path / "hero.glb")
    made = reduce(tmp_path / "hero.glb", "--share", 100)["output"]
    before, after = Gltf(tmp_path / "hero.glb"), Gltf(Path(made))
    for number in range(2):
        times = before.times(number)
        assert off(before.positions(number, times), after.positions(number, times)) < 1e-5


def test_of_a_glb_only_keys_change(reduce: Any, tmp_path: Path) -> None:
    write_character(tmp_path / "hero.glb")
    made = Path(reduce(tmp_path / "hero.glb", "--keys", 5)["output"])
    before, after = Gltf(tmp_path / "hero.glb"), Gltf(made)
    for name in ("asset", "scenes", "nodes", "meshes", "skins", "materials", "cameras", "extensionsUsed"):
        assert after.json[name] == before.json[name], name
    used = before.json["meshes"][0]["primitives"][0]
    for number in (
        *used["attributes"].values(),
        used["indices"],
        before.json["skins"][0]["inverseBindMatrices"],
    ):
        np.testing.assert_array_equal(before.accessor(number), after.accessor(number))
    assert made.stat().st_size < (tmp_path / "hero.glb").stat().st_size


def test_a_glb_has_cubic_keys_also_where_components_stand_still(reduce: Any, tmp_path: Path) -> None:
    write_character(tmp_path / "hero.glb")
    after = Gltf(Path(reduce(tmp_path / "hero.glb", "--keys", 5)["output"]))
    for node, path in ((1, "translation"), (3, "rotation")):
        interpolation, times, output = after.samplers(0)[node, path]
        assert interpolation == "CUBICSPLINE"
        assert len(times) == 5
        assert len(output) == 15


def test_a_glb_keeps_the_animation_of_shape_keys(reduce: Any, tmp_path: Path) -> None:
    write_character(tmp_path / "hero.glb")
    after = Gltf(Path(reduce(tmp_path / "hero.glb", "--share", 100)["output"]))
    before = Gltf(tmp_path / "hero.glb")
    wanted = before.samplers(0)[5, "weights"][2].reshape(-1, 2)
    interpolation, times, output = after.samplers(0)[5, "weights"]
    values = output.reshape(len(times), -1, 2)
    played = values[:, 1 if interpolation == "CUBICSPLINE" else 0]
    np.testing.assert_allclose(played, wanted[np.round(times * 30).astype(int)], atol=1e-5)


def test_tangents_of_a_glb_are_read(reduce: Any, tmp_path: Path) -> None:
    """Blender's importer leaves them out, so that the motion between keys would be another one."""
    write_character(tmp_path / "hero.glb", cubic=True)
    made = reduce(tmp_path / "hero.glb", "--share", 100)["output"]
    before, after = Gltf(tmp_path / "hero.glb"), Gltf(Path(made))
    times = np.linspace(0.0, 1.0, 97)
    assert off(before.positions(0, times), after.positions(0, times)) < 2e-2


def test_nodes_and_animations_of_one_name_are_told_apart(reduce: Any, tmp_path: Path) -> None:
    write_character(tmp_path / "hero.glb", twins=True)
    result = reduce(tmp_path / "hero.glb", "--share", 100)
    before, after = Gltf(tmp_path / "hero.glb"), Gltf(Path(result["output"]))
    assert after.animations == ["move", "move"]
    assert len(result["clips"]) == 2
    for number in range(2):
        times = before.times(number)
        assert off(before.positions(number, times), after.positions(number, times)) < 1e-5


def test_the_report_says_what_blender_makes_of_cubic_keys(reduce: Any, tmp_path: Path) -> None:
    write_character(tmp_path / "hero.glb")
    notes = reduce(tmp_path / "hero.glb", "--keys", 5)["notes"]
    assert any("importer leaves out the tangents" in note for note in notes)
    assert "notes" not in reduce(tmp_path / "hero.glb", "--keys", 5, "--keyed-as", "linear", "--overwrite")


def test_only_the_named_action_is_reduced(reduce: Any, tmp_path: Path) -> None:
    write_character(tmp_path / "hero.glb")
    result = reduce(tmp_path / "hero.glb", "--keys", 5, "--action", "nod")
    assert [clip["action"] for clip in result["clips"]] == ["nod"]
    before, after = Gltf(tmp_path / "hero.glb"), Gltf(Path(result["output"]))
    for target, sampler in before.samplers(0).items():
        np.testing.assert_array_equal(sampler[2], after.samplers(0)[target][2])
    assert len(after.samplers(1)[3, "rotation"][1]) == 5
    wrong = reduce(tmp_path / "hero.glb", "--action", "jump", "--overwrite", fails=True)
    assert "no action called jump: there are" in wrong["reason"]
    active = reduce(tmp_path / "hero.glb", "--action", "active", "--overwrite")
    assert [clip["action"] for clip in active["clips"]] == ["wave"]


def test_pictures_beside_a_gltf_come_along(reduce: Any, tmp_path: Path) -> None:
    """A .gltf names its buffer and its pictures; the .glb that is made of it is whole."""
    import json

    write_character(tmp_path / "hero.glb")
    whole = Gltf(tmp_path / "hero.glb")
    tree = whole.json
    tree["buffers"][0]["uri"] = "its%20data.bin"
    (tmp_path / "its data.bin").write_bytes(whole.binary)
    image = bpy.data.images.new("skin", 2, 2)
    image.filepath_raw, image.file_format = str(tmp_path / "skin.png"), "PNG"
    image.save()
    tree["images"], tree["textures"] = [{"uri": "skin.png"}], [{"source": 0}]
    tree["materials"][0]["pbrMetallicRoughness"] = {"baseColorTexture": {"index": 0}}
    (tmp_path / "hero.gltf").write_text(json.dumps(tree))
    made = Gltf(Path(reduce(tmp_path / "hero.gltf", "--keys", 5, "-o", tmp_path / "out")["output"]))
    [embedded] = made.json["images"]
    view = made.json["bufferViews"][embedded["bufferView"]]
    assert made.binary[view["byteOffset"] :].startswith(b"\x89PNG")
    assert embedded["mimeType"] == "image/png"


# What is written is read back


def test_a_result_that_plays_differently_is_a_failure(
    reduce: Any, y_up: Path, monkeypatch: pytest.MonkeyPatch, clean_blender: ModuleType
) -> None:
    files = importlib.import_module(f"{clean_blender.__name__}.bridge.files")
    written = files.WRITERS[".bvh"]

    def swapped(path: Path, *rest: Any) -> None:
        written(path, *rest)
        head, motion, rows = path.read_bytes().partition(b"MOTION")
        path.write_bytes(head.replace(b"OFFSET 0 20 1", b"OFFSET 0 1 20") + motion + rows)

    monkeypatch.setitem(files.WRITERS, ".bvh", swapped)
    result = reduce(y_up, "--keys", 9, fails=True)
    assert "plays differently when it is opened again" in result["reason"]
    assert not list(y_up.parent.glob("*reduced*")), "nothing is kept, and nothing half-written"
    clip = reduce(y_up, "--keys", 9, "--no-read-back")["clips"][0]
    assert "file_mean_error_percent" not in clip


# Characters that people import


@pytest.mark.parametrize("name", ["Fox", "RobotExpressive", "Soldier", "Knight"])
def test_characters_keep_all_their_animations(
    reduce: Any, characters_folder: Path, tmp_path: Path, name: str
) -> None:
    source = characters_folder / f"{name}.glb"
    before = Gltf(source)
    chosen = before.animations[:3]
    result = reduce(source, "-o", tmp_path, "--share", 20, "--action", *chosen)
    after = Gltf(Path(result["output"]))
    assert after.animations == before.animations
    figures = {clip["action"]: clip for clip in result["clips"]}
    assert figures
    for number, action in enumerate(before.animations):
        times = before.times(number)
        apart = np.linalg.norm(
            (before.positions(number, times) - after.positions(number, times))[:, before.joints], axis=-1
        )
        if action in figures:
            clip = figures[action]
            limit = clip["file_largest_error_percent"] * clip["mean_error"] / clip["mean_error_percent"]
            assert apart.max() <= 1.01 * limit
        else:
            assert apart.max() == 0.0
    assert Path(result["output"]).stat().st_size < source.stat().st_size


def test_a_walk_with_a_root_far_away_keeps_its_axes(
    reduce: Any, characters_folder: Path, tmp_path: Path
) -> None:
    source = characters_folder / "walk_elderly.bvh"
    before = bvh.read(source)
    after = bvh.read(Path(reduce(source, "-o", tmp_path, "--share", 20)["output"]))
    assert off(before.positions(), after.positions()) < 0.01


def test_a_dance_keeps_scale_and_take(reduce: Any, characters_folder: Path, tmp_path: Path) -> None:
    source = characters_folder / "Samba_Dancing.fbx"
    result = reduce(source, "-o", tmp_path, "--share", 10)
    assert result["clips"][0]["action"] == "mixamo.com"
    assert result["clips"][0]["file_off_percent"] < 0.01
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.import_scene.fbx(filepath=result["output"], anim_offset=0.0)
    armature = next(obj for obj in bpy.data.objects if obj.type == "ARMATURE")
    assert tuple(armature.scale) == pytest.approx((0.01, 0.01, 0.01))
    assert "|mixamo.com" in armature.animation_data.action.name
