# SPDX-License-Identifier: GPL-3.0-or-later
"""Every action of every armature of a .blend, and everything else in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from tests.blender.conftest import build_rig
from tests.blender.test_files import reduce  # noqa: F401  a fixture


def swing(
    rig: Any,
    name: str,
    *,
    frames: int = 30,
    pace: float = 0.3,
    path: str = "rotation_quaternion",
    first: int = 1,
) -> Any:
    """An action in which all bones of a rig swing; the rig plays it."""
    data = rig.animation_data or rig.animation_data_create()
    data.action = bpy.data.actions.new(name)
    for frame in range(first, first + frames):
        for number, bone in enumerate(rig.pose.bones):
            angle = np.sin(pace * frame + number)
            value = {
                "rotation_quaternion": (np.cos(angle / 2), np.sin(angle / 2), 0, 0),
                "rotation_euler": (angle, 0, 0),
            }[path]
            setattr(bone, path, value)
            bone.keyframe_insert(path, frame=frame)
    return data.action


def saved(path: Path) -> Path:
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def opened(result: dict[str, Any]) -> None:
    bpy.ops.wm.open_mainfile(filepath=result["output"])


def key_count(action: Any) -> int:
    curves = (
        action.fcurves if hasattr(action, "fcurves") else action.layers[0].strips[0].channelbags[0].fcurves
    )
    return max(len(curve.keyframe_points) for curve in curves)


Reduce = Callable[..., dict[str, Any]]


def test_all_actions_of_an_armature_are_reduced(reduce: Reduce, tmp_path: Path) -> None:  # noqa: F811
    rig = build_rig(3)
    for name in ("walk", "run", "jump"):
        swing(rig, name).use_fake_user = True
    result = reduce(saved(tmp_path / "shot.blend"), "--keys", 6)
    assert sorted(clip["action"] for clip in result["clips"]) == ["jump", "run", "walk"]
    assert all(clip["file_off_percent"] < 1e-3 for clip in result["clips"])
    opened(result)
    assert {action.name for action in bpy.data.actions} == {
        f"{name}{more}" for name in ("walk", "run", "jump") for more in ("", " reduced")
    }
    assert bpy.data.objects["Rig"].animation_data.action.name == "jump reduced"
    assert key_count(bpy.data.actions["run reduced"]) == 6
    assert key_count(bpy.data.actions["run"]) == 30


def test_an_armature_that_plays_from_the_nla(reduce: Reduce, tmp_path: Path) -> None:  # noqa: F811
    rig = build_rig(2)
    for start, name in ((1, "walk"), (40, "run")):
        action = swing(rig, name)
        strip = rig.animation_data.nla_tracks.new().strips.new(name, start, action)
        if hasattr(strip, "action_slot"):
            strip.action_slot = rig.animation_data.action_slot
    rig.animation_data.action = None
    result = reduce(saved(tmp_path / "shot.blend"), "--keys", 6)
    assert {clip["action"] for clip in result["clips"]} == {"walk", "run"}
    opened(result)
    data = bpy.data.objects["Rig"].animation_data
    strips = [strip for track in data.nla_tracks for strip in track.strips]
    assert data.action is None
    assert [(strip.action.name, strip.frame_start, strip.frame_end) for strip in strips] == [
        ("walk reduced", 1, 30),
        ("run reduced", 40, 69),
    ]
    assert not any(track.mute for track in data.nla_tracks)
    if hasattr(strips[0], "action_slot"):
        assert all(strip.action_slot is not None for strip in strips)


def test_an_armature_in_a_second_scene(reduce: Reduce, tmp_path: Path) -> None:  # noqa: F811
    swing(build_rig(2, name="Hero"), "walk")
    other = build_rig(2, name="Extra")
    swing(other, "wait")
    bpy.context.scene.collection.objects.unlink(other)
    bpy.data.scenes.new("Second").collection.objects.link(other)
    result = reduce(saved(tmp_path / "shot.blend"), "--keys", 5)
    assert {(clip["armature"], clip["action"]) for clip in result["clips"]} == {
        ("Hero", "walk"),
        ("Extra", "wait"),
    }


def test_a_linked_armature_is_left_out_with_a_sentence(reduce: Reduce, tmp_path: Path) -> None:  # noqa: F811
    swing(build_rig(2, name="Prop"), "spin")
    library = saved(tmp_path / "prop.blend")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    swing(build_rig(2, name="Hero"), "walk")
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.objects = ["Prop"]
    bpy.context.scene.collection.objects.link(wanted.objects[0])
    result = reduce(saved(tmp_path / "shot.blend"), "--keys", 5)
    assert [clip["action"] for clip in result["clips"]] == ["walk"]
    assert any("Prop" in note for note in result["notes"])


def test_everything_else_of_a_blend_stays(reduce: Reduce, tmp_path: Path) -> None:  # noqa: F811
    rig = build_rig(2)
    swing(rig, "walk")
    cube = bpy.data.objects.new("Cube", bpy.data.meshes.new("Cube"))
    cube.data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    cube.data.materials.append(bpy.data.materials.new("Red"))
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    for obj in (cube, camera):
        bpy.context.scene.collection.objects.link(obj)
    for frame in range(1, 20):
        cube.location.x = np.sin(frame)
        cube.keyframe_insert("location", frame=frame)
    bpy.context.scene.timeline_markers.new("hit", frame=12)
    moves = cube.animation_data.action.name
    keys = key_count(cube.animation_data.action)
    result = reduce(saved(tmp_path / "shot.blend"), "--keys", 5)
    opened(result)
    assert set(bpy.data.objects.keys()) == {"Rig", "Cube", "Camera"}
    assert bpy.data.objects["Cube"].animation_data.action.name == moves
    assert key_count(bpy.data.objects["Cube"].animation_data.action) == keys
    assert bpy.data.objects["Cube"].data.materials[0].name == "Red"
    assert [(marker.name, marker.frame) for marker in bpy.context.scene.timeline_markers] == [("hit", 12)]


def test_two_armatures_with_bones_of_the_same_names(reduce: Reduce, tmp_path: Path) -> None:  # noqa: F811
    swing(build_rig(2, name="One"), "first", pace=0.2)
    swing(build_rig(2, name="Two", location=(3, 0, 0)), "second", pace=0.5)
    source = saved(tmp_path / "shot.blend")
    result = reduce(source, "--keys", 9)
    assert {(clip["armature"], clip["action"]) for clip in result["clips"]} == {
        ("One", "first"),
        ("Two", "second"),
    }
    result = reduce(source, "--keys", 9, "--format", "bvh")
    assert {Path(clip["file"]).name for clip in result["clips"]} == {
        "shot_One_first_reduced.bvh",
        "shot_Two_second_reduced.bvh",
    }


@pytest.mark.parametrize("suffix", ["fbx", "glb"])
def test_takes_keep_their_names_and_the_object_its_scale(reduce: Reduce, tmp_path: Path, suffix: str) -> None:  # noqa: F811
    rig = build_rig(3)
    rig.scale, rig.rotation_euler, rig.location = (0.01,) * 3, (np.pi / 2, 0, 0), (1, 2, 3)
    _skin(rig)
    swing(rig, "walk").use_fake_user = True
    swing(rig, "run", frames=20, pace=0.7)
    result = reduce(saved(tmp_path / "shot.blend"), "--keys", 9, "--format", suffix)
    assert {clip["action"] for clip in result["clips"]} == {"walk", "run"}
    assert all(clip["file_off_percent"] < 1e-2 for clip in result["clips"])
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    if suffix == "fbx":
        bpy.ops.import_scene.fbx(filepath=result["output"])
    else:
        bpy.ops.import_scene.gltf(filepath=result["output"])
    names = {action.name.split("|")[-1].partition("_")[0] for action in bpy.data.actions}
    assert names == {"walk", "run"}
    armature = next(obj for obj in bpy.data.objects if obj.type == "ARMATURE")
    assert tuple(armature.matrix_world.to_scale()) == pytest.approx((0.01,) * 3)
    assert any(obj.type == "MESH" for obj in bpy.data.objects)


@pytest.mark.parametrize("axes", [("Z", "Y"), ("Y", "-Z"), ("X", "Z")])
def test_an_fbx_keeps_its_axes(reduce: Reduce, tmp_path: Path, axes: tuple[str, str]) -> None:  # noqa: F811
    swing(build_rig(3), "walk")
    source = tmp_path / "clip.fbx"
    bpy.ops.export_scene.fbx(filepath=str(source), axis_up=axes[0], axis_forward=axes[1])
    result = reduce(source, "--keys", 9)
    assert result["clips"][0]["file_off_percent"] < 1e-2

    def settings(path: Path) -> list[bytes]:
        return re.findall(rb"\x00((?:Up|Front|Coord)Axis(?:Sign)?S\x03.{25})", path.read_bytes(), re.DOTALL)

    assert len(settings(source)) == 6
    assert settings(Path(result["output"])) == settings(source)


@pytest.mark.parametrize("suffix", ["fbx", "glb"])
def test_takes_of_two_scenes_keep_their_frames(reduce: Reduce, tmp_path: Path, suffix: str) -> None:  # noqa: F811
    hero = build_rig(2, name="Hero")
    swing(hero, "walk").use_fake_user = True
    swing(hero, "run", first=101)
    extra = build_rig(2, name="Extra", location=(2, 0, 0))
    swing(extra, "wait", first=51)
    bpy.context.scene.collection.objects.unlink(extra)
    bpy.data.scenes.new("Second").collection.objects.link(extra)
    cube = bpy.data.objects.new("Cube", bpy.data.meshes.new("Cube"))
    bpy.context.scene.collection.objects.link(cube)
    for frame in (1, 40):
        cube.location.x = frame
        cube.keyframe_insert("location", frame=frame)
    result = reduce(saved(tmp_path / "shot.blend"), "--keys", 9, "--format", suffix)
    assert {clip["action"] for clip in result["clips"]} == {"walk", "run", "wait"}
    again = reduce(Path(result["output"]), "--keys", 9, "--format", "blend")
    assert {clip["action"] for clip in again["clips"]} == {"walk", "run", "wait"}
    opened(again)
    starts = {
        name: round(action.frame_range[0])
        for name in ("walk", "run", "wait")
        for action in bpy.data.actions
        if name in action.name and "Cube" not in action.name
    }
    assert starts == {"walk": 1, "run": 101, "wait": 51}
    assert any(owner.animation_data for owner in bpy.data.objects if owner.name.startswith("Cube"))


def _skin(rig: Any) -> None:
    """A mesh that the rig deforms."""
    mesh = bpy.data.objects.new("Body", bpy.data.meshes.new("Body"))
    mesh.data.from_pydata([(0, 0, 0), (1, 0, 1), (0, 1, 2)], [], [(0, 1, 2)])
    bpy.context.scene.collection.objects.link(mesh)
    mesh.parent = rig
    mesh.modifiers.new("Armature", "ARMATURE").object = rig
    for number, bone in enumerate(rig.data.bones):
        mesh.vertex_groups.new(name=bone.name).add([number], 1.0, "REPLACE")


def test_constraints_are_baked_where_a_format_has_none(reduce: Reduce, tmp_path: Path) -> None:  # noqa: F811
    rig = build_rig(4, rotation_mode="XYZ")
    _skin(rig)
    swing(rig, "walk", path="rotation_euler")
    target = bpy.data.objects.new("Target", None)
    target.location = (2, 1, 3)
    bpy.context.scene.collection.objects.link(target)
    rig.pose.bones["bone 3"].constraints.new("DAMPED_TRACK").target = target
    source = saved(tmp_path / "shot.blend")
    for suffix in ("glb", "bvh", "fbx"):
        result = reduce(source, "--keys", 9, "--format", suffix)
        assert result["clips"][0]["file_off_percent"] < 1e-2, suffix


def test_a_file_saved_in_the_middle_of_a_reduction(reduce: Reduce, tmp_path: Path) -> None:  # noqa: F811
    swing(build_rig(2), "walk")
    bpy.ops.posewright.analyze()
    result = reduce(saved(tmp_path / "shot.blend"), "--keys", 5)
    assert [clip["action"] for clip in result["clips"]] == ["walk"]
    opened(result)
    assert {action.name for action in bpy.data.actions} == {"walk", "walk reduced"}


def test_each_action_has_its_own_detail(reduce: Reduce, tmp_path: Path) -> None:  # noqa: F811
    rig = build_rig(2)
    swing(rig, "walk").use_fake_user = True
    swing(rig, "run", pace=0.9)
    source = saved(tmp_path / "shot.blend")
    plain = {clip["action"]: clip for clip in reduce(source, "--keys", 4)["clips"]}
    for suffix in ("blend", "bvh", "glb", "fbx"):
        words = ("--keys", 4, "--detail", 50, "--format", suffix, "--overwrite")
        clips = reduce(source, *words)["clips"]
        assert {clip["action"] for clip in clips} == {"walk", "run"}
        for clip in clips:
            without = plain[clip["action"]]["file_mean_error_percent"]
            assert clip["file_mean_error_percent"] < 0.7 * without, (suffix, clip["action"])


def test_a_blend_has_the_settings_that_it_came_with(reduce: Reduce, tmp_path: Path) -> None:  # noqa: F811
    rig = build_rig({"hip": ((0, 0, 0), (0, 0, 1), None), "hand.L": ((0, 0, 1), (1, 0, 1), "hip")})
    swing(rig, "walk")
    own = rig.posewright
    own.space, own.max_keys, own.range_end, own.options.saliency.sigma = "root", 40, 28.0, 7.0
    own.fixed_frames.add().frame = 5.0
    entry = own.bone_weights.add()
    entry.name, entry.weight = "hip", 3.0
    words = ("--keys", 5, "--space", "armature", "--range", "2,20", "--fixed", "10", "--weights", "hand")
    words += ("--algorithm", "saliency", "--sigma", "2", "--keyed-as", "linear", "--sub-frames")
    opened(reduce(saved(tmp_path / "shot.blend"), *words))
    own = bpy.data.objects["Rig"].posewright
    assert (own.algorithm, own.space, own.max_keys, own.range_from) == ("salient", "root", 40, "ACTION")
    assert (own.range_end, own.options.saliency.sigma, own.interpolation) == (28.0, 7.0, "SMOOTH")
    assert [each.frame for each in own.fixed_frames] == [5.0]
    assert [(each.name, each.weight) for each in own.bone_weights] == [("hip", 3.0)]
    assert not any(own.is_property_set(name) for name in ("range_from", "sub_frames"))
