# SPDX-License-Identifier: GPL-3.0-or-later
"""What users do behind a set's back: duplicate, delete by hand, rename bones."""

from __future__ import annotations

import importlib

import bpy
import numpy as np
import pytest

from tests.blender.panel_recorder import draw
from tests.blender.spatial_bear import (
    BONES,
    FIVE_KEYS,
    bear_with_five_keys,
    cursor,
    local_turn,
    select,
    set_five_keys,
    set_key,
    settings,
    turn,
)


@pytest.fixture
def bear(make_rig):
    return bear_with_five_keys(make_rig, set_name="Acting", location=(1, 2, 0))


def delete_by_hand(*things):
    """As the X key does it: Blender keeps objects that anything points to, out of sight."""
    select(*things)
    bpy.ops.object.delete()
    bpy.context.view_layer.update()


def duplicate(rig):
    select(rig)
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    copy.location.x += 5
    bpy.context.view_layer.update()
    return copy


def key_of(rig, name):
    return settings(rig).sets[0].keys[name]


def test_a_duplicate_is_told_apart_and_changes_nothing_of_the_original(bear, panel, session, posewright):
    copy = duplicate(bear)
    assert "A duplicate, still with the markers of Bear" in panel()
    assert "posewright.spatial_make_own: Make Own Markers" in panel()
    for verb in ("spatial_set_remove", "spatial_key_add", "spatial_key_remove", "perform", "bake_cursor"):
        assert not getattr(bpy.ops.posewright, verb).poll(), verb
    with pytest.raises(posewright.core.InputError, match="is a duplicate and still uses the markers"):
        session(copy, bpy.context.scene)
    settings(copy).live = True
    bpy.context.view_layer.update()
    assert "Make Own Markers" in settings(copy).message
    select(bear)
    assert "A duplicate" not in panel()
    assert bpy.ops.posewright.perform.poll()


def test_a_duplicate_with_its_own_markers_acts_by_itself(bear):
    cursor(bear).keyframe_insert("location", frame=1)
    copy = duplicate(bear)
    bpy.ops.posewright.spatial_make_own()
    ours, theirs = settings(bear).sets[0], settings(copy).sets[0]
    assert theirs.cursor != ours.cursor
    assert theirs.cursor.parent == copy
    assert theirs.cursor.animation_data.action != ours.cursor.animation_data.action
    for name, (place, _, _) in FIVE_KEYS.items():
        assert theirs.keys[name].marker != ours.keys[name].marker
        assert theirs.keys[name].pose != ours.keys[name].pose
        there = copy.matrix_world.inverted() @ theirs.keys[name].marker.matrix_world.translation
        assert tuple(there) == pytest.approx(place, abs=1e-5)
    theirs.cursor.animation_data_clear()
    settings(bear).live = settings(copy).live = True
    head = local_turn(bear, "head")
    theirs.cursor.location = FIVE_KEYS["left"][0]
    bpy.context.view_layer.update()
    assert np.abs(local_turn(copy, "head") - np.eye(3)).max() > 0.5
    assert local_turn(bear, "head") == pytest.approx(head, abs=1e-6)
    bpy.ops.posewright.spatial_set_remove()
    assert len(ours.keys) == 5
    assert all(key.marker.name in bpy.context.scene.objects for key in ours.keys)


def test_a_duplicate_together_with_its_markers_needs_nothing(bear, panel):
    select(bear, *bear.children)
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    bpy.context.view_layer.update()
    assert "A duplicate" not in panel()
    settings(copy).live = True
    cursor(copy).location = FIVE_KEYS["up"][0]
    bpy.context.view_layer.update()
    assert settings(copy).message == ""
    assert np.abs(local_turn(copy, "head") - np.eye(3)).max() > 0.2
    assert np.abs(local_turn(bear, "head") - np.eye(3)).max() < 1e-6


def test_a_marker_deleted_by_hand_pulls_no_more_and_is_told(bear, panel):
    settings(bear).live = True
    delete_by_hand(key_of(bear, "left").marker)
    select(bear)
    assert 'The marker of "left" was deleted: bring it back into the scene, or remove the key' in panel()
    cursor(bear).location = FIVE_KEYS["right"][0]
    bpy.context.view_layer.update()
    right = local_turn(bear, "head")
    settings(bear).sets[0].key_index = 1
    bpy.ops.posewright.spatial_key_remove()
    bpy.context.view_layer.update()
    assert local_turn(bear, "head") == pytest.approx(right, abs=1e-6), "it had no say before it was removed"
    assert "deleted" not in panel()


