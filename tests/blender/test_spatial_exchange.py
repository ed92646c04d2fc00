# SPDX-License-Identifier: GPL-3.0-or-later
"""Sets as JSON, and poses to and from the Pose Library."""

from __future__ import annotations

import importlib
import json
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from tests.blender.spatial_bear import (
    BONES,
    FIVE_KEYS,
    bear_with_five_keys,
    cursor,
    local_turn,
    rest,
    select_bones,
    set_key,
    settings,
    turn,
)


@pytest.fixture
def bear(make_rig):
    return bear_with_five_keys(make_rig)


def poses_at(rig, places):
    settings(rig).live = True
    seen = []
    for place in places:
        cursor(rig).location = place
        bpy.context.view_layer.update()
        seen.append([np.array(bone.matrix_basis) for bone in rig.pose.bones])
    settings(rig).live = False
    return np.array(seen)


PLACES = [(0.4, -1.2, 1.7), (-1.1, -0.9, 2.6)]


def test_a_set_comes_back_from_its_file(bear, make_rig, tmp_path):
    select_bones(bear, "arm.L")
    bpy.ops.posewright.spatial_reach_add()
    settings(bear).sets[0].effectors.remove(0)
    before = poses_at(bear, PLACES)
    path = str(tmp_path / "look.json")
    bpy.ops.posewright.spatial_set_export(filepath=path)
    twin = make_rig(BONES, name="Twin", rotation_mode="ZXY", location=(5, 0, 0))
    bpy.ops.posewright.spatial_set_import(filepath=path)
    assert settings(twin).sets[0].name == "Look"
    assert [key.name for key in settings(twin).sets[0].keys] == list(FIVE_KEYS)
    assert poses_at(twin, PLACES) == pytest.approx(before, abs=1e-5)


def reaching_bear(bear, path):
    """Two bones reach, one for the cursor and one for an object, and the set is in a file."""
    ball = bpy.data.objects.new("Ball", None)
    bpy.context.scene.collection.objects.link(ball)
    for bone, target, chain in (("head", None, 1), ("arm.L", ball, 2)):
        effector = settings(bear).sets[0].effectors.add()
        effector.bone, effector.target, effector.chain_length = bone, target, chain
        effector.use_rotation = target is not None
    bpy.ops.posewright.spatial_set_export(filepath=path)
    return ball


def reaches(rig):
    return [
        (each.bone, each.target, each.chain_length, each.use_rotation)
        for each in settings(rig).sets[0].effectors
    ]


def test_what_bones_reach_for_comes_back_by_name(bear, make_rig, tmp_path):
    path = str(tmp_path / "look.json")
    ball = reaching_bear(bear, path)
    twin = make_rig(BONES, name="Twin")
    bpy.ops.posewright.spatial_set_import(filepath=path)
    assert reaches(twin) == [("head", None, 1, False), ("arm.L", ball, 2, True)]


def test_what_bones_reach_for_and_is_missing_is_told(bear, make_rig, tmp_path, capfd):
    path = str(tmp_path / "look.json")
    bpy.data.objects.remove(reaching_bear(bear, path))
    twin = make_rig(BONES, name="Twin")
    bpy.ops.posewright.spatial_set_import(filepath=path)
    assert reaches(twin) == [("head", None, 1, False)], "and never for the cursor instead"
    assert "There is no object called Ball: what reached for it was left out" in capfd.readouterr().out


def test_a_file_from_before_targets_were_written(bear, make_rig, tmp_path):
    path = tmp_path / "look.json"
    reaching_bear(bear, str(path))
    data = json.loads(path.read_text())
    for entry in data["reach"]:
        del entry["target"]
    path.write_text(json.dumps(data))
    twin = make_rig(BONES, name="Twin")
    bpy.ops.posewright.spatial_set_import(filepath=str(path))
    assert [target for _, target, _, _ in reaches(twin)] == [None, None]


