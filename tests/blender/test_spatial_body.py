# SPDX-License-Identifier: GPL-3.0-or-later
"""Reaching for targets and travelling on contacts, as Blender plays it back."""

from __future__ import annotations

import importlib
from math import sin

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from tests.blender.spatial_bear import cursor, rest, select, select_bones, set_key, settings, turn

ARM = {
    "upper": ((0, 0, 0), (0, 0, 1), None),
    "lower": ((0, 0, 1), (0, 0, 2), "upper"),
}
LEG = {
    "thigh": ((0, 0, 1), (0, -0.05, 0.5), None),
    "shin": ((0, -0.05, 0.5), (0, 0, 0.1), "thigh"),
    "foot": ((0, 0, 0.1), (0, -0.25, 0.05), "shin"),
}
WALKER = {
    "hips": ((0, 0, 1), (0, 0, 1.5), None),
    "leg.L": ((0.2, 0, 1), (0.2, 0, 0), "hips"),
    "leg.R": ((-0.2, 0, 1), (-0.2, 0, 0), "hips"),
}


@pytest.fixture
def arm(make_rig):
    rig = make_rig(ARM, name="Arm")
    bpy.ops.posewright.spatial_set_add(name="Reach")
    for name, place, angle in (
        ("bent left", (1, 0, 1), 40),
        ("bent right", (-1, 0, 1), -40),
        ("up", (0, 0, 3), 10),
    ):
        rest(rig)
        turn(rig, "upper", 0, 0, angle)
        turn(rig, "lower", 0, 0, angle)
        set_key(rig, place, name)
    select_bones(rig, "lower")
    bpy.ops.posewright.spatial_reach_add()
    settings(rig).live = True
    bpy.context.view_layer.update()
    return rig


def tip(rig, bone="lower"):
    bpy.context.view_layer.update()
    return np.array(rig.matrix_world @ rig.pose.bones[bone].tail)


@pytest.mark.parametrize("place", [(1, 0, 1), (0.7, 0.5, 1.2), (-1.2, 0.1, 0.4)])
def test_the_tip_meets_the_cursor(arm, place):
    cursor(arm).location = place
    assert tip(arm) == pytest.approx(place, abs=1e-3)


def test_the_pose_depends_on_the_cursor_alone(arm):
    cursor(arm).location = (0.7, 0.5, 1.2)
    first = tip(arm, "upper")
    for place in ((-1.5, 0, 0.5), (0, -1.4, -0.5), (0.3, 0.2, 1.9), (0.7, 0.5, 1.2)):
        cursor(arm).location = place
        bpy.context.view_layer.update()
    assert tip(arm, "upper") == pytest.approx(first, abs=1e-4)


def test_another_object_can_be_the_target(arm):
    ball = bpy.data.objects.new("Ball", None)
    bpy.context.scene.collection.objects.link(ball)
    settings(arm).sets[0].effectors[0].target = ball
    for place in ((0.5, 0.5, 1.0), (-0.8, 0.6, 0.9)):
        ball.location = place
        assert tip(arm) == pytest.approx(place, abs=1e-3)


def test_locks_are_respected(arm):
    for bone in arm.pose.bones:
        bone.lock_ik_x = bone.lock_ik_y = True
    cursor(arm).location = (0.9, 0.8, 1.0)
    tip(arm)
    for bone in arm.pose.bones:
        euler = bone.matrix_basis.to_euler("XYZ")
        assert euler.x == pytest.approx(0, abs=1e-4)
        assert euler.y == pytest.approx(0, abs=1e-4)


@pytest.fixture
def leg(make_rig):
    """A thigh, a shin and a foot that points forward, with a target for the foot."""
    rig = make_rig(LEG, name="Leg", location=(1, 0, 0))
    rig.rotation_euler.z = 0.4
    bpy.ops.posewright.spatial_set_add(name="Step")
    for name, place, angle in (("stand", (0, -1, 1), 5), ("lift", (0, -1, 2), 60)):
        rest(rig)
        turn(rig, "thigh", -angle, 0, 0)
        turn(rig, "shin", 1.5 * angle, 0, 0)
        set_key(rig, place, name)
    select_bones(rig, "foot")
    bpy.ops.posewright.spatial_reach_add()
    pad = bpy.data.objects.new("Pad", None)
    bpy.context.scene.collection.objects.link(pad)
    reach = settings(rig).sets[0].effectors[0]
    reach.target, reach.chain_length, reach.use_rotation = pad, 3, True
    pad.matrix_world = rig.matrix_world @ Matrix.Translation((0.05, -0.3, 0.15))
    settings(rig).live = True
    bpy.context.view_layer.update()
    return rig, pad


