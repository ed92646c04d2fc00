# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops: found, solved and keyed round their seam, and going on beyond it, with their detail."""

import numpy as np
import pytest

FRAMES = 40
ROUND = np.arange(FRAMES + 1.0)


def stroll(distil, rig, *, period=FRAMES, travel=0.0):
    """Let a chain go once round: what `swing` keys, as waves of one and three turns in `period` frames."""
    distil.swing(rig, frames=FRAMES + 1, start=0, name="Stroll")
    curves = distil.playing(rig)
    turn = 2.0 * np.pi * ROUND[:, None] / FRAMES + 0.7 * np.arange(len(curves))
    values = 0.5 * np.sin(turn) + 0.1 * np.sin(3.0 * turn)
    for column, curve in enumerate(curves):
        if curve.data_path.endswith("location"):
            values[:, column] *= 0.2
            values[:, column] += travel * ROUND / FRAMES if curve.array_index == 1 else 0.0
        elif curve.data_path.endswith("scale"):
            values[:, column] = 1.0
    distil.write(curves, ROUND * period / FRAMES, values)
    return rig


def go_round(curves, mode="REPEAT"):
    for curve in curves:
        modifier = curve.modifiers.new("CYCLES")
        modifier.mode_before = modifier.mode_after = mode


@pytest.fixture
def rig(make_rig):
    return make_rig(3, rotation_mode="XYZ")


def analysed(distil, rig, keys=7):
    import bpy

    bpy.ops.posewright.analyze()
    rig.posewright.key_count = keys
    return distil.reductions.get(rig)


def end_slopes(curve, step=1e-2):
    """How steeply Blender plays the curve into its last key and out of its first."""
    first, last = curve.range()
    arrives = (curve.evaluate(last) - curve.evaluate(last - step)) / step
    leaves = (curve.evaluate(first + step) - curve.evaluate(first)) / step
    return arrives, leaves


def seam_jumps(reduction):
    moving = [curve for curve in reduction.curves if len(curve.keyframe_points) > 1]
    assert moving
    return np.abs(np.subtract(*np.array([end_slopes(curve) for curve in moving]).T))


@pytest.mark.parametrize("way", ["SMOOTH", "FREE", "AUTO"])
@pytest.mark.parametrize("travel", [0.0, 3.0])
def test_what_ends_as_it_began_is_keyed_with_one_slope_at_its_ends(distil, rig, way, travel):
    stroll(distil, rig, travel=travel)
    rig.posewright.interpolation = way
    reduction = analysed(distil, rig, keys=4)
    assert reduction.analysis().loop == (0.0, FRAMES)
    assert seam_jumps(reduction).max() < 2e-3
    rig.posewright.loop = "OFF"
    reduction = analysed(distil, rig, keys=4)
    assert reduction.analysis().loop is None
    if way != "AUTO":  # level at both ends
        assert seam_jumps(reduction).max() > 1e-2


def test_a_loop_that_hardly_moves_does_not_stand_still_at_first(distil, rig):
    """Its first and last key are one pose, and the error of holding that is small beside the height."""
    import bpy

    stroll(distil, rig)
    for curve in distil.playing(rig):
        points = distil.actions.key_points(curve)
        distil.write([curve], points[:, 0], 0.01 * points[:, 1:])
    bpy.ops.posewright.analyze()
    assert rig.posewright.key_count == 3
    estimate = distil.measuring.estimated(distil.reductions.get(rig))
    assert estimate.mean == pytest.approx(distil.measuring.measure(rig).mean, rel=0.01)


def test_automatic_keys_of_a_loop_do_not_stop_at_its_ends(distil, rig):
    stroll(distil, rig)
    rig.posewright.interpolation = "AUTO"
    reduction = analysed(distil, rig)
    assert max(abs(end_slopes(curve)[0]) for curve in reduction.curves) > 0.02


def test_what_does_not_come_back_is_no_loop_unless_the_user_says_so(distil, swinging):
    reduction = analysed(distil, swinging)
    assert reduction.analysis().loop is None
    swinging.posewright.loop = "ON"
    reduction = analysed(distil, swinging)
    assert reduction.analysis().loop == (1.0, 120.0)


def test_an_action_may_say_that_it_is_a_loop(distil, swinging):
    action = swinging.animation_data.action
    action.use_frame_range, action.use_cyclic = True, True
    action.frame_start, action.frame_end = 1.0, 120.0
    reduction = analysed(distil, swinging)
    assert reduction.analysis().loop == (1.0, 120.0)
    assert reduction.action.use_cyclic
    assert reduction.action.use_frame_range
    assert (reduction.action.frame_start, reduction.action.frame_end) == (1.0, 120.0)


