# SPDX-License-Identifier: GPL-3.0-or-later
"""Reach and Walk on rigs whose limbs follow controls by inverse kinematics."""

from __future__ import annotations

import importlib

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.blender.spatial_bear import cursor, rest, select, select_bones, set_key, settings

ARM = {
    "root": ((0, 0.5, 0), (0, 0.5, 0.3), None),
    "upper": ((0, 0, 0), (0, -0.1, 1), "root"),
    "lower": ((0, -0.1, 1), (0, 0, 2), "upper"),
    "hand": ((0, 0, 2), (0, 0, 2.3), "lower"),
    "control": ((0, 0, 2), (0, 0, 2.3), "root"),
    "goal": ((0, 0, 2), (0, 0, 2.2), "control"),
}


@pytest.fixture
def arm(make_rig, posewright):
    """The arm reaches for a locked bone of a control that, like the arm, hangs from a turned root."""
    rig = make_rig(ARM, name="Arm", location=(1, 2, 0))
    reach = rig.pose.bones["lower"].constraints.new("IK")
    reach.target, reach.subtarget, reach.chain_count = rig, "goal", 2
    copy = rig.pose.bones["hand"].constraints.new("COPY_ROTATION")
    copy.target, copy.subtarget = rig, "control"
    rig.pose.bones["goal"].lock_location = (True, True, True)
    bpy.ops.posewright.spatial_set_add(name="Reach")
    for name, place, away in (
        ("near", (0.2, -0.5, 1.2), (0.3, 0, -0.5)),
        ("far", (-0.4, -0.6, 1.8), (0, 0, -0.3)),
    ):
        rest(rig)
        rig.pose.bones["root"].rotation_mode = "XYZ"
        rig.pose.bones["root"].rotation_euler = (0.1, 0.4, 0.2)
        rig.pose.bones["control"].location = away
        set_key(rig, place, name)
    return rig


def reach_with(rig, *bones):
    select_bones(rig, *bones)
    bpy.ops.posewright.spatial_reach_add()
    settings(rig).live = True
    return [(each.bone, each.use_location) for each in settings(rig).sets[0].effectors]


def tip(rig, bone):
    bpy.context.view_layer.update()
    return np.array(rig.matrix_world @ rig.pose.bones[bone].tail)


@pytest.mark.parametrize("selected", [("control",), ("hand",), ("lower", "hand")])
def test_the_control_of_an_arm_is_moved_and_the_hand_meets_the_cursor(arm, selected):
    assert reach_with(arm, *selected) == [("control", True)]
    for place in ((0.3, -0.6, 1.3), (-0.5, 0.2, 1.6)):
        cursor(arm).location = place
        bpy.context.view_layer.update()
        there = np.array(cursor(arm).matrix_world.translation)
        assert tip(arm, "control") == pytest.approx(there, abs=1e-5)
        assert tip(arm, "hand") == pytest.approx(there, abs=2e-3)
    assert settings(arm).live


def test_a_control_turns_with_its_target(arm):
    reach_with(arm, "control")
    ball = bpy.data.objects.new("Ball", None)
    bpy.context.scene.collection.objects.link(ball)
    reach = settings(arm).sets[0].effectors[0]
    reach.target, reach.use_rotation = ball, True
    ball.location, ball.rotation_euler = (1.3, 1.6, 1.4), (0.5, 0.3, -0.4)
    assert tip(arm, "control") == pytest.approx(ball.location, abs=1e-5)
    axes = (arm.matrix_world @ arm.pose.bones["control"].matrix).to_3x3()
    wanted = ball.matrix_world.to_3x3() @ arm.data.bones["control"].matrix_local.to_3x3()
    np.testing.assert_allclose(axes, wanted, atol=1e-5)


def test_what_reaches_and_how_acts_at_once(arm):
    """No cursor moves meanwhile."""
    settings(arm).live = True
    cursor(arm).location = (0.3, -0.6, 1.3)
    by_poses = tip(arm, "control")
    there = np.array(cursor(arm).matrix_world.translation)
    reach_with(arm, "control")
    assert tip(arm, "control") == pytest.approx(there, abs=1e-5)
    reach = settings(arm).sets[0].effectors[0]
    reach.use_location, reach.chain_length = False, 1
    assert tip(arm, "control") != pytest.approx(there, abs=1e-2), "it turns, and is too far away"
    reach.use_location = True
    assert tip(arm, "control") == pytest.approx(there, abs=1e-5)
    reach.use_keys = True
    assert tip(arm, "control") == pytest.approx(by_poses, abs=0.1)
    reach.use_keys = False
    bpy.ops.posewright.spatial_reach_remove()
    assert tip(arm, "control") == pytest.approx(by_poses, abs=1e-5)


def test_a_bone_that_cannot_be_moved_is_told(make_rig, panel):
    rig = make_rig({"upper": ((0, 0, 0), (0, 0, 1), None), "lower": ((0, 0, 1), (0, 0, 2), "upper")})
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["lower"].use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.posewright.spatial_set_add()
    set_key(rig, (1, 0, 1), "one")
    reach_with(rig, "lower")
    reach = settings(rig).sets[0].effectors[0]
    for moved in (True, False):
        reach.use_location = moved
        assert ("lower is connected to its parent" in panel()) == moved


