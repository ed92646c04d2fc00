# SPDX-License-Identifier: GPL-3.0-or-later
"""Spatial sets and keys: made, changed, mirrored, removed, undone, saved and appended."""

from __future__ import annotations

from math import radians

import bpy
import numpy as np
import pytest
from mathutils import Euler, Vector

from tests.blender.spatial_bear import BONES, local_turn, select_bones, set_key, settings, turn

TURNED = np.array(Euler((0, radians(30), 0)).to_matrix())


@pytest.fixture
def bear(make_rig):
    rig = make_rig(BONES, name="Bear")
    bpy.ops.posewright.spatial_set_add(name="Look")
    return rig


def test_a_set_starts_with_a_red_cursor_that_belongs_to_the_character(bear):
    cursor = settings(bear).sets[0].cursor
    assert cursor.type == "EMPTY"
    assert cursor.parent == bear
    assert cursor.color[0] > 0.9 > cursor.color[1]
    assert cursor.name in bpy.context.scene.objects


def test_all_cursors_and_markers_go_with_the_hierarchy_of_the_character(bear):
    """As the Outliner's Delete Hierarchy takes it, which the documentation recommends."""
    set_key(bear, (1, 0, 2), "left")
    set_key(bear, (-1, 0, 2), "right")
    bpy.ops.posewright.spatial_set_add(name="Wave")
    set_key(bear, (2, 0, 0), "wave")
    made = {
        thing for each in settings(bear).sets for thing in (each.cursor, *(key.marker for key in each.keys))
    }
    assert len(made) == 5
    assert made == set(bear.children_recursive)


def test_set_key_leaves_a_yellow_marker_with_the_pose_at_the_cursor(bear):
    turn(bear, "head", 0, 30, 0)
    set_key(bear, (1, 0, 2), "left")
    key = settings(bear).sets[0].keys[0]
    bpy.context.view_layer.update()
    assert key.name == key.marker.name == "left"
    assert key.marker.matrix_world.translation == Vector((1, 0, 2))
    assert key.pose.use_fake_user
    turn(bear, "head", 0, 0, 0)
    bpy.ops.posewright.spatial_key_go_to()
    assert local_turn(bear, "head") == pytest.approx(TURNED, abs=1e-6)


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "ZXY", "AXIS_ANGLE"])
def test_a_pose_survives_a_change_of_rotation_mode(bear, mode):
    bear.pose.bones["head"].rotation_mode = "YXZ"
    turn(bear, "head", 20, -35, 50)
    wanted = local_turn(bear, "head")
    set_key(bear, (1, 0, 2), "left")
    bear.pose.bones["head"].rotation_mode = mode
    bear.pose.bones["head"].matrix_basis.identity()
    bpy.ops.posewright.spatial_key_go_to()
    assert local_turn(bear, "head") == pytest.approx(wanted, abs=1e-6)


def test_selected_bones_only(bear):
    select_bones(bear, "head")
    turn(bear, "head", 0, 30, 0)
    turn(bear, "body", 0, 30, 0)
    set_key(bear, (1, 0, 2), "left", bones="SELECTED")
    turn(bear, "head", 0, 0, 0)
    turn(bear, "body", 0, 0, 0)
    bpy.ops.posewright.spatial_key_go_to()
    assert local_turn(bear, "body") == pytest.approx(np.eye(3))
    assert local_turn(bear, "head") != pytest.approx(np.eye(3))


def test_update_replaces_the_pose_and_leaves_no_old_one_behind(bear):
    set_key(bear, (1, 0, 2), "left")
    turn(bear, "arm.L", 0, 0, 45)
    wanted = local_turn(bear, "arm.L")
    bpy.ops.posewright.spatial_key_update()
    turn(bear, "arm.L", 0, 0, 0)
    bpy.ops.posewright.spatial_key_go_to()
    assert local_turn(bear, "arm.L") == pytest.approx(wanted, abs=1e-6)
    assert len(bpy.data.actions) == 1


def test_rename_renames_marker_and_pose(bear):
    set_key(bear, (1, 0, 2), "left")
    key = settings(bear).sets[0].keys[0]
    key.name = "shy"
    assert key.marker.name == "shy"
    assert key.pose.name == "Bear shy"


def test_two_keys_cannot_share_a_place(bear):
    set_key(bear, (1, 0, 2), "left")
    with pytest.raises(RuntimeError, match='"left" is already at this place'):
        set_key(bear, (1, 0, 2), "right")
    assert len(settings(bear).sets[0].keys) == 1


