# SPDX-License-Identifier: GPL-3.0-or-later
"""Performing with characters as they are imported: their pairs, sizes, fronts, limbs and feet are found."""

from __future__ import annotations

import importlib
from math import radians

import bpy
import numpy as np
import pytest
from mathutils import Euler

from tests.blender.spatial_bear import rest, select, set_key, settings, turn

# Left and right are names that Blender does not pair.
UNPAIRED = {
    "body": ((0, 0, 0), (0, 0, 1), None),
    "b_LeftArm_09": ((0.2, 0, 1), (0.8, 0, 1), "body"),
    "b_LeftHand_10": ((0.8, 0, 1), (1.0, 0, 1), "b_LeftArm_09"),
    "b_RightArm_06": ((-0.2, 0, 1), (-0.8, 0, 1), "body"),
    "b_RightHand_07": ((-0.8, 0, 1), (-1.0, 0, 1), "b_RightArm_06"),
}


@pytest.fixture
def imported(clean_blender):
    """`imported("Fox")` is the armature of that character, active: at rest without animation, or playing."""
    from benchmarks import character_files

    folder = character_files.character_folder()

    def load(stem: str, *, playing: bool = False):
        if stem == "Rigify":
            return character_files.generate_rigify()
        files = [] if folder is None else character_files.character_files(folder)
        file = next((each for each in files if each.stem == stem), None)
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
    """`part_of("spatial.mirror")` is that module of the bridge."""
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


@pytest.mark.parametrize("stem", ["Fox", "Soldier", "Knight", "Samba_Dancing", "RobotExpressive", "Rigify"])
def test_mirrored_characters(imported, part_of, stem):
    rig = imported(stem)
    description = part_of("character").describe(rig)
    plane = part_of("spatial.mirror").plane_of(rig)
    size = part_of("spatial.empties").height_within(rig)
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
