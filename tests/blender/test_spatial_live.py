# SPDX-License-Identifier: GPL-3.0-or-later
"""Live: the pose follows the cursor however it moves, and steps back when somebody edits the pose."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from tests.blender.spatial_bear import (
    BONES,
    FIVE_KEYS,
    cursor,
    five_key_arrays,
    local_turn,
    select_bones,
    set_five_keys,
    set_key,
    settings,
    turn,
)


@pytest.fixture
def bear(make_rig):
    rig = make_rig(BONES, name="Bear")
    bpy.ops.posewright.spatial_set_add(name="Look")
    set_five_keys(rig)
    settings(rig).live = True
    bpy.context.view_layer.update()
    return rig


@pytest.fixture
def expected(posewright, bear):
    """The core's pose at a place, made from numbers that never were in Blender."""
    blend = posewright.core.SpatialKeyframes(*five_key_arrays(bear))

    def check(place):
        rotations, translations = blend.pose(place)
        for row, bone in enumerate(bear.pose.bones):
            assert local_turn(bear, bone.name) == pytest.approx(rotations[row], abs=1e-5), bone.name
            assert np.array(bone.location) == pytest.approx(translations[row], abs=1e-5), bone.name

    return check


PLACES = [(0.4, -1.2, 1.7), (-1.1, -0.9, 2.6), (3.0, -2.0, 1.0)]


def test_a_script_moves_the_cursor(bear, expected):
    for place in PLACES:
        cursor(bear).location = place
        bpy.context.view_layer.update()
        expected(place)


@pytest.mark.parametrize("mode", ["XYZ", "ZYX", "AXIS_ANGLE"])
def test_any_rotation_mode(bear, expected, mode):
    for bone in bear.pose.bones:
        bone.rotation_mode = mode
    test_a_script_moves_the_cursor(bear, expected)


def test_exact_at_every_key(bear, expected):
    for place, _, _ in FIVE_KEYS.values():
        cursor(bear).location = place
        bpy.context.view_layer.update()
        expected(place)


def test_a_constraint_moves_the_cursor(bear, expected):
    leader = bpy.data.objects.new("Leader", None)
    bpy.context.scene.collection.objects.link(leader)
    cursor(bear).constraints.new("COPY_LOCATION").target = leader
    for place in PLACES:
        leader.location = place
        bpy.context.view_layer.update()
        expected(place)


def test_animation_moves_the_cursor(bear, expected, set_keys):
    set_keys(cursor(bear), "location", dict(zip((1, 11, 21), PLACES, strict=True)))
    for frame in (1, 5, 11, 17, 21):
        bpy.context.scene.frame_set(frame)
        expected(np.array(cursor(bear).location))


def test_the_character_is_moved_and_turned_as_a_whole(bear, expected):
    bear.location = (5, 4, 3)
    bear.rotation_euler = (0.3, 0.2, 1.0)
    cursor(bear).location = PLACES[0]
    bpy.context.view_layer.update()
    expected(PLACES[0])


def test_the_mapping_follows_a_marker_that_is_moved(bear):
    marker = settings(bear).sets[0].keys["left"].marker
    marker.location = (2.5, -1.0, 2.2)
    bpy.context.view_layer.update()
    cursor(bear).location = (2.5, -1.0, 2.2)
    bpy.context.view_layer.update()
    here = local_turn(bear, "head")
    settings(bear).sets[0].key_index = 1
    bpy.ops.posewright.spatial_key_go_to()
    assert here == pytest.approx(local_turn(bear, "head"), abs=1e-5)


def test_editing_the_pose_turns_live_off_and_says_so(bear):
    turn(bear, "head", 5, 0, 0)
    edited = local_turn(bear, "head")
    bpy.context.view_layer.update()
    assert not settings(bear).live
    assert "edited" in settings(bear).message
    assert local_turn(bear, "head") == pytest.approx(edited)
    settings(bear).live = True
    assert settings(bear).message == ""


def test_a_driven_bone_does_not_turn_live_off(bear):
    bear.driver_add('pose.bones["arm.L"].location', 0).driver.expression = "0.3"
    bpy.context.view_layer.update()
    settings(bear).live = True
    for place in ((1.5, -1, 2), (0.3, -1, 2)):
        cursor(bear).location = place
        for _ in range(2):
            bear.update_tag()
            bpy.context.view_layer.update()
    assert settings(bear).live
    assert bear.pose.bones["arm.L"].location.x == pytest.approx(0.3)
    bear.pose.bones["arm.L"].location.y = 0.2
    bear.update_tag()
    bpy.context.view_layer.update()
    assert not settings(bear).live, "an edit beside the driver is still seen"


