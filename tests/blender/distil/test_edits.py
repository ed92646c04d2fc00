# SPDX-License-Identifier: GPL-3.0-or-later
"""What the animator does to reduced keys is carried to every number of keys, way of keying and detail."""

import bpy
import numpy as np
import pytest
from mathutils import Euler
from scipy.interpolate import PchipInterpolator

FRAMES = np.arange(1.0, 121.0)


@pytest.fixture
def rig(distil, swinging):
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 9
    return swinging


def curves(distil, rig):
    return {(curve.data_path, curve.array_index): curve for curve in distil.playing(rig)}


def moving(distil, rig):
    return [curve for curve in distil.playing(rig) if len(curve.keyframe_points) > 1]


def columns(distil, rig):
    return np.unique([point.co.x for curve in moving(distil, rig) for point in curve.keyframe_points])


def played(distil, rig, frames=FRAMES):
    """(F, C) all channels as the curves play them, without detail."""
    return np.array([[curve.evaluate(frame) for curve in distil.playing(rig)] for frame in frames])


def source_values(distil, rig, frames=FRAMES):
    reduction = distil.reductions.get(rig)
    found = distil.analysis.channels.curves_in(reduction.source, reduction.handles)
    by_path = {(curve.data_path, curve.array_index): curve for curve in found}
    return np.array(
        [
            [by_path[curve.data_path, curve.array_index].evaluate(frame) for curve in distil.playing(rig)]
            for frame in frames
        ]
    )


def shift(point, frames=0.0, value=0.0):
    for attribute in ("co", "handle_left", "handle_right"):
        setattr(point, attribute, getattr(point, attribute) + type(point.co)((frames, value)))


def move_column(distil, rig, frame, by):
    for curve in distil.playing(rig):
        for point in curve.keyframe_points:
            if abs(point.co.x - frame) < 1e-3:
                shift(point, frames=by)
        curve.update()


def pose(distil, rig, column, value, at):
    """Change one channel at the key on a column: the number of the channel."""
    curve = distil.playing(rig)[column]
    shift(min(curve.keyframe_points, key=lambda point: abs(point.co.x - at)), value=value)
    curve.update()


WAYS = ("FREE", "SMOOTH", "EVERYWHERE", "AUTO", "LINEAR", "STEPPED")


@pytest.mark.parametrize("way", WAYS)
def test_a_posed_bone_is_there_with_every_number_of_keys_and_way(distil, rig, way):
    rig.posewright.interpolation = way
    at = columns(distil, rig)[4]
    before = distil.playing(rig)[1].evaluate(at)
    pose(distil, rig, 1, 0.5, at)
    for count in (3, 30, 9):
        rig.posewright.key_count = count
        assert rig.posewright.problem == ""
        assert at in columns(distil, rig)
        assert distil.playing(rig)[1].evaluate(at) == pytest.approx(before + 0.5, abs=1e-5)
    for other in WAYS:
        rig.posewright.interpolation = other
        assert distil.playing(rig)[1].evaluate(at) == pytest.approx(before + 0.5, abs=1e-5)


@pytest.mark.parametrize("way", WAYS)
def test_the_change_eases_out_to_the_keys_around_it(distil, rig, way):
    rig.posewright.interpolation = way
    reach = 2 if way == "AUTO" else 1  # Blender's handles at the next keys follow
    left, at, right = columns(distil, rig)[[4 - reach, 4, 4 + reach]]
    moved = played(distil, rig, [at])[0, 1] - source_values(distil, rig, [at])[0, 1]
    assert (moved != pytest.approx(0.0, abs=1e-5)) == (way == "EVERYWHERE")
    pose(distil, rig, 1, 0.5, at)
    rig.posewright.key_count = 40
    change = distil.reductions.get(rig).analysis().values - source_values(distil, rig)
    outside = (left >= FRAMES) | (right <= FRAMES)
    assert np.abs(change[outside]).max() < 1e-5
    assert np.abs(np.delete(change, 1, axis=1)).max() < 1e-6
    eased = change[:, 1]
    assert eased[at == FRAMES] == pytest.approx(0.5 + moved, abs=1e-5)
    if way == "STEPPED":
        assert np.all(np.diff(eased[(left <= FRAMES) & (at >= FRAMES)]) > 0.0)
        assert np.all(np.diff(eased[(at <= FRAMES) & (right >= FRAMES)]) < 0.0)