def test_duplicate_stands_beside_with_its_own_pose(bear):
    set_key(bear, (1, 0, 2), "left")
    bpy.ops.posewright.spatial_key_duplicate()
    first, second = settings(bear).sets[0].keys
    assert second.name == "left 2"
    assert first.pose != second.pose
    assert (first.marker.location - second.marker.location).length > 0.1


def test_a_mirrored_key_is_mirrored_back_into_the_one_it_came_from(bear):
    set_key(bear, (1, -1, 2), "lean")
    bpy.ops.posewright.spatial_key_mirror()
    assert [key.name for key in settings(bear).sets[0].keys] == ["lean", "lean mirrored"]
    bpy.ops.posewright.spatial_key_mirror()
    assert [key.name for key in settings(bear).sets[0].keys] == ["lean", "lean mirrored"]


def test_mirror_exchanges_left_and_right_and_mirrors_the_marker(bear):
    turn(bear, "arm.L", 10, 20, 60)
    turn(bear, "head", 0, 0, 25)
    bear.pose.bones["body"].location = (0.3, 0.1, 0.2)
    bpy.context.view_layer.update()
    tails = {bone.name: bone.tail.copy() for bone in bear.pose.bones}
    set_key(bear, (1, -1, 2), "left")
    bpy.ops.posewright.spatial_key_mirror()
    mirrored = settings(bear).sets[0].keys[1]
    assert mirrored.name == "right"
    assert mirrored.marker.location == Vector((-1, -1, 2))
    bpy.ops.posewright.spatial_key_go_to()
    bpy.context.view_layer.update()
    for name, partner in (("arm.L", "arm.R"), ("arm.R", "arm.L"), ("head", "head"), ("body", "body")):
        x, y, z = tails[name]
        assert tuple(bear.pose.bones[partner].tail) == pytest.approx((-x, y, z), abs=1e-5)


def test_mirroring_scales_no_bone_that_points_askew(make_rig):
    rig = make_rig({"body": ((0, 0, 0), (0, 0, 1), None), "sword": ((0, 0, 1), (1, 0.3, 3), "body")})
    bpy.ops.posewright.spatial_set_add(name="Fight")
    set_key(rig, (1, -1, 1), "left")
    bpy.ops.posewright.spatial_key_mirror()
    bpy.ops.posewright.spatial_key_go_to()
    assert np.allclose([bone.scale for bone in rig.pose.bones], 1, atol=1e-5)


def test_remove_leaves_nothing_behind(bear):
    set_key(bear, (1, 0, 2), "left")
    set_key(bear, (-1, 0, 2), "right")
    bpy.ops.posewright.spatial_key_remove()
    assert [key.name for key in settings(bear).sets[0].keys] == ["left"]
    bpy.ops.posewright.spatial_set_remove()
    assert len(settings(bear).sets) == len(bpy.data.actions) == 0
    assert [thing.name for thing in bpy.data.objects] == ["Bear"]


def test_keys_whose_marker_was_deleted_can_still_be_removed(bear):
    set_key(bear, (1, 0, 2), "left")
    bpy.data.objects.remove(settings(bear).sets[0].keys[0].marker)
    bpy.ops.posewright.spatial_key_remove()
    assert not settings(bear).sets[0].keys


def test_the_marker_that_is_clicked_is_the_key_that_is_meant(bear):
    set_key(bear, (1, 0, 2), "left")
    set_key(bear, (-1, 0, 2), "right")
    bpy.context.view_layer.objects.active = settings(bear).sets[0].keys[0].marker
    bpy.context.view_layer.update()
    assert settings(bear).sets[0].key_index == 0, "the list shows what was clicked"
    bpy.ops.posewright.spatial_key_remove()
    assert [key.name for key in settings(bear).sets[0].keys] == ["right"]


def test_a_click_in_the_list_counts_more_than_an_earlier_one_in_the_viewport(bear):
    set_key(bear, (1, 0, 2), "left")
    set_key(bear, (-1, 0, 2), "right")
    bpy.context.view_layer.objects.active = settings(bear).sets[0].keys[0].marker
    bpy.context.view_layer.update()
    settings(bear).sets[0].key_index = 1
    bpy.ops.posewright.spatial_key_remove()
    assert [key.name for key in settings(bear).sets[0].keys] == ["left"]


def test_clicking_a_cursor_shows_its_set(bear):
    bpy.ops.posewright.spatial_set_add(name="Second")
    bpy.context.view_layer.objects.active = settings(bear).sets[0].cursor
    bpy.context.view_layer.update()
    assert settings(bear).set_index == 0


