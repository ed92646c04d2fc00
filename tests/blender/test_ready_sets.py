# SPDX-License-Identifier: GPL-3.0-or-later
"""The bear is ready to be performed, and so is a character that gets a ready set."""

from __future__ import annotations

import importlib

import bpy
import numpy as np
import pytest
from mathutils import Vector

from benchmarks import character_files
from demo import run

LOOKERS = [
    "Soldier.glb",
    "Knight.glb",
    "RobotExpressive.glb",
    "Samba_Dancing.fbx",
    "walk_elderly.bvh",
    "Fox.glb",
]
WALKERS = ["Soldier.glb", "Knight.glb", "Samba_Dancing.fbx", "walk_elderly.bvh"]


@pytest.fixture
def acting(clean_blender):
    return importlib.import_module(f"{clean_blender.__name__}.bridge.ready.bear_acting")


@pytest.fixture
def character(posewright):
    return importlib.import_module(f"{posewright.__name__}.bridge.character")


def go_to(rig, key):
    spatial_set = rig.posewright.spatial.sets[rig.posewright.spatial.set_index]
    spatial_set.key_index = spatial_set.keys.find(key)
    bpy.ops.posewright.spatial_key_go_to()


def ahead(rig, bone, way):
    """How far along a direction in the world a bone begins."""
    return float(np.array(rig.matrix_world @ rig.pose.bones[bone].head) @ way)


def level(rig, bone):
    return (rig.matrix_world @ rig.pose.bones[bone].head).z


def leg_length(rig, found):
    bones, leg = rig.data.bones, found.legs[0]
    ends = [rig.matrix_world @ bones[bone].head_local for bone in (leg.upper, leg.lower, leg.end)]
    return (ends[1] - ends[0]).length + (ends[2] - ends[1]).length


def test_one_click_adds_a_bear_that_follows_its_cursor(acting):
    bpy.context.scene.cursor.location = (3, 4, 5)
    bpy.ops.posewright.bear_add()
    bear = bpy.context.object
    settings = bear.posewright.spatial
    assert tuple(bear.location) == (3, 4, 5)
    assert [each.name for each in settings.sets] == ["Acting", "Walk"]
    assert len(settings.sets[0].keys) == len(acting.KEYS) + len(acting.MIRRORED)
    assert settings.live
    before = np.array(bear.pose.bones["head"].matrix)
    settings.sets[0].cursor.location = acting.KEYS["look left"][0]
    bpy.context.view_layer.update()
    assert np.abs(np.array(bear.pose.bones["head"].matrix) - before).max() > 0.3


def test_it_can_be_added_while_another_character_is_posed(make_rig):
    make_rig(2)
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.posewright.bear_add()
    assert bpy.context.object.name == "Bear"
    bpy.ops.posewright.bear_add()
    assert bpy.context.object.posewright.spatial.live


def test_the_demo_leaves_a_file_with_the_bear(acting, tmp_path):
    run.perform(tmp_path)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "perform.blend"))
    bear = bpy.data.objects["Bear"]
    views = [
        area.spaces.active.region_3d for area in bpy.data.screens["Layout"].areas if area.type == "VIEW_3D"
    ]
    assert [round(view.view_location.z) for view in views] == [1], "it looks at the bear"
    bear.posewright.spatial.sets[0].cursor.location = acting.KEYS["bow"][0]
    bpy.context.view_layer.update()
    assert bear.pose.bones["head"].tail.y < -0.3


def test_mirrored_keys_mirror_the_joints(acting):
    bear = acting.add_bear()
    ends = {}
    for name in ("wave left", "wave right"):
        go_to(bear, name)
        ends[name] = {bone.name: np.array(bone.tail) for bone in bear.pose.bones}
    for bone, end in ends["wave left"].items():
        assert ends["wave right"][bpy.utils.flip_name(bone)] == pytest.approx(end * [-1, 1, 1], abs=1e-5)


