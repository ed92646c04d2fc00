# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers: a set for a part of the body takes over just that part, replaces or adds."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.blender.spatial_bear import BONES, cursor, local_turn, rest, select_bones, set_key, settings, turn


@pytest.fixture
def bear(make_rig):
    """A set of the whole body (head and left arm turned), and one of the left arm."""
    rig = make_rig(BONES, name="Bear")
    bpy.ops.posewright.spatial_set_add(name="Body")
    turn(rig, "head", 0, 40, 0)
    turn(rig, "arm.L", 0, 20, 0)
    set_key(rig, (0, -2, 1), "body")
    bpy.ops.posewright.spatial_set_add(name="Arm")
    rest(rig)
    select_bones(rig, "arm.L")
    turn(rig, "arm.L", 0, -50, 0)
    set_key(rig, (0, -2, 2), "arm", bones="SELECTED")
    rest(rig)
    settings(rig).live = True
    return rig


def angle(rig, bone):
    bpy.context.view_layer.update()
    matrix = local_turn(rig, bone)
    return np.degrees(np.arctan2(matrix[0, 2], matrix[0, 0]))


def shares(rig):
    return [each.influence for each in settings(rig).sets]


def moved(rig):
    """The cursor moves a little, so that live shows the pose again."""
    cursor(rig).location.x += 0.001
    bpy.context.view_layer.update()


def test_a_set_of_a_part_takes_over_just_that(bear):
    assert shares(bear) == [1, 1]
    assert settings(bear).sets["Arm"].layer == "OVER"
    assert angle(bear, "head") == pytest.approx(40, abs=1e-3)
    assert angle(bear, "arm.L") == pytest.approx(-50, abs=1e-3)


def test_over_replaces_by_its_share(bear):
    settings(bear).sets["Arm"].influence = 0.5
    moved(bear)
    assert -50 < angle(bear, "arm.L") < 20
    settings(bear).sets["Arm"].influence = 0.0
    moved(bear)
    assert angle(bear, "arm.L") == pytest.approx(20, abs=1e-3)


def test_on_top_adds_by_its_share(bear):
    settings(bear).sets["Arm"].layer = "ADD"
    moved(bear)
    assert angle(bear, "arm.L") == pytest.approx(-30, abs=1e-3)
    settings(bear).sets["Arm"].influence = 0.5
    moved(bear)
    assert angle(bear, "arm.L") == pytest.approx(-5, abs=1e-3)
    assert angle(bear, "head") == pytest.approx(40, abs=1e-3)


def test_a_set_of_the_whole_body_that_takes_over_lets_a_part_step_back(bear):
    bpy.ops.posewright.spatial_set_switch(index=0)
    assert shares(bear) == [1, 0]
    bpy.ops.posewright.spatial_set_switch(index=1)
    assert shares(bear) == [1, 1]


def test_a_set_without_a_share_gets_one_when_it_is_performed(bear, session):
    bpy.ops.posewright.spatial_set_switch(index=0)
    settings(bear).set_index = 1
    take = session(bear, bpy.context.scene)
    assert shares(bear) == [1, 1]
    take.restore()
    assert shares(bear) == [1, 0]


def test_layers_are_recorded_as_they_were_shown(bear, session):
    settings(bear).sets["Arm"].layer = "ADD"
    take = session(bear, bpy.context.scene)
    for frame in range(1, 6):
        take.record(float(frame))
    take.write(error=None)
    take.end()
    bpy.context.scene.frame_set(3)
    assert angle(bear, "arm.L") == pytest.approx(-30, abs=1e-3)
    assert angle(bear, "head") == pytest.approx(40, abs=1e-3)


@pytest.fixture
def recorded(bear, session):
    """A take of the whole body in which the head turns, from frame 1 to 40."""
    bpy.ops.posewright.spatial_set_remove()
    settings(bear).live = False
    turn(bear, "head", 0, -40, 0)
    set_key(bear, (2, -2, 1), "other side")
    take = session(bear, bpy.context.scene)
    for frame in range(1, 41):
        take.move_cursor(bear.matrix_world @ Vector((frame / 20, -2, 1)))
        take.record(float(frame))
    take.write(error=None)
    take.end()
    return bear