def foot_off(rig, pad):
    """How far the foot is from where and how its target says: metres and radians."""
    bpy.context.view_layer.update()
    foot = rig.matrix_world @ rig.pose.bones["foot"].matrix
    wanted = pad.matrix_world.to_quaternion() @ rig.data.bones["foot"].matrix_local.to_quaternion()
    away = (rig.matrix_world @ rig.pose.bones["foot"].tail - pad.matrix_world.translation).length
    return away, wanted.rotation_difference(foot.to_quaternion()).angle


def test_a_foot_keeps_the_rotation_of_its_target(leg):
    rig, pad = leg
    for place in ((0, -1, 1), (0, -1, 1.7), (0, -1, 1.2)):
        cursor(rig).location = place
        assert foot_off(rig, pad) == pytest.approx((0, 0), abs=2e-3)
    pad.rotation_euler.x += 0.3
    assert foot_off(rig, pad) == pytest.approx((0, 0), abs=2e-3)


def test_the_cursor_can_be_what_a_bone_turns_with(leg):
    rig, _ = leg
    settings(rig).sets[0].effectors[0].target = None
    cursor(rig).location = (0.05, -0.35, 0.2)
    cursor(rig).rotation_euler = (0.2, 0, 0.1)
    assert foot_off(rig, cursor(rig)) == pytest.approx((0, 0), abs=2e-3)


def test_a_target_that_turns_is_baked_as_it_is_shown(leg, set_keys):
    rig, pad = leg
    set_keys(pad, "rotation_euler", {1: pad.rotation_euler.copy(), 20: (0.4, 0.1, 0.5)})
    settings(rig).live = False
    bpy.ops.posewright.bake_cursor(frame_start=1, frame_end=20)
    for frame in (1, 9, 20):
        bpy.context.scene.frame_set(frame)
        assert foot_off(rig, pad) == pytest.approx((0, 0), abs=3e-3)


def test_reaching_is_baked_as_it_is_shown(arm, set_keys):
    set_keys(cursor(arm), "location", {1: (1, 0, 1), 20: (-1, 0.3, 0.8)})
    settings(arm).live = False
    bpy.ops.posewright.bake_cursor(frame_start=1, frame_end=20)
    for frame in (1, 7, 14, 20):
        bpy.context.scene.frame_set(frame)
        assert tip(arm) == pytest.approx(np.array(cursor(arm).matrix_world.translation), abs=2e-3)


def test_reaching_is_recorded_as_it_is_shown_on_a_body_that_is_animated(make_rig, session, set_keys):
    rig = make_rig({"body": ((0, 0, -1), (0, 0, 0), None), **ARM, "upper": ((0, 0, 0), (0, 0, 1), "body")})
    bpy.ops.posewright.spatial_set_add(name="Reach")
    select_bones(rig, "upper", "lower")
    turn(rig, "lower", 0, 0, 40)
    set_key(rig, (0, -1, 1), "bent", bones="SELECTED")
    ball = bpy.data.objects.new("Ball", None)
    bpy.context.scene.collection.objects.link(ball)
    ball.location = (0.9, 0.4, 0.9)
    select_bones(rig, "lower")
    bpy.ops.posewright.spatial_reach_add()
    settings(rig).sets[0].effectors[0].target = ball
    set_keys(rig.pose.bones["body"], "rotation_quaternion", {1: (1, 0, 0, 0), 20: (0.97, 0.1, 0.2, 0)})
    bpy.context.scene.frame_set(1)
    performance = session(rig, bpy.context.scene)
    for frame in range(1, 21):
        performance.show_time(frame)
        bpy.context.view_layer.update()
        performance.record(float(frame))
    performance.write(error=None)
    performance.end()
    for frame in range(1, 21):
        bpy.context.scene.frame_set(frame)
        assert tip(rig) == pytest.approx(tuple(ball.location), abs=1e-3)


def test_a_bone_without_a_selection_is_told(arm):
    select_bones(arm)
    with pytest.raises(RuntimeError, match="No bone is selected"):
        bpy.ops.posewright.spatial_reach_add()
    bpy.ops.posewright.spatial_reach_remove(index=0)
    assert not settings(arm).sets[0].effectors
    with pytest.raises(RuntimeError, match="no entry number 3"):
        bpy.ops.posewright.spatial_reach_remove(index=3)