def test_an_inserted_key_is_kept_as_it_is(distil, rig):
    """Where the keys did not follow the source exactly, the pose that was keyed counts."""
    seen = played(distil, rig, [50.0])[0]
    assert 50.0 not in columns(distil, rig)
    for number, curve in enumerate(distil.playing(rig)):
        curve.keyframe_points.insert(50.0, seen[number] + (0.3 if number == 2 else 0.0))
    wanted = seen + 0.3 * (np.arange(len(seen)) == 2)
    for count in (5, 25):
        rig.posewright.key_count = count
        assert 50.0 in columns(distil, rig)
        np.testing.assert_allclose(played(distil, rig, [50.0])[0], wanted, atol=1e-5)


def test_a_key_is_inserted_between_frames(distil, rig):
    distil.playing(rig)[0].keyframe_points.insert(50.5, 2.0)
    rig.posewright.key_count = 14
    assert distil.playing(rig)[0].evaluate(50.5) == pytest.approx(2.0, abs=1e-5)
    whole = columns(distil, rig)
    assert np.array_equal(whole[whole != np.round(whole)], [50.5])


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ"])
def test_a_bone_that_swings_about_one_axis_is_turned_about_another_at_one_pose(
    distil, make_rig, set_keys, mode
):
    """Of four numbers of such a turn two never change: without keys nearby they stayed as posed."""
    rig = make_rig(2, rotation_mode=mode)
    bone = rig.pose.bones["bone 1"]
    path = "rotation_quaternion" if mode == "QUATERNION" else "rotation_euler"

    def turn(swing, side=0.0):
        turned = Euler((swing, 0.0, side))
        return turned.to_quaternion() if mode == "QUATERNION" else turned

    set_keys(bone, path, {frame: turn(np.sin(frame / 9.0)) for frame in range(1, 101)})
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 9
    left, at, right = columns(distil, rig)[3:6]
    frames = np.setdiff1d(np.arange(1.0, 101.0), np.arange(left, right + 1.0))
    before = played(distil, rig, frames)
    set_keys(bone, path, {at: turn(np.sin(at / 9.0), side=0.5)})
    near = played(distil, rig, frames) - before  # Blender's handles at the neighbours follow a little
    assert np.abs(near[(frames < left - 15) | (frames > right + 15)]).max(initial=0.0) < 1e-5
    for count in (9, 40):
        rig.posewright.key_count = count
        assert rig.posewright.problem == ""
        change = distil.reductions.get(rig).analysis().values - source_values(
            distil, rig, np.arange(1.0, 101.0)
        )
        assert np.abs(change[int(at) - 1]).max() > 0.1
        assert np.abs(change[frames.astype(int) - 1]).max() < 1e-5


def test_a_still_channel_is_posed(distil, rig):
    """One that has a single key, as the fingers of a capture do."""
    still = next(n for n, curve in enumerate(distil.playing(rig)) if len(curve.keyframe_points) == 1)
    curve = distil.playing(rig)[still]
    curve.keyframe_points.insert(30.0, 0.9)
    curve.keyframe_points.insert(60.0, 0.25)
    for count in (4, 20):
        rig.posewright.key_count = count
        assert distil.playing(rig)[still].evaluate(30.0) == pytest.approx(0.9, abs=1e-5)
        assert distil.playing(rig)[still].evaluate(90.0) == pytest.approx(0.25, abs=0.02)


def test_a_removed_column_stays_away(distil, rig):
    at = columns(distil, rig)[4]
    for curve in moving(distil, rig):
        curve.keyframe_points.remove(next(p for p in curve.keyframe_points if abs(p.co.x - at) < 1e-3))
        curve.update()
    without = played(distil, rig)
    rig.posewright.key_count = 60
    span = np.abs(FRAMES - at) < 1
    original = source_values(distil, rig)
    assert (
        np.abs(played(distil, rig)[span] - without[span]).max()
        < 0.3 * np.abs((original - without)[span]).max()
    )


def test_handles_are_an_edit(distil, rig):
    at = columns(distil, rig)[4]
    curve = distil.playing(rig)[1]
    point = next(p for p in curve.keyframe_points if abs(p.co.x - at) < 1e-3)
    point.handle_left_type = point.handle_right_type = "FREE"
    point.handle_right = (point.handle_right.x, point.handle_right.y + 1.5)
    curve.update()
    bent = played(distil, rig)[:, 1]
    rig.posewright.key_count = 50
    assert at in columns(distil, rig)
    original = source_values(distil, rig)[:, 1]
    after = (at < FRAMES) & (at + 4 > FRAMES)
    assert np.abs(played(distil, rig)[:, 1] - bent)[after].max() < 0.25 * np.abs(original - bent)[after].max()