def test_the_file_is_readable_and_says_what_it_is(bear, tmp_path):
    path = tmp_path / "look.json"
    bpy.ops.posewright.spatial_set_export(filepath=str(path))
    data = json.loads(path.read_text())
    assert data["kind"] == "posewright spatial set"
    assert data["keys"][1]["place"] == pytest.approx(FIVE_KEYS["left"][0])
    assert set(data["keys"][0]["pose"]) == set(BONES)


def test_bones_that_are_missing_are_left_out_and_told(bear, make_rig, tmp_path):
    path = str(tmp_path / "look.json")
    bpy.ops.posewright.spatial_set_export(filepath=path)
    snake = make_rig({"head": ((0, 0, 0), (0, 0, 1), None)}, name="Snake")
    bpy.ops.posewright.spatial_set_import(filepath=path)
    assert len(settings(snake).sets[0].keys) == 5


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda text: text[:100], "not a JSON file"),
        (lambda text: "[1, 2]", "holds no spatial set"),
        (lambda text: text.replace('"version": 1', '"version": 99'), "version 99"),
        (lambda text: text.replace('"place"', '"plaice"'), "damaged"),
        (lambda text: text.replace('"rotation": [', '"rotation": [NaN, '), "damaged"),
        (
            lambda text: text.replace('"reach": []', '"reach": [{"bone": "head", "chain": Infinity}]'),
            "damaged",
        ),
        (
            lambda text: text.replace('"head"', '"tail"').replace('"body"', '"b"').replace('"arm', '"a'),
            "none of the",
        ),
    ],
)
def test_a_bad_file_is_told_and_changes_nothing(bear, tmp_path, change, sentence):
    path = tmp_path / "look.json"
    bpy.ops.posewright.spatial_set_export(filepath=str(path))
    path.write_text(change(path.read_text()))
    objects, actions = len(bpy.data.objects), len(bpy.data.actions)
    with pytest.raises(RuntimeError, match=sentence):
        bpy.ops.posewright.spatial_set_import(filepath=str(path))
    assert len(settings(bear).sets) == 1
    assert (len(bpy.data.objects), len(bpy.data.actions)) == (objects, actions)


def test_two_keys_at_one_place_in_a_file(bear, tmp_path):
    path = tmp_path / "look.json"
    bpy.ops.posewright.spatial_set_export(filepath=str(path))
    data = json.loads(path.read_text())
    data["keys"][1]["place"] = data["keys"][0]["place"]
    path.write_text(json.dumps(data))
    with pytest.raises(RuntimeError, match="same place"):
        bpy.ops.posewright.spatial_set_import(filepath=str(path))
    assert len(settings(bear).sets) == 1


def test_keys_of_a_mouse_are_too_close_together_for_a_bear(bear, tmp_path):
    path = tmp_path / "look.json"
    bpy.ops.posewright.spatial_set_export(filepath=str(path))
    data = json.loads(path.read_text())
    for key in data["keys"]:
        key["place"] = [1e-5 * value for value in key["place"]]
    path.write_text(json.dumps(data))
    objects, actions = len(bpy.data.objects), len(bpy.data.actions)
    with pytest.raises(RuntimeError, match="too close together for a character as large as Bear"):
        bpy.ops.posewright.spatial_set_import(filepath=str(path))
    assert (len(settings(bear).sets), len(bpy.data.objects), len(bpy.data.actions)) == (1, objects, actions)


def test_a_chain_longer_than_blender_can_count(bear, tmp_path):
    path = tmp_path / "look.json"
    bpy.ops.posewright.spatial_set_export(filepath=str(path))
    data = json.loads(path.read_text())
    data["reach"] = [{"bone": "head", "chain": 10**12}]
    path.write_text(json.dumps(data))
    bpy.ops.posewright.spatial_set_import(filepath=str(path))
    assert settings(bear).sets[1].effectors[0].chain_length >= len(bear.pose.bones)


def test_a_file_that_is_not_there(bear, tmp_path):
    with pytest.raises(RuntimeError, match="could not be read"):
        bpy.ops.posewright.spatial_set_import(filepath=str(tmp_path / "nothing.json"))


