# SPDX-License-Identifier: GPL-3.0-or-later
"""Performing with characters as they are imported: their pairs, sizes, fronts, limbs and feet are found."""

from __future__ import annotations

import importlib
from math import radians

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector

from tests.blender.spatial_bear import rest, select, select_bones, set_key, settings, turn

# Left and right are names that Blender does not pair.
UNPAIRED = {
    "body": ((0, 0, 0), (0, 0, 1), None),
    "b_LeftArm_09": ((0.2, 0, 1), (0.8, 0, 1), "body"),
    "b_LeftHand_10": ((0.8, 0, 1), (1.0, 0, 1), "b_LeftArm_09"),
    "b_RightArm_06": ((-0.2, 0, 1), (-0.8, 0, 1), "body"),
    "b_RightHand_07": ((-0.8, 0, 1), (-1.0, 0, 1), "b_RightArm_06"),
}


@pytest.fixture
def imported(clean_blender, request):
    """`imported("Fox")` is the armature of that character, active: at rest without animation, or playing."""
    from benchmarks import character_files

    def load(stem: str, *, playing: bool = False):
        if stem == "Rigify":
            return character_files.generate_rigify()
        folder = request.getfixturevalue("characters_folder")
        file = next((each for each in character_files.character_files(folder) if each.stem == stem), None)
        if file is None:
            pytest.skip(character_files.MISSING)
        rig = character_files.import_character(file)
        select(rig)
        if not playing:
            rig.animation_data_clear()
            rest(rig)
        bpy.context.view_layer.update()
        return rig

    return load


@pytest.fixture
def part_of(posewright):
    """`part_of("spatial.making.mirror")` is that module of the bridge."""
    return lambda name: importlib.import_module(f"{posewright.__name__}.bridge.{name}")


def heads(rig) -> dict[str, np.ndarray]:
    bpy.context.view_layer.update()
    return {bone.name: np.array(bone.head) for bone in rig.pose.bones}


def bend(rig, seed=1, most=25.0, names=None) -> None:
    """Turn bones by some angle each, as no symmetric pose does."""
    angles = np.random.default_rng(seed).uniform(-most, most, (len(rig.pose.bones), 3))
    for bone, degrees in zip(rig.pose.bones, angles, strict=True):
        if names is None or bone.name in names:
            bone.matrix_basis = Euler([radians(angle) for angle in degrees]).to_matrix().to_4x4()


def mirror_key(rig, place):
    bpy.ops.posewright.spatial_set_add(name="Mirror")
    set_key(rig, place, "left")
    bpy.ops.posewright.spatial_key_mirror()
    bpy.ops.posewright.spatial_key_go_to()


def test_bones_are_mirrored_whose_names_blender_does_not_pair(make_rig):
    rig = make_rig(UNPAIRED)
    turn(rig, "b_LeftArm_09", 0, 10, 40)
    turn(rig, "b_RightHand_07", 20, 0, 0)
    before = heads(rig)
    mirror_key(rig, (1, -1, 1))
    after = heads(rig)
    assert after["b_RightHand_07"] == pytest.approx(before["b_LeftHand_10"] * (-1, 1, 1), abs=1e-5)
    assert after["b_LeftHand_10"] == pytest.approx((0.8, 0, 1), abs=1e-5)


def test_the_mirror_is_between_the_sides_wherever_they_are(make_rig):
    """Left and right are along Y here, and the middle is at 3."""
    placed = {
        name: (*((y, 3 + x, z) for x, y, z in ends), parent) for name, (*ends, parent) in UNPAIRED.items()
    }
    rig = make_rig(placed)
    turn(rig, "b_LeftArm_09", 0, 10, 40)
    before = heads(rig)
    mirror_key(rig, (1, 4, 1))
    assert tuple(settings(rig).sets[0].keys[1].marker.location) == pytest.approx((1, 2, 1), abs=1e-5)
    x, y, z = before["b_LeftHand_10"]
    assert heads(rig)["b_RightHand_07"] == pytest.approx((x, 6 - y, z), abs=1e-5)


