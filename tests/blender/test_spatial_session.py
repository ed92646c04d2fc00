# SPDX-License-Identifier: GPL-3.0-or-later
"""A performance without a hand: what is recorded, overdubbed, switched and brought back."""

from __future__ import annotations

import importlib

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.blender.spatial_bear import (
    BONES,
    FIVE_KEYS,
    bear_with_five_keys,
    cursor,
    five_key_arrays,
    local_turn,
    rest,
    select,
    set_key,
    settings,
    turn,
)

PATH = [(1.0, (0.0, -1.5, 2.0)), (6.3, (1.0, -1.2, 2.2)), (11.9, (0.4, -1.0, 2.8)), (20.2, (-1.0, -1.1, 1.5))]


@pytest.fixture
def bear(make_rig):
    return bear_with_five_keys(make_rig, location=(2, 0, 0))


@pytest.fixture
def perform(posewright):
    """Starts a session on a character."""
    session = importlib.import_module(f"{posewright.__name__}.bridge.spatial.session")
    return lambda rig: session.Session(rig, bpy.context.scene)


def act(session, rig, path=PATH):
    for time, place in path:
        session.move_cursor(rig.matrix_world @ Vector(place))
        session.record(time)
        bpy.context.view_layer.update()


def curves(rig, posewright, bone):
    found = posewright.bridge.actions.curves_of(rig)
    return [curve for curve in found if f'"{bone}"' in curve.data_path]


def test_what_is_shown_is_what_is_recorded(bear, perform, posewright):
    session = perform(bear)
    act(session, bear)
    assert session.write(error=None) == 20
    session.end()
    blend = posewright.core.SpatialKeyframes(*five_key_arrays(bear))
    times, places = np.array([t for t, _ in PATH]), np.array([p for _, p in PATH])
    for frame in range(1, 21):
        bpy.context.scene.frame_set(frame)
        place = [np.interp(frame, times, axis) for axis in places.T]
        assert local_turn(bear, "head") == pytest.approx(blend.pose(place)[0][1], abs=1e-5)


def test_the_pose_follows_while_performing(bear, perform):
    session = perform(bear)
    session.move_cursor(bear.matrix_world @ Vector((1.5, -1.0, 2.0)))
    bpy.context.view_layer.update()
    assert abs(local_turn(bear, "head") - np.eye(3)).max() > 0.4
    session.restore()


def test_restore_brings_everything_back(bear, perform):
    turn(bear, "head", 3, 4, 5)
    bpy.context.scene.frame_set(7)
    before = local_turn(bear, "head"), cursor(bear).location.copy()
    session = perform(bear)
    act(session, bear)
    bpy.context.scene.frame_set(15)
    session.restore()
    assert local_turn(bear, "head") == pytest.approx(before[0])
    assert cursor(bear).location == before[1]
    assert bpy.context.scene.frame_current == 7
    assert bear.animation_data is None
    assert not settings(bear).live
    bpy.context.view_layer.update()
    assert local_turn(bear, "head") == pytest.approx(before[0])


def test_a_second_pass_on_selected_bones_keeps_the_first(bear, perform, posewright):
    session = perform(bear)
    act(session, bear)
    session.write(error=None)
    session.end()
    body = posewright.bridge.actions.fingerprint(curves(bear, posewright, "body"))
    head = posewright.bridge.actions.fingerprint(curves(bear, posewright, "head"))
    session = perform(bear)
    act(session, bear, [(5.0, (0.0, -1.0, 3.2)), (12.0, (0.3, -1.4, 0.6))])
    session.choose_bones(["head"])
    session.write(error=None)
    session.end()
    assert posewright.bridge.actions.fingerprint(curves(bear, posewright, "body")) == body
    assert posewright.bridge.actions.fingerprint(curves(bear, posewright, "head")) != head
    assert {len(curve.keyframe_points) for curve in curves(bear, posewright, "head")} == {20}


def test_recording_bones_that_no_key_holds_is_refused(bear, perform, posewright):
    session = perform(bear)
    with pytest.raises(posewright.core.InputError, match="None of the selected bones"):
        session.choose_bones(["tail"])
    with pytest.raises(posewright.core.InputError, match="No bone is selected"):
        session.choose_bones([])
    session.choose_bones(["head"])
    session.restore()


