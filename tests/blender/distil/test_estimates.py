# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors that are shown at first: worked out by the skeleton, or played by Blender where more poses bones."""

from dataclasses import replace

import bpy
import numpy as np
import pytest


@pytest.fixture
def estimating(distil):
    from bl_ext.user_default.posewright.bridge import steps
    from bl_ext.user_default.posewright.bridge.distil.solving import calibration, played_joints, settings

    distil.calibration, distil.joints, distil.settings = calibration, played_joints.PlayedJoints, settings
    distil.run = steps.run
    return distil


def read(estimating, rig):
    """What the rig plays, as an analysis sees it, and what works out its joints."""
    asked = estimating.settings.settings_of(rig, bpy.context.scene)
    source = estimating.run(estimating.analysis.source_in_steps(rig, asked))
    played = estimating.sampling.sample(rig, source.motion.frames, bones=asked.matter, sides=True)
    return source, played, estimating.joints.of(rig, source.paths, asked.matter, played, source.values)


@pytest.mark.parametrize("mode", ["XYZ", "ZXY", "QUATERNION", "AXIS_ANGLE"])
def test_joints_are_where_blender_plays_them(estimating, make_rig, mode):
    """For values that were never played, bones that follow in other ways, an armature that was moved."""
    rig = make_rig(3, rotation_mode=mode)
    paths = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
    turns = estimating.actions.Channel(f'pose.bones["bone 1"].{paths.get(mode, "rotation_euler")}', 0)
    action, slot = estimating.actions.new_action("Poses", rig)
    estimating.actions.assign(rig, action, slot)
    width = len(getattr(rig.pose.bones["bone 1"], paths.get(mode, "rotation_euler")))
    channels = [
        replace(turns, path=turns.path.replace("bone 1", f"bone {bone}"), index=index)
        for bone in range(3)
        for index in range(width)
    ]
    channels += [estimating.actions.Channel('pose.bones["bone 0"].location', index) for index in range(3)]
    channels += [estimating.actions.Channel('pose.bones["bone 1"].scale', index) for index in range(3)]
    rng = np.random.default_rng(4)
    values = rng.normal(size=(30, len(channels)))
    values[:, -3:] = rng.uniform(0.5, 2.0, (30, 3))
    curves = estimating.actions.ensure_curves(estimating.actions.bag_of(action, slot, create=True), channels)
    frames = np.arange(1.0, 31.0)
    estimating.write(curves, frames, values)
    rig.data.bones["bone 2"].inherit_scale = "ALIGNED"
    rig.location, rig.scale = (3.0, 2.0, 1.0), (0.1, 0.1, 0.1)
    bpy.context.view_layer.update()
    source, played, joints = read(estimating, rig)
    assert joints is not None
    other = rng.normal(size=source.values.shape)
    other[:, -3:] = rng.uniform(0.5, 2.0, (30, 3))
    estimating.write(curves, frames, other)
    expected = estimating.sampling.sample(rig, frames, bones=rig.data.bones.keys(), sides=True).positions
    np.testing.assert_allclose(joints.positions(other, played.matrices), expected, atol=1e-5)


def with_a_constraint(rig):
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    rig.pose.bones["bone 2"].constraints.new("DAMPED_TRACK").target = target


def with_a_driver(rig):
    driver = rig.pose.bones["bone 2"].driver_add("location", 0).driver
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = rig, 'pose.bones["bone 0"].rotation_euler[0]'
    driver.expression = variable.name


def with_a_moving_armature(rig):
    for frame in (1, 60):
        rig.location.x = frame
        rig.keyframe_insert("location", index=0, frame=frame)


def with_a_layer(rig):
    action = rig.animation_data.action.copy()
    strip = rig.animation_data.nla_tracks.new().strips.new("Layer", 1, action)
    strip.blend_type = "ADD"
    rig.animation_data.action_blend_type = "ADD"


@pytest.mark.parametrize("change", [with_a_constraint, with_a_driver, with_a_moving_armature, with_a_layer])
def test_what_poses_bones_besides_channels_is_left_to_blender(estimating, swinging, change):
    assert read(estimating, swinging)[2] is not None
    change(swinging)
    bpy.context.view_layer.update()
    assert read(estimating, swinging)[2] is None