def test_a_dragged_column_takes_what_lies_between_along(distil, rig):
    """The target is the source, through SciPy's monotone cubic from the columns of now to those before."""
    before = columns(distil, rig)
    after = before.copy()
    after[4] += 6.0
    move_column(distil, rig, before[4], 6.0)
    rig.posewright.key_count = 30
    warped = source_values(distil, rig, PchipInterpolator(after, before)(FRAMES))
    np.testing.assert_allclose(distil.reductions.get(rig).analysis().values, warped, atol=1e-5)
    assert np.all(columns(distil, rig) == np.round(columns(distil, rig)))
    rig.posewright.key_count = 9
    np.testing.assert_allclose(columns(distil, rig), after)


@pytest.mark.parametrize(("factor", "offset"), [(1.0, 20.0), (1.5, 0.0), (0.5, -7.0)])
def test_all_columns_shifted_or_scaled(distil, rig, factor, offset):
    for curve in distil.playing(rig):
        for point in curve.keyframe_points:
            shift(point, frames=(point.co.x - 1.0) * (factor - 1.0) + offset)
        curve.update()
    rig.posewright.key_count = 30
    analysis = distil.reductions.get(rig).analysis()
    assert analysis.frames[0] == pytest.approx(1.0 + offset)
    assert analysis.frames[-1] == pytest.approx(1.0 + 119.0 * factor + offset)
    moments = 1.0 + (analysis.frames - 1.0 - offset) / factor
    np.testing.assert_allclose(analysis.values, source_values(distil, rig, moments), atol=1e-4)


def test_a_posed_column_is_dragged_later(distil, rig):
    at = columns(distil, rig)[4]
    before = distil.playing(rig)[1].evaluate(at)
    pose(distil, rig, 1, 0.5, at)
    rig.posewright.key_count = 15
    move_column(distil, rig, at, 3.0)
    for count in (25, 7):
        rig.posewright.key_count = count
        assert at + 3.0 in columns(distil, rig)
        assert distil.playing(rig)[1].evaluate(at + 3.0) == pytest.approx(before + 0.5, abs=1e-5)


def test_detail_plays_the_target(distil, rig):
    """Detail 1 on an edited and retimed motion is the warped original with the edit."""
    before = columns(distil, rig)
    after = before.copy()
    after[4] += 6.0
    rig.posewright.detail = 0.5
    move_column(distil, rig, before[4], 6.0)
    pose(distil, rig, 1, 0.5, after[6])
    rig.posewright.detail = 1.0
    expected = source_values(distil, rig, PchipInterpolator(after, before)(FRAMES))
    target = distil.reductions.get(rig).analysis().values
    others = np.delete(np.arange(target.shape[1]), 1)
    np.testing.assert_allclose(target[:, others], expected[:, others], atol=1e-5)
    wanted = positions_of(distil, rig, target)
    for count in (5, 30):
        rig.posewright.key_count = count
        for way in ("SMOOTH", "STEPPED"):
            rig.posewright.interpolation = way
            height = distil.sampling.height_of(rig)
            assert np.abs(distil.positions(rig, FRAMES) - wanted).max() < 1e-4 * height


def positions_of(distil, rig, values):
    """Where the joints are when the curves have such values at every frame."""
    shown = rig.animation_data.action
    dense = shown.copy()
    for name in list(dense.keys()):
        del dense[name]
    slot = distil.actions.slot_with_handle(dense, distil.actions.slot_handle(distil.actions.slot_of(rig)))
    own = distil.actions.slot_of(rig)
    distil.write(distil.actions.bag_of(dense, slot).fcurves, FRAMES, values)
    distil.actions.assign(rig, dense, slot)
    result = distil.positions(rig, FRAMES)
    distil.actions.assign(rig, shown, own)
    bpy.data.actions.remove(dense)
    return result


def test_nothing_is_an_edit_that_nobody_made(distil, rig):
    for count in (5, 30):
        rig.posewright.key_count = count
        for way in WAYS:
            rig.posewright.interpolation = way
            assert not distil.changes.was_edited(distil.reductions.get(rig))
            assert distil.capture.edits_now(distil.reductions.get(rig)).is_none


