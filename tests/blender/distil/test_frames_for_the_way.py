# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames are chosen for the way they are played, and for every number of keys up to all frames."""

import bpy
import numpy as np
import pytest

BEST = {
    "FREE": "curve",
    "SMOOTH": "curve",
    "EVERYWHERE": "curve",
    "AUTO": "chord",
    "LINEAR": "chord",
    "STEPPED": "hold",
}


def keyed(distil, rig):
    return distil.actions.key_frames(distil.playing(rig)).tolist()


def solutions(distil, rig):
    return distil.reductions.get(rig).analysis().solutions


@pytest.fixture
def analysed(swinging):
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 9
    return swinging


@pytest.mark.parametrize("way", BEST)
def test_the_objective_goes_with_keyed_as(distil, swinging, way):
    assert swinging.posewright.objective == "automatic"
    swinging.posewright.interpolation = way
    bpy.ops.posewright.analyze()
    assert solutions(distil, swinging).objective == BEST[way]


@pytest.mark.parametrize("way", ["STEPPED", "LINEAR"])
def test_another_way_gets_its_own_frames_and_keeps_the_count(distil, analysed, way):
    fitted = keyed(distil, analysed)
    analysed.posewright.interpolation = way
    assert solutions(distil, analysed).objective == BEST[way]
    assert analysed.posewright.key_count == 9 == len(keyed(distil, analysed))
    assert keyed(distil, analysed) != fitted
    analysed.posewright.interpolation = "SMOOTH"
    assert keyed(distil, analysed) == fitted


def test_stepped_keys_are_closer_on_their_own_frames(distil, analysed):
    frames = np.arange(1.0, 121.0)
    analysed.posewright.show_original = True
    reference = distil.positions(analysed, frames)
    analysed.posewright.show_original = False
    analysed.posewright.objective = "curve"
    analysed.posewright.interpolation = "STEPPED"
    on_others = distil.error(analysed, frames, reference)
    assert solutions(distil, analysed).objective == "curve", "what the user has chosen stays"
    analysed.posewright.objective = "automatic"
    analysed.posewright.interpolation = "STEPPED"
    assert distil.error(analysed, frames, reference) < 0.9 * on_others


def test_an_algorithm_without_a_choice_is_not_asked_again(distil, swinging):
    swinging.posewright.algorithm = "greedy"
    bpy.ops.posewright.analyze()
    token = swinging.posewright.reduced.posewright.token
    swinging.posewright.interpolation = "STEPPED"
    assert swinging.posewright.reduced.posewright.token == token


def test_other_settings_wait_for_the_next_analysis(distil, analysed):
    """Only the objective follows; the algorithm is still the one that was analysed with."""
    analysed.posewright.algorithm = "keyposes"
    analysed.posewright.interpolation = "LINEAR"
    assert solutions(distil, analysed).algorithm == "salient"


def test_fixed_frames_and_extremes_stay_keys(distil, swinging):
    swinging.posewright.fixed_frames.add().frame = 33
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 6
    bpy.ops.posewright.lock_extremes()
    extremes = set(keyed(distil, swinging))
    swinging.posewright.key_count = 14
    swinging.posewright.interpolation = "STEPPED"
    swinging.posewright.key_count = 100
    assert extremes | {33.0} <= set(keyed(distil, swinging))
    swinging.posewright.key_count = 14
    assert extremes | {33.0} <= set(keyed(distil, swinging))


def test_the_slider_goes_to_half_of_the_frames(distil, analysed):
    assert solutions(distil, analysed).counts.tolist() == list(range(2, 61))


def test_long_actions_are_offered_what_takes_a_moment():
    from bl_ext.user_default.posewright.bridge.distil.solving.settings import Settings

    any_settings = Settings("salient", "curve", 1.0, 2.0, True, (), {}, "world", (), None)
    offered = [any_settings.most_keys(frames) for frames in (3, 100, 2000, 5000, 20000)]
    assert offered == [2, 50, 1000, 1200, 2222]


@pytest.mark.parametrize("count", [61, 90, 120])
def test_a_number_beyond_the_end_is_solved_for(distil, analysed, count):
    analysed.posewright.key_count = count
    assert analysed.posewright.problem == ""
    assert analysed.posewright.key_count == count == len(keyed(distil, analysed))
    assert solutions(distil, analysed).counts[-1] == count
    analysed.posewright.key_count = 9
    assert len(keyed(distil, analysed)) == 9


def test_more_keys_than_frames_are_refused_with_a_sentence(distil, analysed):
    before = keyed(distil, analysed)
    analysed.posewright.key_count = 121
    assert "120 frames cannot have 121 keys" in analysed.posewright.problem
    assert keyed(distil, analysed) == before