@pytest.mark.parametrize("mode", ["REPEAT", "REPEAT_OFFSET"])
def test_cycles_go_on_as_before_with_one_slope(distil, rig, mode):
    travel = 3.0 if mode == "REPEAT_OFFSET" else 0.0
    stroll(distil, rig, travel=travel)
    go_round(distil.playing(rig), mode)
    later = np.arange(-FRAMES, 4.0 * FRAMES)
    original = distil.positions(rig, later)
    reduction = analysed(distil, rig, keys=12)
    assert reduction.analysis().loop is not None
    assert seam_jumps(reduction).max() < 2e-3
    assert distil.error(rig, later, original) < 0.05


def test_a_period_between_frames_stays_where_cycles_count_on_it(distil, rig):
    """On whole frames alone a loop of 31.6 frames would be one of 32, and drift away from everything else."""
    stroll(distil, rig, period=31.6)
    go_round(distil.playing(rig))
    later = np.arange(0.0, 150.0)
    original = distil.positions(rig, later)
    reduction = analysed(distil, rig, keys=10)
    times = distil.actions.key_frames(curve for curve in reduction.curves if len(curve.keyframe_points) > 1)
    assert times[0] == 0.0
    assert times[-1] == pytest.approx(31.6)
    assert np.all(times[:-1] == np.round(times[:-1]))
    assert seam_jumps(reduction).max() < 2e-3
    assert distil.error(rig, later, original) < 0.1


def test_a_loop_that_nothing_counts_on_is_on_whole_frames(distil, rig):
    stroll(distil, rig, period=31.6)
    reduction = analysed(distil, rig, keys=6)
    assert reduction.analysis().loop == (0.0, pytest.approx(31.6))
    times = distil.actions.key_frames(reduction.curves)
    assert np.all(times == np.round(times))
    assert seam_jumps(reduction).max() < 2e-3


def test_what_swings_back_has_no_slope_to_share(distil, swinging):
    go_round(distil.playing(swinging), "MIRROR")
    assert analysed(distil, swinging).analysis().loop is None


@pytest.mark.parametrize("mode", ["REPEAT", "REPEAT_OFFSET"])
def test_detail_goes_on_in_every_round(distil, rig, mode):
    stroll(distil, rig, travel=3.0 if mode == "REPEAT_OFFSET" else 0.0)
    go_round(distil.playing(rig), mode)
    later = np.arange(-FRAMES, 4.0 * FRAMES)
    original = distil.positions(rig, later)
    reduction = analysed(distil, rig, keys=4)
    assert distil.error(rig, later, original) > 0.02
    rig.posewright.detail = 1.0
    assert np.abs(distil.positions(rig, later) - original).max() < 1e-3
    distil.reduced_action.bake(rig, 6)
    assert np.abs(distil.positions(rig, later) - original).max() < 1e-3
    assert reduction.action.posewright.detail == 1.0


def test_a_loop_is_known_again_after_reopening(distil, rig, tmp_path):
    import bpy

    stroll(distil, rig)
    name = rig.name
    analysed(distil, rig)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "loop.blend"))
    distil.reductions._CACHE.clear()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "loop.blend"))
    rig = bpy.data.objects[name]
    reduction = distil.reductions.get(rig)
    assert reduction.analysis().loop == (0.0, FRAMES)
    distil.reduced_action.bake(rig, 6)
    assert seam_jumps(reduction).max() < 2e-3


def test_an_edited_loop_still_goes_round(distil, rig):
    """A pose in the middle is changed, a column is moved, and the slider goes on."""
    stroll(distil, rig)
    reduction = analysed(distil, rig)
    times = distil.actions.key_frames(reduction.curves)
    for curve in reduction.curves:
        if len(curve.keyframe_points) > 3:
            curve.keyframe_points[3].co.x += 2.0
            curve.keyframe_points[3].co.y += 0.2
            curve.update()
    rig.posewright.key_count = 8
    assert times[3] + 2.0 in distil.actions.key_frames(reduction.curves)
    assert seam_jumps(reduction).max() < 2e-3


def test_a_part_of_a_loop_is_none(distil, rig):
    stroll(distil, rig)
    rig.posewright.range_from = "NUMBERS"
    rig.posewright.range_start, rig.posewright.range_end = 5, 35
    rig.posewright.loop = "ON"
    assert analysed(distil, rig, keys=5).analysis().loop is None


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("Knight.glb", "Walking_C"),
        ("Knight.glb", "Cheer"),
        ("Knight.glb", "Blocking"),
        ("Soldier.glb", "Walk"),
        ("RobotExpressive.glb", "Wave"),
        ("RobotExpressive.glb", "WalkJump"),
    ],
)
def test_imported_loops_have_no_more_hitch_than_their_source(distil, import_character, file, name):
    import bpy

    armature = import_character(file, name)
    bpy.ops.posewright.analyze()
    analysis = distil.reductions.get(armature).analysis()
    assert analysis.loop is not None

    def hitch(first, last, step=0.1):
        """How much each joint's velocity changes from just before the end to just after the beginning."""
        moments = np.array([first, first + step, last - step, last])
        begins, leaves, arrives, end = distil.positions(armature, moments)
        return np.linalg.norm((end - arrives) - (leaves - begins), axis=1) / step

    shown = analysis.frames[[0, -1]]
    ours, our_steps = hitch(*shown), hitch(*shown, step=1.0)
    armature.posewright.show_original = True
    source = hitch(*analysis.loop)
    assert ours.mean() <= source.mean()
    assert ours.max() <= source.max()
    assert our_steps.mean() <= hitch(*shown, step=1.0).mean()


