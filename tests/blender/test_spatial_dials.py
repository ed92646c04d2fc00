# SPDX-License-Identifier: GPL-3.0-or-later
"""Shape keys and custom properties take part in poses, live, in recordings and in sets."""

from __future__ import annotations

import importlib
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from tests.blender.spatial_bear import BONES, cursor, rest, select_bones, set_key, settings, turn

LEFT, RIGHT, MIDDLE = (1.0, -1.0, 2.0), (-1.0, -1.0, 2.0), (0.0, -1.0, 2.0)
UP, DOWN = (-1.0, -1.0, 4.0), (-1.0, -1.0, 0.0)


@pytest.fixture
def part(posewright):
    return lambda name: importlib.import_module(f"{posewright.__name__}.bridge.spatial.{name}")


@pytest.fixture
def bear(make_rig):
    """A bear with a face, a float, a whole number and an IK/FK switch."""
    rig = make_rig(BONES, name="Bear")
    add_face(rig)
    rig.pose.bones["head"]["blush"] = 0.0
    rig.pose.bones["head"].id_properties_ui("blush").update(min=0.0, max=1.0, default=0.0)
    rig.pose.bones["arm.L"]["IK_FK"] = 0.0
    rig["hat"] = 0
    rig["unused"] = 0.5
    bpy.context.view_layer.objects.active = rig
    bpy.ops.posewright.spatial_set_add(name="Look")
    return rig


def add_face(rig, name="Face", shapes=("smile.L", "smile.R", "frown")):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([(0, 0, 1), (1, 0, 1), (0, 0, 2)], [], [(0, 1, 2)])
    face = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(face)
    face.parent = rig
    face.modifiers.new("Armature", "ARMATURE").object = rig
    face.shape_key_add(name="Basis")
    for row, shape in enumerate(shapes):
        block: Any = face.shape_key_add(name=shape, from_mix=False)
        block.value = 0.0
        block.data[row].co.x += 0.5
    return face


def shapes(rig=None, name="Face"):
    return bpy.data.objects[name].data.shape_keys.key_blocks


def two_keys(rig):
    """Left: a smile, blushing, forward kinematics and the hat; right: none of these."""
    set_key(rig, RIGHT, "right")
    turn(rig, "head", 0, 40, 0)
    shapes()["smile.L"].value, rig.pose.bones["head"]["blush"] = 0.8, 0.5
    rig.pose.bones["arm.L"]["IK_FK"], rig["hat"] = 1.0, 2
    set_key(rig, LEFT, "left")
    reset(rig)


def reset(rig):
    rest(rig)
    for block in shapes():
        block.value = 0.0
    rig.pose.bones["head"]["blush"], rig.pose.bones["arm.L"]["IK_FK"], rig["hat"] = 0.0, 0.0, 0


def at(rig, place):
    cursor(rig).location = place
    bpy.context.view_layer.update()
    return {
        "smile": shapes()["smile.L"].value,
        "blush": rig.pose.bones["head"]["blush"],
        "ik_fk": rig.pose.bones["arm.L"]["IK_FK"],
        "hat": rig["hat"],
    }


def test_live_blends_numbers_and_turns_switches(bear):
    two_keys(bear)
    settings(bear).live = True
    halfway = at(bear, (0.2, -1.0, 2.0))
    assert halfway["smile"] == pytest.approx(0.48, abs=1e-6)
    assert halfway["blush"] == pytest.approx(0.3, abs=1e-6)
    assert (halfway["ik_fk"], halfway["hat"]) == (1.0, 2)
    beyond_the_middle = at(bear, (-0.2, -1.0, 2.0))
    assert beyond_the_middle["smile"] == pytest.approx(0.32, abs=1e-6)
    assert (beyond_the_middle["ik_fk"], beyond_the_middle["hat"]) == (0.0, 0)
    assert type(bear["hat"]) is int


def test_nothing_goes_farther_than_its_range(bear):
    two_keys(bear)
    settings(bear).live = True
    far = at(bear, (6.0, -1.0, 2.0))
    assert far["smile"] == 1.0
    assert far["blush"] == 1.0


def test_what_keys_set_alike_is_left_alone(bear):
    two_keys(bear)
    settings(bear).live = True
    bear["unused"], shapes()["frown"].value = 0.9, 0.7
    bpy.context.view_layer.update()
    at(bear, LEFT)
    assert (bear["unused"], shapes()["frown"].value) == (0.9, pytest.approx(0.7))