@pytest.mark.parametrize("live", [False, True])
def test_a_recording_is_there_to_be_played(bear, perform, live):
    settings(bear).live = live
    session = perform(bear)
    act(session, bear)
    session.write(error=None)
    session.end()
    shown = local_turn(bear, "head")
    bpy.context.scene.frame_set(2)
    bpy.context.scene.frame_set(1)
    assert local_turn(bear, "head") == pytest.approx(shown, abs=1e-6), "its first frame is shown"


def test_a_recording_turns_live_off_and_says_so(bear, perform):
    settings(bear).live = True
    session = perform(bear)
    act(session, bear)
    session.write(error=0.02)
    session.end()
    assert not settings(bear).live
    assert "recording" in settings(bear).message


def add_nod(bear):
    """A second set for the same bones, and a change between the two that takes half a second."""
    bpy.ops.posewright.spatial_set_add(name="Nod")
    rest(bear)
    turn(bear, "head", 50, 0, 0)
    set_key(bear, (0, -2, 1), "nod")
    bpy.ops.posewright.spatial_set_switch(index=0)
    settings(bear).transition = 12


def shares_of(bear):
    return tuple(each.influence for each in settings(bear).sets)


def test_sets_change_over_while_performing(bear, perform):
    add_nod(bear)
    session = perform(bear)
    assert session.switch_to(1, now=10.0)
    shares = []
    for step in range(7):
        session.pass_time(10.0 + step * 0.1)
        shares.append(shares_of(bear))
    assert shares[0] == (1.0, 0.0)
    assert shares[-1] == (0.0, 1.0)
    assert all(sum(pair) == pytest.approx(1.0) for pair in shares)
    assert not session.switch_to(5, now=11.0)
    session.restore()
    assert shares_of(bear) == (1.0, 0.0)
    assert settings(bear).set_index == 0


def test_a_change_between_sets_counts_more_than_their_keyed_shares(bear, perform):
    bpy.ops.posewright.spatial_set_add(name="Nod")
    turn(bear, "head", 80, 0, 0)
    set_key(bear, (0, -1, 1), "nod")
    for each in settings(bear).sets:
        each.keyframe_insert("influence", frame=1)
    session = perform(bear)
    session.switch_to(0, now=10.0)
    for frame in range(1, 31):
        session.pass_time(10.0 + frame / 24)
        session.show_time(frame)
        session.record(float(frame))
    assert shares_of(bear) == (1.0, 0.0)
    session.move_cursor(bear.matrix_world @ Vector(FIVE_KEYS["left"][0]))
    session.record(31.0)
    session.write(error=None)
    session.end()
    bpy.context.scene.frame_set(31)
    seen = local_turn(bear, "head")
    turn(bear, "head", *FIVE_KEYS["left"][1]["head"])
    assert seen == pytest.approx(local_turn(bear, "head"), abs=1e-4)


def test_a_change_that_is_interrupted_goes_on_from_where_it_is(bear, perform):
    add_nod(bear)
    session = perform(bear)
    session.switch_to(1, now=10.0)
    session.pass_time(10.2)
    half = shares_of(bear)
    assert 0.1 < half[0] < 0.9
    session.switch_to(0, now=10.2)
    assert shares_of(bear) == pytest.approx(half)
    session.pass_time(10.75)
    assert shares_of(bear) == (1.0, 0.0)


@pytest.mark.parametrize("moved_by", ["action", "strip", "constraint", "bone"])
def test_a_cursor_that_moves_by_itself_is_refused(bear, perform, posewright, set_keys, moved_by):
    if moved_by in ("action", "strip"):
        set_keys(cursor(bear), "location", {1: (0, 0, 0), 10: (1, 0, 0)})
    if moved_by == "strip":
        data = cursor(bear).animation_data
        data.nla_tracks.new().strips.new("drift", 1, data.action)
        data.action = None
    if moved_by == "constraint":
        cursor(bear).constraints.new("COPY_LOCATION")
    if moved_by == "bone":
        cursor(bear).parent_type, cursor(bear).parent_bone = "BONE", "head"
    with pytest.raises(posewright.core.InputError, match="Bake Cursor"):
        perform(bear)
    assert not settings(bear).live