@pytest.fixture
def walker(make_rig):
    """Two straight legs that swing against each other as the cursor goes from left to right."""
    rig = make_rig(WALKER, name="Walker", location=(3, 2, 0))
    bpy.ops.posewright.spatial_set_add(name="Walk")
    for name, place, angle in (("left", (1, -1, 1), 25), ("right", (-1, -1, 1), -25)):
        rest(rig)
        turn(rig, "leg.L", angle, 0, 0)
        turn(rig, "leg.R", -angle, 0, 0)
        rig.pose.bones["hips"].location = (0, -0.0937, 0)
        set_key(rig, place, name)
    rest(rig)
    select_bones(rig, "leg.L", "leg.R")
    bpy.ops.posewright.spatial_contact_add()
    settings(rig).use_locomotion = True
    return rig


def test_a_contact_that_is_added_has_the_sole_that_it_has_at_rest(make_rig):
    bones = {
        "body": ((0, 0, 1), (0, 0, 2), None),
        "leg": ((0, 0, 1), (0, 0, 0.08), "body"),
        "arm": ((0, 0, 1.6), (0, 0, 0.9), "body"),
        "claw": ((0, 0, 0.08), (0, 0.1, -0.05), "leg"),
    }
    rig = make_rig(bones, location=(0, 0, 5))
    settings(rig).ground = 5.0
    turn(rig, "leg", 40, 0, 0)
    for end in ("TAIL", "HEAD"):
        select_bones(rig, "leg", "arm", "claw")
        bpy.ops.posewright.spatial_contact_add(end=end)
    soles = {(each.bone, each.end): each.offset for each in settings(rig).contacts}
    assert soles == pytest.approx(
        {
            ("leg", "TAIL"): 0.08,
            ("arm", "TAIL"): 0.0,
            ("claw", "TAIL"): 0.0,
            ("leg", "HEAD"): 0.0,
            ("arm", "HEAD"): 0.0,
            ("claw", "HEAD"): 0.08,
        },
        abs=1e-6,
    )


def feet(rig):
    bpy.context.view_layer.update()
    return {name: np.array(rig.matrix_world @ rig.pose.bones[name].tail) for name in ("leg.L", "leg.R")}


def bake_steps(rig, last=60):
    path = [{"name": "", "frame": n, "place": (sin(n / 5), -1, 1)} for n in range(1, last)]
    bpy.context.view_layer.update()
    bpy.ops.posewright.bake_cursor(path=path)


def assert_that_one_foot_holds(rig, last=60):
    before = None
    for frame in range(1, last):
        bpy.context.scene.frame_set(frame)
        now = feet(rig)
        if before is not None:
            slides = [np.linalg.norm((now[name] - before[name])[:2]) for name in now]
            assert min(slides) < 1e-4, f"both feet slide at frame {frame}"
        before = now


def test_the_standing_foot_does_not_slide_and_the_character_travels(walker):
    bake_steps(walker)
    assert_that_one_foot_holds(walker)
    bpy.context.scene.frame_set(1)
    start = walker.matrix_world.translation.copy()
    assert tuple(start) == pytest.approx((3, 2, 0), abs=1e-5)
    bpy.context.scene.frame_set(10)
    assert (walker.matrix_world.translation - start).length > 0.05


def test_travelling_inside_a_turned_parent(walker):
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.rotation_euler = (0, 0, 0.8)
    walker.parent = parent
    bake_steps(walker, 30)
    assert_that_one_foot_holds(walker, 30)


def test_travelling_on_a_bone_of_another_character(walker, make_rig):
    """A carpet that lies flat: its bone points along Y, and what hangs from it hangs from its tail."""
    carpet = make_rig({"carpet": ((0, 0, 0), (0, 1, 0), None)}, name="Carpet")
    carpet.rotation_euler = (0, 0, 0.8)
    turn(carpet, "carpet", 0, 0, 30)
    walker.parent, walker.parent_type, walker.parent_bone = carpet, "BONE", "carpet"
    select(walker)
    bake_steps(walker, 30)
    assert_that_one_foot_holds(walker, 30)