def test_a_file_carries_that_a_control_is_moved(arm, posewright):
    reach_with(arm, "control")
    exchange = importlib.import_module(f"{posewright.__name__}.bridge.spatial.making.exchange")
    made, _ = exchange.from_json(arm, exchange.to_json(arm, settings(arm).sets[0]))
    assert [(each.bone, each.use_location) for each in made.effectors] == [("control", True)]


@pytest.fixture
def human(posewright):
    from benchmarks.character_files import generate_rigify

    rig = generate_rigify()
    select(rig)
    return rig


def set_keys(rig, **keys):
    """Each with the place of its marker and the locations of controls."""
    for name, (marker, locations) in keys.items():
        for control, location in locations.items():
            rig.pose.bones[control].location = location
        bpy.context.view_layer.update()
        set_key(rig, marker, name)


def test_rigify_reaches_with_its_hand_and_nothing_warns(human, posewright, session):
    upkeep = importlib.import_module(f"{posewright.__name__}.bridge.spatial.making.upkeep")

    def complaints():
        return upkeep.complaints(human, settings(human).sets[0], bpy.context.scene)

    bpy.ops.posewright.spatial_set_add(name="Hand")
    set_keys(
        human,
        near=((0.3, -0.5, 1.2), {"hand_ik.L": (0, 0, 0)}),
        far=((0.7, -0.4, 1.4), {"hand_ik.L": (0.05, -0.1, 0.1)}),
    )
    assert reach_with(human, "hand_ik.L") == [("hand_ik.L", True)]
    assert complaints() == []
    performance = session(human, bpy.context.scene)
    performance.start_recording(24.0)
    for time, place in ((1.0, (0.35, -0.35, 1.2)), (9.0, (0.45, -0.25, 1.4))):
        performance.move_cursor(human.matrix_world @ Vector(place))
        assert tip(human, "DEF-hand.L") == pytest.approx(place, abs=5e-3)
        performance.record(time)
    performance.write(error=None)
    performance.end()
    bpy.context.scene.frame_set(1)
    assert tip(human, "DEF-hand.L") == pytest.approx((0.35, -0.35, 1.2), abs=5e-3)
    human.pose.bones["root"].location.x = 0.5  # carries the control, though it does not hang from it
    bpy.context.view_layer.update()
    assert len(complaints()) == 1
    assert "Constraints pose hand_ik.L" in complaints()[0]


def legs_in(rig, way):
    for side in "LR":
        rig.pose.bones[f"thigh_parent.{side}"]["IK_FK"] = float(way == "FK")
    rig.update_tag()
    bpy.context.view_layer.update()


@pytest.mark.parametrize("listed", [False, True])
def test_rigify_walks_by_the_controls_of_its_feet(human, listed):
    """Found by themselves, unless its legs are in FK, or listed by hand."""
    bpy.ops.posewright.spatial_set_add(name="Walk")
    low = {"torso": (0, 0, -0.05)}  # so that no leg is stretched
    set_keys(
        human,
        left=((0, -0.5, 1.5), {"foot_ik.L": (0, -0.2, 0), "foot_ik.R": (0, 0.2, 0), **low}),
        right_up=((0.5, -0.5, 1.0), {"foot_ik.L": (0, 0, 0), "foot_ik.R": (0, 0, 0.12)}),
        right=((0, -0.5, 0.5), {"foot_ik.L": (0, 0.2, 0), "foot_ik.R": (0, -0.2, 0)}),
        left_up=((-0.5, -0.5, 1.0), {"foot_ik.L": (0, 0, 0.12), "foot_ik.R": (0, 0, 0)}),
    )
    settings(human).use_locomotion = True
    path = [{"name": "", "place": (0.0, -y, 0.0), "seconds": 0.0} for y in np.linspace(0.0, 3.0, 20)]
    legs_in(human, "FK")
    with pytest.raises(RuntimeError, match="add under Walk the controls that place its feet"):
        bpy.ops.posewright.spatial_doodle(path=path)
    legs_in(human, "IK")
    if listed:
        select_bones(human, "foot_ik.L", "foot_ik.R")
        bpy.ops.posewright.spatial_contact_add(end="HEAD")
    for contact in settings(human).contacts:
        sole = human.data.bones[contact.bone].head_local.z
        assert contact.offset == pytest.approx(sole), "filled in, as it is at rest"
    assert bpy.ops.posewright.spatial_doodle(path=path) == {"FINISHED"}
    feet = []
    for frame in range(1, round(human.animation_data.action.frame_range[1]) + 1):
        bpy.context.scene.frame_set(frame)
        feet.append([human.matrix_world @ human.pose.bones[f"DEF-foot.{side}"].head for side in "LR"])
    feet = np.array(feet)
    went = np.linalg.norm(np.diff(feet, axis=0), axis=2)
    stands = feet[1:, :, 2] < feet[..., 2].min() + 0.01
    assert feet[0, :, 1].mean() - feet[-1, :, 1].mean() > 2.5
    assert went[stands].mean() < 0.15 * went.mean()