@pytest.mark.parametrize("file", LOOKERS)
def test_heads_look_where_the_cursor_is(import_character, character, file):
    rig = import_character(file)
    bpy.ops.posewright.spatial_set_ready(kind="LOOK")
    head = character.describe(rig).head
    turned = {}
    for key in ("front", "look left", "look up"):
        go_to(rig, key)
        turned[key] = np.array((rig.matrix_world @ rig.pose.bones[head].matrix).to_3x3().normalized())
    front = character.shown(rig).front
    left = np.cross((0.0, 0.0, 1.0), front)
    looked = {key: turned[key] @ turned["front"].T @ front for key in turned}
    assert looked["look left"] @ left == pytest.approx(np.sin(np.radians(60.0)), abs=0.03)
    assert looked["look up"][2] == pytest.approx(np.sin(np.radians(40.0)), abs=0.03)


@pytest.mark.parametrize("file", WALKERS)
def test_a_walk_swings_legs_and_arms_and_stands_on_the_ground(import_character, character, file):
    rig = import_character(file)
    bpy.ops.posewright.spatial_set_ready(kind="WALK")
    found = character.describe(rig)
    legs, arms = ({limb.side: limb for limb in limbs} for limbs in (found.legs, found.arms))
    assert rig.posewright.spatial.use_locomotion
    lowest = []
    for key, forward, back in (("left forward", "left", "right"), ("right forward", "right", "left")):
        go_to(rig, key)
        way = character.shown(rig).front
        stride = ahead(rig, legs[forward].end, way) - ahead(rig, legs[back].end, way)
        swing = ahead(rig, arms[back].end, way) - ahead(rig, arms[forward].end, way)
        assert stride > 0.6 * leg_length(rig, found)
        assert swing > 0.1 * found.height
        for leg in found.legs:  # knees never bend forward
            bend = ahead(rig, leg.lower, way) - (ahead(rig, leg.upper, way) + ahead(rig, leg.end, way)) / 2
            assert bend > -0.01 * found.height
        lowest.append(
            min((rig.matrix_world @ rig.pose.bones[bone].head).z for bone in (*found.feet, *found.toes))
        )
    go_to(rig, "right lifts")
    assert level(rig, legs["right"].end) > level(rig, legs["left"].end) + 0.1 * leg_length(rig, found)
    assert lowest == pytest.approx([min(lowest)] * 2, abs=0.02 * found.height)


@pytest.mark.parametrize("file", WALKERS)
def test_going_around_the_circle_walks_on(import_character, character, file):
    rig = import_character(file)
    bpy.ops.posewright.spatial_set_ready(kind="WALK")
    keys = rig.posewright.spatial.sets[0].keys
    places = [tuple(key.marker.location) for key in keys]
    path = [(1 + 8 * n, places[n % 4]) for n in range(9)]
    baking = importlib.import_module(
        f"{character.__name__.removesuffix('.character')}.spatial.takes.cursor_baking"
    )
    start = rig.matrix_world.translation.copy()
    found = character.describe(rig)
    baking.bake_path(rig, path)
    bpy.context.scene.frame_set(65)
    travelled = np.array(rig.matrix_world.translation - start)
    way = character.shown(rig).front
    assert travelled @ way > 1.6 * leg_length(rig, found), "two strides forward"
    assert abs(travelled[2]) < 0.05 * found.height


def circled(rig, character, begin=0, **choices) -> tuple[np.ndarray, np.ndarray]:
    """How far it goes forward in each frame of four rounds, and how deep its feet sink, in heights.

    `begin`: in which of the 15 frames of a half round it begins.
    """
    package = character.__name__.removesuffix(".character")
    baking = importlib.import_module(f"{package}.spatial.takes.cursor_baking")
    walking = importlib.import_module(f"{package}.spatial.walks.walking")
    for name, value in choices.items():
        setattr(rig.posewright.spatial, name, value)
    places = [np.array(key.marker.location) for key in rig.posewright.spatial.sets[0].keys]
    middle, first, second = np.mean(places, axis=0), places[0], places[1]
    angles = (begin + np.arange(60)) * np.pi / 15.0
    ring = middle + np.outer(np.cos(angles), first - middle) + np.outer(np.sin(angles), second - middle)
    baking.bake_path(rig, [(1 + n, tuple(place)) for n, place in enumerate(ring)])
    way, height = character.shown(rig).front, character.height_of(rig)
    bpy.context.scene.frame_set(1)
    contacts = walking._contacts(rig)
    ends = [np.array(end) for end in walking.bone_ends(rig)]
    gone, lowest = [], []
    for frame in range(1, 61):
        bpy.context.scene.frame_set(frame)
        heads = [np.array(rig.matrix_world @ bone.head) for bone in rig.pose.bones]
        tips = [
            np.array(rig.matrix_world @ (bone.matrix @ Vector(end)))
            for bone, end in zip(rig.pose.bones, ends, strict=True)
        ]
        points = np.array([*heads, *tips])[contacts.rows] - contacts.soles
        lowest.append(points[:, 2].min())
        gone.append(np.array(rig.matrix_world.translation) @ way)
    return np.diff(gone) / height, (contacts.ground - np.array(lowest)) / height


