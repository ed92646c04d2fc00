# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose sheet in Blender: what the image shows, where it goes and what it leaves alone."""

from __future__ import annotations

import importlib

import bpy
import numpy as np
import pytest

STICK_MAN = {
    "spine": ((0, 0, 1.0), (0, 0, 1.6), None),
    "head": ((0, 0, 1.6), (0, 0, 1.8), "spine"),
    "arm.L": ((0.1, 0, 1.5), (0.8, 0, 1.5), "spine"),
    "arm.R": ((-0.1, 0, 1.5), (-0.8, 0, 1.5), "spine"),
    "leg.L": ((0.1, 0, 1.0), (0.2, 0, 0), "spine"),
    "leg.R": ((-0.1, 0, 1.0), (-0.2, 0, 0), "spine"),
}


@pytest.fixture
def man(make_rig, set_keys):
    """A figure that raises its left arm and walks off."""
    rig = make_rig(STICK_MAN, rotation_mode="XYZ", name="Man")
    set_keys(rig.pose.bones["arm.L"], "rotation_euler", {1: (0, 0, 0), 11: (0, 0, 1.2), 31: (0, 0, 0.2)})
    set_keys(rig.pose.bones["spine"], "location", {1: (0, 0, 0), 31: (2, 0, 0)})
    rig.animation_data.action.name = "Wave"
    return rig


def pixels_of(image):
    values = np.empty(image.size[0] * image.size[1] * 4, np.float32)
    image.pixels.foreach_get(values)
    return values.reshape(image.size[1], image.size[0], 4)[::-1]


