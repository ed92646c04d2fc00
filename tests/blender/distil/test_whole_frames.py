# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys are on whole frames, whatever rate the source was captured at, unless sub-frames are wanted."""

import importlib

import numpy as np
import pytest

RATE = 24.0 / 30.0  # capture of 30 frames a second in a scene of 24


@pytest.fixture
def captured(make_rig, distil):
    """A swinging chain keyed 30 times a second in a scene of 24 frames: most keys are between frames."""
    rig = distil.swing(make_rig(3, rotation_mode="XYZ"))
    stretch(distil.playing(rig), RATE)
    return rig


def stretch(curves, factor):
    for curve in curves:
        points = np.empty(2 * len(curve.keyframe_points), np.float32)
        curve.keyframe_points.foreach_get("co", points)
        points[::2] *= np.float32(factor)
        curve.keyframe_points.foreach_set("co", points)
        curve.update()


def key_times(distil, rig):
    return distil.actions.key_frames(distil.playing(rig))


def is_whole(frames):
    return bool(np.all(frames == np.round(frames)))


def test_keys_are_on_whole_frames(distil, captured):
    import bpy

    times = key_times(distil, captured)
    assert not is_whole(times)
    frames = np.arange(np.floor(times[0]), np.ceil(times[-1]) + 1)
    original = distil.positions(captured, frames)
    bpy.ops.posewright.analyze()
    for way in ("SMOOTH", "LINEAR", "STEPPED"):
        captured.posewright.interpolation = way
        assert is_whole(key_times(distil, captured))
    captured.posewright.interpolation = "SMOOTH"
    captured.posewright.key_count = 48
    assert distil.error(captured, frames, original) < 0.01
    bpy.ops.posewright.restore()
    assert np.array_equal(key_times(distil, captured), times)


def test_what_barely_goes_on_after_a_whole_frame_ends_there(distil, captured, posewright):
    """Otherwise the last pose would be held for a frame, and a loop would be that much longer."""
    import bpy

    last = key_times(distil, captured)[-1]
    stretch(distil.playing(captured), 31.03 / last)
    bpy.context.scene.frame_end = 31
    scene_range = importlib.import_module(f"{posewright.__name__}.bridge.distil.scene_range")
    assert scene_range.last_frame_beyond(captured.animation_data.action, bpy.context.scene) is None
    bpy.ops.posewright.analyze()
    assert key_times(distil, captured)[-1] == 31.0


def test_frames_that_drift_stay_as_many(distil, captured, posewright):
    """29.97 frames a second, taken for 30 by an importer: 120 keys end at 120.12."""
    import bpy

    for curve in distil.playing(captured):
        times = np.arange(120.0) * 1.001 + 1.0
        distil.write([curve], times, 0.1 * np.sin((times - 1.0) / 119.119 * 2.0 * np.pi)[:, None])
    bpy.context.scene.frame_end = 120
    scene_range = importlib.import_module(f"{posewright.__name__}.bridge.distil.scene_range")
    assert scene_range.last_frame_beyond(captured.animation_data.action, bpy.context.scene) is None
    bpy.ops.posewright.analyze()
    assert key_times(distil, captured)[-1] == 120.0
    assert distil.reductions.get(captured).analysis().loop


def test_sub_frames_are_kept_if_wanted(distil, captured):
    import bpy

    times = key_times(distil, captured)
    captured.posewright.sub_frames = True
    bpy.ops.posewright.analyze()
    captured.posewright.key_count = 30
    assert not is_whole(key_times(distil, captured))
    assert np.isin(key_times(distil, captured), times).all()


def test_a_part_is_on_whole_frames_too(distil, captured):
    import bpy

    asked = captured.posewright
    asked.range_from, asked.range_start, asked.range_end = "NUMBERS", 20.0, 60.0
    bpy.ops.posewright.analyze()
    times = key_times(distil, captured)
    assert is_whole(times[(times >= 20.0) & (times <= 60.0)])


def test_errors_are_measured_at_the_times_of_the_source_too(distil, captured):
    """A shake between two frames, which no whole frame shows."""
    curve = next(each for each in distil.playing(captured) if each.data_path.endswith("rotation_euler"))
    near = min(curve.keyframe_points, key=lambda point: abs(point.co.x - 40.4))
    assert near.co.x % 1.0 > 0.2
    near.co.y += 2.0
    curve.update()
    distil.analyse.analyse(captured, bpy_scene())
    distil.reduced_action.bake(captured, 90)
    assert distil.measuring.measure(captured).largest > 0.5


def test_switches_change_on_the_frame_that_shows_it(distil, captured):
    import bpy

    captured["look"] = 0
    action = captured.animation_data.action
    bag = distil.actions.bag_of(action, distil.actions.slot_of(captured))
    curve = distil.actions.ensure_curves(bag, [distil.actions.Channel('["look"]', 0)])[0]
    distil.write([curve], np.array([1.6, 10.4, 10.8, 20.0]), np.array([[0.0], [1.0], [2.0], [3.0]]))
    for point in curve.keyframe_points:
        point.interpolation = "CONSTANT"
    shown = [curve.evaluate(frame) for frame in range(1, 30)]
    bpy.ops.posewright.analyze()
    reduced = next(each for each in distil.playing(captured) if each.data_path == '["look"]')
    assert is_whole(distil.actions.key_points(reduced)[:, 0])
    assert [reduced.evaluate(frame) for frame in range(1, 30)] == shown


def test_detail_gives_back_what_whole_frames_show(distil, captured):
    import bpy

    frames = np.arange(1.0, 96.0)
    original = distil.positions(captured, frames)
    bpy.ops.posewright.analyze()
    captured.posewright.key_count = 6
    captured.posewright.detail = 1.0
    assert np.abs(distil.positions(captured, frames) - original).max() < 1e-4


def test_times_beside_frames_are_found(distil):
    frames, keyed = np.arange(1.0, 6.0), np.array([0.5, 1.005, 2.4, 2.995, 3.0, 4.5, 5.0, 5.5])
    assert distil.sampling.with_key_times(frames, keyed).tolist() == [1.0, 2.0, 2.4, 3.0, 4.0, 4.5, 5.0]


@pytest.mark.parametrize("name", ["Knight.glb", "Samba_Dancing.fbx", "Fox.glb"])
def test_characters_from_import(distil, import_character, name):
    armature = import_character(name)
    distil.analyse.analyse(armature, bpy_scene())
    assert is_whole(key_times(distil, armature))


def bpy_scene():
    import bpy

    return bpy.context.scene
