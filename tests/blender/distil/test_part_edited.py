# SPDX-License-Identifier: GPL-3.0-or-later
"""The slider over a part of an action whose curves or keys the animator has deleted meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from tests.blender.distil.test_part import FIRST, LAST, analyse_part


def frames_of(curve: Any) -> list[float]:
    return [key.co[0] for key in curve.keyframe_points]


def delete(curve: Any, first: float, last: float) -> None:
    for key in reversed([key for key in curve.keyframe_points if first <= key.co[0] <= last]):
        curve.keyframe_points.remove(key)


@pytest.fixture
def reduced(distil: Any, swinging: Any) -> Any:
    analyse_part(swinging)
    swinging.posewright.key_count = 6
    return swinging


def inside(curve: Any) -> list[float]:
    return [frame for frame in frames_of(curve) if FIRST <= frame <= LAST]


def test_a_curve_that_was_deleted_is_made_again(
    distil: Any, reduced: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    action = reduced.animation_data.action
    curves = distil.playing(reduced)
    path, index = curves[0].data_path, curves[0].array_index
    others = [frames_of(curve) for curve in curves[1:]]
    bag = distil.actions.bag_of(action, distil.actions.slot_of(reduced))
    bag.fcurves.remove(curves[0])
    reduced.posewright.key_count = 7
    assert reduced.posewright.problem == ""
    assert "Traceback" not in capfd.readouterr().err
    again = next(c for c in distil.playing(reduced) if (c.data_path, c.array_index) == (path, index))
    assert len(frames_of(again)) == 7
    assert frames_of(again)[0] == FIRST
    assert frames_of(again)[-1] == LAST
    rest = [[f for f in frames if not FIRST <= f <= LAST] for frames in others]
    now = [c for c in distil.playing(reduced) if (c.data_path, c.array_index) != (path, index)]
    assert [[f for f in frames_of(curve) if not FIRST <= f <= LAST] for curve in now] == rest


@pytest.mark.parametrize(
    ("first", "last"),
    [(FIRST, FIRST), (LAST, LAST), (FIRST, LAST), (1, FIRST), (LAST, 120), (1, FIRST - 1), (1, 120)],
)
def test_keys_that_were_deleted_cost_no_others(distil: Any, reduced: Any, first: int, last: int) -> None:
    """Also where the animator deletes the very key at which the part begins or ends."""
    curve = distil.playing(reduced)[0]
    delete(curve, first, last)
    kept = [frame for frame in frames_of(curve) if not FIRST <= frame <= LAST]
    reduced.posewright.key_count = 8
    assert reduced.posewright.problem == ""
    curve = distil.playing(reduced)[0]
    assert [frame for frame in frames_of(curve) if not FIRST <= frame <= LAST] == kept
    assert len(inside(curve)) == 8
    assert frames_of(curve) == sorted(frames_of(curve))


def test_new_keys_have_what_blender_gives_new_keys(distil: Any, reduced: Any) -> None:
    """For the day on which they are interpolated by Back or Elastic: with zeros these would do nothing."""
    curve = distil.playing(reduced)[0]
    new = [key for key in curve.keyframe_points if FIRST < key.co[0] < LAST]
    assert len(new) == 4
    for key in new:
        assert (key.easing, key.type) == ("AUTO", "KEYFRAME")
        assert (key.back, key.period) == (pytest.approx(1.70158), pytest.approx(4.1))