@pytest.mark.parametrize("pushed", ["before the update, as in a window", "after the update"])
def test_undo_brings_a_deleted_marker_back_and_redo_takes_it_again(bear, pushed, posewright):
    in_use = importlib.import_module(f"{posewright.__name__}.bridge.spatial.sets").marker_in_use
    bpy.ops.ed.undo_push(message="before")
    marker = key_of(bear, "left").marker
    if pushed == "after the update":
        delete_by_hand(marker)
    else:
        bpy.context.scene.collection.objects.unlink(marker)
    bpy.ops.ed.undo_push(message="after")
    bpy.context.view_layer.update()
    assert in_use(key_of(bear, "left")) is None
    for _ in range(2):
        bpy.ops.ed.undo()
        bpy.context.view_layer.update()
        marker = in_use(key_of(bpy.data.objects["Bear"], "left"))
        assert marker is not None
        assert marker.name in bpy.context.scene.objects
        bpy.ops.ed.redo()
        bpy.context.view_layer.update()
        assert in_use(key_of(bpy.data.objects["Bear"], "left")) is None


def test_a_deleted_marker_is_brought_back_with_its_place_and_counts_again(bear, panel):
    marker = key_of(bear, "left").marker
    delete_by_hand(marker)
    select(bear)
    assert "posewright.spatial_bring_into_scene" in panel()
    bpy.ops.posewright.spatial_bring_into_scene()
    bpy.context.view_layer.update()
    assert "deleted" not in panel()
    settings(bear).live = True
    cursor(bear).location = FIVE_KEYS["left"][0]
    bpy.context.view_layer.update()
    assert np.abs(local_turn(bear, "head") - np.eye(3)).max() > 0.5


def test_markers_come_into_the_scene_also_where_the_character_is_in_another_collection(bear, panel):
    bpy.data.collections.new("Archive").objects.link(bear)  # in no scene
    marker = key_of(bear, "left").marker
    delete_by_hand(marker)
    select(bear)
    bpy.ops.posewright.spatial_bring_into_scene()
    assert marker.name in bpy.context.scene.objects
    bpy.ops.posewright.spatial_set_add(name="Other")
    assert cursor(bear).name in bpy.context.scene.objects
    assert "into Scene" not in panel()


def test_a_deleted_marker_is_still_deleted_after_saving_and_opening(bear, panel, tmp_path):
    delete_by_hand(key_of(bear, "left").marker)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "bear.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "bear.blend"))
    select(bpy.data.objects["Bear"])
    assert 'The marker of "left" was deleted' in panel()


def test_no_two_sets_have_one_name(bear):
    bpy.ops.posewright.spatial_set_add(name="Walk")
    first, second = settings(bear).sets
    second.name = "Acting"
    assert (first.name, second.name) == ("Acting", "Acting 2")
    second.name = "Walk"
    assert (first.name, second.name) == ("Acting", "Walk")


def test_a_key_set_without_a_cursor_is_where_the_new_cursor_is(bear):
    delete_by_hand(cursor(bear))
    select(bear)
    bpy.ops.posewright.spatial_key_add(name="sixth")
    bpy.context.view_layer.update()
    there = key_of(bear, "sixth").marker.matrix_world.translation
    assert tuple(there) == pytest.approx(tuple(cursor(bear).matrix_world.translation), abs=1e-6)
    assert (there - bear.matrix_world.translation).length > 0.5


def test_undo_takes_the_own_markers_of_a_duplicate_back(bear):
    copy = duplicate(bear).name
    bpy.ops.ed.undo_push(message="before")
    count = len(bpy.data.objects)
    bpy.ops.posewright.spatial_make_own()
    bpy.ops.ed.undo_push(message="after")
    assert len(bpy.data.objects) == count + 6
    bpy.ops.ed.undo()
    assert len(bpy.data.objects) == count
    assert cursor(bpy.data.objects[copy]) == cursor(bpy.data.objects["Bear"])
    bpy.ops.ed.redo()
    assert cursor(bpy.data.objects[copy]) != cursor(bpy.data.objects["Bear"])