def angles(rig, bone, frames):
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append(angle(rig, bone))
    return np.array(found)


def overdub(take, rig, frames, x=0.0):
    for frame in frames:
        take.show_time(frame)
        take.move_cursor(rig.matrix_world @ Vector((x, -2, 1)))
        bpy.context.view_layer.update()
        take.record(float(frame))


def test_an_overdub_shows_the_earlier_take_on_all_other_bones(recorded, session):
    bpy.context.scene.frame_set(20)
    earlier = angle(recorded, "head")
    take = session(recorded, bpy.context.scene)
    take.choose_bones(["arm.L"])
    overdub(take, recorded, [20], x=-1.0)
    assert angle(recorded, "head") == pytest.approx(earlier, abs=1e-3)
    take.choose_bones(None)
    overdub(take, recorded, [21], x=-1.0)
    assert abs(angle(recorded, "head") - earlier) > 5
    take.restore()
    assert angle(recorded, "head") == pytest.approx(earlier, abs=1e-3)


def test_an_overdub_is_led_in_and_out(recorded, session):
    settings(recorded).transition = 6
    before = angles(recorded, "head", range(1, 41))
    bpy.context.scene.frame_set(10)
    take = session(recorded, bpy.context.scene)
    take.choose_bones(["head"])
    overdub(take, recorded, range(10, 31))
    take.write(error=None)
    take.end()
    after = angles(recorded, "head", range(1, 41))
    assert after[:10] == pytest.approx(before[:10], abs=1e-3), "as before, and from there on"
    assert after[29:] == pytest.approx(before[29:], abs=1e-3)
    assert after[16:23] == pytest.approx(np.full(7, 40.0), abs=1e-2), "what was performed"
    assert np.abs(np.diff(after)).max() < 20, "nowhere a jump"


def test_a_take_of_a_part_keeps_the_earlier_take_of_the_others(recorded, session):
    before = angles(recorded, "head", range(1, 41))
    bpy.ops.posewright.spatial_set_add(name="Arm")
    rest(recorded)
    select_bones(recorded, "arm.L")
    for x, degrees in ((0, 0), (2, 60)):
        turn(recorded, "arm.L", 0, degrees, 0)
        set_key(recorded, (x, -2, 2), f"arm {x}", bones="SELECTED")
    assert shares(recorded) == [1, 1]
    bpy.context.scene.frame_set(1)
    take = session(recorded, bpy.context.scene)
    for frame in range(1, 41):
        take.move_cursor(recorded.matrix_world @ Vector((frame / 20, -2, 2)))
        take.record(float(frame))
    take.write(error=None)
    take.end()
    assert angles(recorded, "head", range(1, 41)) == pytest.approx(before, abs=1e-3)
    assert np.ptp(angles(recorded, "arm.L", range(1, 41))) > 40


def test_a_share_that_a_script_sets_acts_at_once(bear):
    settings(bear).sets["Arm"].influence = 0.0
    matrix = local_turn(bear, "arm.L")  # without an update
    assert np.degrees(np.arctan2(matrix[0, 2], matrix[0, 0])) == pytest.approx(20, abs=1e-3)


def test_set_key_at_a_key_updates_it_if_asked_to(bear):
    settings(bear).live = False
    settings(bear).set_index = 0
    turn(bear, "head", 0, 10, 0)
    place = settings(bear).sets[0].keys[0].marker.location
    with pytest.raises(RuntimeError, match="already at this place"):
        bpy.ops.posewright.spatial_key_add(place=place)
    bpy.ops.posewright.spatial_key_add(place=place, update=True)
    assert len(settings(bear).sets[0].keys) == 1
    rest(bear)
    bpy.ops.posewright.spatial_key_go_to()
    assert angle(bear, "head") == pytest.approx(10, abs=1e-3)