def test_an_edit_is_taken_in_once(distil, rig):
    at = columns(distil, rig)[4]
    pose(distil, rig, 1, 0.5, at)
    rig.posewright.key_count = 12
    stored = rig.posewright.reduced.posewright.edits
    assert stored
    for count in (30, 4):
        rig.posewright.key_count = count
        assert rig.posewright.reduced.posewright.edits == stored
        found = distil.capture.edits_now(distil.reductions.get(rig))
        known = distil.reductions.get(rig).edits
        np.testing.assert_allclose(
            found.changes_at(FRAMES, known.paths), known.changes_at(FRAMES, known.paths)
        )


def test_analysed_again_the_edits_are_there(distil, rig):
    before = columns(distil, rig)
    move_column(distil, rig, before[4], 6.0)
    pose(distil, rig, 1, 0.5, before[6])
    value = distil.playing(rig)[1].evaluate(before[6])
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    after = before.copy()
    after[4] += 6.0
    expected = source_values(distil, rig, PchipInterpolator(after, before)(FRAMES))
    for count in (5, 20):
        rig.posewright.key_count = count
        assert before[6] in columns(distil, rig)
        assert distil.playing(rig)[1].evaluate(before[6]) == pytest.approx(value, abs=1e-5)
        values = distil.reductions.get(rig).analysis().values
        np.testing.assert_allclose(values[:, [0, 2, 3]], expected[:, [0, 2, 3]], atol=1e-5)


def test_extremes_with_edits(distil, rig):
    at = columns(distil, rig)[4]
    pose(distil, rig, 1, 0.5, at)
    value = distil.playing(rig)[1].evaluate(at)
    assert bpy.ops.posewright.lock_extremes() == {"FINISHED"}
    locked = columns(distil, rig)
    assert len(locked) == 9
    move_column(distil, rig, at, 2.0)
    rig.posewright.key_count = 14
    types = {round(p.co.x): p.type for p in distil.playing(rig)[1].keyframe_points}
    expected = {round(frame + 2.0 * (frame == at)) for frame in locked}
    assert {frame for frame, kind in types.items() if kind == "EXTREME"} == expected
    assert distil.playing(rig)[1].evaluate(at + 2.0) == pytest.approx(value, abs=1e-5)
    assert bpy.ops.posewright.unlock_extremes() == {"FINISHED"}
    assert distil.playing(rig)[1].evaluate(at + 2.0) == pytest.approx(value, abs=1e-5)


def test_saved_and_loaded(distil, rig, tmp_path):
    at = columns(distil, rig)[4]
    pose(distil, rig, 1, 0.5, at)
    value = distil.playing(rig)[1].evaluate(at)
    rig.posewright.key_count = 12
    expected = played(distil, rig)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "edited.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "edited.blend"))
    distil.reductions._CACHE.clear()
    rig = bpy.context.view_layer.objects.active
    rig.posewright.key_count = 30
    assert distil.playing(rig)[1].evaluate(at) == pytest.approx(value, abs=1e-5)
    rig.posewright.key_count = 12
    np.testing.assert_allclose(played(distil, rig), expected, atol=1e-5)


def test_undo_and_redo(distil, rig):
    bpy.ops.ed.undo_push(message="analysed")
    at = columns(distil, rig)[4]
    pose(distil, rig, 1, 0.5, at)
    edited = played(distil, rig)
    bpy.ops.ed.undo_push(message="edited")
    rig.posewright.key_count = 20
    slid = played(distil, rig)
    bpy.ops.ed.undo_push(message="slid")
    bpy.ops.ed.undo()
    rig = bpy.context.view_layer.objects.active
    np.testing.assert_allclose(played(distil, rig), edited)
    assert not rig.posewright.reduced.posewright.edits
    bpy.ops.ed.redo()
    rig = bpy.context.view_layer.objects.active
    np.testing.assert_allclose(played(distil, rig), slid)
    assert rig.posewright.reduced.posewright.edits


def test_the_slider_keeps_its_range(distil, rig):
    """One that changed it while it is dragged would slip from the mouse."""
    before = distil.reductions.get(rig).analysis().offered
    distil.playing(rig)[0].keyframe_points.insert(50.0, 2.0)
    rig.posewright.key_count = before[0]
    assert distil.reductions.get(rig).analysis().solutions.counts[0] > before[0]
    assert distil.reductions.get(rig).analysis().offered == before