def test_a_pose_is_not_mirrored_by_half(make_rig):
    bones = {**UNPAIRED, "pouch": ((0.3, 0.2, 0.2), (0.3, 0.4, 0.1), "body")}
    rig = make_rig(bones)
    turn(rig, "b_LeftArm_09", 0, 0, 40)
    bpy.ops.posewright.spatial_set_add(name="Mirror")
    set_key(rig, (1, -1, 1), "at rest")
    bpy.ops.posewright.spatial_key_mirror()
    turn(rig, "pouch", 30, 0, 0)
    set_key(rig, (2, -1, 1), "swings")
    count, actions = len(settings(rig).sets[0].keys), len(bpy.data.actions)
    with pytest.raises(RuntimeError, match="No counterpart on the other side was found for pouch"):
        bpy.ops.posewright.spatial_key_mirror()
    assert (len(settings(rig).sets[0].keys), len(bpy.data.actions)) == (count, actions)


def test_a_tip_that_the_other_side_lacks_keeps_its_own_pose(make_rig):
    """Exporters leave out bones that move nothing, such as the last one of a thumb."""
    rig = make_rig({**UNPAIRED, "b_LeftThumb_11": ((0.8, 0, 1), (0.9, 0, 1), "b_LeftHand_10")})
    for bone in ("b_LeftArm_09", "b_LeftThumb_11"):
        turn(rig, bone, 0, 10, 40)
    thumb = rig.pose.bones["b_LeftThumb_11"].matrix_basis.copy()
    mirror_key(rig, (1, -1, 1))
    for own, kept in zip(rig.pose.bones["b_LeftThumb_11"].matrix_basis, thumb, strict=True):
        assert tuple(own) == pytest.approx(tuple(kept), abs=1e-5)


def test_what_a_game_reaches_for_by_keeps_its_own_pose(make_rig):
    """It is on one side, moves no mesh and has no counterpart, as `ik_hand_gun` of Unreal's characters."""
    rig = make_rig({**UNPAIRED, "ik_hand_gun": ((-0.8, 0.2, 1), (-0.8, 0.2, 1.1), None)})
    mesh = bpy.data.meshes.new("Body")
    mesh.from_pydata([bone.head_local for bone in rig.data.bones], [], [])
    body = bpy.data.objects.new("Body", mesh)
    bpy.context.scene.collection.objects.link(body)
    body.parent = rig
    body.modifiers.new("Armature", "ARMATURE").object = rig
    for row, name in enumerate(UNPAIRED):
        body.vertex_groups.new(name=name).add([row], 1.0, "REPLACE")
    turn(rig, "b_LeftArm_09", 0, 10, 40)
    turn(rig, "ik_hand_gun", 10, 20, 30)
    gun, before = rig.pose.bones["ik_hand_gun"].matrix_basis.copy(), heads(rig)
    mirror_key(rig, (1, -1, 1))
    assert heads(rig)["b_RightHand_07"] == pytest.approx(before["b_LeftHand_10"] * (-1, 1, 1), abs=1e-5)
    assert np.array(rig.pose.bones["ik_hand_gun"].matrix_basis) == pytest.approx(np.array(gun), abs=1e-5)


@pytest.mark.parametrize("stem", ["Soldier", "Knight", "Samba_Dancing", "RobotExpressive", "walk_elderly"])
def test_a_frame_of_what_plays_is_mirrored(imported, part_of, stem):
    """As it is imported: a key of the whole body, of everything that the action has posed."""
    rig = imported(stem, playing=True)
    description, plane = part_of("character").describe(rig), part_of("spatial.making.mirror").plane_of(rig)
    size = part_of("spatial.making.empties").height_within(rig)
    feet_and_hands = [limb.end for limb in (*description.legs, *description.arms)]
    before = heads(rig)
    rig.animation_data_clear()
    mirror_key(rig, plane.normal * size - np.array([0, 0.5 * size, 0]))
    after = heads(rig)
    for name in feet_and_hands:
        off = after[description.mirror_of(name)] - plane.mirrored(before[name])
        assert np.linalg.norm(off) < 0.05 * size, name


def test_a_root_that_begins_aside_is_in_the_middle(make_rig):
    body, *below = UNPAIRED.items()
    (head, tail, parent), root = body[1], {"root": ((0.4, 0.3, 0.0), (0.4, 0.3, 0.2), None)}
    rig = make_rig({**root, body[0]: (head, tail, parent or "root"), **dict(below)})
    turn(rig, "root", 20, 0, 0)
    mirror_key(rig, (1, 4, 1))
    assert len(settings(rig).sets[0].keys) == 2


