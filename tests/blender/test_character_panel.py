# SPDX-License-Identifier: GPL-3.0-or-later
"""What was found of a character is said and drawn, and what the user says instead counts everywhere."""

from __future__ import annotations

import importlib

import bpy
import numpy as np
import pytest

from tests.blender.panel_recorder import draw
from tests.blender.test_character import PERSON


@pytest.fixture
def part(clean_blender):
    return lambda name: importlib.import_module(f"{clean_blender.__name__}.{name}")


@pytest.fixture
def character(part):
    return part("bridge.character")


@pytest.fixture
def person(make_rig):
    return make_rig(PERSON)


def said(part, panel="POSEWRIGHT_PT_character") -> str:
    return draw(getattr(part("panels.character_panel"), panel))


def test_the_panel_says_what_was_found(part, person):
    lines = said(part).splitlines()
    found = dict(zip(lines[2::2], lines[3::2], strict=False)) | dict(
        zip(lines[1::2], lines[2::2], strict=False)
    )
    assert found["Height"] == "1.7 m"
    assert found["Front"] == "-Y"
    assert found["Hips"] == "hips"
    assert found["Feet"] == "foot.L"
    assert "foot.R" in lines
    assert found["Hands"] == "none"
    assert found["Pairs"] == "3"
    assert "Alone" not in lines


def test_the_panel_names_bones_without_a_counterpart(part, make_rig):
    make_rig({**PERSON, "pouch.L": ((0.3, 0, 1), (0.3, 0, 0.9), "hips")})
    assert "pouch.L" in said(part)


def test_what_is_said_counts_wherever_the_character_is_asked_about(part, person, character):
    settings = person.posewright.character
    settings.hips, settings.head, settings.height = "head", "hips", 3.4
    settings.use_ground, settings.ground, settings.front = True, 0.5, "+Y"
    found = character.describe(person)
    assert (found.hips, found.head, found.height) == ("head", "hips", pytest.approx(3.4))
    assert character.height_of(person) == pytest.approx(3.4)
    assert character.shown(person).ground == 0.5
    np.testing.assert_allclose(character.shown(person).front, (0, 1, 0), atol=1e-6)
    settings.hips = settings.head = ""
    settings.height, settings.use_ground, settings.front = 0.0, False, "AUTO"
    found = character.describe(person)
    assert (found.hips, found.height) == ("hips", pytest.approx(1.7))


def test_the_front_is_said_in_axes_of_the_armature(person, character):
    person.rotation_euler.z = np.pi / 2
    bpy.context.view_layer.update()
    person.posewright.character.front = "+Y"
    np.testing.assert_allclose(character.describe(person).front, (-1, 0, 0), atol=1e-6)


def test_feet_that_are_said_are_walked_on(person, character, part):
    person.posewright.character.foot_left = "shin.L"
    assert character.describe(person).feet == ("shin.L", "foot.R")
    assert "shin.L" in part("bridge.spatial.walks.walking").contact_bones(person)


def test_a_bone_that_is_gone_is_as_if_nothing_was_said(part, person, character):
    settings = person.posewright.character
    settings.hips, settings.foot_left, settings.hand_left = "nobody", "nobody", "hips"
    found = character.describe(person)
    assert (found.hips, found.feet, found.hands) == ("hips", ("foot.L", "foot.R"), ())
    assert said(part, "POSEWRIGHT_PT_character_corrections")


def test_pairs_that_are_said(part, make_rig, character):
    rig = make_rig(
        {**PERSON, **{name: ((x, 0, 1), (x, 0, 0.9), "hips") for name, x in (("b", 0.3), ("a", -0.5))}}
    )
    assert character.describe(rig).mirror_of("a") is None
    bpy.ops.object.mode_set(mode="POSE")
    for bone in rig.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name in ("a", "b")
    assert bpy.ops.posewright.character_pair_add() == {"FINISHED"}
    pair = rig.posewright.character.pairs[0]
    assert (pair.left, pair.right) == ("b", "a")
    assert character.describe(rig).mirror_of("a") == "b"
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.posewright.character_pair_add()
    assert "right" in said(part, "POSEWRIGHT_PT_character_corrections")
    bpy.ops.posewright.character_pair_remove(index=0)
    assert [each.left for each in rig.posewright.character.pairs] == [""]
    with pytest.raises(RuntimeError, match="choose one of them"):
        bpy.ops.posewright.character_pair_remove(index=5)


def test_corrections_survive_saving_and_overriding(person, character, tmp_path):
    settings = person.posewright.character
    settings.hips = "head"
    pair = settings.pairs.add()
    pair.left, pair.right = "hips", "head"
    file, shot = str(tmp_path / "person.blend"), str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(file, link=True) as (_, wanted):
        wanted.objects = ["Rig"]
    linked = bpy.data.objects["Rig"]
    assert character.describe(linked).hips == "head"
    bpy.context.scene.collection.objects.link(linked)
    own = linked.override_create(remap_local_usages=True)
    own.posewright.character.foot_right = "shin.R"
    own.posewright.character.height = 2.0
    bpy.ops.wm.save_as_mainfile(filepath=shot)
    bpy.ops.wm.open_mainfile(filepath=shot)
    found = character.describe(next(each for each in bpy.data.objects if each.override_library is not None))
    assert (found.hips, found.feet, found.height) == ("head", ("foot.L", "shin.R"), 2.0)
    assert found.mirror_of("hips") == "head"


def test_the_sketch_is_where_the_character_is(person, character):
    person.location = (3, 4, 5)
    bpy.context.view_layer.update()
    drawn = character.sketch(person)
    places = [(word, tuple(np.round(at, 3))) for word, at in drawn.places]
    assert ("Hips", (3.0, 4.0, 6.0)) in places
    assert [word for word, _ in places] == ["Hips", "Head", "L", "R"]
    np.testing.assert_allclose(drawn.left[0][0], (3.1, 4, 6), atol=1e-5)
    np.testing.assert_allclose(drawn.left[0][-1], (3.1, 3.8, 5), atol=1e-5)
    np.testing.assert_allclose(drawn.ring[:, 2], 5.0, atol=1e-5)
    assert (drawn.arrow[1] - drawn.arrow[0])[1] < 0.0


def test_nothing_to_sketch_without_bones(make_rig, character, part):
    rig = make_rig({})
    assert character.sketch(rig) is None
    assert "none" in said(part)
