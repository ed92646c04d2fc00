# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose poses the curves of an action alone say: whatever else may have a part in them is told."""

import bpy
import pytest


@pytest.fixture
def channel_poses(clean_blender):
    from bl_ext.user_default.posewright.bridge import channel_poses

    return channel_poses


@pytest.fixture
def rig(make_rig, set_keys):
    rig = make_rig(2, rotation_mode="XYZ")
    rig.pose.bones[0]["mood"] = 0.0
    for bone in rig.pose.bones:
        set_keys(bone, "rotation_euler", {1: (0, 0, 0), 10: (1, 0, 0.5)})
    rig.pose.bones[0].keyframe_insert('["mood"]', frame=1)
    return rig


def carrier(rig):
    rig.parent = bpy.data.objects.new("Carrier", None)
    bpy.context.scene.collection.objects.link(rig.parent)
    return rig.parent


def on_a_carrier_that_stands(rig):
    carrier(rig)


def with_a_muted_track(rig):
    track(rig).mute = True


def without_the_nla(rig):
    track(rig)
    rig.animation_data.use_nla = False


@pytest.mark.parametrize(
    "prepare", [lambda rig: None, on_a_carrier_that_stands, with_a_muted_track, without_the_nla]
)
def test_curves_alone_pose_the_bones(channel_poses, rig, prepare):
    prepare(rig)
    assert len(channel_poses.posing_curves(rig)) == 7


def track(rig):
    return rig.animation_data.nla_tracks.new()


def solo(rig):
    one, two = track(rig), track(rig)
    one.mute = two.mute = True
    two.is_solo = True


def hidden_ends(rig):
    rig.animation_data.action_extrapolation = "NOTHING"


def half(rig):
    rig.animation_data.action_influence = 0.5


def added(rig):
    rig.animation_data.action_blend_type = "ADD"


def driven(rig):
    rig.pose.bones[1].driver_add("location", 0)


def with_an_animated_skeleton(rig):
    rig.data.keyframe_insert("show_names", frame=1)


def constrained(rig):
    rig.constraints.new("LIMIT_LOCATION")


def with_a_constrained_bone(rig):
    rig.pose.bones[1].constraints.new("LIMIT_ROTATION")


def on_a_bone(rig):
    other = bpy.data.objects.new("Other", rig.data)
    bpy.context.scene.collection.objects.link(other)
    rig.parent, rig.parent_type, rig.parent_bone = other, "BONE", "bone 0"


def on_a_carrier_on_a_bone(rig):
    on_a_bone(rig)
    above = rig.parent
    middle = carrier(rig)
    rig.parent_type = "OBJECT"
    middle.parent, middle.parent_type, middle.parent_bone = above, "BONE", "bone 0"


def on_a_carrier_that_moves(rig):
    carrier(rig).keyframe_insert("location", frame=1)


def on_a_carrier_that_follows(rig):
    carrier(rig).constraints.new("COPY_LOCATION")


def travelling(rig):
    rig.keyframe_insert("location", frame=1)


def with_a_curve_without_keys(rig):
    from bl_ext.user_default.posewright.bridge import actions

    points = actions.curves_of(rig)[0].keyframe_points
    while len(points):
        points.remove(points[0])


@pytest.mark.parametrize(
    "prepare",
    [
        track,
        solo,
        hidden_ends,
        half,
        added,
        driven,
        with_an_animated_skeleton,
        constrained,
        with_a_constrained_bone,
        on_a_bone,
        on_a_carrier_on_a_bone,
        on_a_carrier_that_moves,
        on_a_carrier_that_follows,
        travelling,
        with_a_curve_without_keys,
    ],
)
def test_something_else_may_have_a_part_in_it(channel_poses, rig, prepare):
    prepare(rig)
    assert channel_poses.posing_curves(rig) is None


def test_nothing_plays(channel_poses, make_rig):
    assert channel_poses.posing_curves(make_rig(1)) is None
