# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters as they are imported, and as they are shown, are understood; what was found is remembered."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
import pytest

from tests.core.skeletons import BODY


@pytest.fixture
def character(clean_blender):
    from bl_ext.user_default.posewright.bridge import character

    character.forget()
    return character


@pytest.fixture
def imported(clean_blender, characters_folder):
    """`imported("Fox")` is the armature of that character, imported with Blender's defaults."""
    from benchmarks import character_files

    def load(stem: str):
        file = next(
            (each for each in character_files.character_files(characters_folder) if each.stem == stem), None
        )
        if file is None:
            pytest.skip(f"the character {stem} is not there")
        return character_files.import_character(file)

    return load


def mesh_height(character, armature) -> float:
    """Of the body as it is drawn at rest, without what hands hold."""
    import bpy

    armature.data.pose_position = "REST"
    graph = bpy.context.evaluated_depsgraph_get()
    held = {"handslot.l", "handslot.r"}
    levels = []
    for item in character.skins_of(armature):
        if item.parent_bone not in held:
            shown = item.evaluated_get(graph)
            levels += [(shown.matrix_world @ vertex.co).z for vertex in shown.data.vertices]
    armature.data.pose_position = "POSE"
    return max(levels) - min(levels)


# Name of the file, hips, feet, hands, number of pairs, front.
IMPORTED = [
    ("Knight", "hips", ("foot.l", "foot.r"), ("hand.l", "hand.r"), 18, (0, -1, 0)),
    (
        "Fox",
        "b_Hip_01",
        ("b_LeftFoot01_017", "b_RightFoot01_021", "b_LeftHand_011", "b_RightHand_08"),
        (),
        7,
        (0, -1, 0),
    ),
    ("RobotExpressive", "Body", ("Foot.L", "Foot.R"), ("Palm2.L", "Palm2.R"), 18, (0, -1, 0)),
    (
        "Soldier",
        "mixamorig:Hips",
        ("mixamorig:LeftFoot", "mixamorig:RightFoot"),
        ("mixamorig:LeftHand", "mixamorig:RightHand"),
        21,
        (0, 1, 0),
    ),
    (
        "Samba_Dancing",
        "mixamorig:Hips",
        ("mixamorig:LeftFoot", "mixamorig:RightFoot"),
        ("mixamorig:LeftHand", "mixamorig:RightHand"),
        30,
        (0, -1, 0),
    ),
]


@pytest.mark.parametrize(("stem", "hips", "feet", "hands", "pairs", "front"), IMPORTED)
def test_imported(character, imported, stem, hips, feet, hands, pairs, front):
    armature = imported(stem)
    found = character.describe(armature)
    assert found.height == pytest.approx(mesh_height(character, armature), rel=1e-3)
    assert (found.hips, found.feet, found.hands) == (hips, feet, hands)
    assert len(found.pairs) == pairs
    np.testing.assert_allclose(found.front, front, atol=1e-3)
    np.testing.assert_allclose(found.up, (0, 0, 1))


def test_capture_whose_root_is_far_away_and_whose_rest_pose_is_none(character, imported):
    armature = imported("walk_elderly")
    found = character.describe(armature)
    assert found.height == pytest.approx(140.0, rel=0.1)
    assert found.hips == "Hips"
    assert found.feet == ("Foot_L", "Foot_R")
    assert found.stands
    now = character.shown(armature)
    np.testing.assert_allclose(now.front, (0, 1, 0), atol=0.2)
    assert now.ground == pytest.approx(0.0, abs=6.0)


def test_the_ground_is_where_it_stands_and_not_where_it_rests(character, imported):
    """The rest pose of this one is below the floor."""
    assert character.shown(imported("RobotExpressive")).ground == pytest.approx(0.0, abs=0.01)


def test_bones_that_only_help(character, imported):
    armature = imported("Knight")
    found = character.describe(armature)
    assert {"kneeIK.l", "handIK.r", "control-toe-roll.l"} <= set(found.mechanism)
    assert {"hips", "upperarm.l", "root"} <= set(found.controls)
    assert {"root", "kneeIK.l"} <= set(character.still_bones(armature))
    assert "hips" not in character.still_bones(armature)


