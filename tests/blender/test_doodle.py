# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion doodles: a path on the ground is walked along, and feet that stand stay where they stand."""

from __future__ import annotations

import importlib

import bpy
import numpy as np
import pytest
from mathutils import Vector

from core import metrics
from core.feet.contacts import find_contacts
from tests.blender.spatial_bear import settings

FPS = 24
WALKERS = ["bear", "Soldier.glb", "Knight.glb", "Samba_Dancing.fbx", "walk_elderly.bvh"]


@pytest.fixture
def part(clean_blender):
    def load(name):
        return importlib.import_module(f"{clean_blender.__name__}.{name}")

    return load


@pytest.fixture
def walker(part, import_character):
    """A character with a set that walks, which need not be the active one."""

    def load(name):
        bpy.context.scene.render.fps = FPS
        if name == "bear":
            return part("bridge.ready.bear_acting").add_bear()
        rig = import_character(name)
        rig.animation_data_clear()  # what it played would go on after the walk
        bpy.ops.posewright.spatial_set_ready(kind="WALK")
        return rig

    return load


def bend(height, turns=1.0):
    """(n, 2) a path like an S, over four heights."""
    t = np.linspace(0.0, 1.0, 80)
    return height * np.stack([np.sin(2 * np.pi * turns * t), -4.0 * t], axis=1) + [3.0 * height, height]


def steps_of(path, seconds=None):
    times = np.zeros(len(path)) if seconds is None else seconds
    return [
        {"name": "", "place": (*place, 0.0), "seconds": time}
        for place, time in zip(path.tolist(), times.tolist(), strict=True)
    ]


def doodle(path, seconds=None, **options):
    return bpy.ops.posewright.spatial_doodle(path=steps_of(path, seconds), **options)


def last_frame(rig):
    return round(rig.animation_data.action.frame_range[1])


def played(rig, part):
    """(F, P, 3) heads and ends of the feet, (F, 3) hips and (F, 2) where the body faces, as Blender plays."""
    found = part("bridge.character").describe(rig)
    ends = part("bridge.spatial.posing.forward_kinematics").bone_ends(rig)
    names = rig.pose.bones.keys()
    points, hips, faces = [], [], []
    across = [names.index(leg.upper) for leg in found.legs]
    for frame in range(1, last_frame(rig) + 1):
        bpy.context.scene.frame_set(frame)
        bones, world = rig.pose.bones, rig.matrix_world
        points.append(
            [
                end
                for leg in found.legs
                for bone in (leg.end, *([leg.tip] if leg.tip else []))
                for end in (
                    world @ bones[bone].head,
                    world @ bones[bone].matrix @ Vector(ends[names.index(bone)]),
                )
            ]
        )
        hips.append(world @ bones[found.hips].head)
        left, right = (world @ bones[row].head for row in across)
        faces.append(((left - right).y, -(left - right).x))
    faces = np.array(faces)
    return np.array(points), np.array(hips), faces / np.linalg.norm(faces, axis=1, keepdims=True)


def slides(rig, points, height):
    feet = [row * 2 // points.shape[1] for row in range(points.shape[1])]
    contacts = find_contacts(points, height=height, fps=FPS, feet=feet)
    return metrics.slides(points, contacts) / height


def distance_to(path, places):
    fine = np.stack(
        [np.interp(np.linspace(0, len(path) - 1, 4000), np.arange(len(path)), c) for c in path.T], 1
    )
    return np.array([np.linalg.norm(fine - place, axis=1).min() for place in places])


@pytest.mark.parametrize("name", WALKERS)
def test_a_path_is_walked_along_and_feet_hold(walker, part, name):
    rig = walker(name)
    height = part("bridge.character").height_of(rig)
    path = bend(height)
    assert doodle(path) == {"FINISHED"}
    points, hips, faces = played(rig, part)
    assert distance_to(path, hips[:, :2]).max() < 0.07 * height, "corners are rounded, no more"
    assert np.linalg.norm(hips[0, :2] - path[0]) < 0.05 * height
    assert np.linalg.norm(hips[-1, :2] - path[-1]) < 0.05 * height
    ways = np.diff(hips[:, :2], axis=0)
    assert np.ptp(np.linalg.norm(ways, axis=1)[1:-2]) < 0.05 * np.linalg.norm(ways, axis=1).mean(), "steadily"
    ahead = ways / np.linalg.norm(ways, axis=1, keepdims=True)
    assert np.median(np.sum(ahead * faces[:-1], axis=1)) > 0.9, "it looks where it goes"
    slid = slides(rig, points, height)
    assert len(slid) > 10
    assert slid.mean() < 0.01
    assert slid.max() < 0.015
    lowest = points[..., 2].min(axis=1)
    assert lowest.min() > np.median(lowest) - 0.03 * height, "nothing sinks in"


@pytest.mark.parametrize("name", ["bear", "Soldier.glb"])
def test_on_a_bend_feet_slide_no_more_than_straight_ahead(walker, part, name):
    rig = walker(name)
    height = part("bridge.character").height_of(rig)
    slid = {}
    for turns in (0.0, 1.0):
        bpy.context.scene.frame_set(1)
        doodle(bend(height, turns) if turns else bend(height) * [0.0, 1.0])
        slid[turns] = slides(rig, played(rig, part)[0], height).mean()
    assert slid[1.0] < slid[0.0] + 0.002


def test_the_set_that_walks_takes_over_and_the_take_is_plain_keys(walker, part):
    bear = walker("bear")
    assert settings(bear).set_index == 0
    doodle(bend(1.6))
    assert settings(bear).sets[settings(bear).set_index].name == "Walk"
    assert settings(bear).sets["Walk"].influence == 1.0
    actions = part("bridge.actions")
    paths = {curve.data_path for curve in actions.curves_of(bear)}
    assert {"location", "rotation_euler"} <= paths
    assert not settings(bear).live, "what was written plays"
    assert len(actions.key_frames(actions.curves_of(bear))) == last_frame(bear)


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "ZXY"])
def test_the_object_may_turn_in_any_mode_below_a_parent(walker, part, mode):
    bear = walker("bear")
    bear.rotation_mode = mode
    carrier = bpy.data.objects.new("carrier", None)
    bpy.context.scene.collection.objects.link(carrier)
    carrier.location, carrier.rotation_euler, carrier.scale = (2, 1, 0), (0, 0, 0.8), (1.5, 1.5, 1.5)
    bear.parent = carrier
    bpy.context.view_layer.update()
    height = part("bridge.character").height_of(bear)
    path = bend(height)
    doodle(path)
    points, hips, _ = played(bear, part)
    assert distance_to(path, hips[:, :2]).max() < 0.07 * height
    assert slides(bear, points, height).max() < 0.015