@pytest.mark.parametrize("stem", ["Fox", "Soldier", "Knight", "Samba_Dancing", "RobotExpressive", "Rigify"])
def test_mirrored_characters(imported, part_of, stem):
    rig = imported(stem)
    description = part_of("character").describe(rig)
    plane = part_of("spatial.making.mirror").plane_of(rig)
    size = part_of("spatial.making.empties").height_within(rig)
    at_rest = heads(rig)
    limbs = [bone for limb in (*description.legs, *description.arms) for bone in limb.bones]
    moved = [name for name in limbs if stem != "Rigify"] or ["hand_ik.L", "foot_ik.R", "torso", "head"]
    bend(rig, names=moved)
    before = heads(rig)
    mirror_key(rig, plane.normal * size - np.array([0, 0.5 * size, 0]))
    after = heads(rig)
    asked = [name for limb in (*description.legs, *description.arms) for name in limb.bones]
    off = {
        name: np.linalg.norm(after[description.mirror_of(name)] - plane.mirrored(before[name])) / size
        for name in asked
    }
    # No more than the rest poses of the two sides differ.
    uneven = {
        name: np.linalg.norm(at_rest[description.mirror_of(name)] - plane.mirrored(at_rest[name])) / size
        for name in asked
    }
    assert max(np.linalg.norm(before[name] - at_rest[name]) for name in asked) > 0.05 * size
    assert max(off.values()) < 0.005 + 2 * max(uneven.values())
    assert max(uneven.values()) < 0.02


def cursor_place(rig) -> np.ndarray:
    bpy.ops.posewright.spatial_set_add(name="New")
    bpy.context.view_layer.update()
    return np.array(settings(rig).sets[0].cursor.matrix_world.translation)


@pytest.mark.parametrize(
    "stem", ["Fox", "Soldier", "Knight", "Samba_Dancing", "RobotExpressive", "walk_elderly", "Rigify"]
)
def test_a_new_cursor_is_before_the_character_as_it_is_shown(imported, part_of, stem):
    rig = imported(stem, playing=True)
    rig.matrix_world = Euler((0, 0, 1.0)).to_matrix().to_4x4() @ rig.matrix_world
    rig.location.x += 5.0
    bpy.context.view_layer.update()
    character = part_of("character")
    seen, height = character.shown(rig), character.describe(rig).height
    away = cursor_place(rig) - seen.middle
    ahead = away @ seen.front
    assert 0.3 * height < ahead < 1.6 * height
    assert np.linalg.norm(away - ahead * seen.front - [0, 0, away[2]]) < 1e-3 * height
    assert 0.2 * height < away[2] + seen.middle[2] - seen.ground < height
    cursor = settings(rig).sets[0].cursor
    shown_size = cursor.empty_display_size * cursor.matrix_world.median_scale
    assert shown_size == pytest.approx(0.05 * height, rel=1e-3)


@pytest.mark.parametrize("turn", [(90, 0, 0), (-90, 0, 0), (0, 90, 0), (180, 0, 0)])
def test_a_character_that_lies_has_the_cursor_before_its_chest(make_rig, turn):
    """As some captures are imported: it goes along with the body, at the height of the hands."""
    rig = make_rig(HUMAN)
    standing = rig.matrix_world.inverted() @ Vector(cursor_place(rig))
    bpy.ops.posewright.spatial_set_remove()
    rig.rotation_euler = [radians(angle) for angle in turn]
    bpy.context.view_layer.update()
    lying = rig.matrix_world.inverted() @ Vector(cursor_place(rig))
    assert tuple(lying) == pytest.approx(tuple(standing), abs=0.05)


def test_a_new_cursor_is_as_high_as_the_hands(imported, part_of):
    rig = imported("Soldier")
    hands = [rig.pose.bones[name] for name in part_of("character").describe(rig).hands]
    level = np.mean([(rig.matrix_world @ bone.head).z for bone in hands])
    assert cursor_place(rig)[2] == pytest.approx(level, abs=1e-3)


def test_sizes_do_not_depend_on_far_off_tails(make_rig):
    """Importers put the tails of bones anywhere."""
    near, far = (
        make_rig({**UNPAIRED, "b_LeftHand_10": ((0.8, 0, 1), (0.8, 0, tail), "b_LeftArm_09")}, name=name)
        for name, tail in (("near", 1.2), ("far", 60.0))
    )
    sizes = []
    for rig in (near, far):
        select(rig)
        cursor_place(rig)
        sizes.append(settings(rig).sets[0].cursor.empty_display_size)
    assert sizes[1] < 3 * sizes[0]