def test_rigify(character):
    from benchmarks import character_files

    rig = character_files.generate_rigify()
    found = character.describe(rig)
    assert found.hips == "DEF-spine"
    assert found.head == "DEF-spine.006"
    assert found.feet == ("DEF-foot.L", "DEF-foot.R")
    assert found.toes == ("DEF-toe.L", "DEF-toe.R")
    assert found.hands == ("DEF-hand.L", "DEF-hand.R")
    assert [(leg.upper, leg.lower) for leg in found.legs] == [
        ("DEF-thigh.L", "DEF-shin.L"),
        ("DEF-thigh.R", "DEF-shin.R"),
    ]
    assert found.height == pytest.approx(1.97, abs=0.03)
    assert len(found.deform) == 160
    assert {"torso", "foot_ik.L", "hand_fk.R"} <= set(found.controls)
    assert not any(name.startswith(("MCH-", "ORG-", "DEF-")) for name in found.controls)
    assert {"MCH-spine", "ORG-spine", "VIS_thigh_ik_pole.L"} <= set(found.mechanism)


@pytest.mark.parametrize(
    ("metarig", "hips", "head", "feet", "arms"),
    [
        ("basic_human", "spine", "spine.006", "foot.L foot.R", 2),
        ("human", "spine", "spine.006", "foot.L foot.R", 2),
        ("basic_quadruped", "spine.005", "spine.011", "foot.L foot.R front_foot.L front_foot.R", 0),
        ("wolf", "spine.005", "face", "foot.L foot.R front_foot.L front_foot.R", 0),
        ("cat", "spine", "spine.006", "foot.L foot.R hand.L hand.R", 0),
        ("horse", "spine.002", "head", "hind_foot.L hind_foot.R forefoot.L forefoot.R", 0),
        ("bird", "spine.004", "head", "foot.L foot.R", 2),
        ("shark", "spine.003", None, "", 2),
    ],
)
def test_animals(character, metarig, hips, head, feet, arms):
    import bpy

    bpy.ops.preferences.addon_enable(module="rigify")
    getattr(bpy.ops.object, f"armature_{metarig}_metarig_add")()
    found = character.describe(bpy.context.object)
    assert (found.hips, found.head, " ".join(found.feet), len(found.arms)) == (hips, head, feet, arms)
    np.testing.assert_allclose(found.up, (0, 0, 1))
    if feet:
        np.testing.assert_allclose(found.front, (0, -1, 0), atol=1e-3)


def test_a_generated_animal(character):
    """Its feet are in pieces, and its toes are not the second of them."""
    import bpy

    bpy.ops.preferences.addon_enable(module="rigify")
    operators: Any = bpy.ops
    operators.object.armature_basic_quadruped_metarig_add()
    with contextlib.redirect_stdout(io.StringIO()):  # it tells its times
        operators.pose.rigify_generate()
    rig = next(
        each for each in bpy.data.objects if each.type == "ARMATURE" and "DEF-foot.L" in each.data.bones
    )
    found = character.describe(rig)
    assert found.feet == ("DEF-foot.L", "DEF-foot.R", "DEF-front_foot.L", "DEF-front_foot.R")
    assert found.toes == ("DEF-toe.L", "DEF-toe.R", "DEF-front_toe.L", "DEF-front_toe.R")
    assert (found.hips, found.head) == ("DEF-spine.005", "DEF-spine.011")


@pytest.mark.parametrize("clip", ["02_01", "13_11", "49_02"])
def test_capture(character, mocap, clip):
    found = character.describe(mocap(clip))
    assert found.hips == "Hips"
    assert found.feet == ("LeftFoot", "RightFoot")
    assert found.toes == ("LeftToeBase", "RightToeBase")
    assert found.hands == ("LeftHand", "RightHand")
    assert found.height == pytest.approx(25.2, rel=0.1)  # units of 2.25 inches
    np.testing.assert_allclose(found.front, (0, -1, 0), atol=0.1)