def test_every_number_of_keys_is_still_offered(distil, rig):
    pose(distil, rig, 1, 0.5, columns(distil, rig)[4])
    move_column(distil, rig, columns(distil, rig)[2], 3.0)
    for count in range(4, 61):
        rig.posewright.key_count = count
        assert rig.posewright.key_count == count == len(columns(distil, rig))


def test_a_duplicate_has_the_edits_too(distil, rig):
    at = columns(distil, rig)[4]
    pose(distil, rig, 1, 0.5, at)
    value = distil.playing(rig)[1].evaluate(at)
    rig.posewright.key_count = 12
    bpy.ops.object.select_all(action="DESELECT")
    rig.select_set(True)
    bpy.ops.object.duplicate()
    twin = bpy.context.view_layer.objects.active
    assert twin != rig
    twin.posewright.key_count = 6
    assert distil.playing(twin)[1].evaluate(at) == pytest.approx(value, abs=1e-5)
    assert distil.playing(rig)[1].evaluate(at) == pytest.approx(value, abs=1e-5)
    assert rig.posewright.key_count == 12


def test_damaged_edits_are_told(distil, rig):
    pose(distil, rig, 1, 0.5, columns(distil, rig)[4])
    rig.posewright.key_count = 12
    state = rig.posewright.reduced.posewright
    for damaged in ("nonsense", state.edits[:-40], state.stored):
        state.edits = damaged
        state.token = "another"
        rig.posewright.key_count = 7
        assert "damaged" in rig.posewright.problem
    assert bpy.ops.posewright.analyze() == {"FINISHED"}
    rig.posewright.key_count = 7
    assert rig.posewright.problem == ""


def test_an_edit_stays_if_the_layer_cannot_be_played(distil, rig):
    """The keys are fitted to it by then, so it must be known."""
    rig.posewright.detail = 1.0
    data = rig.animation_data
    data.nla_tracks.remove(data.nla_tracks[0])
    data.use_nla = False
    at = columns(distil, rig)[4]
    before = distil.playing(rig)[1].evaluate(at)
    pose(distil, rig, 1, 0.5, at)
    rig.posewright.key_count = 12
    assert "switched off" in rig.posewright.problem
    data.use_nla = True
    rig.posewright.key_count = 12
    assert rig.posewright.problem == ""
    assert distil.playing(rig)[1].evaluate(at) == pytest.approx(before + 0.5, abs=1e-5)


def test_an_edit_of_a_curve_that_was_muted_since_stays(distil, rig):
    at = columns(distil, rig)[4]
    curve = distil.playing(rig)[1]
    before = curve.evaluate(at)
    pose(distil, rig, 1, 0.5, at)
    curve.mute = True
    rig.posewright.key_count = 12
    curve = distil.playing(rig)[1]
    assert curve.mute
    assert curve.evaluate(at) == pytest.approx(before + 0.5, abs=1e-5)


def test_what_a_modifier_adds_does_not_get_into_edited_keys(distil, rig):
    curve = distil.playing(rig)[1]
    curve.modifiers.new("NOISE").strength = 3.0
    at = columns(distil, rig)[4]
    wanted = next(point.co.y for point in curve.keyframe_points if point.co.x == at) + 0.5
    pose(distil, rig, 1, 0.5, at)
    for count in (12, 5):
        rig.posewright.key_count = count
        curve = distil.playing(rig)[1]
        assert len(curve.modifiers) == 1
        assert [point.co.y for point in curve.keyframe_points if point.co.x == at] == pytest.approx([wanted])


@pytest.mark.parametrize("way", WAYS)
def test_keys_that_were_scaled_in_time_handles_and_all_are_only_retimed(distil, rig, way):
    rig.posewright.interpolation = way
    for curve in distil.playing(rig):
        for point in curve.keyframe_points:
            for attribute in ("co", "handle_left", "handle_right"):
                place = getattr(point, attribute)
                setattr(point, attribute, (2.0 * place.x - 1.0, place.y))
        curve.update()
    rig.posewright.key_count = 3
    edits = distil.reductions.get(rig).edits
    assert len(columns(distil, rig)) == 3
    assert (len(edits.keyed), edits.paths) == (0, ())
    np.testing.assert_allclose(edits.warp.from_source(FRAMES), 2.0 * FRAMES - 1.0, atol=1e-6)