def columns_with_ink(picture):
    """How many separate groups of columns have colour: figures that stand apart."""
    body = picture[len(picture) // 4 : -int(0.22 * len(picture))]
    coloured = np.ptp(body[..., :3], axis=2).max(axis=0) > 0.2
    return int(np.count_nonzero(np.diff(np.concatenate([[0], coloured.astype(int)])) == 1))


def test_current_keys_become_figures_side_by_side(man):
    assert bpy.ops.posewright.pose_sheet(view="FRONT") == {"FINISHED"}
    image = bpy.data.images["Wave poses"]
    picture = pixels_of(image)
    assert columns_with_ink(picture) == 3
    assert image.packed_file is not None
    assert np.all(picture[..., 3] == 1.0)


@pytest.mark.parametrize("view", ["BEST", "FRONT", "RIGHT", "BACK", "LEFT", "TOP", "THREE_QUARTER"])
@pytest.mark.parametrize("arrangement", ["EVEN", "TIME", "SYNOPSIS"])
def test_every_view_and_layout_draws_inside_the_image(man, view, arrangement):
    bpy.ops.posewright.pose_sheet(view=view, arrangement=arrangement, theme="DARK", pose_height=100)
    picture = pixels_of(bpy.data.images["Wave poses"])
    background = picture[0, 0, :3]
    inked = np.abs(picture[..., :3] - background).max(axis=2) > 0.1
    assert inked.mean() > 0.01
    for border in (inked[0], inked[-1], inked[:, 0], inked[:, -1]):
        assert not border.any()


def test_the_left_arm_is_where_the_pose_puts_it(man):
    """Seen from the front at frame 1 the left arm points to the right of the image, at shoulder height."""
    bpy.ops.posewright.pose_sheet(view="FRONT", pose_height=300)
    picture = pixels_of(bpy.data.images["Wave poses"])
    first = picture[60:-60, : picture.shape[1] // 3]
    blue = (first[..., 2] - first[..., 0]) > 0.3
    orange = (first[..., 0] - first[..., 2]) > 0.3
    blue_rows, blue_columns = np.nonzero(blue)
    _, orange_columns = np.nonzero(orange)
    assert blue_columns.mean() > orange_columns.mean()
    arm = blue_columns > np.quantile(blue_columns, 0.9)
    assert blue_rows[arm].mean() < 0.45 * len(first)


@pytest.mark.parametrize("algorithm", ["greedy", "keyposes"])
def test_an_algorithm_and_a_count_choose_the_poses(man, algorithm):
    bpy.ops.posewright.pose_sheet(algorithm=algorithm, key_count=5, view="FRONT")
    assert columns_with_ink(pixels_of(bpy.data.images["Wave poses"])) == 5


def test_a_png_goes_where_the_user_says_and_holds_the_same_picture(man, tmp_path):
    target = tmp_path / "sheet.png"
    bpy.ops.posewright.pose_sheet(filepath=str(target))
    saved = bpy.data.images.load(str(target))
    ours = pixels_of(bpy.data.images["Wave poses"])
    assert np.allclose(pixels_of(saved), ours, atol=1.5 / 255.0)
    assert [file.name for file in tmp_path.iterdir()] == ["sheet.png"]


@pytest.mark.parametrize(
    ("asked", "made"), [("walk", "walk.png"), ("walk.v2", "walk.v2.png"), ("walk.PNG", "walk.png")]
)
def test_the_file_gets_its_ending_and_keeps_its_name(man, tmp_path, asked, made):
    bpy.ops.posewright.pose_sheet(filepath=str(tmp_path / asked))
    assert [file.name for file in tmp_path.iterdir()] == [made]


def test_nothing_is_written_without_a_path(man, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bpy.ops.posewright.pose_sheet()
    assert not list(tmp_path.iterdir())


def test_a_second_sheet_replaces_the_first_but_not_an_image_of_the_user(man):
    theirs = bpy.data.images.new("Wave poses", 4, 4)
    bpy.ops.posewright.pose_sheet(pose_height=64)
    bpy.ops.posewright.pose_sheet(pose_height=128)
    assert tuple(theirs.size) == (4, 4)
    assert len([image for image in bpy.data.images if image.name.startswith("Wave poses")]) == 2


def test_a_name_too_long_for_blender_makes_no_second_image(man):
    man.animation_data.action.name = "w" * 250
    for height in (64, 128):
        bpy.ops.posewright.pose_sheet(pose_height=height)
    assert len(bpy.data.images) == 1


def test_the_camera_view_follows_the_camera(man):
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera
    camera.location, camera.rotation_euler = (0, -8, 1), (np.pi / 2, 0, 0)
    bpy.context.scene.frame_set(7)
    bpy.ops.posewright.pose_sheet(view="CAMERA")
    assert columns_with_ink(pixels_of(bpy.data.images["Wave poses"])) == 3
    assert bpy.context.scene.frame_current == 7


@pytest.mark.parametrize("hidden", [False, True])
def test_a_moving_camera_is_followed_and_poses_that_are_not_keyed_stay(man, set_keys, posewright, hidden):
    poses = importlib.import_module(f"{posewright.__name__}.bridge.pictures.sampled_poses")
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.hide_viewport = hidden
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera
    set_keys(camera, "location", {1: (0, -8, 1), 20: (3, -8, 1)})
    bone = man.pose.bones["arm.L"]
    bone.rotation_euler.x = 0.7
    view = poses.camera_view(bpy.context.scene, [1.0, 20.0])
    assert view.eyes[:, 0] == pytest.approx([0.0, 3.0])
    assert bone.rotation_euler.x == pytest.approx(0.7)


def test_the_scene_and_the_action_are_left_as_they_were(man):
    action, scenes, objects = man.animation_data.action, len(bpy.data.scenes), len(bpy.data.objects)
    bpy.context.scene.frame_set(5)
    before = man.pose.bones["arm.L"].matrix.copy()
    bpy.ops.posewright.pose_sheet(algorithm="greedy", key_count=4)
    assert man.animation_data.action == action
    assert bpy.context.scene.frame_current == 5
    assert man.pose.bones["arm.L"].matrix == before
    assert (len(bpy.data.scenes), len(bpy.data.objects)) == (scenes, objects)


@pytest.mark.parametrize(
    ("break_it", "sentence"),
    [
        (lambda man: {"view": "CAMERA"}, "no camera"),
        (lambda man: {"filepath": "//sheet.png"}, "save it"),
        (lambda man: {"filepath": "/does/not/exist/sheet.png"}, "could be written"),
    ],
)
def test_what_cannot_be_done_is_said_and_leaves_no_image(man, break_it, sentence):
    arguments = break_it(man)
    with pytest.raises(RuntimeError, match=sentence):
        bpy.ops.posewright.pose_sheet(**arguments)
    assert "Wave poses" not in bpy.data.images


def test_without_an_action_the_button_is_grey(make_rig):
    make_rig(2)
    assert not bpy.ops.posewright.pose_sheet.poll()


def test_dense_capture_asks_for_a_choice(mocap):
    mocap("06_13")
    with pytest.raises(RuntimeError, match="distil it first"):
        bpy.ops.posewright.pose_sheet()


def test_a_real_clip(mocap):
    rig = mocap("02_01")
    name = rig.animation_data.action.name
    bpy.ops.posewright.pose_sheet(algorithm="keyposes", key_count=8)
    assert columns_with_ink(pixels_of(bpy.data.images[f"{name} poses"])) >= 6