HUMAN = {
    "hips": ((0, 0, 1.0), (0, 0, 1.1), None),
    "chest": ((0, 0, 1.1), (0, 0, 1.45), "hips"),
    "head": ((0, 0, 1.5), (0, 0, 1.75), "chest"),
    **{
        name + side: (
            (x * a, b, c),
            (x * d, e, f),
            parent + (side if parent not in ("hips", "chest") else ""),
        )
        for side, x in ((".L", 1), (".R", -1))
        for name, (a, b, c), (d, e, f), parent in (
            ("clavicle", (0.03, 0, 1.42), (0.18, 0, 1.42), "chest"),
            ("upper", (0.18, 0, 1.42), (0.45, 0.02, 1.42), "clavicle"),
            ("fore", (0.45, 0.02, 1.42), (0.7, 0, 1.42), "upper"),
            ("palm", (0.7, 0, 1.42), (0.85, 0, 1.42), "fore"),
            ("thigh", (0.1, 0, 1.0), (0.1, -0.02, 0.52), "hips"),
            ("shin", (0.1, -0.02, 0.52), (0.1, 0.02, 0.09), "thigh"),
            ("foot", (0.1, 0.02, 0.09), (0.1, -0.12, 0.02), "shin"),
            ("toe", (0.1, -0.12, 0.02), (0.1, -0.19, 0.01), "foot"),
        )
    },
}


def twisted(rig) -> None:
    """Rolls that nothing mirrors."""
    bpy.ops.object.mode_set(mode="EDIT")
    for number, bone in enumerate(rig.data.edit_bones):
        bone.roll = 0.7 * number
    bpy.ops.object.mode_set(mode="OBJECT")


def hanging_arm(rig) -> None:
    """One arm hangs at rest, the other is level."""
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    turned = Matrix.Rotation(radians(-50.0), 4, "Y")
    shoulder = bones["upper.R"].head.copy()
    for name in ("upper.R", "fore.R", "palm.R"):
        for end in ("head", "tail"):
            place = getattr(bones[name], end) - shoulder
            setattr(bones[name], end, shoulder + turned @ place)
    bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize("change", [(twisted,), (hanging_arm,), (hanging_arm, twisted)])
def test_mirrored_in_space_whatever_the_two_sides_are_like_at_rest(make_rig, part_of, change):
    rig = make_rig(HUMAN)
    for each in change:
        each(rig)
    bend(rig, seed=2)
    rig.pose.bones["hips"].location = (0.2, 0.1, -0.3)
    bpy.context.view_layer.update()
    mirror, poses = part_of("spatial.making.mirror"), part_of("spatial.posing.poses")
    before, pose = heads(rig), poses.current_pose(rig, rig.pose.bones.keys())
    mirrored = mirror.mirrored_pose(rig, pose)
    poses.apply_pose(rig, mirrored)
    after = heads(rig)
    for name, (x, y, z) in before.items():
        partner = part_of("character").describe(rig).mirror_of(name) or name
        assert after[partner] == pytest.approx((-x, y, z), abs=1e-3), name
    twice = mirror.mirrored_pose(rig, mirrored).only(pose.bones)
    np.testing.assert_allclose(twice.rotations, pose.rotations, atol=1e-5)
    np.testing.assert_allclose(twice.locations, pose.locations, atol=1e-5)


@pytest.mark.parametrize(("bone", "chain"), [("palm.L", 3), ("foot.R", 3), ("toe.L", 4), ("chest", 2)])
def test_the_chain_that_reaches_is_the_limb(make_rig, bone, chain):
    rig = make_rig(HUMAN)
    bpy.ops.posewright.spatial_set_add(name="Reach")
    select_bones(rig, bone)
    bpy.ops.posewright.spatial_reach_add()
    assert settings(rig).sets[0].effectors[0].chain_length == chain


