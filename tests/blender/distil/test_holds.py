# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a motion stands still, both ends are keys, handles are level and the keys are moving holds."""

import bpy
import numpy as np
import pytest

from tests.blender.distil.test_edits import columns, move_column, moving, played, pose

FRAMES = np.arange(1.0, 121.0)
FIRST, LAST = 41.0, 71.0  # the hold


def stand(distil, rig, stretches=((FIRST, LAST),)):
    """Let what `swing` keys come to rest in some stretches; the values."""
    curves = distil.playing(rig)
    values = np.array([[curve.evaluate(frame) for frame in FRAMES] for curve in curves]).T
    edges = [1.0, *(frame for stretch in stretches for frame in stretch), 120.0]
    passed = FRAMES.copy()
    for start, stop in zip(edges[::2], edges[1::2], strict=True):
        inside = (start <= FRAMES) & (stop >= FRAMES)
        u = (FRAMES[inside] - start) / (stop - start)
        passed[inside] = start + (stop - start) * u * u * (3.0 - 2.0 * u)
    for start, stop in stretches:
        passed[(start <= FRAMES) & (stop >= FRAMES)] = start
        passed[stop < FRAMES] -= stop - start
    still = np.stack([np.interp(passed, FRAMES, column) for column in values.T], axis=1)
    distil.write(curves, FRAMES, still)
    return still


@pytest.fixture
def rig(distil, swinging):
    stand(distil, swinging)
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 12
    return swinging


def ends(distil, rig):
    analysis = distil.reductions.get(rig).analysis()
    return analysis.frames[analysis.held(rig.posewright.key_count)].tolist()


def keys_at(distil, rig, frame):
    found = [point for curve in moving(distil, rig) for point in curve.keyframe_points if point.co.x == frame]
    assert len(found) >= 12
    return found


def is_level(point, tolerance=2e-6):
    sides = (point.handle_left.y, point.handle_right.y)
    return all(abs(side - point.co.y) <= tolerance * max(1.0, abs(point.co.y)) for side in sides)


def types(distil, rig):
    """The type of the key on each column."""
    return {point.co.x: point.type for point in moving(distil, rig)[0].keyframe_points}


def test_both_ends_are_keys_as_soon_as_enough_are_left_for_the_rest(distil, rig):
    analysis = distil.reductions.get(rig).analysis()
    assert analysis.frames[analysis.holds] == pytest.approx(np.array([[FIRST, LAST]]), abs=2.0)
    first, last = analysis.holds[0]
    for count in range(12, int(analysis.solutions.counts[-1]) + 1):
        assert {first, last} <= set(analysis.keys(count).tolist())
    assert not len(analysis.held(6))
    assert analysis.solutions.counts[0] == 2


@pytest.mark.parametrize("way", ["FREE", "SMOOTH", "EVERYWHERE", "AUTO"])
def test_handles_are_level_there_and_the_hold_does_not_move(distil, rig, way):
    rig.posewright.interpolation = way
    rig.posewright.key_count = 20
    ((first, last),) = ends(distil, rig)
    assert all(is_level(point) for frame in (first, last) for point in keys_at(distil, rig, frame))
    inside = played(distil, rig, np.linspace(first, last, 50))
    assert np.all(inside <= inside[[0, -1]].max(axis=0) + 1e-5)
    assert np.all(inside >= inside[[0, -1]].min(axis=0) - 1e-5)
    others = [point for curve in moving(distil, rig) for point in curve.keyframe_points]
    assert not all(is_level(point) for point in others)


def test_their_keys_are_moving_holds_and_no_others(distil, rig):
    ((first, last),) = ends(distil, rig)
    kinds = types(distil, rig)
    assert {frame for frame, kind in kinds.items() if kind == "MOVING_HOLD"} == {first, last}
    assert set(kinds.values()) == {"MOVING_HOLD", "KEYFRAME"}


def test_a_way_from_hold_to_hold_is_not_called_one(distil, swinging):
    """Blender draws a hold between any two keys of that type."""
    stand(distil, swinging, [(21.0, 51.0), (66.0, 96.0)])
    bpy.ops.posewright.analyze()
    reduction = distil.reductions.get(swinging)
    analysis = reduction.analysis()
    assert len(analysis.holds) == 2
    for count in (18, 20, 24):
        swinging.posewright.key_count = count
        rows, held = analysis.keys(count).tolist(), analysis.held(count)
        assert len(held) == 2
        kinds = list(types(distil, swinging).values())
        for one, other in zip(range(count), range(1, count), strict=False):
            called = kinds[one] == kinds[other] == "MOVING_HOLD"
            assert not called or any(first <= rows[one] and rows[other] <= last for first, last in held)
        assert all(kinds[rows.index(last)] == "MOVING_HOLD" for _, last in held)