def test_drivers_hear_of_live_properties(bear):
    two_keys(bear)
    driver = bear.pose.bones["body"].driver_add("location", 0).driver
    variable = driver.variables.new()
    variable.name, driver.expression = "blush", "blush"
    variable.targets[0].id = bear
    variable.targets[0].data_path = 'pose.bones["head"]["blush"]'
    settings(bear).live = True
    at(bear, LEFT)
    bpy.context.view_layer.update()
    shown = bear.evaluated_get(bpy.context.evaluated_depsgraph_get())
    assert shown.pose.bones["body"].location.x == pytest.approx(0.5, abs=1e-5)
    assert settings(bear).live


def test_editing_a_shape_key_turns_live_off(bear):
    two_keys(bear)
    settings(bear).live = True
    at(bear, LEFT)
    shapes()["smile.L"].value = 0.1
    bpy.context.view_layer.update()
    assert not settings(bear).live
    assert shapes()["smile.L"].value == pytest.approx(0.1)


def record(session, rig, path, **options):
    performance = session(rig, bpy.context.scene)
    performance.start_recording(24.0)
    for time, place in path:
        performance.move_cursor(Vector(place))
        bpy.context.view_layer.update()
        performance.record(time)
    performance.write(error=None, **options)
    performance.end()


def curves_of(part, owner):
    actions = part("posing.dials").actions
    return {curve.data_path: curve for curve in actions.curves_of(owner)}


def test_a_take_keys_faces_beside_the_body(bear, session, part):
    two_keys(bear)
    record(session, bear, ((1.0, RIGHT), (21.0, LEFT)))
    on_bear, on_face = (
        curves_of(part, bear),
        curves_of(part, bpy.data.objects["Face"].data.shape_keys),
    )
    assert set(on_face) == {'key_blocks["smile.L"].value'}
    smile = on_face['key_blocks["smile.L"].value']
    assert smile.evaluate(11) == pytest.approx(0.4, abs=1e-4)
    assert len(smile.keyframe_points) == 21
    assert on_bear['pose.bones["head"]["blush"]'].evaluate(21) == pytest.approx(0.5)
    switch = on_bear['pose.bones["arm.L"]["IK_FK"]']
    assert {key.interpolation for key in switch.keyframe_points} == {"CONSTANT"}
    assert [key.co[1] for key in switch.keyframe_points] == [0.0, 1.0, 1.0]
    assert {switch.evaluate(frame / 2) for frame in range(2, 43)} == {0.0, 1.0}
    assert '["unused"]' not in on_bear
    for frame, smiling, hat in ((1, 0.0, 0), (21, 0.8, 2)):
        bpy.context.scene.frame_set(frame)
        assert (shapes()["smile.L"].value, bear["hat"]) == (pytest.approx(smiling, abs=1e-6), hat)


def test_distilled_faces_are_within_the_error(bear, session, part):
    two_keys(bear)
    frames = np.arange(1.0, 41.0)
    path = [(frame, (np.sin(frame / 6.0), -1.0, 2.0)) for frame in frames]
    record(session, bear, path)
    curves = curves_of(part, bpy.data.objects["Face"].data.shape_keys)
    whole = [curves['key_blocks["smile.L"].value'].evaluate(frame) for frame in frames]
    part("takes.cursor_baking").bake_path(bear, path, error=0.02)
    smile = curves_of(part, bpy.data.objects["Face"].data.shape_keys)['key_blocks["smile.L"].value']
    few = [smile.evaluate(frame) for frame in frames]
    assert len(smile.keyframe_points) < 20
    # The shape key moves a point by half a unit.
    assert 0.5 * np.abs(np.subtract(few, whole)).max() <= 0.02


def test_esc_brings_the_face_back(bear, session):
    two_keys(bear)
    shapes()["smile.L"].value, bear["hat"] = 0.3, 1
    performance = session(bear, bpy.context.scene)
    performance.move_cursor(Vector(LEFT))
    bpy.context.view_layer.update()
    assert shapes()["smile.L"].value == pytest.approx(0.8)
    performance.restore()
    assert (shapes()["smile.L"].value, bear["hat"]) == (pytest.approx(0.3), 1)


