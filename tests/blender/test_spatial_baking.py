# SPDX-License-Identifier: GPL-3.0-or-later
"""Baking: the whole way from an empty scene to keys that play what the core computes."""

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
    rest,
    select_bones,
    set_five_keys,
    set_key,
    settings,
    turn,
)

PATH = {1: (0.0, -1.5, 2.0), 15: (1.2, -1.1, 2.4), 28: (-0.9, -1.0, 1.3), 41: (0.2, -1.6, 2.9)}


@pytest.fixture
def make_bear(make_rig):
    def make(name="Bear", **options):
        rig = make_rig(BONES, name=name, **options)
        bpy.ops.posewright.spatial_set_add(name="Look")
        set_five_keys(rig)
        return rig

    return make


@pytest.fixture
def bear(make_bear):
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 41
    return make_bear()


def animate(rig, set_keys, path=PATH):
    set_keys(cursor(rig), "location", path)


def cursor_places(rig, frames):
    places = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        places.append(tuple(cursor(rig).location))
    return places


def head_turns(rig, frames):
    """(F, 3, 3) how the head is turned in each of some frames, played one after the other."""
    turns = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        turns.append(local_turn(rig, "head"))
    return np.array(turns)


def curves(action, posewright):
    slot = action.slots[0] if hasattr(action, "slots") else None
    return posewright.bridge.actions.bag_of(action, slot).fcurves


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "ZXY", "AXIS_ANGLE"])
def test_from_an_empty_scene_to_what_the_core_computes(make_bear, posewright, set_keys, mode):
    bear = make_bear(rotation_mode=mode)
    bear.location, bear.rotation_euler = (3, 1, 0), (0, 0, 1)
    animate(bear, set_keys)
    bpy.ops.posewright.bake_cursor(frame_start=1, frame_end=41)
    blend = posewright.core.SpatialKeyframes(*five_key_arrays(bear))
    rotations, translations = blend.path(cursor_places(bear, range(1, 42)))
    for n, frame in enumerate(range(1, 42)):
        bpy.context.scene.frame_set(frame)
        for row, bone in enumerate(bear.pose.bones):
            where = (frame, bone.name)
            assert local_turn(bear, bone.name) == pytest.approx(rotations[n, row], abs=1e-5), where
            assert np.array(bone.location) == pytest.approx(translations[n, row], abs=1e-5), where


def test_only_channels_that_the_poses_use_get_keys(bear, posewright, set_keys):
    animate(bear, set_keys)
    bpy.ops.posewright.bake_cursor()
    paths = {curve.data_path for curve in curves(bear.animation_data.action, posewright)}
    assert 'pose.bones["body"].location' in paths
    assert 'pose.bones["head"].location' not in paths
    assert not any(path.endswith("scale") for path in paths)
    assert all(len(curve.keyframe_points) == 41 for curve in curves(bear.animation_data.action, posewright))


def test_a_list_of_frames_and_places(bear, posewright):
    path = [{"name": "", "frame": frame, "place": place} for frame, place in PATH.items()]
    bpy.ops.posewright.bake_cursor(path=path)
    blend = posewright.core.SpatialKeyframes(*five_key_arrays(bear))
    for frame, place in PATH.items():
        bpy.context.scene.frame_set(frame)
        rotations, _ = blend.pose(place)
        assert local_turn(bear, "head") == pytest.approx(rotations[1], abs=1e-5)


def test_several_characters_at_once(make_bear, set_keys):
    first, second = make_bear("Bear"), make_bear("Cub", location=(4, 0, 0))
    animate(first, set_keys)
    animate(second, set_keys, {1: (0.0, -1.5, 2.0), 41: (1.5, -1.0, 2.0)})
    first.select_set(True)
    second.select_set(True)
    bpy.ops.posewright.bake_cursor(frame_start=1, frame_end=41)
    bpy.context.scene.frame_set(41)
    for rig in (first, second):
        assert len(rig.animation_data.action.name) > 0
        assert abs(local_turn(rig, "head") - np.eye(3)).max() > 0.1
    assert local_turn(first, "head") != pytest.approx(local_turn(second, "head"), abs=0.1)