@pytest.mark.parametrize("stem", ["Soldier", "Knight", "Samba_Dancing"])
def test_an_imported_hand_meets_the_cursor(imported, part_of, stem):
    rig = imported(stem)
    character = part_of("character")
    description = character.describe(rig)
    arm, height = description.arms[0], part_of("spatial.making.empties").height_within(rig)
    row = rig.data.bones.find(arm.end)
    end = Vector(character.ends_of(rig).along[row])
    shoulder = Vector(rig.pose.bones[arm.upper].head)

    def hand():
        bpy.context.view_layer.update()
        return rig.pose.bones[arm.end].matrix @ end

    place = shoulder + 0.7 * (hand() - shoulder)
    bpy.ops.posewright.spatial_set_add(name="Reach")
    set_key(rig, tuple(place), "rest")
    select_bones(rig, arm.end)
    bpy.ops.posewright.spatial_reach_add()
    settings(rig).live = True
    settings(rig).sets[0].cursor.location = place + Vector((0, 0, 0.01 * height))
    assert (hand() - settings(rig).sets[0].cursor.location).length < 2e-3 * height


def circle(radius: float, turn: float) -> tuple[float, float, float]:
    return radius * np.cos(2 * np.pi * turn), radius * np.sin(2 * np.pi * turn), 0.0


@pytest.fixture
def strider(make_rig):
    """A human, 4 m up, that walks as the cursor goes round: steps, and legs that are lifted between them."""
    rig = make_rig(HUMAN, name="Strider", location=(3, 2, 4))
    bpy.ops.posewright.spatial_set_add(name="Walk")
    for n, (left, right, knee) in enumerate(
        ((20, -20, None), (0, -30, "shin.R"), (-20, 20, None), (-30, 0, "shin.L"))
    ):
        rest(rig)
        turn(rig, "thigh.L", left, 0, 0)
        turn(rig, "thigh.R", right, 0, 0)
        if knee is None:  # with its legs apart it is lower
            rig.pose.bones["hips"].location = (0, -0.055, 0)
        else:
            turn(rig, knee, 50, 0, 0)
        set_key(rig, circle(1.0, n / 4), f"{n}")
    rest(rig)
    settings(rig).use_locomotion = True
    bpy.context.view_layer.update()
    return rig


def walked(step: int) -> tuple[float, float, float]:
    return circle(1.0, step / 24)


def perform(rig, session, places) -> Vector:
    """Record a performance, a place of the cursor a frame; where the character was shown at its end."""
    space = rig.matrix_world.copy()
    performance = session(rig, bpy.context.scene)
    for step, place in enumerate(places):
        performance.move_cursor(space @ Vector(place))
        bpy.context.view_layer.update()
        performance.pass_time(1.0 + step / 24)
        bpy.context.view_layer.update()
        performance.record(1.0 + step)
    shown = rig.location.copy()
    performance.write(error=None)
    performance.end()
    bpy.context.scene.frame_set(len(places))
    return shown


def test_a_performance_on_found_feet_is_recorded_as_it_was_shown(strider, session):
    shown = perform(strider, session, [walked(step) for step in range(25)])
    assert (shown - Vector((3, 2, 4))).length > 0.1
    assert tuple(strider.location) == pytest.approx(tuple(shown), abs=0.02)


def test_feet_that_are_equally_low_are_recorded_as_they_were_shown(make_rig, session):
    rig = make_rig(HUMAN, location=(3, 2, 4))
    bpy.ops.posewright.spatial_set_add(name="Walk")
    for place, angle in (((1, -1, 1), 20), ((-1, -1, 1), -20)):
        rest(rig)
        turn(rig, "thigh.L", angle, 0, 0)
        turn(rig, "thigh.R", -angle, 0, 0)
        set_key(rig, place, f"{angle}")
    rest(rig)
    settings(rig).use_locomotion = True
    bpy.context.view_layer.update()
    shown = perform(rig, session, [(float(np.cos(step / 5)), -1, 1) for step in range(25)])
    assert tuple(rig.location) == pytest.approx(tuple(shown), abs=0.02)


def test_contacts_in_the_list_take_the_place_of_those_that_are_found(strider):
    """On the floor of the viewport, four metres below, nothing touches."""
    select_bones(strider, "toe.L", "toe.R")
    bpy.ops.posewright.spatial_contact_add()
    path = [{"name": "", "frame": n, "place": walked(n)} for n in range(1, 25)]
    bpy.ops.posewright.bake_cursor(path=path)
    bpy.context.scene.frame_set(24)
    assert tuple(strider.location) == pytest.approx((3, 2, 4))
    settings(strider).ground = 4.0
    strider.animation_data_clear()
    bpy.ops.posewright.bake_cursor(path=path)
    bpy.context.scene.frame_set(24)
    assert (strider.location - Vector((3, 2, 4))).length > 0.05