def test_few_keys_if_wanted_keep_every_joint_within_the_error(walker, part):
    bear = walker("bear")
    path = bend(1.6)
    doodle(path)
    whole = played(bear, part)[0]
    bpy.context.scene.frame_set(1)
    settings(bear).record_keys, settings(bear).record_error = "DISTIL", 0.01
    doodle(path)
    actions = part("bridge.actions")
    assert len(actions.key_frames(actions.curves_of(bear))) < 0.7 * len(whole)
    assert np.linalg.norm(played(bear, part)[0] - whole, axis=2).max() < 0.0101


def test_it_does_not_matter_where_it_stood(walker, part):
    bear = walker("bear")
    path = bend(1.6)
    doodle(path)
    first = played(bear, part)[0]
    bear.animation_data_clear()
    bear.location, bear.rotation_euler = (40.0, -30.0, 0.0), (0.0, 0.0, 2.0)
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(1)
    doodle(path)
    assert np.abs(played(bear, part)[0] - first).max() < 1e-3


def test_as_drawn_it_goes_when_the_hand_went(walker, part):
    bear = walker("bear")
    path = np.stack([np.zeros(40), -np.linspace(0.0, 6.0, 40)], axis=1)
    seconds = np.where(np.arange(40) < 20, np.arange(40) * 0.05, 1.0 + (np.arange(40) - 20) * 0.15)
    doodle(path, seconds, timing="DRAWN")
    assert last_frame(bear) == int(seconds[-1] * FPS) + 1
    hips = played(bear, part)[1]
    expected = np.interp(np.arange(len(hips)) / FPS, seconds, path[:, 1])
    assert np.abs(hips[:, 1] - expected).max() < 0.05


def test_more_steps_a_second_take_less_time(walker):
    bear = walker("bear")
    doodle(bend(1.6), pace=1.0)
    slow = last_frame(bear)
    bpy.context.scene.frame_set(1)
    bear.animation_data.action = None
    doodle(bend(1.6), pace=2.0)
    assert last_frame(bear) == pytest.approx(slow / 2, abs=2)


def test_a_curve_is_walked_along(walker, part):
    bear = walker("bear")
    data = bpy.data.curves.new("way", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("POLY")
    path = bend(1.6)
    spline.points.add(len(path) - 1)
    for point, place in zip(spline.points, path, strict=True):
        point.co = (*place, 0.4, 1.0)
    curve = bpy.data.objects.new("way", data)
    bpy.context.scene.collection.objects.link(curve)
    curve.location = (1, 2, 0)
    assert bpy.ops.posewright.spatial_doodle(curve="way") == {"FINISHED"}
    hips = played(bear, part)[1]
    assert distance_to(path + np.array([1, 2]), hips[:, :2]).max() < 0.12
    data.bevel_depth = 0.1
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match="take away its bevel"):
        bpy.ops.posewright.spatial_doodle(curve="way")
    with pytest.raises(RuntimeError, match="no curve called"):
        bpy.ops.posewright.spatial_doodle(curve="bear")


def test_a_closed_curve_ends_where_it_began(walker, part):
    bear = walker("bear")
    bpy.ops.curve.primitive_bezier_circle_add(radius=3.0)
    circle = bpy.context.object
    bpy.context.view_layer.objects.active = bear
    bpy.ops.posewright.spatial_doodle(curve=circle.name)
    hips = played(bear, part)[1]
    assert np.linalg.norm((hips[0] - hips[-1])[:2]) < 0.2
    assert np.linalg.norm(hips[:, :2], axis=1) == pytest.approx(3.0, abs=0.1)