def test_the_demo_characters(character):
    from bl_ext.user_default.posewright.bridge.ready.bear import build_bear

    from demo.character import build_character

    bear, person = character.describe(build_bear()), character.describe(build_character())
    assert (bear.hips, bear.head, bear.feet) == ("hips", "head", ("foot.L", "foot.R"))
    assert bear.hands == ("forearm.L", "forearm.R")
    assert bear.height == pytest.approx(1.67, abs=0.01)
    assert person.height == pytest.approx(1.81, abs=0.01)
    assert person.feet == ("foot.L", "foot.R")


PERSON = {
    "hips": ((0, 0, 1), (0, 0, 1.4), None),
    "head": ((0, 0, 1.4), (0, 0, 1.7), "hips"),
    "thigh.L": ((0.1, 0, 1), (0.1, 0, 0.5), "hips"),
    "shin.L": ((0.1, 0, 0.5), (0.1, 0, 0.1), "thigh.L"),
    "foot.L": ((0.1, 0, 0.1), (0.1, -0.2, 0), "shin.L"),
    "thigh.R": ((-0.1, 0, 1), (-0.1, 0, 0.5), "hips"),
    "shin.R": ((-0.1, 0, 0.5), (-0.1, 0, 0.1), "thigh.R"),
    "foot.R": ((-0.1, 0, 0.1), (-0.1, -0.2, 0), "shin.R"),
}


def test_scaled_turned_and_moved(character, make_rig):
    import bpy

    rig = make_rig(PERSON)
    assert character.height_of(rig) == pytest.approx(1.7)
    rig.scale = (0.01, 0.01, 0.01)
    rig.rotation_euler = (0, 0, np.pi / 2)
    rig.location = (3, 4, 5)
    bpy.context.view_layer.update()
    found = character.describe(rig)
    assert found.height == pytest.approx(0.017)
    assert found.ground == pytest.approx(5.0)
    np.testing.assert_allclose(found.front, (1, 0, 0), atol=1e-6)


def test_scaled_to_nothing_it_has_its_size_at_rest(character, make_rig):
    import bpy

    rig = make_rig(PERSON)
    rig.scale = (0, 0, 0)
    bpy.context.view_layer.update()
    assert character.height_of(rig) == pytest.approx(1.7)


def test_what_was_found_is_remembered_until_it_is_wrong(character, make_rig, monkeypatch):
    import bpy
    from bl_ext.user_default.posewright.bridge.character import description

    looked: list[int] = []
    describe = description.anatomy.describe
    monkeypatch.setattr(description.anatomy, "describe", lambda *args: looked.append(1) or describe(*args))
    rig = make_rig(PERSON)
    character.describe(rig)
    rig.location.x = 7
    bpy.context.view_layer.update()
    character.describe(rig)
    assert len(looked) == 1
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["head"].tail.z = 2.5
    bpy.ops.object.mode_set(mode="OBJECT")
    assert character.height_of(rig) != pytest.approx(1.7)
    assert len(looked) == 2
    rig.data.bones["head"].name = "Kopf"
    character.describe(rig)
    assert len(looked) == 3
    mesh = bpy.data.meshes.new("Body")
    mesh.from_pydata([(0, 0, 0), (0, 0, 1.9)], [], [])
    body = bpy.data.objects.new("Body", mesh)
    bpy.context.scene.collection.objects.link(body)
    body.modifiers.new("Armature", "ARMATURE").object = rig
    assert character.height_of(rig) == pytest.approx(1.9)
    assert len(looked) == 4


def test_memory_is_bounded(character, make_rig):
    from bl_ext.user_default.posewright.bridge.character import description

    rig = make_rig(PERSON)
    for n in range(description.MOST_REMEMBERED + 9):
        rig.data.bones[-1].name = f"bone {n}"
        character.describe(rig)
    assert len(description._remembered) == description.MOST_REMEMBERED


@pytest.mark.parametrize("bones", [1, 3])
def test_props_and_chains(character, make_rig, bones):
    rig = make_rig(bones)
    found = character.describe(rig)
    assert found.hips == "bone 0"
    assert not found.legs
    assert not found.arms
    assert found.height == pytest.approx(float(bones))