def test_most_keys_ends_the_slider_and_not_the_numbers(distil, swinging):
    swinging.posewright.max_keys = 12
    bpy.ops.posewright.analyze()
    assert solutions(distil, swinging).counts[-1] == 12
    swinging.posewright.key_count = 30
    assert swinging.posewright.key_count == 30


def test_what_is_stored_of_half_of_2000_frames_is_small(distil, make_rig):
    rig = distil.swing(make_rig(3, rotation_mode="XYZ"), frames=2000)
    bpy.ops.posewright.analyze()
    assert solutions(distil, rig).counts[-1] == 1000
    assert len(rig.posewright.reduced.posewright.stored) < 60_000


def test_choosing_again_is_undone_when_it_is_stopped(distil, analysed):
    from bl_ext.user_default.posewright.bridge.distil.solving import best_frames

    token = analysed.posewright.reduced.posewright.token
    before = keyed(distil, analysed)
    work = best_frames.choose_again_in_steps(analysed, bpy.context.scene, 100)
    for _ in range(5):
        next(work)
    work.close()
    assert analysed.animation_data.action == analysed.posewright.reduced
    assert (analysed.posewright.reduced.posewright.token, keyed(distil, analysed)) == (token, before)


def test_a_head_that_turns_and_waits_is_locked_where_it_waits(distil, make_rig):
    """Between two keys of the fit the whole turn may be in the handles: those are no poses."""
    rig = make_rig(2, rotation_mode="XYZ")
    time = np.arange(1.0, 122.0)
    turns = np.interp(time, [1, 20, 30, 50, 60, 80, 90, 121], [0, 0, 1, 1, -1, -1, 0, 0])
    turns = np.convolve(np.pad(turns, 3, mode="edge"), np.ones(7) / 7, mode="valid")
    channel = distil.actions.Channel(f'pose.bones["{rig.pose.bones[0].name}"].rotation_euler', 2)
    distil.swing(rig)
    action = rig.animation_data.action
    bag = distil.actions.bag_of(action, distil.actions.slot_of(rig), create=True)
    for curve in list(bag.fcurves):
        bag.fcurves.remove(curve)
    distil.write(distil.actions.ensure_curves(bag, [channel]), time, turns[:, None])
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 5
    bpy.ops.posewright.lock_extremes()
    poses = np.interp(keyed(distil, rig), time, turns)
    for wanted in (-1.0, 0.0, 1.0):
        assert np.abs(poses - wanted).min() < 0.15, "every stop is among the extremes"


def test_smooth_everywhere_has_no_corner_and_keeps_fixed_poses(distil, swinging):
    swinging.posewright.fixed_frames.add().frame = 33
    source = {(curve.data_path, curve.array_index): curve for curve in distil.playing(swinging)}
    wanted = {name: curve.evaluate(33) for name, curve in source.items()}
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 9
    swinging.posewright.interpolation = "EVERYWHERE"
    moving = [curve for curve in distil.playing(swinging) if len(curve.keyframe_points) > 1]
    assert {key.handle_left_type for curve in moving for key in curve.keyframe_points} == {"ALIGNED"}
    for curve in moving:
        assert curve.evaluate(33) == pytest.approx(wanted[curve.data_path, curve.array_index], abs=1e-6)
        slopes = [curve.evaluate(33 + step) - curve.evaluate(33) for step in (-0.01, 0.01)]
        assert slopes[0] == pytest.approx(-slopes[1], abs=2e-4)


def test_an_edit_survives_smooth_everywhere(distil, analysed):
    analysed.posewright.interpolation = "EVERYWHERE"
    curve = distil.playing(analysed)[0]
    frame, edited = curve.keyframe_points[4].co[0], curve.keyframe_points[4].co[1] + 0.3
    curve.keyframe_points[4].co[1] = edited
    analysed.posewright.key_count = 14
    assert distil.playing(analysed)[0].evaluate(frame) == pytest.approx(edited, abs=1e-5)
    analysed.posewright.key_count = 6
    assert distil.playing(analysed)[0].evaluate(frame) == pytest.approx(edited, abs=1e-5)


def test_smooth_everywhere_is_closer_than_automatic_handles(distil, analysed):
    frames = np.arange(1.0, 121.0)
    analysed.posewright.show_original = True
    reference = distil.positions(analysed, frames)
    analysed.posewright.show_original = False
    errors = {}
    for way in ("FREE", "EVERYWHERE", "AUTO"):
        analysed.posewright.interpolation = way
        errors[way] = distil.error(analysed, frames, reference)
    assert errors["FREE"] < errors["EVERYWHERE"] < 0.5 * errors["AUTO"]