def test_a_pose_is_given_to_the_library_and_stays_when_the_key_goes(bear):
    settings(bear).sets[0].key_index = 1
    bpy.ops.posewright.spatial_key_to_library()
    pose = settings(bear).sets[0].keys[1].pose
    name = pose.name
    assert pose.asset_data is not None
    with pytest.raises(RuntimeError, match="already"):
        bpy.ops.posewright.spatial_key_to_library()
    bpy.ops.posewright.spatial_key_remove()
    assert name in bpy.data.actions


def test_what_is_given_to_the_library_has_a_picture(bear):
    pictures = []
    for index in (0, 1):
        settings(bear).sets[0].key_index = index
        bpy.ops.posewright.spatial_key_to_library()
        preview = settings(bear).sets[0].keys[index].pose.preview
        pixels = np.empty(4 * preview.image_size[0] * preview.image_size[1], np.float32)
        preview.image_pixels_float.foreach_get(pixels)
        pictures.append(pixels)
    assert 0.01 < (pictures[0].reshape(-1, 4)[:, 3] > 0.5).mean() < 0.9, "a figure on nothing"
    assert np.abs(pictures[0] - pictures[1]).max() > 0.5, "another pose is another picture"


def test_updating_a_key_leaves_the_asset_as_it_was(bear):
    settings(bear).sets[0].key_index = 1
    bpy.ops.posewright.spatial_key_to_library()
    asset = settings(bear).sets[0].keys[1].pose
    bpy.ops.posewright.spatial_key_update()
    assert settings(bear).sets[0].keys[1].pose != asset
    assert asset.asset_data is not None


def test_a_pose_is_taken_from_the_library(bear, set_keys):
    rest(bear)
    turn(bear, "head", 0, 33, 0)
    wanted = local_turn(bear, "head")
    set_keys(bear.pose.bones["head"], "rotation_quaternion", {1: bear.pose.bones["head"].rotation_quaternion})
    asset = bear.animation_data.action
    asset.name = "Curious"
    bear.animation_data_clear()
    asset.asset_mark()
    cursor(bear).location = (2, 2, 2)
    bpy.ops.posewright.spatial_key_from_library(action="Curious")
    key = settings(bear).sets[0].keys[-1]
    assert key.pose != asset
    assert key.pose.asset_data is None
    rest(bear)
    bpy.ops.posewright.spatial_key_go_to()
    assert local_turn(bear, "head") == pytest.approx(wanted, abs=1e-5)


def test_a_pose_of_another_file_leaves_nothing_but_its_key(bear, posewright, tmp_path, monkeypatch):
    library = importlib.import_module(f"{posewright.__name__}.bridge.spatial.making.library")
    turn(bear, "head", 0, 33, 0)
    wanted = local_turn(bear, "head")
    set_key(bear, (2, 2, 2), "curious")
    bpy.ops.posewright.spatial_key_to_library()
    pose = settings(bear).sets[0].keys[-1].pose
    path, name = str(tmp_path / "poses.blend"), pose.name
    bpy.data.libraries.write(path, {pose})
    pose.name = "something else"
    asset = SimpleNamespace(name=name, id_type="ACTION", local_id=None, full_library_path=path)
    monkeypatch.setattr(library, "chosen_asset", lambda context, clicked: asset)
    cursor(bear).location = (3, 2, 2)
    before = set(bpy.data.actions)
    bpy.ops.posewright.spatial_key_from_library()
    key = settings(bear).sets[0].keys[-1]
    assert set(bpy.data.actions) - before == {key.pose}
    assert key.pose.asset_data is None
    rest(bear)
    bpy.ops.posewright.spatial_key_go_to()
    assert local_turn(bear, "head") == pytest.approx(wanted, abs=1e-5)


