# SPDX-License-Identifier: GPL-3.0-or-later
"""Key columns moved as wholes: by tapping, and by frame numbers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest


@pytest.fixture
def retiming(distil: Any) -> Any:
    from bl_ext.user_default.posewright.bridge.distil.editing import retiming

    return retiming


@pytest.fixture
def reduction(distil: Any, swinging: Any) -> Any:
    distil.analyse.analyse(swinging, bpy.context.scene)
    swinging.posewright.key_count = 6
    bpy.context.view_layer.objects.active = swinging
    return distil.reductions.get(swinging)


def test_taps_move_columns_and_the_rest_follows(retiming: Any):
    columns = np.array([1.0, 10.0, 20.0, 30.0, 50.0])
    moved = retiming.tapped_columns(columns, 10.0, [12.0, 25.4])
    assert moved.tolist() == [1.0, 12.0, 25.0, 35.0, 55.0]


def test_taps_within_a_frame_and_beyond_the_last_pose(retiming: Any):
    columns = np.array([1.0, 10.0, 20.0])
    assert retiming.tapped_columns(columns, 1.0, [5, 5, 5, 90, 91]).tolist() == [5.0, 6.0, 7.0]


def test_taps_that_make_no_sense_are_told(retiming: Any, distil: Any):
    columns = np.array([1.0, 10.0, 20.0])
    with pytest.raises(distil.core.InputError, match="No pose was tapped"):
        retiming.tapped_columns(columns, 1.0, [])
    with pytest.raises(distil.core.InputError, match="cannot come before"):
        retiming.tapped_columns(columns, 10.0, [1])


def test_poses_stay_what_they_are_when_they_move(retiming: Any, reduction: Any, swinging: Any, distil: Any):
    columns = retiming.columns_of(reduction)
    before = distil.actions.read_values(reduction.curves, columns)
    moved = columns + np.array([0.0, 2.0, 5.0, 5.0, 5.0, 9.0])
    bpy.context.scene.frame_set(1)
    bpy.ops.posewright.retime_by_tapping(frames=" ".join(f"{frame:g}" for frame in moved))
    np.testing.assert_allclose(retiming.columns_of(reduction), moved, atol=1e-4)
    np.testing.assert_allclose(distil.actions.read_values(reduction.curves, moved), before, atol=1e-5)


def test_what_lies_between_and_the_detail_follow(retiming: Any, reduction: Any, swinging: Any, distil: Any):
    """With all detail on, the retimed motion is the original at the moments that were moved there."""
    columns = retiming.columns_of(reduction)
    frames = np.arange(columns[0], columns[1] + 1.0)
    swinging.posewright.show_original = True
    original = distil.positions(swinging, frames)
    swinging.posewright.show_original = False
    bpy.context.scene.frame_set(int(columns[0]))
    taps = columns[0] + 2.0 * (columns[:2] - columns[0])
    bpy.ops.posewright.retime_by_tapping(frames=" ".join(f"{frame:g}" for frame in taps))
    swinging.posewright.detail = 1.0
    warp = reduction.edits.warp
    slower = warp.from_source(frames)
    assert slower[-1] - slower[0] == pytest.approx(2.0 * (frames[-1] - frames[0]), abs=1e-3)
    whole = np.abs(slower - np.round(slower)) < 1e-3
    assert np.count_nonzero(whole) >= 2
    np.testing.assert_allclose(distil.positions(swinging, slower[whole]), original[whole], atol=1e-3)


def test_the_source_is_not_touched(retiming: Any, reduction: Any, swinging: Any, distil: Any):
    from bl_ext.user_default.posewright.bridge.distil import channels

    source = reduction.source
    before = distil.actions.fingerprint(channels.curves_in(source, reduction.handles))
    swinging.posewright.show_original = True
    bpy.ops.posewright.retime_by_tapping(frames="5 9")
    assert swinging.animation_data.action == reduction.action
    assert distil.actions.fingerprint(channels.curves_in(source, reduction.handles)) == before


def test_the_part_between_selected_keys_is_reduced(distil: Any, swinging: Any):
    bpy.context.view_layer.objects.active = swinging
    for curve in distil.playing(swinging):
        for point in curve.keyframe_points:
            point.select_control_point = 30 <= point.co.x <= 80
    bpy.ops.posewright.analyze_selected_keys()
    analysis = distil.reductions.get(swinging).analysis()
    assert (analysis.frames[0], analysis.frames[-1]) == (30.0, 80.0)
    assert not analysis.whole


def test_without_selected_keys_it_says_what_to_select(distil: Any, swinging: Any):
    bpy.context.view_layer.objects.active = swinging
    for curve in distil.playing(swinging):
        for point in curve.keyframe_points:
            point.select_control_point = False
    with pytest.raises(RuntimeError, match="select the keys"):
        bpy.ops.posewright.analyze_selected_keys()
    assert swinging.posewright.range_from == "ACTION"


@pytest.mark.parametrize(("end", "by"), [(0, 5), (0, -6), (-1, 6), (-1, -6)])
def test_the_ends_of_a_part_stay_where_the_rest_goes_on(distil: Any, retiming: Any, part: Any, end, by):
    rig, before = part
    at = retiming.columns_of(distil.reductions.get(rig))[end]
    with pytest.raises(RuntimeError, match="Move a pose between"):
        bpy.ops.posewright.retime_pose(frame=at, to=at + by)
    np.testing.assert_allclose(_around(distil, rig), before, atol=1e-6)


def test_taps_beyond_a_part_are_refused_and_those_within_move_it(distil: Any, retiming: Any, part: Any):
    rig, before = part
    bpy.context.scene.frame_set(40)
    with pytest.raises(RuntimeError, match="between frames 40 and 80"):
        bpy.ops.posewright.retime_by_tapping(frames="40 60 75")
    bpy.ops.posewright.retime_by_tapping(frames="42 54 66 71 86")
    assert retiming.columns_of(distil.reductions.get(rig)).tolist() == [40.0, 54.0, 66.0, 71.0, 80.0]
    np.testing.assert_allclose(_around(distil, rig), before, atol=1e-6)


@pytest.fixture
def part(distil: Any, swinging: Any) -> Any:
    """A part in five keys, and what plays around it."""
    before = _around(distil, swinging)
    asked = swinging.posewright
    asked.range_from, asked.range_start, asked.range_end = "NUMBERS", 40, 80
    bpy.ops.posewright.analyze()
    asked.key_count = 5
    return swinging, before


def _around(distil: Any, rig: Any) -> np.ndarray:
    frames = np.concatenate([np.arange(1.0, 40.1, 0.5), np.arange(80.0, 120.1, 0.5)])
    return distil.actions.read_values(distil.playing(rig), frames)


def test_tapping_ends_where_playback_begins_anew(distil: Any):
    from bl_ext.user_default.posewright.operators.retime_by_tapping import POSEWRIGHT_OT_retime_by_tapping

    ended: list[bool] = []
    operator = SimpleNamespace(
        _taps=[], _room=9, _is_valid=lambda _context: True, _end=lambda _context, keep: ended.append(keep)
    )
    tap = SimpleNamespace(type="SPACE", value="PRESS", is_repeat=False)
    for frame in (100, 112, 112, 3):
        assert not ended
        context = SimpleNamespace(scene=SimpleNamespace(frame_current=frame))
        POSEWRIGHT_OT_retime_by_tapping.modal(operator, context, tap)
    assert (operator._taps, ended) == ([100, 112, 112], [True])
