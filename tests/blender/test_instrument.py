# SPDX-License-Identifier: GPL-3.0-or-later
"""An action becomes a spatial set whose keys lie by likeness, and a path drives a take again."""

from __future__ import annotations

import importlib

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.blender.spatial_bear import bear_with_five_keys, local_turn, settings


@pytest.fixture
def instrument(posewright):
    return importlib.import_module(f"{posewright.__name__}.bridge.spatial.making.instrument")


@pytest.fixture
def actions(posewright):
    return importlib.import_module(f"{posewright.__name__}.bridge.actions")


@pytest.fixture
def dense(posewright):
    """Where joints are in every frame as Blender plays it."""
    sampling = importlib.import_module(f"{posewright.__name__}.bridge.sampling")
    return lambda rig: sampling.sample(rig, np.arange(1.0, 362.0)).positions


def analysed(rig, count):
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = count
    return rig


@pytest.mark.parametrize(("clip", "largest"), [("02_01", 0.005), ("13_11", 0.003)])
def test_a_walk_and_a_jump_play_through_thirty_keys(mocap, instrument, clip, largest):
    rig = analysed(mocap(clip), 30)
    made = instrument.make_instrument(rig)
    height = importlib.import_module(
        instrument.__name__.replace("spatial.making.instrument", "character")
    ).height_of(rig)
    assert 24 <= len(made.spatial_set.keys) <= 30  # both ends of a hold are one pose
    assert made.on_the_spot
    assert made.error / height < largest  # measured 0.0045 and 0.0024
    assert made.is_faithful


def test_like_poses_are_near_each_other_and_all_before_the_character(humanoid, instrument):
    rig = analysed(humanoid(6.0), 24)
    made = instrument.make_instrument(rig)
    places = np.array([key.marker.matrix_world.translation for key in made.spatial_set.keys])
    assert np.ptp(places, axis=0).max() == pytest.approx(1.6, abs=0.5)
    assert places[:, 1].max() < 0.0, "it looks along -Y"
    poses = []
    for index in range(len(places)):
        made.spatial_set.key_index = index
        bpy.ops.posewright.spatial_key_go_to()
        poses.append([bone.tail - rig.pose.bones["hips"].head for bone in rig.pose.bones])
    apart = np.linalg.norm(np.array(poses)[:, None] - np.array(poses)[None], axis=-1).mean(axis=-1)
    between = np.linalg.norm(places[:, None] - places[None], axis=-1)
    upper = np.triu_indices(len(places), 1)
    assert np.corrcoef(apart[upper], between[upper])[0, 1] > 0.8


def test_the_path_plays_the_motion_again_in_blender(humanoid, dense):
    rig = analysed(humanoid(3.0, noise=0.0), 16)
    source = rig.posewright.reduced.posewright.source
    bpy.ops.posewright.spatial_set_from_action(in_place=False)
    rig.animation_data.action = source
    before = dense(rig)
    bpy.ops.posewright.spatial_take_again()
    assert rig.animation_data.action != source
    again = dense(rig)
    assert np.linalg.norm(again - before, axis=-1).mean() < 0.02


def test_a_nudged_marker_changes_the_take(make_rig, session):
    rig = bear_with_five_keys(make_rig)
    performance = session(rig, bpy.context.scene)
    places = [(0.0, -1.5, 2.0), (1.5, -1.0, 2.0), (0.0, -1.0, 3.2)]
    performance.start_recording(24.0)
    for time, place in zip((1.0, 11.0, 21.0), places, strict=True):
        performance.move_cursor(Vector(place))
        bpy.context.view_layer.update()
        performance.record(time)
    performance.write(error=None)
    performance.end()
    spatial_set = settings(rig).sets[0]
    path = spatial_set.path
    assert path.parent == rig
    bpy.context.scene.frame_set(11)
    assert tuple(path.matrix_world.translation) == pytest.approx(places[1], abs=1e-5)
    recorded = local_turn(rig, "head")
    bpy.ops.posewright.spatial_take_again()
    bpy.context.scene.frame_set(1)
    bpy.context.scene.frame_set(11)
    np.testing.assert_allclose(local_turn(rig, "head"), recorded, atol=1e-5)
    spatial_set.keys["left"].marker.location.x += 0.8
    bpy.ops.posewright.spatial_take_again()
    bpy.context.scene.frame_set(1)
    bpy.context.scene.frame_set(11)
    assert np.abs(local_turn(rig, "head") - recorded).max() > 0.05


def test_a_path_belongs_to_its_set(make_rig, session, actions):
    rig = bear_with_five_keys(make_rig)
    assert "no path" in why_not("spatial_take_again")
    path_module = importlib.import_module(
        f"{actions.__name__.removesuffix('.actions')}.spatial.takes.cursor_paths"
    )
    frames = np.arange(1.0, 6.0)
    spatial_set = settings(rig).sets[0]
    path_module.keep(rig, spatial_set, frames, np.outer(frames, [0.1, 0.0, 0.0]))
    path_module.keep(rig, spatial_set, frames + 3, np.outer(frames, [0.0, 1.0, 0.0]))
    curves = actions.curves_of(spatial_set.path)
    assert [len(curve.keyframe_points) for curve in curves] == [8] * 3, "what it had before stays"
    assert curves[0].evaluate(3) == pytest.approx(0.3)
    bpy.ops.posewright.spatial_set_remove()
    assert [thing.name for thing in bpy.data.objects if thing.type == "EMPTY"] == []


def why_not(operator):
    try:
        getattr(bpy.ops.posewright, operator)()
    except RuntimeError as error:
        return str(error)
    return ""


def test_a_loop_ends_at_the_key_it_began_with(make_rig, set_keys, instrument):
    rig = make_rig(3)
    turns = {1: 0.0, 11: 0.5, 21: 1.0, 31: 0.5, 41: 0.0}
    for name, scale in (("bone 0", 1.0), ("bone 1", 0.3)):
        values = {frame: (1.0, scale * turn, 0.0, 0.0) for frame, turn in turns.items()}
        set_keys(rig.pose.bones[name], "rotation_quaternion", values)
    made = instrument.make_instrument(rig)
    assert [key.name for key in made.spatial_set.keys] == ["frame 1", "frame 11", "frame 21"]
    assert made.error < 1e-3


def test_selected_keys_make_a_smaller_set(humanoid, actions):
    rig = analysed(humanoid(2.0), 12)
    for curve in actions.curves_of(rig):
        for n, point in enumerate(curve.keyframe_points):
            point.select_control_point = n in (2, 4, 6, 8)
    bpy.ops.posewright.spatial_set_from_action(keys="SELECTED")
    assert len(rig.posewright.spatial.sets[0].keys) == 4


def test_what_cannot_become_a_set_is_told(make_rig, set_keys, humanoid):
    rig = make_rig(2)
    assert "Give it an action" in why_not("spatial_set_from_action")
    set_keys(rig.pose.bones["bone 0"], "location", {1: (0, 0, 0), 9: (0, 0, 1)})
    assert "a set needs 3 or more" in why_not("spatial_set_from_action")
    humanoid(2.0)
    assert "analyze it and choose" in why_not("spatial_set_from_action")
    assert not bpy.context.object.posewright.spatial.sets


def test_a_long_mixed_clip_is_told_to_be_too_much(mocap, instrument):
    made = instrument.make_instrument(analysed(mocap("49_02"), 20))
    assert not made.is_faithful
