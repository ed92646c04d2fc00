# SPDX-License-Identifier: GPL-3.0-or-later
"""Thumbnails of actions: drawn, kept with the file, and nothing else touched."""

from __future__ import annotations

import importlib
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

ARM = {"body": ((0, 0, 0), (0, 0, 1), None), "arm.L": ((0, 0, 1), (0.8, 0, 1), "body")}


@pytest.fixture
def arm(make_rig, set_keys):
    rig = make_rig(ARM, rotation_mode="XYZ", name="Arm")
    set_keys(rig.pose.bones["arm.L"], "rotation_euler", {1: (0, 0, 0), 20: (0, 0, 1.5), 40: (0, 0, -1)})
    rig.animation_data.action.name = "Wave"
    return rig


def second_action(rig, name="Nod"):
    first = rig.animation_data.action
    rig.animation_data.action = None
    rig.pose.bones["body"].rotation_euler = (0, 0, 0)
    rig.pose.bones["body"].keyframe_insert("rotation_euler", frame=1)
    rig.pose.bones["body"].rotation_euler = (1, 0, 0)
    rig.pose.bones["body"].keyframe_insert("rotation_euler", frame=9)
    second = rig.animation_data.action
    assert second is not None
    second.name = name
    rig.animation_data.action = first
    return second


def preview_of(action):
    width, height = action.preview.image_size
    values = np.empty(width * height * 4, np.float32)
    action.preview.image_pixels_float.foreach_get(values)
    return values.reshape(height, width, 4)[::-1]


def assert_is_a_thumbnail(action):
    alpha = preview_of(action)[..., 3]
    assert alpha.shape == (256, 256)
    rows, columns = np.nonzero(alpha > 0.1)
    assert max(np.ptp(rows), np.ptp(columns)) > 200, "the motion fills the picture"
    for border in (alpha[0], alpha[-1], alpha[:, 0], alpha[:, -1]):
        assert not border.any(), "nothing is cut off"


def test_the_active_action_gets_a_thumbnail_and_becomes_an_asset(arm):
    assert bpy.ops.posewright.motion_thumbnail() == {"FINISHED"}
    action = arm.animation_data.action
    assert action.asset_data is not None
    assert_is_a_thumbnail(action)


def test_the_picture_stands_upright(make_rig, set_keys):
    """A tall bone with a left bone only at its top: the blue is in the upper half."""
    rig = make_rig(
        {"body": ((0, 0, 0), (0, 0, 2), None), "arm.L": ((0, 0, 1.9), (0.6, 0, 1.9), "body")},
        rotation_mode="XYZ",
    )
    set_keys(rig.pose.bones["arm.L"], "rotation_euler", {1: (0, 0, 0), 10: (0.5, 0, 0)})
    bpy.ops.posewright.motion_thumbnail()
    picture = preview_of(rig.animation_data.action)
    blue = np.nonzero((picture[..., 2] - picture[..., 0] > 0.2) & (picture[..., 3] > 0.5))[0]
    assert len(blue)
    assert blue.mean() < 110


def test_faint_poses_have_faint_colours(arm):
    """Blender adds a preview's colours to what is below: where alpha is low, colours have to be as well."""
    bpy.ops.posewright.motion_thumbnail()
    picture = preview_of(arm.animation_data.action)
    assert np.all(picture[..., :3] <= picture[..., 3:] + 0.01)
    assert np.any((picture[..., 3] > 0.2) & (picture[..., 3] < 0.4)), "the first pose is faint"


def test_it_need_not_become_an_asset(arm):
    bpy.ops.posewright.motion_thumbnail(as_asset=False)
    assert arm.animation_data.action.asset_data is None
    assert_is_a_thumbnail(arm.animation_data.action)


@pytest.mark.parametrize(
    ("as_asset", "said"), [(True, ": see Current File in the Asset Browser"), (False, "")]
)
def test_it_says_where_to_look(arm, capfd, as_asset, said):
    bpy.ops.posewright.motion_thumbnail(as_asset=as_asset)
    assert f"Info: 1 thumbnail{said}\n" in capfd.readouterr().out
    second_action(arm)
    bpy.ops.posewright.motion_thumbnail(actions="ALL", as_asset=as_asset)
    assert f"Info: 2 thumbnails{said}\n" in capfd.readouterr().out


def test_all_actions_of_the_file_get_one_and_the_armature_keeps_its_own(arm):
    nod = second_action(arm)
    own, objects = arm.animation_data.action, len(bpy.data.objects)
    bpy.ops.posewright.motion_thumbnail(actions="ALL")
    assert_is_a_thumbnail(nod)
    assert_is_a_thumbnail(own)
    assert arm.animation_data.action == own
    assert len(bpy.data.objects) == objects
    assert not np.array_equal(preview_of(nod), preview_of(own))