def test_markers_at_one_place_are_told_not_raised(bear):
    keys = settings(bear).sets[0].keys
    keys["left"].marker.location = keys["right"].marker.location
    bpy.context.view_layer.update()
    assert "left" in settings(bear).message
    assert "right" in settings(bear).message
    assert settings(bear).live
    keys["left"].marker.location = (1.5, -1.0, 2.0)
    bpy.context.view_layer.update()
    assert settings(bear).message == ""


def test_deleted_markers_cursors_and_poses_do_no_harm(bear, capfd):
    spatial_set = settings(bear).sets[0]
    bpy.data.objects.remove(spatial_set.keys[1].marker)
    bpy.data.actions.remove(spatial_set.keys[2].pose)
    cursor(bear).location = PLACES[0]
    bpy.context.view_layer.update()
    bpy.data.objects.remove(spatial_set.cursor)
    bpy.context.view_layer.update()
    bpy.data.objects.remove(bear)
    bpy.context.view_layer.update()
    assert "Traceback" not in capfd.readouterr().err


def test_a_key_speaks_only_for_the_bones_it_holds(bear):
    select_bones(bear, "arm.L")
    settings(bear).live = False
    turn(bear, "arm.L", 0, 0, 80)
    wanted = local_turn(bear, "arm.L")
    set_key(bear, (0.5, -2.5, 1.0), "wave", bones="SELECTED")
    settings(bear).live = True
    cursor(bear).location = (0.5, -2.5, 1.0)
    bpy.context.view_layer.update()
    assert local_turn(bear, "arm.L") == pytest.approx(wanted, abs=1e-5)


def test_still_live_after_save_and_reload(bear, tmp_path):
    path = str(tmp_path / "live.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    bear = bpy.data.objects["Bear"]
    cursor(bear).location = FIVE_KEYS["up"][0]
    bpy.context.view_layer.update()
    head = local_turn(bear, "head")
    settings(bear).sets[0].key_index = 3
    bpy.ops.posewright.spatial_key_go_to()
    assert head == pytest.approx(local_turn(bear, "head"), abs=1e-5)


def test_a_linked_and_overridden_character_can_be_live(bear, tmp_path, capfd):
    settings(bear).live = False
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = ["Bear"]
    bpy.context.scene.collection.objects.link(wanted.objects[0])
    bpy.context.view_layer.objects.active = wanted.objects[0]
    with pytest.raises(RuntimeError, match="linked from another file: make a library override"):
        bpy.ops.posewright.spatial_set_add()
    bear = wanted.objects[0].override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    settings(bear).live = True
    bpy.context.view_layer.update()
    cursor(bear).location = FIVE_KEYS["left"][0]
    bpy.context.view_layer.update()
    assert settings(bear).live
    assert abs(local_turn(bear, "head") - np.eye(3)).max() > 0.5
    assert "Traceback" not in capfd.readouterr().err


def test_a_character_that_is_renamed_stays_live(bear, expected):
    bear.name = "Grizzly"
    cursor(bear).location = PLACES[0]
    bpy.context.view_layer.update()
    expected(PLACES[0])


def test_a_character_that_is_live_when_the_extension_is_enabled(bear, posewright, expected):
    posewright.unregister()
    posewright.register()
    cursor(bear).location = PLACES[1]
    bpy.context.view_layer.update()
    expected(PLACES[1])


def test_a_character_that_is_appended_live(bear, tmp_path):
    path = str(tmp_path / "live.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.context.view_layer.update()
    bpy.ops.wm.append(directory=f"{path}/Object/", filename="Bear")
    bear = bpy.data.objects["Bear"]
    bpy.context.view_layer.update()
    assert cursor(bear).name in bpy.context.scene.objects
    cursor(bear).location = FIVE_KEYS["up"][0]
    bpy.context.view_layer.update()
    assert abs(local_turn(bear, "head") - np.eye(3)).max() > 0.2


def test_handlers_go_with_the_extension(posewright, clean_blender):
    handlers = (
        bpy.app.handlers.depsgraph_update_post,
        bpy.app.handlers.frame_change_post,
        bpy.app.handlers.load_post,
    )
    posewright.unregister()
    try:
        assert not any("posewright" in call.__module__ for calls in handlers for call in calls)
    finally:
        posewright.register()