def test_a_cursor_deleted_by_hand_is_made_anew(bear, panel, session, posewright):
    deleted = cursor(bear)
    delete_by_hand(deleted)
    select(bear)
    assert 'The control cursor of "Acting" was deleted: Perform, Set Key or turning Live on' in panel()
    with pytest.raises(posewright.core.InputError, match="control cursor"):
        session(bear, bpy.context.scene)
    with pytest.raises(RuntimeError, match="control cursor"):
        bpy.ops.posewright.bake_cursor()
    settings(bear).live = True
    assert cursor(bear) != deleted
    assert cursor(bear).name in bpy.context.scene.objects
    assert "deleted" not in panel()
    cursor(bear).location = FIVE_KEYS["left"][0]
    bpy.context.view_layer.update()
    assert np.abs(local_turn(bear, "head") - np.eye(3)).max() > 0.5


def test_a_marker_in_another_collection_or_hidden_is_not_deleted(bear):
    marker = key_of(bear, "up").marker
    elsewhere = bpy.data.collections.new("Elsewhere")
    bpy.context.scene.collection.children.link(elsewhere)
    elsewhere.objects.link(marker)
    bpy.context.scene.collection.objects.unlink(marker)
    bpy.context.view_layer.update()
    bpy.context.view_layer.layer_collection.children["Elsewhere"].exclude = True
    bpy.context.view_layer.update()
    bpy.context.scene.collection.children.unlink(elsewhere)
    bpy.context.view_layer.update()
    assert key_of(bear, "up").marker == marker


def test_everything_but_the_armature_deleted_can_be_brought_back(bear, panel):
    delete_by_hand(*bear.children)
    select(bear)
    assert "posewright.spatial_bring_into_scene" in panel()
    bpy.ops.posewright.spatial_bring_into_scene()
    assert all(thing.name in bpy.context.scene.objects for thing in (cursor(bear), key_of(bear, "up").marker))


def test_an_armature_deleted_by_hand_while_live(bear, capfd):
    settings(bear).live = True
    bpy.context.view_layer.update()
    marker = key_of(bear, "left").marker
    delete_by_hand(bear)
    marker.location.x += 1
    select(marker)
    bpy.context.view_layer.update()
    assert not bpy.ops.posewright.spatial_key_add.poll()
    assert "Traceback" not in capfd.readouterr().err


def test_a_missing_pose_is_told_and_the_others_act_on(bear, panel):
    settings(bear).live = True
    bpy.data.actions.remove(key_of(bear, "up").pose)
    assert 'The pose of "up" was deleted: remove the key' in panel()
    cursor(bear).location = FIVE_KEYS["left"][0]
    bpy.context.view_layer.update()
    assert settings(bear).live
    assert np.abs(local_turn(bear, "head") - np.eye(3)).max() > 0.5


def test_renamed_and_deleted_bones_are_told_and_the_others_act_on(bear, panel, set_keys):
    settings(bear).live = True
    bear.data.bones["arm.L"].name = "wing.L"
    bpy.ops.object.mode_set(mode="EDIT")
    bear.data.edit_bones.remove(bear.data.edit_bones["arm.R"])
    bpy.ops.object.mode_set(mode="OBJECT")
    settings(bear).live = True
    assert "Bear has no bone arm.L and arm.R any more, which keys hold" in panel()
    cursor(bear).location = FIVE_KEYS["left"][0]
    bpy.context.view_layer.update()
    assert np.abs(local_turn(bear, "head") - np.eye(3)).max() > 0.5
    assert np.abs(local_turn(bear, "wing.L") - np.eye(3)).max() < 1e-6
    bpy.ops.posewright.bake_cursor(frame_start=1, frame_end=5)
    for number in range(5):
        settings(bear).sets[0].key_index = number
        bpy.ops.posewright.spatial_key_update(bones="ALL")
    assert "any more" not in panel()


def test_keys_are_told_the_new_name_of_a_bone(bear, panel):
    settings(bear).sets[0].effectors.add().bone = "arm.L"
    settings(bear).contacts.add().bone = "arm.L"
    settings(bear).sets[0].key_index = 1
    bpy.ops.posewright.spatial_key_go_to()
    raised = local_turn(bear, "arm.L")
    assert not bpy.ops.posewright.spatial_bone_renamed.poll()
    bear.data.bones["arm.L"].name = 'wing "L"'
    assert "posewright.spatial_bone_renamed: Bone Was Renamed" in panel()
    with pytest.raises(RuntimeError, match='has no bone "wing"'):
        bpy.ops.posewright.spatial_bone_renamed(old="arm.L", new="wing")
    with pytest.raises(RuntimeError, match="already holds"):
        bpy.ops.posewright.spatial_bone_renamed(old="arm.L", new="arm.R")
    bpy.ops.posewright.spatial_bone_renamed(old="arm.L", new='wing "L"')
    assert "any more" not in panel()
    assert settings(bear).sets[0].effectors[0].bone == settings(bear).contacts[0].bone == 'wing "L"'
    settings(bear).sets[0].effectors.clear()
    turn(bear, 'wing "L"', 0, 0, 0)
    settings(bear).live = True
    cursor(bear).location = FIVE_KEYS["left"][0]
    bpy.context.view_layer.update()
    assert local_turn(bear, 'wing "L"') == pytest.approx(raised, abs=1e-5)