def test_distilled_keys_keep_the_wanted_error(bear, posewright, set_keys):
    animate(bear, set_keys)
    bpy.ops.posewright.bake_cursor()
    frames = np.arange(1, 42)
    sampling = posewright.bridge.sampling
    full = sampling.sample(bear, frames).positions
    for error in (0.05, 0.01):
        bpy.ops.posewright.bake_cursor(distil=True, error=error)
        few = sampling.sample(bear, frames).positions
        assert np.linalg.norm(full - few, axis=-1).max() <= error * 1.001
        counts = {len(curve.keyframe_points) for curve in curves(bear.animation_data.action, posewright)}
        assert len(counts) == 1
        assert counts.pop() < 21


def test_an_action_that_was_there_is_never_changed(bear, posewright, set_keys):
    set_keys(bear.pose.bones["head"], "rotation_quaternion", {1: (1, 0, 0, 0), 60: (0, 1, 0, 0)})
    mocap = bear.animation_data.action
    before = posewright.bridge.actions.fingerprint(curves(mocap, posewright))
    animate(bear, set_keys)
    bpy.ops.posewright.bake_cursor()
    assert bear.animation_data.action != mocap
    assert mocap.use_fake_user
    assert posewright.bridge.actions.fingerprint(curves(mocap, posewright)) == before
    head = [c for c in curves(bear.animation_data.action, posewright) if "head" in c.data_path]
    assert all(curve.keyframe_points[-1].co.x == 60 for curve in head)


def test_a_performance_whose_slot_was_unlinked_is_left_alone(bear, posewright, set_keys):
    if not posewright.bridge.actions.versions.HAS_SLOTS:
        pytest.skip("actions have slots from Blender 4.4 on")
    animate(bear, set_keys)
    bpy.ops.posewright.bake_cursor()
    first = bear.animation_data.action
    bear.animation_data.action_slot = None
    bpy.ops.posewright.bake_cursor()
    assert bear.animation_data.action not in (None, first)
    assert curves(bear.animation_data.action, posewright)


def test_a_second_take_on_other_bones_keeps_the_first(bear, posewright, set_keys):
    animate(bear, set_keys)
    bpy.ops.posewright.bake_cursor()
    action = bear.animation_data.action
    body = [c for c in curves(action, posewright) if "body" in c.data_path]
    before = posewright.bridge.actions.fingerprint(body)
    cursor(bear).animation_data_clear()  # it stands still from now on
    bpy.ops.posewright.spatial_set_add(name="Wave")
    rest(bear)
    select_bones(bear, "arm.L")
    for degrees, place in ((0, (2, 0, 0)), (80, (2, 0, 2))):
        turn(bear, "arm.L", 0, 0, degrees)
        set_key(bear, place, f"wave {degrees}", bones="SELECTED")
    set_keys(cursor(bear), "location", {1: (2, 0, 0), 41: (2, 0, 2)})
    bpy.ops.posewright.bake_cursor(frame_start=10, frame_end=30)
    assert bear.animation_data.action == action
    assert (
        posewright.bridge.actions.fingerprint(
            [c for c in curves(action, posewright) if "body" in c.data_path]
        )
        == before
    )
    arm = [c for c in curves(action, posewright) if "arm.L" in c.data_path]
    assert all(len(curve.keyframe_points) == 41 for curve in arm)


def test_live_and_baked_are_the_same(bear, set_keys):
    animate(bear, set_keys)
    settings(bear).live = True
    bpy.context.scene.frame_set(20)
    shown = local_turn(bear, "head")
    settings(bear).live = False
    bpy.ops.posewright.bake_cursor()
    bpy.context.scene.frame_set(20)
    assert local_turn(bear, "head") == pytest.approx(shown, abs=1e-5)


OPPOSITE = {"ahead": (0, (0, 0, 2)), "back": (175, (1, 0, 2))}
FRAMES = range(1, 31)


@pytest.fixture
def two_faced(make_rig):
    """A bear whose head looks ahead and back: half-way between the two, the keys cancel each other out."""
    rig = make_rig(BONES, name="Janus")
    add_opposite_set(rig, "Look")
    return rig


def add_opposite_set(rig, name):
    bpy.ops.posewright.spatial_set_add(name=name)
    for key, (degrees, place) in OPPOSITE.items():
        rest(rig)
        turn(rig, "head", 0, degrees, 0)
        set_key(rig, place, key)
    rest(rig)


def cross_over(rig, set_keys):
    set_keys(cursor(rig), "location", {FRAMES[0]: (0.3, 0, 2), FRAMES[-1]: (0.7, 0.1, 2.2)})


def nothing_more(_rig, _set_keys):
    pass


