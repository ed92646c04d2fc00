# SPDX-License-Identifier: GPL-3.0-or-later
"""An edit of one step reaches the steps that look like it, and no others."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest


@pytest.fixture
def walking(distil: Any, humanoid: Any) -> Any:
    rig = humanoid(seconds=4.0)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.posewright.analyze()
    rig.posewright.key_count = 14
    return rig


def edit_a_key(distil: Any, rig: Any, place: int) -> tuple[Any, float]:
    """Bend one channel of the chest at one of the keys: the curve, and the frame of the key."""
    curve = next(
        curve
        for curve in distil.playing(rig)
        if "rotation" in curve.data_path and len(curve.keyframe_points) > place + 1
    )
    point = curve.keyframe_points[place]
    for part in (point.co, point.handle_left, point.handle_right):
        part.y += 0.4
    curve.update()
    return curve, point.co.x


def test_the_edit_happens_again_where_the_pose_does(distil: Any, walking: Any) -> None:
    frames = np.arange(
        walking.animation_data.action.frame_range[0], walking.animation_data.action.frame_range[1]
    )
    reduction = distil.reductions.get(walking)
    _, frame = edit_a_key(distil, walking, 5)
    bpy.context.scene.frame_set(round(frame))
    walking.posewright.detail = 1.0  # so that what plays is the target itself
    once = distil.positions(walking, frames)
    bpy.ops.posewright.echo_edit(difference=0.25)
    again = distil.positions(walking, frames)
    edits = reduction.edits
    echoed = [each for each in edits.keyed_frames if abs(each - frame) > 1.0]
    assert echoed, "the demo walk has several steps of each side"
    moved = np.linalg.norm(again - once, axis=2).max(axis=1)
    largest = moved.max()
    assert largest > 0.01
    for each in echoed:
        assert moved[np.argmin(np.abs(frames - each))] > 0.2 * largest
    assert moved[np.argmin(np.abs(frames - frame))] < 0.05 * largest, "the edit itself stays"


def test_a_weaker_echo_moves_less_and_undoing_releases_all(distil: Any, walking: Any) -> None:
    _, frame = edit_a_key(distil, walking, 5)
    bpy.context.scene.frame_set(round(frame))
    bpy.ops.posewright.echo_edit(difference=0.25, strength=0.5)
    weak = np.abs(distil.reductions.get(walking).edits.changes).sum()
    bpy.ops.posewright.release_edits(what="ALL")
    edit_a_key(distil, walking, 5)
    bpy.ops.posewright.echo_edit(difference=0.25, strength=1.0)
    strong = np.abs(distil.reductions.get(walking).edits.changes).sum()
    assert strong > 1.1 * weak > 0.0


def test_where_nothing_looks_alike_it_says_so(distil: Any, walking: Any) -> None:
    edit_a_key(distil, walking, 5)
    with pytest.raises(RuntimeError, match="let poses differ more"):
        bpy.ops.posewright.echo_edit(difference=0.001)


def test_without_an_edited_pose_there_is_nothing_to_echo(distil: Any, walking: Any) -> None:
    with pytest.raises(RuntimeError, match="Nothing was edited"):
        bpy.ops.posewright.echo_edit()
    from bl_ext.user_default.posewright.bridge.distil.editing import retiming

    columns = retiming.columns_of(distil.reductions.get(walking))
    bpy.ops.posewright.retime_pose(frame=columns[3], to=columns[3] + 1)
    with pytest.raises(RuntimeError, match="No pose was edited"):
        bpy.ops.posewright.echo_edit()


def test_what_has_no_legs_has_echoes_too(distil: Any, swinging: Any) -> None:
    """A chain that goes through the same poses twice."""
    frames = np.arange(1.0, 121.0)
    turn = 2.0 * np.pi * frames[:, None] / 60.0 + 0.7 * np.arange(13)
    distil.write(distil.playing(swinging), frames, 0.5 * np.sin(turn) + 0.1 * np.sin(2.0 * turn))
    bpy.ops.posewright.analyze()
    swinging.posewright.key_count = 9
    curve, at = distil.playing(swinging)[0], 20.0
    curve.keyframe_points.insert(at, curve.evaluate(at) + 0.4)
    bpy.context.scene.frame_set(int(at))
    assert bpy.ops.posewright.echo_edit() == {"FINISHED"}
    edits = distil.reductions.get(swinging).edits
    assert edits.keyed_frames.tolist() == [20.0, 80.0]
    played = distil.playing(swinging)[0]
    assert played.evaluate(80.0) == pytest.approx(played.evaluate(20.0), abs=0.02)
