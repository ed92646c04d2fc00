# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever of a character is active, its armature is found."""

from __future__ import annotations

from typing import Any

import bpy
import pytest


@pytest.fixture
def armature_operator(clean_blender: Any) -> Any:
    from bl_ext.user_default.posewright.operators import armature_operator

    return armature_operator


def make_active(thing: Any) -> None:
    bpy.context.view_layer.objects.active = thing


def add(name: str, data: Any = None, parent: Any = None) -> Any:
    thing = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(thing)
    thing.parent = parent
    make_active(thing)
    return thing


def test_an_armature_that_is_hidden_is_still_meant_in_the_viewport(
    armature_operator: Any, make_rig: Any
) -> None:
    """Bones of imported characters may hide what they move, so people press H."""
    rig = make_rig()
    rig.hide_set(True)
    bpy.context.view_layer.objects.active = rig
    # A viewport says that a hidden object is not its active one.
    with bpy.context.temp_override(active_object=None):
        assert bpy.context.active_object is None
        assert armature_operator.active_armature(bpy.context) == rig


def test_a_mesh_finds_what_deforms_it(armature_operator: Any, make_rig: Any) -> None:
    holder, rig = make_rig(2, name="Holder"), make_rig(2)
    mesh = add("Body", bpy.data.meshes.new("Body"), parent=holder)
    mesh.modifiers.new("Armature", "ARMATURE").object = rig
    assert armature_operator.active_armature(bpy.context) == rig


def test_a_mesh_without_a_parent_and_an_empty_on_a_bone_find_theirs(
    armature_operator: Any, make_rig: Any
) -> None:
    rig, other = make_rig(2), make_rig(2, name="Other")
    add("Body", bpy.data.meshes.new("Body")).modifiers.new("Armature", "ARMATURE").object = rig
    assert armature_operator.active_armature(bpy.context) == rig
    hung = add("Hand", parent=other)
    hung.parent_type, hung.parent_bone = "BONE", "bone 1"
    assert armature_operator.active_armature(bpy.context) == other


@pytest.mark.parametrize("animated", [0, 1])
def test_of_two_that_deform_a_mesh_the_animated_one_is_meant(
    armature_operator: Any, make_rig: Any, animated: int
) -> None:
    rigs = make_rig(2), make_rig(2, name="Other")
    mesh = add("Body", bpy.data.meshes.new("Body"))
    for rig in rigs:
        mesh.modifiers.new("Armature", "ARMATURE").object = rig
    rigs[animated].keyframe_insert("location", frame=1)
    assert armature_operator.active_armature(bpy.context) == rigs[animated]


def test_a_child_finds_what_it_hangs_from(armature_operator: Any, make_rig: Any) -> None:
    rig = make_rig(2)
    add("Sword", bpy.data.meshes.new("Sword"), parent=add("Hand", parent=rig))
    assert armature_operator.active_armature(bpy.context) == rig


def test_a_cursor_finds_its_character_though_it_hangs_from_another(
    armature_operator: Any, make_rig: Any
) -> None:
    other, rig = make_rig(2, name="Other"), make_rig(2)
    bpy.ops.posewright.spatial_set_add()
    cursor = rig.posewright.spatial.sets[0].cursor
    cursor.parent = other
    make_active(cursor)
    assert armature_operator.active_armature(bpy.context) == rig


def test_an_empty_that_holds_the_character_finds_it(armature_operator: Any, make_rig: Any) -> None:
    rig = make_rig(2)
    holder = add("Holder")
    rig.parent = add("Scale", parent=holder)
    make_active(holder)
    assert armature_operator.active_armature(bpy.context) == rig
    make_rig(2, name="Second").parent = holder
    make_active(holder)
    assert armature_operator.active_armature(bpy.context) is None, "which of the two is meant?"


def test_what_stands_in_for_an_armature_is_not_meant(armature_operator: Any, make_rig: Any) -> None:
    """While figures are measured there is a copy that hangs from the same empty and has the same cursor."""
    from bl_ext.user_default.posewright.bridge import stand_ins

    holder = add("Holder")
    rig = make_rig(2, name="Rig.007")  # a copy is called Rig, or Rig.001, and found first
    rig.parent = holder
    bpy.ops.posewright.spatial_set_add()
    cursor = rig.posewright.spatial.sets[0].cursor
    cursor.parent = None
    with stand_ins.stand_in(rig):
        for thing in (holder, cursor):
            make_active(thing)
            assert armature_operator.active_armature(bpy.context) == rig, thing.name


def test_what_belongs_to_no_armature_finds_none(armature_operator: Any, make_rig: Any) -> None:
    make_rig(2)
    add("Chair", bpy.data.meshes.new("Chair"))
    assert armature_operator.active_armature(bpy.context) is None
    make_active(None)
    assert armature_operator.active_armature(bpy.context) is None


def test_an_empty_on_its_own_is_looked_at_once_in_a_redraw(
    armature_operator: Any, make_rig: Any, monkeypatch: Any
) -> None:
    """Panels ask dozens of times for each, in files of ten thousand objects."""
    from bl_ext.user_default.posewright.bridge.spatial import sets

    rig, looked, clock = make_rig(2), [], [100.0]
    search = sets._armatures
    monkeypatch.setattr(sets, "_armatures", lambda: (looked.append(1), search())[1])
    monkeypatch.setattr(sets, "perf_counter", lambda: clock[0])
    empty = add("Empty")
    assert [armature_operator.active_armature(bpy.context) for _ in range(20)] == [None] * 20
    assert len(looked) == 1
    rig.parent = empty
    clock[0] += 0.1
    assert armature_operator.active_armature(bpy.context) == rig
    rig.parent = None
    assert armature_operator.active_armature(bpy.context) is None


def test_an_imported_dance_is_analysed_with_its_mesh_active(
    armature_operator: Any, import_character: Any
) -> None:
    armature = import_character("Samba_Dancing.fbx")
    make_active(next(item for item in bpy.data.objects if item.type == "MESH"))
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    assert armature.posewright.reduced is not None
