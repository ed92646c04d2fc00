# SPDX-License-Identifier: GPL-3.0-or-later
"""A part of an action is reduced; the rest plays as it did and the joints are smooth."""

import numpy as np
import pytest

FIRST, LAST = 40, 80


def analyse_part(rig, first=FIRST, last=LAST):
    import bpy

    asked = rig.posewright
    asked.range_from, asked.range_start, asked.range_end = "NUMBERS", first, last
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    assert asked.problem == ""


def values(distil, rig, frames):
    return distil.actions.read_values(distil.playing(rig), np.asarray(frames, float))


BEFORE, AFTER = np.arange(1.0, FIRST + 0.1, 0.5), np.arange(float(LAST), 120.5, 0.5)


@pytest.mark.parametrize("way", ["FREE", "SMOOTH", "AUTO", "LINEAR", "STEPPED"])
def test_the_rest_plays_as_it_did(distil, swinging, way):
    before, after = values(distil, swinging, BEFORE), values(distil, swinging, AFTER)
    analyse_part(swinging)
    swinging.posewright.interpolation = way
    for count in (3, 8, 5):
        swinging.posewright.key_count = count
        assert swinging.posewright.problem == ""
        np.testing.assert_allclose(values(distil, swinging, BEFORE), before, atol=1e-6)
        np.testing.assert_allclose(values(distil, swinging, AFTER), after, atol=1e-6)
        curve = distil.playing(swinging)[0]
        inside = [key for key in curve.keyframe_points if FIRST <= key.co[0] <= LAST]
        assert len(inside) == count
        assert len(curve.keyframe_points) == count + (FIRST - 1) + (120 - LAST)


def test_keys_between_the_cuts_are_as_close_as_they_should_be(distil, swinging):
    inside = np.arange(float(FIRST), LAST + 1.0)
    original = values(distil, swinging, inside)
    analyse_part(swinging)
    errors = []
    for count in (3, 6, 12):
        swinging.posewright.key_count = count
        errors.append(np.abs(values(distil, swinging, inside) - original).max())
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.02


@pytest.mark.parametrize("way", ["FREE", "SMOOTH", "AUTO"])
def test_joints_are_smooth(distil, make_rig, way):
    """The slope does not jump at the cuts, also where the source has few keys and a cut is between them."""
    rig = make_rig(1, rotation_mode="XYZ")
    bone = rig.pose.bones[0]
    for frame, x in ((1, 0.0), (30, 2.0), (50, -1.0), (90, 1.0), (120, 0.0)):
        bone.location.x = x
        bone.keyframe_insert("location", index=0, frame=frame)
    before, after = values(distil, rig, BEFORE), values(distil, rig, AFTER)
    analyse_part(rig)
    rig.posewright.interpolation = way
    rig.posewright.key_count = 6
    np.testing.assert_allclose(values(distil, rig, BEFORE), before, atol=1e-4)
    np.testing.assert_allclose(values(distil, rig, AFTER), after, atol=1e-4)
    for cut in (FIRST, LAST):
        left, middle, right = values(distil, rig, [cut - 0.05, cut, cut + 0.05])[:, 0]
        assert (right - middle) == pytest.approx(middle - left, abs=4e-4)


def test_restore_and_apply(distil, swinging):
    import bpy

    source = distil.actions.fingerprint(distil.playing(swinging))
    analyse_part(swinging)
    bpy.ops.posewright.restore()
    assert distil.actions.fingerprint(distil.playing(swinging)) == source
    analyse_part(swinging)
    swinging.posewright.key_count = 4
    bpy.ops.posewright.apply()
    # A second part of what the first left.
    analyse_part(swinging, 81, 110)
    swinging.posewright.key_count = 4
    curve = distil.playing(swinging)[0]
    frames = np.array([key.co[0] for key in curve.keyframe_points])
    assert np.sum((frames >= 40) & (frames <= 80)) == 4
    assert np.sum((frames >= 81) & (frames <= 110)) == 4
    assert np.sum(frames > 110) == 10


def test_detail_of_a_part(distil, swinging):
    frames = np.arange(1.0, 121.0)
    original = distil.positions(swinging, frames)
    analyse_part(swinging)
    swinging.posewright.key_count = 3
    clean = distil.positions(swinging, frames)
    swinging.posewright.detail = 1.0
    assert np.abs(distil.positions(swinging, frames) - original).max() < 1e-4
    swinging.posewright.detail = 0.0
    assert np.abs(distil.positions(swinging, frames) - clean).max() < 1e-4


def test_scene_and_preview_range(distil, swinging):
    import bpy

    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 20, 60
    swinging.posewright.range_from = "SCENE"
    bpy.ops.posewright.analyze()
    assert (distil.state.load(swinging).frames[[0, -1]] == [20, 60]).all()
    scene.use_preview_range = True
    scene.frame_preview_start, scene.frame_preview_end = 30, 500
    swinging.posewright.range_from = "PREVIEW"
    bpy.ops.posewright.analyze()
    assert (distil.state.load(swinging).frames[[0, -1]] == [30, 120]).all()


def test_saved_and_opened_again(distil, swinging, tmp_path):
    import bpy

    before = values(distil, swinging, BEFORE)
    analyse_part(swinging)
    swinging.posewright.key_count = 8
    expected = values(distil, swinging, np.arange(1.0, 121.0))
    swinging.posewright.key_count = 4
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    distil.state._CACHE.clear()
    bpy.ops.wm.open_mainfile(filepath=path)
    rig = bpy.data.objects["Rig"]
    rig.posewright.key_count = 8
    np.testing.assert_allclose(values(distil, rig, BEFORE), before, atol=1e-6)
    np.testing.assert_allclose(values(distil, rig, np.arange(1.0, 121.0)), expected, atol=1e-5)