def test_the_panel_names_the_feet_that_are_found(strider, part_of):
    sentence = part_of("spatial.making.upkeep").found_contacts(strider)
    assert "foot.L" in sentence
    assert "No feet were found" not in sentence


def play(rig, action) -> None:
    rig.animation_data.action = action
    if action is not None and getattr(rig.animation_data, "action_slot", True) is None:
        rig.animation_data.action_slot = action.slots[0]


def stride(rig, action, feet, front) -> float:
    """How far a walk on the spot goes in a cycle: in each frame, as far as the fastest foot goes back."""
    play(rig, action)
    first, last = (int(frame) for frame in action.frame_range)
    places = []
    for frame in range(first, last + 1):
        bpy.context.scene.frame_set(frame)
        places.append([(rig.matrix_world @ rig.pose.bones[foot].head) @ front for foot in feet])
    return float(-np.diff(places, axis=0).min(axis=1).sum())


def key_walk_cycle(rig, action, radius, count=12) -> None:
    """A set whose keys are poses of a walk, in a circle."""
    play(rig, action)
    first, last = action.frame_range
    bpy.ops.posewright.spatial_set_add(name="Walk")
    for n in range(count):
        frame = first + (last - first) * n / count
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1.0)
        set_key(rig, circle(radius, n / count), f"{n}")
    play(rig, None)


def imported_action(name: str) -> bpy.types.Action:
    """By what it is called in its file: Blender 4.2 adds the name of the armature."""
    return next(each for each in bpy.data.actions if each.name.startswith(name))


def walk_three_rounds(rig, action, radius) -> np.ndarray:
    """(F, 3) where it is in each frame when the cursor goes around the keys of a walk."""
    frames = action.frame_range[1] - action.frame_range[0]
    key_walk_cycle(rig, action, radius)
    settings(rig).use_locomotion = True
    bpy.context.view_layer.update()
    path = [
        {"name": "", "frame": n, "place": circle(radius, (n - 1) / frames)}
        for n in range(1, int(3 * frames) + 2)
    ]
    bpy.ops.posewright.bake_cursor(path=path)
    places = []
    for step in path:
        bpy.context.scene.frame_set(step["frame"])
        places.append(np.array(rig.matrix_world.translation))
    return np.array(places)


@pytest.mark.parametrize(("stem", "walk"), [("Soldier", "Walk"), ("Fox", "Walk"), ("Knight", "Walking_A")])
@pytest.mark.parametrize("level", [0.0, 3.0])
def test_an_imported_character_walks_ahead_on_the_feet_that_are_found(imported, part_of, stem, walk, level):
    rig = imported(stem, playing=True)
    for track in rig.animation_data.nla_tracks:
        track.mute = True
    rig.location.z += level
    bpy.context.view_layer.update()
    description = part_of("character").describe(rig)
    front, radius = Vector(description.front), part_of("spatial.making.empties").height_within(rig)
    action = imported_action(walk)
    expected = 3 * stride(rig, action, description.toes or description.feet, front)
    places = walk_three_rounds(rig, action, radius)
    way = Vector(places[-1] - places[0])
    assert way @ front == pytest.approx(expected, rel=0.25)
    assert abs(way.z) < 0.005 * description.height, "lifted where feet would sink"


@pytest.mark.parametrize("run", ["Running_A", "Running_B", "Running_Strafe_Left"])
def test_a_run_whose_toes_swing_below_the_foot_that_stands_goes_ahead(imported, part_of, run):
    rig = imported("Knight", playing=True)
    for track in rig.animation_data.nla_tracks:
        track.mute = True
    height = part_of("character").describe(rig).height
    radius = part_of("spatial.making.empties").height_within(rig)
    steps = np.diff(walk_three_rounds(rig, imported_action(run), radius), axis=0)
    ahead = steps @ (steps.sum(axis=0) / np.linalg.norm(steps.sum(axis=0)))
    assert ahead.min() > -1e-4 * height
    assert ahead.sum() > 2.0 * height