def test_an_armature_without_bones(character, make_rig):
    rig = make_rig({})
    assert character.describe(rig).hips is None
    assert character.height_of(rig) == 0.0
    assert character.shown(rig).ground == 0.0


def test_hidden_bones_are_no_controls(character, make_rig):
    rig = make_rig(PERSON)
    hidden = rig.data.collections.new("Hidden")
    hidden.assign(rig.data.bones["head"])
    hidden.is_visible = False
    rig.data.bones["head"].use_deform = False
    found = character.describe(rig)
    assert "head" not in found.controls
    assert "head" in found.mechanism


def test_still_bones(character, make_rig, set_keys):
    rig = make_rig(4)
    bones = rig.pose.bones
    set_keys(bones["bone 0"], "location", {1: (1, 2, 3), 9: (1, 2, 3 + 2e-8)})
    set_keys(bones["bone 2"], "location", {1: (0, 0, 0), 9: (0, 0, 1)})
    assert character.still_bones(rig) == ("bone 0", "bone 1")
    bones["bone 1"].constraints.new("COPY_LOCATION")
    assert character.still_bones(rig) == ("bone 0",)


def test_a_mesh_that_is_edited_or_scaled_is_looked_at_again(make_rig, character):
    import bpy

    bones = {name: (place, (*place[:2], place[2] + 0.05), above) for name, (above, place) in BODY.items()}
    rig = make_rig(bones)
    mesh = bpy.data.meshes.new("Skin")
    mesh.from_pydata([(0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.0, 1.9)], [], [(0, 1, 2)])
    skin = bpy.data.objects.new("Skin", mesh)
    bpy.context.scene.collection.objects.link(skin)
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    assert character.height_of(rig) == pytest.approx(1.9)
    mesh.vertices[2].co.z = 2.5
    assert character.height_of(rig) == pytest.approx(2.5)
    skin.scale.z = 0.8
    bpy.context.view_layer.update()
    assert character.height_of(rig) == pytest.approx(2.0)
    skin.hide_viewport = True
    assert character.height_of(rig) == pytest.approx(1.8)


def test_a_cage_around_the_body_is_not_its_size(make_rig, character):
    import bpy

    rig = make_rig(PERSON)
    whole = {}
    for name, size in (("Body", 1.9), ("Cage", 4.0)):
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata([(0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.0, size)], [], [(0, 1, 2)])
        whole[name] = bpy.data.objects.new(name, mesh)
        bpy.context.scene.collection.objects.link(whole[name])
        whole[name].modifiers.new("Armature", "ARMATURE").object = rig
    whole["Cage"].display_type = "WIRE"
    assert character.height_of(rig) == pytest.approx(1.9)
    whole["Body"].display_type = "WIRE"
    assert character.height_of(rig) == pytest.approx(4.0)


def test_a_mesh_that_is_weighted_later_is_looked_at_again(make_rig, character):
    """What moves no part of the mesh is none of the body."""
    import bpy

    rig = make_rig(PERSON | {"aid": ((3, 0, 0), (3, 0, 1), None)})
    mesh = bpy.data.meshes.new("Body")
    mesh.from_pydata([head for head, _, _ in PERSON.values()], [], [])
    body = bpy.data.objects.new("Body", mesh)
    bpy.context.scene.collection.objects.link(body)
    body.modifiers.new("Armature", "ARMATURE").object = rig
    assert "aid" in character.describe(rig).body
    for row, name in enumerate(PERSON):
        body.vertex_groups.new(name=name).add([row], 1.0, "REPLACE")
    assert set(character.describe(rig).body) == set(PERSON)


def test_bones_that_are_hidden_are_no_controls_any_more(make_rig, character):
    rig = make_rig(3)
    assert character.describe(rig).controls == ("bone 0", "bone 1", "bone 2")
    from bl_ext.user_default.posewright.bridge import versions

    versions.selectable_bones(rig)["bone 2"].hide = True
    assert character.describe(rig).controls == ("bone 0", "bone 1")