def test_esc_brings_back_the_face_of_a_mesh_that_was_renamed_meanwhile(bear, session):
    add_face(bear, "Mask")  # has a smile of the same name
    two_keys(bear)
    shapes()["smile.L"].value, shapes(name="Mask")["smile.L"].value = 0.3, 0.6
    performance = session(bear, bpy.context.scene)
    bpy.data.objects["Face"].name = "Visage"
    performance.move_cursor(Vector(LEFT))
    bpy.context.view_layer.update()
    assert shapes(name="Visage")["smile.L"].value == pytest.approx(0.8)
    performance.restore()
    assert shapes(name="Visage")["smile.L"].value == pytest.approx(0.3)
    assert shapes(name="Mask")["smile.L"].value == pytest.approx(0.6)


def test_a_face_set_goes_on_over_a_body(bear, session, part):
    turn(bear, "head", 0, 0, 0)
    set_key(bear, RIGHT, "right")
    turn(bear, "head", 0, 40, 0)
    set_key(bear, LEFT, "left")
    bpy.ops.posewright.spatial_set_add(name="Face")
    set_key(bear, RIGHT, "calm", bones="SHAPES")
    shapes()["smile.L"].value = 1.0
    set_key(bear, LEFT, "smile", bones="SHAPES")
    assert [each.influence for each in settings(bear).sets] == [1.0, 1.0]
    reset(bear)
    settings(bear).live = True
    at(bear, MIDDLE)
    assert shapes()["smile.L"].value == pytest.approx(0.5)
    settings(bear).live = False
    record(session, bear, ((1.0, RIGHT), (9.0, LEFT)))
    face = curves_of(part, bpy.data.objects["Face"].data.shape_keys)
    assert face['key_blocks["smile.L"].value'].evaluate(9) == pytest.approx(1.0)


def test_sets_for_inverse_and_forward_kinematics_switch(bear):
    set_key(bear, RIGHT, "ik")
    bpy.ops.posewright.spatial_set_add(name="Forward")
    bear.pose.bones["arm.L"]["IK_FK"] = 1.0
    set_key(bear, RIGHT, "fk")
    settings(bear).live = True
    assert at(bear, RIGHT)["ik_fk"] == 1.0
    settings(bear).set_index = 0
    bpy.ops.posewright.spatial_set_switch(keyed=False)
    assert at(bear, RIGHT)["ik_fk"] == 0.0


def test_mirrored_faces(bear):
    turn(bear, "head", 0, 40, 0)
    shapes()["smile.L"].value = 0.8
    set_key(bear, LEFT, "left")
    bpy.ops.posewright.spatial_key_mirror()
    reset(bear)
    bpy.ops.posewright.spatial_key_go_to()
    assert shapes()["smile.R"].value == pytest.approx(0.8)
    assert shapes()["smile.L"].value == 0.0


def test_an_updated_key_keeps_the_new_face(bear):
    two_keys(bear)
    settings(bear).sets[0].key_index = settings(bear).sets[0].keys.find("left")
    bpy.ops.posewright.spatial_key_go_to()
    shapes()["smile.L"].value = 0.6
    bpy.ops.posewright.spatial_key_update()
    reset(bear)
    bpy.ops.posewright.spatial_key_go_to()
    assert shapes()["smile.L"].value == pytest.approx(0.6)
    assert bear["hat"] == 2


def test_selected_bones_bring_their_properties_only(bear):
    select_bones(bear, "head")
    set_key(bear, RIGHT, "right", bones="SELECTED")
    shapes()["smile.L"].value, bear.pose.bones["head"]["blush"], bear["hat"] = 0.8, 0.5, 2
    set_key(bear, LEFT, "left", bones="SELECTED")
    reset(bear)
    settings(bear).live = True
    there = at(bear, LEFT)
    assert (there["smile"], there["blush"], there["hat"]) == (0.0, 0.5, 0)


def test_json_carries_faces_to_a_character_with_another_mesh_name(bear, make_rig, part):
    two_keys(bear)
    text = part("making.exchange").to_json(bear, settings(bear).sets[0])
    other = make_rig(BONES, name="Other")
    add_face(other, "Head")
    other.pose.bones["head"]["blush"], other["hat"] = 0.0, 0
    _, left_out = part("making.exchange").from_json(other, text)
    assert left_out.dials == ["IK_FK", "unused"]
    settings(other).live = True
    cursor(other).location = LEFT
    bpy.context.view_layer.update()
    assert shapes(name="Head")["smile.L"].value == pytest.approx(0.8)
    assert other["hat"] == 2
    assert shapes()["smile.L"].value == 0.0