def test_an_action_that_says_it_is_a_loop_elsewhere_is_none(distil, swinging):
    action = swinging.animation_data.action
    action.use_frame_range, action.use_cyclic = True, True
    action.frame_start, action.frame_end = 1, 90  # of 120
    assert analysed(distil, swinging).analysis().loop is None


def test_the_seam_of_a_loop_that_is_moved_in_time_goes_along(distil, rig):
    """One whose ends are others than the source's has none."""
    from dataclasses import replace

    analysis = analysed(distil, stroll(distil, rig)).analysis()
    frames, times = analysis.frames, analysis.frames.copy()
    same = distil.analysis.Target(
        frames, times, np.arange(len(frames)), analysis.solutions.counts, (2, 9, 41)
    )
    assert replace(analysis, target=same).seam == (0.0, FRAMES)
    assert replace(analysis, target=same, frames=frames + 5.0).seam == (5.0, FRAMES + 5.0)
    cut = replace(same, times=np.linspace(0.0, FRAMES - 1.0, len(frames)))
    assert replace(analysis, target=cut).seam is None


def test_a_channel_counts_for_where_its_bone_begins_if_that_weighs_more(distil):
    joints = ("hips head", "hips", "thigh head", "thigh")
    motion = distil.core.Motion(np.zeros((2, 4, 3)), names=joints, parents=[-1, 0, 0, 2])
    weights, tips = np.array([1.0, 0.0, 0.5, 2.0]), np.array([1, 3, -1])
    assert distil.analysis._counting_joints(motion, weights, tips).tolist() == [0, 3, -1]


def moved_by(distil, rig, frame):
    """How far each channel is from the source at a frame."""
    reduction = distil.reductions.get(rig)
    source = distil.analysis.channels.curves_in(reduction.source, reduction.handles)
    pairs = zip(reduction.curves, source, strict=True)
    return np.array([curve.evaluate(frame) - same.evaluate(frame) for curve, same in pairs])


def pose_by(distil, rig, frame, value):
    curve = distil.playing(rig)[1]
    point = next(each for each in curve.keyframe_points if abs(each.co.x - frame) < 1e-3)
    for name in ("co", "handle_left", "handle_right"):
        getattr(point, name).y += value
    curve.update()


@pytest.mark.parametrize("way", ["SMOOTH", "EVERYWHERE", "LINEAR", "STEPPED"])
@pytest.mark.parametrize("end", [0.0, FRAMES])
@pytest.mark.parametrize("travel", [0.0, 3.0])
def test_what_is_posed_at_one_end_of_a_loop_is_so_at_the_other(distil, rig, way, end, travel):
    import bpy

    stroll(distil, rig, travel=travel)
    rig.posewright.interpolation = way
    analysed(distil, rig)
    pose_by(distil, rig, end, 0.3)
    posed = distil.playing(rig)[1].evaluate(end)
    for count in (7, 12, 5):
        rig.posewright.key_count = count
        assert distil.playing(rig)[1].evaluate(end) == pytest.approx(posed, abs=1e-5)
        ends = [moved_by(distil, rig, each) for each in (0.0, FRAMES)]
        np.testing.assert_allclose(*ends, atol=1e-4)
        if way == "SMOOTH":
            assert seam_jumps(distil.reductions.get(rig)).max() < 2e-3
    inside = [moved_by(distil, rig, each)[1] for each in np.linspace(10.0, 30.0, 21)]
    assert min(inside) < 0.15, "the change is that of the seam alone"
    bpy.ops.posewright.release_edits(what="KEY", frame=end)
    assert distil.reductions.get(rig).edits.is_none, "the ends of a loop are released together"


def test_a_loop_may_be_opened_by_posing_both_ends(distil, rig):
    stroll(distil, rig)
    analysed(distil, rig)
    pose_by(distil, rig, 0.0, 0.3)
    pose_by(distil, rig, FRAMES, -0.2)
    rig.posewright.key_count = 9
    first, last = (distil.playing(rig)[1].evaluate(each) for each in (0.0, FRAMES))
    assert first - last == pytest.approx(0.5, abs=1e-3)


def test_the_ends_of_what_is_no_loop_are_posed_alone(distil, rig):
    stroll(distil, rig)
    rig.posewright.loop = "OFF"
    analysed(distil, rig)
    before = distil.playing(rig)[1].evaluate(FRAMES)
    pose_by(distil, rig, 0.0, 0.3)
    rig.posewright.key_count = 9
    assert distil.playing(rig)[1].evaluate(FRAMES) == pytest.approx(before, abs=1e-2)