def hold_rest(bear):
    bear.data.pose_position = "REST"
    return "shows its rest position: choose Pose Position"


def hold_object(bear):
    bear.constraints.new("COPY_LOCATION").target = bpy.data.objects.new("anchor", None)
    return "Constraints or drivers place Bear, so it would not walk along the path: mute them first"


def drive_object(bear):
    bear.driver_add("location", 0).driver.expression = "0.0"
    return "Constraints or drivers place Bear"


def hold_foot(bear):
    bear.pose.bones["foot.L"].constraints.new("COPY_ROTATION").target = bear
    return "Constraints or drivers pose foot.L, so Bear cannot step with them: mute them first, or add"


def drive_leg(bear):
    leg = bear.pose.bones["foot.R"].parent
    leg.driver_add("rotation_euler", 0).driver.expression = "0.0"
    return "Constraints or drivers pose foot.R, so"


@pytest.mark.parametrize("hold", [hold_rest, hold_object, drive_object, hold_foot, drive_leg])
def test_what_cannot_move_is_refused_with_what_to_do(walker, hold):
    bear = walker("bear")
    said = hold(bear)
    before = set(bpy.data.actions)
    with pytest.raises(RuntimeError, match=said):
        doodle(bend(1.6))
    assert set(bpy.data.actions) == before
    assert settings(bear).set_index == 0


def test_limits_of_a_leg_do_not_keep_it_from_walking(walker):
    bear = walker("bear")
    bear.pose.bones["foot.L"].constraints.new("LIMIT_ROTATION")
    assert doodle(bend(1.6)) == {"FINISHED"}


def test_what_was_there_stays_and_takes_are_kept(walker, part):
    bear = walker("bear")
    bear.keyframe_insert("location", frame=1)
    mine = bear.animation_data.action
    before = part("bridge.actions").key_frames(part("bridge.actions").curves_of(bear)).tolist()
    settings(bear).record_takes = True
    doodle(bend(1.6))
    assert bear.animation_data.action != mine
    bag = part("bridge.actions").bags_in(mine)
    assert (
        sorted({key.co.x for _, each in bag for curve in each.fcurves for key in curve.keyframe_points})
        == before
    )
    assert len(part("bridge.spatial.takes.kept_takes").takes_of(bear)) == 1


def test_what_plays_before_a_walk_stays_where_it_was(walker):
    """The object has keys from the walk on alone, and stood where that begins in all frames before."""
    bear = walker("bear")
    for frame in (1, 30):
        bear.pose.bones["head"].keyframe_insert("rotation_quaternion", frame=frame)
    frames = range(1, 30)

    def placed():
        found = []
        for frame in frames:
            bpy.context.scene.frame_set(frame)
            found.append(np.array(bear.matrix_world))
        return np.array(found)

    before = placed()
    for path in (bend(1.6), bend(1.6) + 1.0):  # and not of another walk from there on
        bpy.context.scene.frame_set(30)
        assert doodle(path) == {"FINISHED"}
        np.testing.assert_allclose(placed(), before, atol=1e-6)
        bpy.context.scene.frame_set(30)
        assert bear.matrix_world.translation.length > 1.0, "there it begins"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (np.zeros((2, 2)), "no length"),
        (np.array([[0.0, 0.0], [0.0, 0.05]]), "less than a step"),
        (np.zeros((0, 2)), "There is no path"),
    ],
)
def test_what_cannot_be_walked_is_told_and_changes_nothing(walker, path, said):
    bear = walker("bear")
    before = [each.influence for each in settings(bear).sets]
    with pytest.raises(RuntimeError, match=said):
        doodle(path)
    assert bear.animation_data is None
    assert settings(bear).set_index == 0
    assert [each.influence for each in settings(bear).sets] == before


def test_keys_that_do_not_walk_are_told(walker):
    bear = walker("bear")
    settings(bear).set_index = 1
    bpy.ops.posewright.spatial_set_remove()
    with pytest.raises(RuntimeError, match="does not carry Bear along"):
        doodle(bend(1.6))


def test_who_has_no_feet_is_told(make_rig):
    rig = make_rig(2)
    bpy.ops.posewright.spatial_set_add()
    bpy.ops.posewright.spatial_key_add()
    with pytest.raises(RuntimeError, match="no feet that are found"):
        doodle(bend(1.6))
    assert rig.animation_data is None


def test_the_bear_walks_by_hand_as_well_though_it_bows_lower_in_another_set(walker, part):
    bear = walker("bear")
    bpy.ops.posewright.spatial_set_switch(index=1)
    settings(bear).use_locomotion = True
    ring = part("core.spatial").Ring(
        part("bridge.spatial.blending.mapping_cache").mapping_of(bear, settings(bear).sets["Walk"]).places
    )
    path = [{"name": "", "frame": n + 1, "place": ring.at([n / 24.0])[0]} for n in range(73)]
    bpy.ops.posewright.bake_cursor(path=path)
    bpy.context.scene.frame_set(73)
    assert bear.location.length > 0.5
