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


@pytest.mark.parametrize("way", ["FREE", "SMOOTH", "AUTO"])
def test_a_jump_at_the_cut_stays_outside(distil, swinging, way):
    """Many clips begin with one frame of a T-pose: a part without it is not thrown off by how that leaves."""
    for curve in distil.playing(swinging):
        curve.keyframe_points[0].co.y += 2.0
        curve.keyframe_points[-1].co.y -= 2.0
        curve.update()
    inside = np.arange(2.0, 120.0)
    outside = values(distil, swinging, [1, 120])
    original = distil.positions(swinging, inside)
    analyse_part(swinging, 2, 119)
    swinging.posewright.interpolation = way
    for count in (8, 20):
        swinging.posewright.key_count = count
        distances = np.linalg.norm(distil.positions(swinging, inside) - original, axis=2).mean(axis=1)
        assert distances.max() < 8 * distances.mean()
        np.testing.assert_allclose(values(distil, swinging, [1, 120]), outside, atol=1e-6)


@pytest.mark.parametrize("mode", ["XYZ", "QUATERNION"])
def test_rotations_that_jump_inside_the_part(distil, make_rig, mode):
    """The part ends a turn, or a sign, away from where a continuous curve would: no pose may spin for it."""
    rig = make_rig(1, rotation_mode=mode)
    actions = distil.actions
    action, slot = actions.new_action("Turn", rig)
    actions.assign(rig, action, slot)
    time = np.arange(1.0, 121.0)
    angle = (time * 0.1 + np.pi) % (2 * np.pi) - np.pi
    still = np.zeros(120)
    values = [angle, still, still] if mode == "XYZ" else [np.cos(angle / 2), np.sin(angle / 2), still, still]
    attribute = "rotation_euler" if mode == "XYZ" else "rotation_quaternion"
    channels = [actions.Channel(f'pose.bones["bone 0"].{attribute}', i) for i in range(len(values))]
    bag = actions.bag_of(action, slot, create=True)
    distil.write(actions.ensure_curves(bag, channels), time, np.stack(values, axis=1))
    reference = distil.positions(rig, time)
    analyse_part(rig, 20, 50)
    rig.posewright.key_count = 8
    assert np.abs(distil.positions(rig, time) - reference).max() < 0.02


def test_modifiers_and_parts_do_not_mix(distil, swinging):
    import bpy

    distil.playing(swinging)[0].modifiers.new("NOISE")
    swinging.posewright.range_from, swinging.posewright.range_start = "NUMBERS", 40
    with pytest.raises(RuntimeError, match="has F-curve modifiers, which work on the whole of it"):
        bpy.ops.posewright.analyze()


def test_cycles_go_on_beyond_the_keys(distil, swinging):
    import bpy

    for curve in distil.playing(swinging):
        curve.modifiers.new("CYCLES")
    frames = np.arange(130.0, 200.0, 7.0)
    before = values(distil, swinging, frames)
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 40
    np.testing.assert_allclose(values(distil, swinging, frames), before, atol=0.05)


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
    assert (distil.reductions.get(swinging).analysis().frames[[0, -1]] == [20, 60]).all()
    scene.use_preview_range = True
    scene.frame_preview_start, scene.frame_preview_end = 30, 500
    swinging.posewright.range_from = "PREVIEW"
    bpy.ops.posewright.analyze()
    assert (distil.reductions.get(swinging).analysis().frames[[0, -1]] == [30, 120]).all()


def test_saved_and_opened_again(distil, swinging, tmp_path):
    import bpy

    before = values(distil, swinging, BEFORE)
    analyse_part(swinging)
    swinging.posewright.key_count = 8
    expected = values(distil, swinging, np.arange(1.0, 121.0))
    swinging.posewright.key_count = 4
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    distil.reductions._CACHE.clear()
    bpy.ops.wm.open_mainfile(filepath=path)
    rig = bpy.data.objects["Rig"]
    rig.posewright.key_count = 8
    np.testing.assert_allclose(values(distil, rig, BEFORE), before, atol=1e-6)
    np.testing.assert_allclose(values(distil, rig, np.arange(1.0, 121.0)), expected, atol=1e-5)


@pytest.mark.parametrize(
    ("range_from", "numbers", "said"),
    [
        ("NUMBERS", (100, 50), "go from 100 to 50: let the last come after the first"),
        ("NUMBERS", (30, 30), "go from 30 to 30"),
        ("PREVIEW", (1, 2), "The scene has no preview range"),
    ],
)
def test_a_range_that_cannot_be_meant_says_what_is_wrong_with_it(distil, swinging, range_from, numbers, said):
    import bpy

    state = swinging.posewright
    state.range_from, (state.range_start, state.range_end) = range_from, numbers
    with pytest.raises(RuntimeError, match=said):
        bpy.ops.posewright.analyze()