@pytest.mark.parametrize("mode", ["ZYX", "AXIS_ANGLE"])
def test_a_renamed_bone_keeps_the_way_its_angles_turn(make_rig, mode):
    rig = make_rig(BONES, name="Bear", rotation_mode=mode)
    bpy.ops.posewright.spatial_set_add(name="Acting")
    turn(rig, "head", 30, 50, 20)
    turned = local_turn(rig, "head")
    set_key(rig, (0, -1, 1), "one")
    rig.data.bones["head"].name = "skull"
    bpy.ops.posewright.spatial_bone_renamed(old="head", new="skull")
    turn(rig, "skull", 0, 0, 0)
    bpy.ops.posewright.spatial_key_go_to()
    assert local_turn(rig, "skull") == pytest.approx(turned, abs=1e-5)


def test_a_set_without_keys_says_what_comes_first(make_rig, panel):
    make_rig(BONES, name="Bear")
    assert "posewright.spatial_set_add: Add Spatial Set" in panel()
    bpy.ops.posewright.spatial_set_add()
    assert "Pose the character, move the red cursor" in panel()
    set_key(bpy.context.object, (0, -1, 1), "one")
    assert "Pose the character" not in panel()
    assert "at least one more key" in panel(), "one key alone moves nothing"
    set_key(bpy.context.object, (1, -1, 1), "two")
    assert "one more key" not in panel()


def test_a_take_that_goes_on_after_the_scene_is_told_where_it_was_recorded(bear, panel, set_keys):
    bpy.context.scene.frame_end = 250
    assert "extend_scene" not in panel()
    set_keys(bear.pose.bones["arm.L"], "location", {1: (0, 0, 0), 300: (0, 0, 1)})
    assert "The action goes on to frame 300, the scene ends at 250." in panel()
    bpy.ops.posewright.extend_scene()
    assert "extend_scene" not in panel()


@pytest.mark.parametrize("state", ["no armature", "no set", "empty set", "full", "several sets"])
def test_every_panel_draws_in_every_state(posewright, make_rig, state):
    panels = importlib.import_module(f"{posewright.__name__}.panels.perform_panel")
    rig = make_rig(BONES, name="Bear") if state != "no armature" else None
    if state in ("empty set", "full", "several sets"):
        bpy.ops.posewright.spatial_set_add(name="Acting")
    if state in ("full", "several sets"):
        set_five_keys(rig)
        settings(rig).sets[0].effectors.add().bone = "arm.L"
        settings(rig).contacts.add().bone = "nobody"
        settings(rig).use_locomotion, settings(rig).record_keys = True, "DISTIL"
    if state == "several sets":
        bpy.ops.posewright.spatial_set_add(name="Walk")
    said = [draw(panel) for panel in panels.CLASSES if issubclass(panel, bpy.types.Panel)]
    assert said[0]
    assert all(said) == (state not in ("no armature", "no set"))
    assert ("record_error" in "".join(said)) == (state in ("full", "several sets"))


def test_a_target_deleted_by_hand_is_told_and_the_pose_stays(bear, panel):
    ball = bpy.data.objects.new("Ball", None)
    bpy.context.scene.collection.objects.link(ball)
    ball.location = (1.5, 1.5, 1.5)
    reach = settings(bear).sets[0].effectors.add()
    reach.bone, reach.target, reach.chain_length = "arm.L", ball, 1
    settings(bear).live = True
    bpy.context.view_layer.update()
    reached = local_turn(bear, "arm.L")
    assert "reaches for" not in panel()
    delete_by_hand(ball)
    select(bear)
    assert '"Ball", which arm.L reaches for, is not in the scene any more' in panel()
    assert local_turn(bear, "arm.L") == pytest.approx(reached, abs=1e-5)


def test_constraints_that_reach_and_walk_cannot_follow_are_told(bear, panel):
    settings(bear).sets[0].effectors.add().bone = "arm.L"
    constraint = bear.pose.bones["body"].constraints.new("LIMIT_ROTATION")
    assert "Constraints pose arm.L after the blend" in panel()
    constraint.mute = True
    assert "Constraints" not in panel()