def test_a_cursor_with_a_delta_location_is_where_it_is_seen(bear, perform):
    cursor(bear).delta_location = (0.5, 0, 0)
    bpy.context.view_layer.update()
    session = perform(bear)
    assert session.cursor_place() == cursor(bear).matrix_world.translation
    session.move_cursor(Vector((1, 2, 3)))
    bpy.context.view_layer.update()
    assert tuple(cursor(bear).matrix_world.translation) == pytest.approx((1, 2, 3), abs=1e-5)


def test_a_set_without_keys_is_refused(make_rig, perform, posewright):
    rig = make_rig(BONES)
    bpy.ops.posewright.spatial_set_add()
    with pytest.raises(posewright.core.InputError, match="no spatial keys"):
        perform(rig)


def test_nothing_recorded_is_told(bear, perform, posewright):
    session = perform(bear)
    with pytest.raises(posewright.core.InputError, match="Nothing was recorded"):
        session.write(error=None)
    session.restore()


def test_performing_in_a_script_points_to_baking(bear):
    with pytest.raises(RuntimeError, match="Bake Cursor"):
        bpy.ops.posewright.perform()


def test_sampling_in_a_scene_of_its_own_is_not_disturbed(bear, posewright, set_keys):
    for bone in bear.pose.bones:
        set_keys(bone, "rotation_quaternion", {1: (1, 0, 0, 0), 10: (0.8, 0.6, 0, 0)})
        set_keys(bone, "location", {1: (0, 0, 0)})
    frames = np.arange(1, 11)
    quiet = posewright.bridge.sampling.sample(bear, frames).positions
    settings(bear).live = True
    assert posewright.bridge.sampling.sample(bear, frames).positions == pytest.approx(quiet)


def test_a_cursor_deleted_while_performing_ends_it(bear, perform, posewright):
    before = local_turn(bear, "head")
    session = perform(bear)
    session.record(1.0)
    session.move_cursor(bear.matrix_world @ Vector(FIVE_KEYS["left"][0]))
    bpy.context.view_layer.update()
    bpy.data.objects.remove(cursor(bear))
    with pytest.raises(posewright.core.InputError, match="deleted"):
        session.require_unchanged()
    session.restore()
    assert local_turn(bear, "head") == pytest.approx(before, abs=1e-6)


def test_a_character_that_is_renamed_meanwhile_is_brought_back_all_the_same(bear, perform):
    place, live = tuple(cursor(bear).location), settings(bear).live
    session = perform(bear)
    act(session, bear)
    bear.name = "Panda"
    bpy.data.objects.new("Bear", None)
    session.restore()
    assert tuple(cursor(bear).location) == pytest.approx(place)
    assert settings(bear).live == live


def test_what_a_renamed_character_left_alone_is_not_left_alone_by_its_namesake(bear, perform, make_rig):
    session = perform(bear)
    act(session, bear)
    session.write(error=None)
    session.end()
    session = perform(bear)
    session.choose_bones(["head"])
    bear.name = "Renamed"
    session.restore()
    other = bear_with_five_keys(make_rig)
    assert other.name == "Bear"
    settings(other).live = True
    cursor(other).location = FIVE_KEYS["left"][0]
    bpy.context.view_layer.update()
    assert np.abs(local_turn(other, "arm.L") - np.eye(3)).max() > 0.5


def test_a_character_that_is_deleted_meanwhile_is_gone(bear, perform, posewright):
    gone = importlib.import_module(f"{posewright.__name__}.bridge.spatial.session").Gone
    session = perform(bear)
    bpy.data.objects.remove(bear)
    with pytest.raises(gone):
        session.restore()


def test_the_trail_of_a_long_take_is_thinned_out_and_ends_at_the_cursor(bear, perform):
    session = perform(bear)
    for step in range(3000):
        session.record(1.0 + 0.1 * step)
    session.move_cursor(bear.matrix_world @ Vector((1.0, -1.0, 2.5)))
    session.record(500.0)
    trail = session.recorded_places
    assert 300 < len(trail) < 500
    assert trail[-1] == pytest.approx(tuple(bear.matrix_world @ Vector((1.0, -1.0, 2.5))), abs=1e-5)
    session.restore()