@pytest.mark.parametrize("change", [None, with_a_constraint, with_a_moving_armature])
@pytest.mark.parametrize("wanted", [3.0, 1.0, 0.2])
def test_the_first_keys_are_within_the_wanted_error(estimating, swinging, change, wanted):
    """And the error that is shown at first is the one that is measured later."""
    if change is not None:
        change(swinging)
    swinging.posewright.wanted_error = wanted
    bpy.ops.posewright.analyze()
    shown = estimating.measuring.estimated(estimating.reductions.get(swinging))
    truth = estimating.measuring.measure(swinging)
    known = change is None
    assert truth.mean_share <= wanted / 100.0 * (1.0001 if known else 1.1)
    assert shown.mean == pytest.approx(truth.mean, rel=1e-3 if known else 0.15)
    if known:
        assert shown.largest == pytest.approx(truth.largest, rel=1e-3)


@pytest.mark.parametrize(
    ("file", "name"), [("Fox.glb", "Run"), ("Soldier.glb", "Walk"), ("RobotExpressive.glb", "Walking")]
)
def test_the_first_keys_of_imported_loops_are_within_the_wanted_error(
    estimating, import_character, file, name
):
    armature = import_character(file, name)
    bpy.ops.posewright.analyze()
    reduction = estimating.reductions.get(armature)
    assert reduction.analysis().loop is not None
    shown, truth = estimating.measuring.estimated(reduction), estimating.measuring.measure(armature)
    assert truth.mean_share <= 0.00501
    assert shown.mean == pytest.approx(truth.mean, rel=0.01)
    assert shown.largest == pytest.approx(truth.largest, rel=0.01)


@pytest.mark.parametrize(
    ("file", "name"), [("Fox.glb", "Run"), ("Soldier.glb", "Walk"), ("Soldier.glb", "Run")]
)
def test_estimates_do_not_rise_where_what_plays_comes_closer(estimating, import_character, file, name):
    """Such clips have keys between the frames, where any number of keys leaves some error."""
    armature = import_character(file, name)
    bpy.ops.posewright.analyze()
    reduction = estimating.reductions.get(armature)
    height = estimating.sampling.height_of(armature)
    for count in range(5, int(reduction.analysis().solutions.counts[-1]) + 1):
        estimating.reduced_action.bake(armature, count)
        shown, truth = estimating.measuring.estimated(reduction), estimating.measuring.measure(armature)
        assert shown.mean == pytest.approx(truth.mean, rel=0.3, abs=5e-4 * height)
        assert shown.largest <= 2.5 * truth.largest


@pytest.mark.parametrize(("bones", "passes"), [("AUTO", 0), ("DEFORM", 0), ("ALL", 1)])
def test_what_the_analysis_sampled_is_not_sampled_again(estimating, swinging, monkeypatch, bones, passes):
    """The original is there already if it counted."""
    swinging.posewright.bones_from = bones
    swinging.data.bones[2].use_deform = False
    asked = estimating.settings.settings_of(swinging, bpy.context.scene)
    found = estimating.run(estimating.analysis.analysis_in_steps(swinging, asked))
    sampled, sample = [], estimating.sampling.sample_in_slices
    monkeypatch.setattr(
        estimating.sampling, "sample_in_slices", lambda *a, **k: (sampled.append(1), sample(*a, **k))[1]
    )
    again = estimating.run(estimating.calibration.calibrated_in_steps(swinging, found, "SMOOTH", asked))
    assert len(sampled) == passes
    assert again.sampled is None, "an analysis that is kept need not keep all joints"


def test_the_largest_error_that_is_shown_first_is_found_between_the_frames_that_tell_the_mean(
    estimating, swinging
):
    """A long clip is measured at every second or third frame, and jerks for one of the others."""
    frames = np.arange(1.0, 1201.0)
    curves = estimating.playing(swinging)
    values = np.sin(0.02 * frames[:, None] + np.arange(len(curves)))
    looked_at = estimating.analysis.spread(len(frames), estimating.analysis.LOOKED_AT)
    values[np.setdiff1d(np.arange(len(frames)), looked_at)[[100, 301, 502]]] += 0.3
    estimating.write(curves, frames, values)
    bpy.ops.posewright.analyze()
    estimate = estimating.measuring.estimated(estimating.reductions.get(swinging))
    assert estimate.largest == pytest.approx(estimating.measuring.measure(swinging).largest, rel=1e-3)