def test_json_carries_a_set_of_a_face_alone(bear, part):
    set_key(bear, RIGHT, "calm", bones="SHAPES")
    shapes()["smile.L"].value = 1.0
    set_key(bear, LEFT, "smile", bones="SHAPES")
    text = part("making.exchange").to_json(bear, settings(bear).sets[0])
    part("making.exchange").from_json(bear, text)
    settings(bear).live = True
    assert at(bear, MIDDLE)["smile"] == pytest.approx(0.5)
    assert settings(bear).set_index == 1


def test_damaged_json_is_refused(bear, part):
    two_keys(bear)
    text = part("making.exchange").to_json(bear, settings(bear).sets[0])
    for wrong in (text.replace('"hat', "hat"), text.replace('"smile.L": 0.8', '"smile.L": "much"')):
        assert wrong != text
        with pytest.raises(part("making.exchange").InputError):
            part("making.exchange").from_json(bear, wrong)


def test_faces_survive_saving_and_a_mesh_that_is_gone(bear, tmp_path):
    two_keys(bear)
    path = str(tmp_path / "bear.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    bear = bpy.data.objects["Bear"]
    bpy.context.view_layer.objects.active = bear
    settings(bear).live = True
    assert at(bear, LEFT)["smile"] == pytest.approx(0.8)
    bpy.data.objects.remove(bpy.data.objects["Face"])
    cursor(bear).location = MIDDLE
    bpy.context.view_layer.update()
    assert settings(bear).live
    assert bear.pose.bones["head"]["blush"] == pytest.approx(0.25)


def test_what_keys_set_and_the_character_has_no_more_is_told(bear, part):
    def said():
        return part("making.upkeep").complaints(bear, settings(bear).sets[0], bpy.context.scene)

    two_keys(bear)
    bpy.data.objects["Face"].name = "Visage"  # is known by its shape keys
    del bear["unused"]  # which no key has otherwise than another
    assert said() == []
    shapes(name="Visage")["smile.L"].name = "grin.L"
    del bear["hat"]
    assert len(said()) == 1
    assert said()[0].startswith('Bear has no "hat" and "smile.L" any more, which keys set: if it was renamed')
    shapes(name="Visage")["grin.L"].name, bear["hat"] = "smile.L", 0
    assert said() == []


def test_a_mesh_that_is_renamed_while_live_still_acts_and_nobody_elses_does(bear, make_rig):
    two_keys(bear)
    settings(bear).live = True
    at(bear, LEFT)
    bpy.data.objects["Face"].name = "Visage"
    add_face(make_rig(BONES, name="Other"), "Face")
    cursor(bear).location = MIDDLE
    bpy.context.view_layer.update()
    assert shapes(name="Visage")["smile.L"].value == pytest.approx(0.4)
    assert shapes(name="Face")["smile.L"].value == 0.0


def test_what_is_deleted_while_recording_is_left_out_and_the_rest_is_written(bear, session, part):
    two_keys(bear)
    performance = session(bear, bpy.context.scene)
    performance.start_recording(24.0)
    for time, where in ((1.0, RIGHT), (9.0, LEFT)):
        performance.move_cursor(Vector(where))
        bpy.context.view_layer.update()
        performance.record(time)
    bpy.data.objects.remove(bpy.data.objects["Face"])
    del bear["hat"]
    performance.write(error=None)
    performance.end()
    curves = curves_of(part, bear)
    assert '["hat"]' not in curves
    assert curves['pose.bones["head"]["blush"]'].evaluate(9) == pytest.approx(0.5)


def test_takes_of_faces_are_kept_chosen_and_deleted(bear, session, part):
    two_keys(bear)
    settings(bear).record_takes = True
    record(session, bear, ((1.0, RIGHT), (9.0, LEFT)))
    record(session, bear, ((1.0, RIGHT), (9.0, RIGHT)))
    takes = part("takes.kept_takes")
    assert len(takes.takes_of(bear)) == 2
    for index, smiling in ((0, 0.8), (1, 0.0)):
        takes.choose(bear, index)
        assert takes.playing(bear) == index
        bpy.context.scene.frame_set(1)
        bpy.context.scene.frame_set(9)
        assert shapes()["smile.L"].value == pytest.approx(smiling, abs=1e-6)
    takes.delete(bear, 0)
    assert len(takes.takes_of(bear)) == 1
    assert len(bpy.data.objects["Face"].data.shape_keys.animation_data.nla_tracks) == 1


def test_undo_takes_a_recorded_face_back(bear, part):
    two_keys(bear)
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.posewright.bake_cursor(
        "EXEC_DEFAULT",
        True,
        path=[{"name": "", "frame": 1, "place": RIGHT}, {"name": "", "frame": 9, "place": LEFT}],
    )
    assert bpy.data.objects["Face"].data.shape_keys.animation_data is not None
    bpy.ops.ed.undo()
    data = bpy.data.objects["Face"].data.shape_keys.animation_data
    assert data is None or data.action is None


def test_a_take_with_a_face_becomes_an_instrument_with_a_face(bear, part):
    two_keys(bear)
    turn(bear, "head", -40, 0, 0)
    set_key(bear, (0.0, -1.0, 3.0), "up")
    path = [(1, RIGHT), (20, LEFT), (40, (0.0, -1.0, 3.0))]
    part("takes.cursor_baking").bake_path(bear, path, error=0.05)
    smile = curves_of(part, bpy.data.objects["Face"].data.shape_keys)['key_blocks["smile.L"].value']
    made = part("making.instrument").make_instrument(bear).spatial_set
    expected = {key.name: smile.evaluate(float(key.name.removeprefix("frame "))) for key in made.keys}
    for name, smiling in expected.items():
        made.key_index = made.keys.find(name)
        bpy.ops.posewright.spatial_key_go_to()
        assert shapes()["smile.L"].value == pytest.approx(smiling, abs=1e-5)
    assert max(expected.values()) > 0.3


def test_an_overridden_character_is_performed_with_the_face_that_can_be_set(bear, session, tmp_path):
    two_keys(bear)
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = ["Bear", "Face"]
    for thing in wanted.objects:
        bpy.context.scene.collection.objects.link(thing)
    own = wanted.objects[0].override_hierarchy_create(
        bpy.context.scene, bpy.context.view_layer, do_fully_editable=True
    )
    bpy.context.view_layer.objects.active = own
    bpy.context.view_layer.update()
    record(session, own, ((1.0, RIGHT), (9.0, LEFT)))
    bpy.context.scene.frame_set(9)
    assert own["hat"] == 2
    assert own.pose.bones["head"]["blush"] == pytest.approx(0.5)
    face = next(each for each in bpy.data.objects if each.name.startswith("Face") and each.library is None)
    blocks = face.data.shape_keys
    expected = 0.8 if blocks.library is None else 0.0
    assert blocks.key_blocks["smile.L"].value == pytest.approx(expected, abs=1e-6)


def test_what_another_take_moves_is_at_rest_in_a_take_without_it(bear, session, part):
    two_keys(bear)
    turn(bear, "head", 0, -40, 0)
    set_key(bear, UP, "up")
    reset(bear)
    turn(bear, "arm.L", 0, 40, 0)
    set_key(bear, DOWN, "down")
    reset(bear)
    settings(bear).record_takes = True
    takes, face = part("takes.kept_takes"), bpy.data.objects["Face"].data.shape_keys
    record(session, bear, ((1.0, RIGHT), (9.0, UP)))
    record(session, bear, ((1.0, RIGHT), (5.0, DOWN), (9.0, LEFT)))
    assert [len(each.nla_tracks) for each in (bear.animation_data, face.animation_data)] == [2, 1]
    bpy.context.scene.frame_set(5)
    assert bear.pose.bones["arm.L"].matrix_basis != Matrix()
    takes.choose(bear, 0)
    assert takes.playing(bear) == 0
    for frame in (1, 9):
        bpy.context.scene.frame_set(frame)
        assert shapes()["smile.L"].value == 0.0
        assert (bear.pose.bones["head"]["blush"], bear["hat"]) == (0.0, 0), "nor does it blush"
        assert bear.pose.bones["arm.L"].matrix_basis == Matrix(), "or lift its arm"
    takes.choose(bear, 1)
    assert takes.playing(bear) == 1
    bpy.context.scene.frame_set(9)
    assert shapes()["smile.L"].value == pytest.approx(0.8, abs=1e-6)
