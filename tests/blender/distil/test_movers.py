# SPDX-License-Identifier: GPL-3.0-or-later
"""From when to when something moves an armature from outside: whatever does, and nothing else."""

import bpy
import numpy as np
import pytest


@pytest.fixture
def movers(distil):
    from bl_ext.user_default.posewright.bridge.distil.baked_first import movers

    return movers


@pytest.fixture
def held(make_rig):
    """A bone goes where an empty does, which moves on frames 1 to 10."""
    rig = make_rig(2)
    rig.pose.bones[0].constraints.new("COPY_LOCATION").target = in_scene("Target", moves=(1, 10))
    return rig


def in_scene(name, moves=None, data=None):
    thing = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(thing)
    if moves is not None:
        key(thing, "location", *moves)
    return thing


def key(thing, path, first, last):
    """Something other than it was, from one frame to another."""
    for frame, add in ((first, 0.0), (last, 1.0)):
        value = getattr(thing, path)
        if isinstance(value, float):
            setattr(thing, path, value + add)
        else:
            value[0] += add
        thing.keyframe_insert(path, frame=frame)


def frames_of(movers, rig):
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 250
    found = movers.frames_of_what_moves(rig, bpy.context.scene)
    return found[0], found[-1]


def test_what_carries_an_armature_moves_bones_that_are_held_in_the_world(distil, movers, held):
    held.parent = in_scene("Cart", moves=(1, 50))
    assert frames_of(movers, held) == (1, 50)
    original = distil.positions(held, np.arange(1.0, 51.0))
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    held.posewright.detail = 1.0
    assert np.abs(distil.positions(held, np.arange(1.0, 51.0)) - original).max() < 1e-4


def test_the_time_on_a_path_counts(movers, held):
    curve = bpy.data.curves.new("Path", "CURVE")
    curve.splines.new("POLY").points.add(1)
    held.pose.bones[1].constraints.new("FOLLOW_PATH").target = in_scene("Path", data=curve)
    assert frames_of(movers, held) == (1, 250), "without keys it goes on by itself"
    key(curve, "eval_time", 5, 70)
    assert frames_of(movers, held) == (1, 70)


def test_what_drives_a_bone_counts_though_it_is_no_object(movers, held):
    mesh = bpy.data.meshes.new("Face")
    mesh.from_pydata([(0, 0, 0)], [], [])
    face = in_scene("Face", data=mesh)
    face.shape_key_add(name="Basis")
    smile = face.shape_key_add(name="Smile")
    smile.value = 0.0
    key(smile, "value", 1, 40)
    driver = held.pose.bones[1].driver_add("location", 0).driver
    variable = driver.variables.new()
    variable.targets[0].id_type, variable.targets[0].id = "KEY", mesh.shape_keys
    variable.targets[0].data_path = smile.path_from_id("value")
    assert frames_of(movers, held) == (1, 40)


def test_what_is_muted_moves_nothing(movers, held):
    constraint = held.pose.bones[1].constraints.new("COPY_LOCATION")
    constraint.target = in_scene("Far", moves=(1, 90))
    assert frames_of(movers, held) == (1, 90)
    constraint.mute = True
    assert frames_of(movers, held) == (1, 10)


def test_a_first_key_a_little_before_its_frame_loses_none(movers, make_rig):
    rig = make_rig(2)
    rig.pose.bones[0].constraints.new("COPY_LOCATION").target = in_scene("Target", moves=(0.995, 1.5))
    assert frames_of(movers, rig) == (1, 2)
    rig.pose.bones[0].constraints[0].target = in_scene("Other", moves=(0.995, 1.008))
    assert frames_of(movers, rig) == (1, 2), "one frame is no motion"


def test_what_goes_on_after_its_keys_has_no_end(distil, movers, held):
    [curve, *_] = distil.playing(held.pose.bones[0].constraints[0].target)
    assert frames_of(movers, held) == (1, 10)
    curve.extrapolation = "LINEAR"
    assert frames_of(movers, held) == (1, 250)
    for point in curve.keyframe_points:
        point.interpolation = "CONSTANT"
    assert frames_of(movers, held) == (1, 10), "its ends are level"


def test_what_is_muted_does_not_go_on(distil, movers, held):
    target = held.pose.bones[0].constraints[0].target
    cycles = distil.playing(target)[0].modifiers.new("CYCLES")
    driver = target.driver_add("scale", 0)
    driver.driver.expression = "frame"
    assert frames_of(movers, held) == (1, 250)
    cycles.mute = True
    assert frames_of(movers, held) == (1, 250)
    driver.mute = True
    assert frames_of(movers, held) == (1, 10)


def test_what_a_muted_driver_looks_at_moves_nothing(movers, held):
    driver = held.pose.bones[1].driver_add("location", 0)
    variable = driver.driver.variables.new()
    variable.targets[0].id = in_scene("Far", moves=(1, 90))
    variable.targets[0].data_path = "location.x"
    assert frames_of(movers, held) == (1, 90)
    driver.mute = True
    assert frames_of(movers, held) == (1, 10)