def test_layers_of_detail_are_no_clips(make_rig, set_keys):
    rig = make_rig(2, rotation_mode="XYZ")
    turns = {frame: (np.sin(frame / 5.0), 0.0, 0.2 * np.cos(frame / 2.0)) for frame in range(1, 61)}
    set_keys(rig.pose.bones[1], "rotation_euler", turns)
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 6
    rig.posewright.detail = 1.0
    bpy.ops.posewright.motion_thumbnail(actions="ALL")
    assert rig.posewright.reduced.posewright.residual.asset_data is None
    assert rig.posewright.reduced.asset_data is not None
    assert rig.posewright.reduced.posewright.source.asset_data is not None


def test_an_action_without_an_armature_is_left_out_with_a_sentence(arm):
    cube = bpy.data.objects.new("Empty", None)
    cube.keyframe_insert("location", frame=1)
    cube.animation_data.action.name = "Drift"
    bpy.ops.posewright.motion_thumbnail(actions="ALL")
    assert bpy.data.actions["Drift"].asset_data is None
    assert_is_a_thumbnail(bpy.data.actions["Wave"])


def test_nothing_to_draw_is_said(make_rig):
    make_rig(1)
    with pytest.raises(RuntimeError, match="no action in this file"):
        bpy.ops.posewright.motion_thumbnail()


def test_thumbnails_survive_saving_and_loading(arm, tmp_path):
    bpy.ops.posewright.motion_thumbnail()
    before = preview_of(bpy.data.actions["Wave"])
    path = str(tmp_path / "clip.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert np.array_equal(preview_of(bpy.data.actions["Wave"]), before)


def test_a_real_clip(mocap):
    rig = mocap("13_11")
    bpy.ops.posewright.motion_thumbnail()
    assert_is_a_thumbnail(rig.animation_data.action)


@pytest.mark.skipif(bpy.app.version < (4, 4, 0), reason="actions have slots from Blender 4.4 on")
def test_an_action_that_moves_a_camera_first_shows_the_character(arm, posewright):
    actions = importlib.import_module(f"{posewright.__name__}.bridge.actions")
    poses = importlib.import_module(f"{posewright.__name__}.bridge.pictures.sampled_poses")
    shot, slot = actions.new_action("Shot", bpy.data.objects.new("Camera", None))
    actions.bag_of(shot, slot, create=True).fcurves.new("location", index=0).keyframe_points.insert(1, 0.0)
    played = arm.animation_data.action, actions.slot_of(arm)
    own = shot.slots.new(id_type="OBJECT", name="Somebody")
    actions.assign(arm, shot, own)
    bone = arm.pose.bones[0]
    for frame in (1, 20):
        bone.keyframe_insert("location", frame=frame)
    actions.assign(arm, *played)
    with poses.stand_in(arm, shot) as actor:
        assert actor.animation_data.action_slot == own


# Catalogues

CATALOGUES = "blender_assets.cats.txt"


def test_assets_are_listed_under_their_character(arm, tmp_path):
    """The catalogues of others stay to the letter, and one is made only once."""
    theirs = "# mine\r\nVERSION 1\r\n\r\n11111111-2222-3333-4444-555555555555:Poses/Old:Poses-Old\r\n"
    (tmp_path / CATALOGUES).write_bytes(theirs.encode())
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "clips.blend"))
    arm.name = "Hero: left/right"
    bpy.ops.posewright.motion_thumbnail()
    number = arm.animation_data.action.asset_data.catalog_id
    text = (tmp_path / CATALOGUES).read_bytes().decode()
    assert text.startswith(theirs)
    assert text.removeprefix(theirs).splitlines() == [
        f"{number}:Motions/Hero_ left_right:Motions-Hero_ left_right"
    ]
    bpy.ops.posewright.motion_thumbnail()
    assert (tmp_path / CATALOGUES).read_bytes().decode() == text


def test_a_catalogue_that_somebody_chose_stays(arm, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "clips.blend"))
    action = arm.animation_data.action
    action.asset_mark()
    action.asset_data.catalog_id = "11111111-2222-3333-4444-555555555555"
    bpy.ops.posewright.motion_thumbnail()
    assert action.asset_data.catalog_id == "11111111-2222-3333-4444-555555555555"
    assert not (tmp_path / CATALOGUES).exists()


def test_a_file_that_was_never_saved_has_no_catalogues(arm):
    bpy.ops.posewright.motion_thumbnail()
    asset = arm.animation_data.action.asset_data
    assert asset.catalog_id == "00000000-0000-0000-0000-000000000000"


def test_catalogues_of_a_newer_blender_are_left_alone(arm, tmp_path):
    (tmp_path / CATALOGUES).write_text("VERSION 2\n")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "clips.blend"))
    with pytest.raises(RuntimeError, match="of a newer Blender"):
        bpy.ops.posewright.motion_thumbnail()
    assert (tmp_path / CATALOGUES).read_text() == "VERSION 2\n"


def test_it_waits_for_work_under_way(arm, posewright, monkeypatch):
    busy = importlib.import_module(f"{posewright.__name__}.handlers.busy")
    assert bpy.ops.posewright.motion_thumbnail.poll()
    monkeypatch.setattr(busy, "_under_way", [SimpleNamespace(why_busy="Analyze is under way.")])
    assert not bpy.ops.posewright.motion_thumbnail.poll()
    monkeypatch.undo()
    assert bpy.ops.posewright.motion_thumbnail.poll()