@pytest.mark.parametrize("file", WALKERS)
def test_feet_do_not_sink_and_nobody_steps_back(import_character, character, file):
    rig = import_character(file)
    bpy.ops.posewright.spatial_set_ready(kind="WALK")
    ways, sunk = circled(rig, character, use_solid_ground=False, use_no_steps_back=False)
    assert sunk.max() > 0.003, "this is what solid ground is for"
    with_both, above = circled(rig, character, use_solid_ground=True, use_no_steps_back=True)
    assert above.max() < 2e-4
    again, still_above = circled(rig, character)
    np.testing.assert_allclose(still_above, above, atol=1e-5, err_msg="nothing adds up from take to take")
    np.testing.assert_allclose(again, with_both, atol=1e-4)
    assert with_both.min() > -1e-4
    assert with_both.sum() > 0.95 * ways.sum()


def test_who_begins_in_the_ground_rises_out_of_it(import_character, character):
    """Between two keys its feet are deeper than in any."""
    rig = import_character("Soldier.glb")
    bpy.ops.posewright.spatial_set_ready(kind="WALK")
    _, sunk = circled(rig, character, begin=-7)
    assert sunk[0] > 0.001, "it begins where it was put"
    assert (sunk[1:] <= np.maximum(sunk[0] * np.exp(-np.arange(1, 60) / 2.4), 0.0) + 2e-4).all()
    _, again = circled(rig, character, begin=-7)
    np.testing.assert_allclose(again, sunk, atol=1e-5, err_msg="nothing adds up from take to take")


def test_a_wave_lifts_the_right_hand_over_what_the_others_do(import_character, character):
    rig = import_character("Soldier.glb")
    bpy.ops.posewright.spatial_set_ready(kind="WALK")
    bpy.ops.posewright.spatial_set_ready(kind="WAVE")
    walk, wave = rig.posewright.spatial.sets
    assert (walk.influence, wave.influence, wave.layer) == (1.0, 1.0, "OVER")
    hand = next(arm.end for arm in character.describe(rig).arms if arm.side == "right")
    heights = {}
    for key in wave.keys:
        go_to(rig, key.name)
        heights[key.name] = (rig.matrix_world @ rig.pose.bones[hand].head).z
    assert heights["arm up"] - heights["arm down"] > 0.35 * character.height_of(rig)
    assert all(heights[name] > heights["arm down"] for name in ("wave in", "wave out"))


def test_who_has_not_what_a_set_needs_is_told(import_character):
    import_character("Fox.glb")
    with pytest.raises(RuntimeError, match="not found to walk on two legs"):
        bpy.ops.posewright.spatial_set_ready(kind="WALK")
    import_character("RobotExpressive.glb")
    with pytest.raises(RuntimeError, match="does not hang from"):
        bpy.ops.posewright.spatial_set_ready(kind="WALK")
    assert not bpy.context.object.posewright.spatial.sets


def test_a_control_rig_is_told_why_not(clean_blender):
    rig = character_files.generate_rigify()
    for kind in ("LOOK", "WAVE", "WALK"):
        with pytest.raises(RuntimeError, match="Constraints pose"):
            bpy.ops.posewright.spatial_set_ready(kind=kind)
    assert not rig.posewright.spatial.sets


def test_nobody_without_a_head_looks(make_rig):
    make_rig(1)
    with pytest.raises(RuntimeError, match="No head was found"):
        bpy.ops.posewright.spatial_set_ready(kind="LOOK")