def test_stepped_keys_need_one_key_for_a_hold(distil, rig):
    rig.posewright.interpolation = "STEPPED"
    assert ends(distil, rig) == []
    assert set(types(distil, rig).values()) == {"KEYFRAME"}
    rig.posewright.interpolation = "SMOOTH"
    assert len(ends(distil, rig)) == 1


def test_what_always_moves_has_none(distil, swinging):
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 12
    assert ends(distil, swinging) == []
    assert set(types(distil, swinging).values()) == {"KEYFRAME"}


def test_a_held_pose_that_is_posed_anew_is_still_held(distil, rig):
    ((first, last),) = ends(distil, rig)
    for frame in (first, last):
        pose(distil, rig, 1, 0.5, frame)
    before = distil.playing(rig)[1].evaluate(first)
    for count in (20, 12):
        rig.posewright.key_count = count
        assert ends(distil, rig) == [[first, last]]
        assert distil.playing(rig)[1].evaluate(first) == pytest.approx(before, abs=1e-5)
    assert all(is_level(point, 1e-5) for point in keys_at(distil, rig, first))


def test_a_hold_goes_along_when_its_columns_are_moved(distil, rig):
    ((first, last),) = ends(distil, rig)
    move_column(distil, rig, last, 4.0)
    for count in (14, 12):
        rig.posewright.key_count = count
        assert ends(distil, rig) == [[first, last + 4.0]]
    assert types(distil, rig)[last + 4.0] == "MOVING_HOLD"


def test_handles_that_were_bent_at_a_hold_are_not_made_level_again(distil, rig):
    ((first, last),) = ends(distil, rig)
    curve = moving(distil, rig)[1]
    point = next(each for each in curve.keyframe_points if each.co.x == first)
    point.handle_left_type = point.handle_right_type = "FREE"
    point.handle_right.y += 1.0
    curve.update()
    middle = 0.5 * (first + last)
    bent = curve.evaluate(middle)
    place = curve.data_path, curve.array_index
    for count in (20, 12):
        rig.posewright.key_count = count
        again = next(c for c in moving(distil, rig) if (c.data_path, c.array_index) == place)
        assert again.evaluate(middle) == pytest.approx(bent, abs=0.05)


def test_holds_are_saved_and_earlier_files_have_none(distil, rig, tmp_path):
    held, count = ends(distil, rig), rig.posewright.key_count
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "held.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "held.blend"))
    again = bpy.data.objects[0]
    distil.reductions._CACHE.clear()
    again.posewright.key_count = count + 1
    assert ends(distil, again) == held
    assert types(distil, again)[held[0][1]] == "MOVING_HOLD"


def test_extremes_stay_extremes(distil, rig):
    bpy.ops.posewright.lock_extremes()
    rig.posewright.key_count = 20
    kinds = types(distil, rig)
    extremes = {frame for frame, kind in kinds.items() if kind == "EXTREME"}
    reduction = distil.reductions.get(rig)
    analysis = reduction.analysis()
    locked = distil.reduced_action.extreme_rows(reduction, analysis)
    assert extremes == set(analysis.frames[locked].tolist())
    assert set(kinds.values()) >= {"BREAKDOWN"}


def test_a_part_of_an_action_has_its_holds(distil, swinging):
    stand(distil, swinging)
    asked = swinging.posewright
    asked.range_from, asked.range_start, asked.range_end = "NUMBERS", 30, 110
    bpy.ops.posewright.analyze()
    asked.key_count = 12
    ((first, last),) = ends(distil, swinging)
    assert (first, last) == pytest.approx((FIRST, LAST), abs=2.0)
    for frame in (first, last):
        assert all(is_level(point) for point in keys_at(distil, swinging, frame))
        assert {point.type for point in keys_at(distil, swinging, frame)} == {"MOVING_HOLD"}


def test_detail_brings_back_what_a_hold_lost(distil, rig):
    reduction = distil.reductions.get(rig)
    rig.posewright.show_original = True
    source = distil.positions(rig, FRAMES)
    rig.posewright.show_original = False
    rig.posewright.detail = 1.0
    assert np.abs(distil.positions(rig, FRAMES) - source).max() < 1e-4
    assert len(ends(distil, rig)) == 1
    assert reduction.state.detail == 1.0
    assert len(columns(distil, rig)) == 12