def a_marker_that_moves(rig, set_keys):
    set_keys(settings(rig).sets[0].keys["back"].marker, "location", {1: (1, 0, 2), 30: (1.1, 0, 2)})


def a_second_set(rig, set_keys):
    add_opposite_set(rig, "Again")
    settings(rig).sets[0].influence = settings(rig).sets[1].influence = 0.5
    set_keys(cursor(rig), "location", {FRAMES[0]: (0.7, 0, 2), FRAMES[-1]: (0.2, 0, 2)})


def an_arm_that_reaches(rig, _set_keys):
    effector = settings(rig).sets[0].effectors.add()
    effector.bone = "arm.L"


@pytest.mark.parametrize("more", [nothing_more, a_marker_that_moves, a_second_set, an_arm_that_reaches])
def test_where_keys_cancel_out_a_bake_plays_what_live_showed(two_faced, posewright, set_keys, more):
    cross_over(two_faced, set_keys)
    more(two_faced, set_keys)
    bpy.context.scene.frame_set(FRAMES[0])
    settings(two_faced).live = True
    shown = head_turns(two_faced, FRAMES)
    settings(two_faced).live = False
    rest(two_faced)
    bpy.ops.posewright.bake_cursor(frame_start=FRAMES[0], frame_end=FRAMES[-1])
    baked = head_turns(two_faced, FRAMES)
    assert baked == pytest.approx(shown, abs=1e-5)
    steps = np.einsum("fij,fij->f", baked[1:], baked[:-1])  # 1 + 2 cos of the turn between two frames
    assert np.degrees(np.arccos((steps.min() - 1) / 2)) < 80


def test_where_keys_cancel_out_a_bake_is_the_path_of_the_core(two_faced, posewright, set_keys):
    cross_over(two_faced, set_keys)
    bpy.ops.posewright.bake_cursor(frame_start=FRAMES[0], frame_end=FRAMES[-1])
    turns = posewright.core.rotations.euler_to_matrix(
        [[(0, np.radians(degrees), 0)] for degrees, _ in OPPOSITE.values()]
    )
    blend = posewright.core.SpatialKeyframes([place for _, place in OPPOSITE.values()], turns)
    places = cursor_places(two_faced, FRAMES)
    baked = head_turns(two_faced, FRAMES)
    assert baked == pytest.approx(blend.path(places)[0][:, 0], abs=1e-5)
    assert np.abs(baked - blend.poses(places)[0][:, 0]).max() > 0.1


def test_the_frame_and_the_cursor_are_left_where_they_were(bear, set_keys):
    animate(bear, set_keys)
    bpy.context.scene.frame_set(7)
    bpy.ops.posewright.bake_cursor()
    assert bpy.context.scene.frame_current == 7


def test_markers_that_move_are_followed(bear, posewright, set_keys):
    animate(bear, set_keys)
    left = settings(bear).sets[0].keys["left"].marker
    set_keys(left, "location", {1: FIVE_KEYS["left"][0], 41: (2.5, -1.2, 2.3)})
    settings(bear).live = True
    bpy.context.scene.frame_set(30)
    shown = local_turn(bear, "head")
    settings(bear).live = False
    bpy.ops.posewright.bake_cursor()
    bpy.context.scene.frame_set(30)
    assert local_turn(bear, "head") == pytest.approx(shown, abs=1e-5)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"frame_start": 10, "frame_end": 1}, "before it starts"),
        (
            {"path": [{"name": "", "frame": 1, "place": (0, 0, n)} for n in range(2)]},
            "two places at frame 1",
        ),
    ],
)
def test_what_cannot_be_baked_is_told_and_changes_nothing(bear, options, sentence):
    with pytest.raises(RuntimeError, match=sentence):
        bpy.ops.posewright.bake_cursor(**options)
    assert bear.animation_data is None


def test_what_was_baked_plays_also_where_live_was_on(bear):
    settings(bear).live = True
    bpy.context.view_layer.update()
    bpy.ops.posewright.bake_cursor(
        path=[
            {"name": "", "frame": 1, "place": FIVE_KEYS["right"][0]},
            {"name": "", "frame": 20, "place": FIVE_KEYS["left"][0]},
        ]
    )
    assert not settings(bear).live
    assert "Live is off, so that the recording plays" in settings(bear).message
    seen = []
    for frame in (1, 20):
        bpy.context.scene.frame_set(frame)
        seen.append(local_turn(bear, "head"))
    assert np.abs(seen[0] - seen[1]).max() > 0.5