def test_stepping_aside_is_as_if_nothing_had_been_performed(bear, perform, posewright):
    def now():
        channels = posewright.bridge.spatial.posing.poses.all_channels(bear)
        return (
            channels.tolist(),
            tuple(cursor(bear).location),
            settings(bear).live,
            bpy.context.scene.frame_current,
        )

    before = now()
    session = perform(bear)
    act(session, bear)
    bpy.context.scene.frame_set(15)
    performed = now()
    session.step_aside()
    assert now() == before
    session.step_in()
    assert now() == performed
    session.restore()
    assert now() == before


@pytest.mark.parametrize("change", ["delete", "add"])
def test_bones_that_come_or_go_meanwhile_leave_the_others_their_poses(bear, perform, change):
    turn(bear, "head", 3, 4, 5)
    turn(bear, "arm.R", 30, 0, 0)
    before = {name: local_turn(bear, name) for name in ("head", "arm.R")}
    session = perform(bear)
    act(session, bear)
    bpy.ops.object.mode_set(mode="EDIT")
    if change == "delete":
        bear.data.edit_bones.remove(bear.data.edit_bones["arm.L"])
    else:
        new = bear.data.edit_bones.new("aaa")
        new.tail = (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    session.restore()
    for name, turned in before.items():
        assert local_turn(bear, name) == pytest.approx(turned, abs=1e-6)


def test_a_pose_that_was_edited_while_performing_is_left_as_it_is(bear, perform):
    settings(bear).live = True
    bpy.context.view_layer.update()
    session = perform(bear)
    act(session, bear)
    turn(bear, "head", 40, 0, 0)
    bpy.context.view_layer.update()
    assert not settings(bear).live
    edited = local_turn(bear, "head")
    session.end()
    bpy.context.view_layer.update()
    assert not settings(bear).live
    assert "edited" in settings(bear).message
    assert local_turn(bear, "head") == pytest.approx(edited)


def exclude(thing):
    hidden = bpy.data.collections.new("Helpers")
    bpy.context.scene.collection.children.link(hidden)
    for home in thing.users_collection:
        home.objects.unlink(thing)
    hidden.objects.link(thing)
    bpy.context.view_layer.layer_collection.children["Helpers"].exclude = True


def disable(thing):
    thing.hide_viewport = True


def hide(thing):
    thing.hide_set(True)


@pytest.mark.parametrize("away", [exclude, disable])
def test_a_cursor_that_blender_does_not_move_is_told(bear, perform, posewright, panel, away):
    away(cursor(bear))
    with pytest.raises(posewright.core.InputError, match="excluded from the view layer"):
        perform(bear)
    assert not settings(bear).live
    assert "excluded from the view layer" in panel()


def test_a_cursor_may_be_hidden(bear, perform, panel):
    hide(cursor(bear))
    assert "excluded" not in panel()
    perform(bear).restore()


def test_a_rest_position_is_told(bear, perform, posewright, panel):
    bear.data.pose_position = "REST"
    with pytest.raises(posewright.core.InputError, match="choose Pose Position"):
        perform(bear)
    assert "choose Pose Position" in panel()


def test_a_cursor_without_a_parent_is_told_and_still_means_its_character(bear, perform, posewright, panel):
    thing = cursor(bear)
    thing.parent = None
    with pytest.raises(posewright.core.InputError, match="has no parent: parent it to Bear again"):
        perform(bear)
    select(thing)
    assert "Select an armature" not in panel()


def test_a_take_plays_where_curves_were_muted_or_had_modifiers(bear, perform, posewright):
    session = perform(bear)
    act(session, bear)
    session.write(error=None)
    session.end()
    for curve in curves(bear, posewright, "head"):
        curve.mute = True
        curve.modifiers.new("NOISE").strength = 3.0
        curve.modifiers.new("CYCLES")
    session = perform(bear)
    act(session, bear)
    session.write(error=None)
    session.end()
    blend = posewright.core.SpatialKeyframes(*five_key_arrays(bear))
    bpy.context.scene.frame_set(1)
    assert local_turn(bear, "head") == pytest.approx(blend.pose(PATH[0][1])[0][1], abs=1e-5)
    assert not any(
        modifier.mute
        for curve in curves(bear, posewright, "head")
        for modifier in curve.modifiers
        if modifier.type == "CYCLES"
    )