def test_mirroring_again_brings_the_mirror_image_up_to_date(bear):
    set_key(bear, (1, -1, 2), "left")
    bpy.ops.posewright.spatial_key_mirror()
    keys = settings(bear).sets[0].keys
    keys["left"].marker.location = (1.5, -1, 2)
    settings(bear).sets[0].key_index = keys.find("left")
    turn(bear, "arm.L", 0, 0, 60)
    bpy.ops.posewright.spatial_key_update(bones="ALL")
    bpy.context.view_layer.update()
    bpy.ops.posewright.spatial_key_mirror()
    assert [key.name for key in keys] == ["left", "right"]
    assert tuple(keys["right"].marker.location) == pytest.approx((-1.5, -1, 2))
    settings(bear).sets[0].key_index = keys.find("right")
    bpy.ops.posewright.spatial_key_go_to()
    assert np.abs(local_turn(bear, "arm.R") - np.eye(3)).max() > 0.5


def test_every_key_has_a_name_of_its_own(bear):
    set_key(bear, (1, 0, 2), "left")
    set_key(bear, (-1, 0, 2), "right")
    first, second = settings(bear).sets[0].keys
    second.name = "left"
    assert (first.name, second.name, second.marker.name) == ("left", "left 2", "left 2")
    second.name = ""
    assert second.name == "Pose"


def test_keys_move_in_the_list_and_stay_active(bear):
    for n, name in enumerate(("low", "high", "side")):
        set_key(bear, (n, 0, 2), name)
    spatial_set = settings(bear).sets[0]
    moved_up = bpy.ops.posewright.spatial_key_move(direction="UP")
    assert moved_up == {"FINISHED"}
    assert [key.name for key in spatial_set.keys] == ["low", "side", "high"]
    assert spatial_set.keys[spatial_set.key_index].name == "side"
    bpy.ops.posewright.spatial_key_move(direction="DOWN")
    bpy.ops.posewright.spatial_key_move(direction="DOWN")  # it is the last one already
    assert [key.name for key in spatial_set.keys] == ["low", "high", "side"]
    assert [tuple(key.marker.location) for key in spatial_set.keys] == [(0, 0, 2), (1, 0, 2), (2, 0, 2)]


def test_a_key_in_the_middle_has_no_mirror_image(bear):
    set_key(bear, (0, -1, 2), "front")
    poses = len(bpy.data.actions)
    with pytest.raises(RuntimeError, match='"front" is in the middle'):
        bpy.ops.posewright.spatial_key_mirror()
    assert len(bpy.data.actions) == poses


def test_a_duplicate_is_ready_to_be_moved_away(bear):
    set_key(bear, (1, 0, 2), "left")
    bpy.ops.posewright.spatial_key_duplicate()
    marker = settings(bear).sets[0].keys[1].marker
    assert bpy.context.object == marker
    assert bpy.context.selected_objects == [marker]


def test_save_and_reload(bear, tmp_path):
    turn(bear, "head", 0, 30, 0)
    set_key(bear, (1, 0, 2), "left")
    path = str(tmp_path / "bear.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    bear = bpy.data.objects["Bear"]
    turn(bear, "head", 0, 0, 0)
    bpy.ops.posewright.spatial_key_go_to()
    assert local_turn(bear, "head") == pytest.approx(TURNED, abs=1e-6)


def test_appending_the_armature_brings_the_whole_set(bear, tmp_path):
    set_key(bear, (1, 0, 2), "left")
    set_key(bear, (-1, 0, 2), "right")
    path = str(tmp_path / "bear.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(path) as (_, wanted):
        wanted.objects = ["Bear"]
    bear = wanted.objects[0]
    bpy.context.scene.collection.objects.link(bear)
    bpy.context.view_layer.objects.active = bear
    bpy.ops.posewright.spatial_bring_into_scene()
    bpy.context.view_layer.update()
    assert [key.pose.name for key in settings(bear).sets[0].keys] == ["Bear left", "Bear right"]
    assert [tuple(key.marker.matrix_world.translation) for key in settings(bear).sets[0].keys] == [
        (1, 0, 2),
        (-1, 0, 2),
    ]


def test_a_character_without_bones_is_told(make_rig):
    rig = make_rig(0)
    bpy.ops.posewright.spatial_set_add()
    with pytest.raises(RuntimeError, match="Error: Rig has no bones"):
        bpy.ops.posewright.spatial_key_add()
    assert not settings(rig).sets[0].keys


def test_buttons_are_grey_in_edit_mode(bear):
    bpy.ops.object.mode_set(mode="EDIT")
    assert not bpy.ops.posewright.spatial_key_add.poll()
    bpy.ops.object.mode_set(mode="POSE")
    assert bpy.ops.posewright.spatial_key_add.poll()


def test_buttons_are_grey_without_an_armature(clean_blender):
    assert not bpy.ops.posewright.spatial_set_add.poll()
    assert not bpy.ops.posewright.spatial_key_add.poll()