@pytest.mark.parametrize("how", ["keyed", "posed", "in the NLA"])
def test_a_bone_that_was_moved_before_is_where_the_poses_have_it(bear, set_keys, how):
    head = bear.pose.bones["head"]
    if how == "posed":
        head.location, head.scale = (0, 0, 1), (2, 2, 2)
    else:
        set_keys(head, "location", {1: (0, 0, 1), 20: (0, 0, 1)})
        set_keys(head, "scale", {1: (2, 2, 2)})
    if how == "in the NLA":
        data = bear.animation_data
        data.nla_tracks.new().strips.new("before", 1, data.action)
        data.action = None
    bpy.ops.posewright.bake_cursor(frame_start=1, frame_end=20)
    bpy.context.scene.frame_set(10)
    assert np.allclose(head.location, 0, atol=1e-6)
    assert np.allclose(head.scale, 1, atol=1e-6)


def in_tweak_mode(rig, set_keys):
    set_keys(rig.pose.bones["head"], "location", {1: (0, 0, 0), 20: (0, 0, 1)})
    data = rig.animation_data
    track = data.nla_tracks.new()
    track.strips.new("before", 10, data.action).select = True
    data.action = None
    data.nla_tracks.active = track
    data.use_tweak_mode = True
    return data


def test_nothing_is_performed_that_the_tweak_mode_of_the_nla_would_lose(bear, session, posewright, set_keys):
    data = in_tweak_mode(bear, set_keys)
    before = set(bpy.data.actions)
    with pytest.raises(RuntimeError, match="Error: Bear is in the NLA's tweak mode"):
        bpy.ops.posewright.bake_cursor(frame_start=1, frame_end=5)
    with pytest.raises(posewright.core.InputError, match="tweak mode"):
        session(bear, bpy.context.scene)
    assert set(bpy.data.actions) == before
    data.use_tweak_mode = False


def test_a_take_that_another_character_plays_is_left_alone(bear):
    bpy.ops.posewright.bake_cursor(frame_start=1, frame_end=5)
    twin = bear.copy()
    bpy.context.scene.collection.objects.link(twin)
    twin.select_set(False)
    shared = twin.animation_data.action
    assert shared == bear.animation_data.action
    bpy.ops.posewright.bake_cursor(frame_start=1, frame_end=5)
    assert twin.animation_data.action == shared != bear.animation_data.action
    mine = bear.animation_data.action
    bpy.ops.posewright.bake_cursor(frame_start=1, frame_end=5)
    assert bear.animation_data.action == mine, "and a take of its own is gone on in"


def test_an_action_without_a_slot_for_the_character_stays_in_the_file(bear, posewright):
    if not posewright.bridge.actions.versions.HAS_SLOTS:
        pytest.skip("actions have slots from Blender 4.4 on")
    data, action = bear.animation_data_create(), bpy.data.actions.new("mine")
    data.action = action
    bpy.ops.posewright.bake_cursor(frame_start=1, frame_end=5)
    assert data.action != action
    assert action.use_fake_user


@pytest.mark.parametrize(
    "step", [(float("nan"), (0, 0, 1)), (1, "abc"), (1, None), ("x", (0, 0, 1)), (1,), (1, (0, 1)), 5]
)
def test_a_path_that_makes_no_sense_is_told(bear, posewright, step):
    with pytest.raises(
        posewright.core.InputError, match=r"give a frame and its place, \(frame, \(x, y, z\)\)"
    ):
        posewright.bridge.spatial.takes.cursor_baking.bake_path(bear, [(2, (0, 0, 1)), step])
    assert bear.animation_data is None


def test_a_path_is_performed_by_the_active_set_even_if_another_had_taken_over(bear):
    bpy.ops.posewright.spatial_set_add(name="Nod")
    turn(bear, "head", 80, 0, 0)
    set_key(bear, (0, -1, 1), "nod")
    settings(bear).set_index = 0
    assert [each.influence for each in settings(bear).sets] == [0, 1]
    place, turns, _ = FIVE_KEYS["left"]
    bpy.ops.posewright.bake_cursor(path=[{"name": "", "frame": 1, "place": place}])
    turn(bear, "head", *turns["head"])
    wanted = local_turn(bear, "head")
    bpy.context.scene.frame_set(1)
    assert local_turn(bear, "head") == pytest.approx(wanted, abs=1e-5)