def test_a_walk_below_a_large_parent_is_distilled_to_an_error_in_the_world(walker, posewright):
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.rotation_euler, parent.scale = (0, 0, 0.8), (10, 10, 10)
    walker.parent = parent
    path = [{"name": "", "frame": n, "place": (sin(n / 5), -1, 1)} for n in range(1, 40)]
    bpy.context.view_layer.update()
    bpy.ops.posewright.bake_cursor(path=path)
    sampling, frames = posewright.bridge.sampling, np.arange(1.0, 40.0)
    full = sampling.sample(walker, frames).positions
    for error in (0.05, 0.5):
        bpy.ops.posewright.bake_cursor(path=path, distil=True, error=error)
        few = sampling.sample(walker, frames).positions
        assert np.linalg.norm(full - few, axis=-1).max() <= error * 1.001


def test_what_has_no_feet_and_no_contacts_does_not_travel(arm):
    settings(arm).use_locomotion = True
    bake_steps(arm, 20)
    bpy.context.scene.frame_set(18)
    assert tuple(arm.location) == pytest.approx((0, 0, 0))


def test_unsteady_contacts_hold_without_a_margin(walker, posewright):
    walking = importlib.import_module(f"{posewright.__name__}.bridge.spatial.walks.walking")
    assert walking._ground(walker, 0.0).margin > 0.0
    settings(walker).use_steady_contacts = False
    assert walking._ground(walker, 0.0).margin == 0.0


def test_a_sole_below_a_bone_stands_on_the_ground(walker, posewright):
    """With soles of 0.3 and the ground as much lower, all is as it was without."""
    bake_steps(walker)
    bpy.context.scene.frame_set(50)
    without = tuple(walker.location)
    walker.animation_data_clear()
    walker.location = (3, 2, 0)
    for contact in settings(walker).contacts:
        contact.offset = 0.3
    settings(walker).ground = -0.3
    bake_steps(walker)
    bpy.context.scene.frame_set(50)
    assert tuple(walker.location) == pytest.approx(without, abs=1e-5)


def test_where_it_stands_is_known_while_it_is_performed(walker, posewright):
    session_module = importlib.import_module(f"{posewright.__name__}.bridge.spatial.session")
    session = session_module.Session(walker, bpy.context.scene)
    space = walker.matrix_world.copy()
    for step in range(6):
        session.move_cursor(space @ Vector((sin(step / 5), -1, 1)))
        bpy.context.view_layer.update()
        session.pass_time(1.0 + step / 24)
        now = feet(walker)
        nearest = min(np.linalg.norm(now[name] - np.array(session.standing)) for name in now)
        assert nearest < 1e-4
    session.restore()


def test_a_performance_travels_and_is_recorded_and_can_be_brought_back(walker, posewright):
    session_module = importlib.import_module(f"{posewright.__name__}.bridge.spatial.session")
    session = session_module.Session(walker, bpy.context.scene)
    space = walker.matrix_world.copy()
    for step in range(25):
        session.move_cursor(space @ Vector((sin(step / 5), -1, 1)))
        bpy.context.view_layer.update()
        session.pass_time(1.0 + step / 24)
        bpy.context.view_layer.update()
        session.record(1.0 + step)
    shown = walker.location.copy()
    assert (shown - Vector((3, 2, 0))).length > 0.03
    session.write(error=None)
    session.end()
    assert_that_one_foot_holds(walker, 25)
    bpy.context.scene.frame_set(25)
    assert tuple(walker.location) == pytest.approx(tuple(shown), abs=0.02), "recorded as it was shown"
    bpy.context.scene.frame_set(1)
    session = session_module.Session(walker, bpy.context.scene)
    session.move_cursor(space @ Vector((0.9, -1, 1)))
    bpy.context.view_layer.update()
    session.pass_time(1.0)
    session.restore()
    assert tuple(walker.location) == pytest.approx((3, 2, 0), abs=1e-5)


def test_a_second_walk_is_shown_where_it_goes_and_not_where_the_first_went(walker, posewright, set_keys):
    session_module = importlib.import_module(f"{posewright.__name__}.bridge.spatial.session")
    cursor(walker).location = (1, -1, 1)
    set_keys(walker, "location", {1: (3, 2, 0), 20: (9, 9, 0)})
    bpy.context.scene.frame_set(1)
    session = session_module.Session(walker, bpy.context.scene)
    for step in range(12):
        session.move_cursor(walker.matrix_world @ Vector((1 - step / 6, -1, 1)))
        bpy.context.view_layer.update()
        session.pass_time(1.0 + step / 24)
        walked = walker.location.copy()
        session.show_time(2 + step)
        bpy.context.view_layer.update()
        assert (walker.location - walked).length < 1e-6
    assert (walker.location - Vector((3, 2, 0))).length > 0.05
    session.restore()
    assert (walker.location - Vector((3, 2, 0))).length < 1e-5