def test_a_pose_that_a_shelf_names_in_properties_only(bear, tmp_path):
    """As 4.3 calls it, where a click opened the shelf again: for a pose of this file and of a library."""
    set_key(bear, (2, 2, 2), "curious")
    bpy.ops.posewright.spatial_key_to_library()
    pose = settings(bear).sets[0].keys[-1].pose
    bpy.data.libraries.write(str(tmp_path / "poses.blend"), {pose})
    count = len(settings(bear).sets[0].keys)
    identifier = f"Action/{pose.name}"
    cursor(bear).location = (3, 2, 2)
    bpy.ops.posewright.spatial_key_from_library(
        asset_library_type="LOCAL", relative_asset_identifier=identifier
    )
    assert len(settings(bear).sets[0].keys) == count + 1
    pose.name = "something else"
    libraries = bpy.context.preferences.filepaths.asset_libraries
    own = libraries.new(name="Ours", directory=str(tmp_path))
    try:
        cursor(bear).location = (4, 2, 2)
        bpy.ops.posewright.spatial_key_from_library(
            asset_library_type="CUSTOM",
            asset_library_identifier=own.name,
            relative_asset_identifier=f"poses.blend/{identifier}",
        )
    finally:
        libraries.remove(own)
    assert len(settings(bear).sets[0].keys) == count + 2
    assert settings(bear).sets[0].keys[-1].pose.asset_data is None


def test_what_cannot_be_taken_is_told(bear):
    with pytest.raises(RuntimeError, match="No pose asset is chosen"):
        bpy.ops.posewright.spatial_key_from_library()
    bpy.data.actions.new("Empty")
    cursor(bear).location = (2, 2, 2)
    with pytest.raises(RuntimeError, match="none of the bones"):
        bpy.ops.posewright.spatial_key_from_library(action="Empty")
    with pytest.raises(RuntimeError, match="no action called"):
        bpy.ops.posewright.spatial_key_from_library(action="Nothing")


def test_contacts_and_ground_are_in_the_file(bear, make_rig, tmp_path):
    select_bones(bear, "arm.L", "arm.R")
    bpy.ops.posewright.spatial_contact_add(end="HEAD")
    settings(bear).ground, settings(bear).use_locomotion = 0.25, True
    settings(bear).use_steady_contacts = False
    settings(bear).use_solid_ground = settings(bear).use_no_steps_back = False
    settings(bear).contacts[0].offset = 0.125
    path = str(tmp_path / "look.json")
    bpy.ops.posewright.spatial_set_export(filepath=path)
    twin = make_rig(BONES, name="Twin", location=(5, 0, 0))
    bpy.ops.posewright.spatial_set_import(filepath=path)
    assert [(each.bone, each.end, each.offset) for each in settings(twin).contacts] == [
        ("arm.L", "HEAD", 0.125),
        ("arm.R", "HEAD", 0.0),
    ]
    assert settings(twin).ground == 0.25
    assert settings(twin).use_locomotion
    assert not settings(twin).use_steady_contacts
    assert not settings(twin).use_solid_ground
    assert not settings(twin).use_no_steps_back
    bpy.ops.posewright.spatial_set_import(filepath=path)
    assert len(settings(twin).contacts) == 2, "contacts of its own stay as they are"


def test_walking_on_feet_that_are_found_is_in_the_file(bear, make_rig, tmp_path):
    settings(bear).use_locomotion = True
    path = str(tmp_path / "look.json")
    bpy.ops.posewright.spatial_set_export(filepath=path)
    twin = make_rig(BONES, name="Twin", location=(5, 0, 0))
    bpy.ops.posewright.spatial_set_import(filepath=path)
    assert settings(twin).use_locomotion
    assert not settings(twin).contacts


def test_a_damaged_contact_is_refused(bear, tmp_path):
    path = tmp_path / "look.json"
    bpy.ops.posewright.spatial_set_export(filepath=str(path))
    data = json.loads(path.read_text())
    data["walk"]["contacts"] = [{"bone": "head", "end": "MIDDLE"}]
    path.write_text(json.dumps(data))
    with pytest.raises(RuntimeError, match="damaged"):
        bpy.ops.posewright.spatial_set_import(filepath=str(path))
