# SPDX-License-Identifier: GPL-3.0-or-later
"""Distilling a take: really the fewest keys, and a take that is safe whenever somebody has had enough."""

from __future__ import annotations

import importlib
import threading
import time
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.blender.spatial_bear import (
    BONES,
    bear_with_five_keys,
    cursor,
    local_turn,
    set_five_keys,
    set_key,
    turn,
)

FRAMES = 60
random = np.random.default_rng(3)
PLACES = np.cumsum(random.normal(scale=0.15, size=(FRAMES, 3)), axis=0) + np.array([0.0, -1.3, 2.0])


@pytest.fixture
def parts(posewright):
    names = (
        "takes.cursor_baking",
        "blending.moments",
        "takes.distilling",
        "live",
        "takes.take_writing",
        "session",
        "posing.forward_kinematics",
    )
    spatial = f"{posewright.__name__}.bridge.spatial"
    found = {name.split(".")[-1]: importlib.import_module(f"{spatial}.{name}") for name in names}
    found["run"] = importlib.import_module(f"{posewright.__name__}.bridge.steps").run
    return SimpleNamespace(core=posewright.core, actions=posewright.bridge.actions, **found)


@pytest.fixture
def bear(make_rig):
    return bear_with_five_keys(make_rig, location=(2, 0, 0))


def tracks_along(rig, parts, places):
    frames = np.arange(1.0, len(places) + 1.0)
    moments = parts.cursor_baking.moments_at(rig, frames, places)
    work = parts.take_writing.take_in_steps(rig, frames, moments, rig.location, 24.0)
    return frames, parts.take_writing.tracks_to_write(rig, parts.run(work))


def fewest_the_full_way(rig, parts, frames, tracks, error):
    """Every key count from the fewest on, each fitted and played in all frames."""
    joints, rows = parts.forward_kinematics.Joints(rig), np.arange(len(frames))
    wanted = joints.positions(*tracks.played(tracks.values, rows))
    solutions = parts.core.select(parts.core.Motion(wanted, frames=frames))
    for count in solutions.counts:
        keys = solutions.keys(count)
        values = parts.core.fit_handles(tracks.values, keys, frames=frames).evaluate(frames)
        played = joints.positions(*tracks.played(values, rows))
        if parts.core.metrics.largest_joint_distance(wanted, played) <= error:
            return keys
    return rows


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ"])
@pytest.mark.parametrize("error", [0.0, 0.002, 0.01, 0.03, 0.1, 0.3, 10.0])
def test_the_fewest_keys_as_if_every_count_were_played(make_rig, parts, mode, error):
    rig = make_rig(BONES, name="Bear", rotation_mode=mode)
    bpy.ops.posewright.spatial_set_add(name="Look")
    set_five_keys(rig)
    frames, tracks = tracks_along(rig, parts, PLACES)
    found = parts.run(parts.distilling.rows_within_in_steps(rig, frames, tracks, error)).tolist()
    assert found == fewest_the_full_way(rig, parts, frames, tracks, error).tolist()
    assert len(found) == {0.0: FRAMES, 10.0: 2}.get(error, len(found))


def test_no_stretch_is_played_twice(bear, parts, monkeypatch):
    frames, tracks = tracks_along(bear, parts, PLACES)
    played = []
    judge = parts.distilling._Judge
    look = judge._distances
    monkeypatch.setattr(judge, "_distances", lambda *given: played.append(given[1]) or look(*given))
    keys = parts.run(parts.distilling.rows_within_in_steps(bear, frames, tracks, 0.02))
    every_count = (len(keys) - 1) * FRAMES
    assert 5 * len(np.concatenate(played)) < every_count


def perform(rig, parts):
    session = parts.session.Session(rig, bpy.context.scene)
    for n, place in enumerate(PLACES):
        session.move_cursor(rig.matrix_world @ Vector(place))
        session.record(1.0 + n)
        bpy.context.view_layer.update()
    return session


def keys_of(rig, parts):
    """Every key of every curve, by what it animates."""
    found = {}
    for curve in parts.actions.curves_of(rig):
        points = curve.keyframe_points
        found[curve.data_path, curve.array_index] = [
            (tuple(key.co), tuple(key.handle_left), tuple(key.handle_right)) for key in points
        ]
    return found


def written(rig, parts, error):
    session = perform(rig, parts)
    session.write(error=error)
    session.end()
    keys = keys_of(rig, parts)
    bpy.data.actions.remove(rig.animation_data.action)
    rig.animation_data_clear()
    return keys


def at_work():
    return [thread for thread in threading.enumerate() if thread.name == "Posewright"]


def test_beside_the_window_the_same_is_written(bear, parts):
    at_once = written(bear, parts, 0.02)
    session = perform(bear, parts)
    work, shown = session.write_in_steps(error=0.02), []
    while True:
        try:
            shown.append(next(work))
        except StopIteration as done:
            count = done.value
            break
    session.end()
    assert keys_of(bear, parts) == at_once
    assert {len(keys) for keys in at_once.values()} == {count}
    assert shown == sorted(shown)
    assert not at_work()


def stop_after(work, steps):
    """The share that was reached."""
    share = 0.0
    for _ in range(steps):
        share = next(work)
    work.close()
    return share


def test_a_take_that_is_not_waited_for_has_a_key_on_every_frame(bear, parts, monkeypatch):
    """Whenever its distilling is closed, all of it is there, and never a half."""
    monkeypatch.setattr(parts.take_writing, "CURVES_AT_ONCE", 3)
    every_frame = written(bear, parts, None)
    assert {len(keys) for keys in every_frame.values()} == {FRAMES}
    monkeypatch.setattr(parts.distilling, "select", endless)
    # As soon as some curves are written, a little later, and while the distilling goes on.
    for steps in (0, 1, len(every_frame) // 3 + 1):
        session = perform(bear, parts)
        work = session.write_in_steps(error=0.02)
        there = len(bpy.data.actions)
        while len(bpy.data.actions) == there:
            next(work)
        stop_after(work, steps)
        assert session.written
        session.end()
        assert keys_of(bear, parts) == every_frame
        assert not at_work()
        bear.animation_data_clear()


def endless(*_given, progress):
    """Work that goes on until it is stopped, so that there is always time to stop it."""
    while True:
        progress(0.5)
        time.sleep(0.001)


def test_a_take_closed_before_anything_is_written_leaves_the_character_alone(bear, parts, monkeypatch):
    monkeypatch.setattr(parts.take_writing, "poses_along", lambda _, progress: endless(progress=progress))
    session = perform(bear, parts)
    stop_after(session.write_in_steps(error=0.02), 1)
    assert not session.written
    assert bear.animation_data is None
    assert not at_work()
    session.restore()


def test_in_a_hurry_before_anything_is_written_every_frame_is_keyed(bear, parts, monkeypatch):
    every_frame = written(bear, parts, None)
    poses_along, go_on = parts.take_writing.poses_along, threading.Event()
    monkeypatch.setattr(
        parts.take_writing, "poses_along", lambda *given: go_on.wait() and poses_along(*given)
    )
    session = perform(bear, parts)
    work = session.write_in_steps(error=0.02)
    next(work)
    assert not session.written
    session.hurry()
    go_on.set()
    assert parts.run(work) == FRAMES
    session.end()
    assert keys_of(bear, parts) == every_frame


def test_closing_keeps_the_action_that_was_there(bear, parts, set_keys):
    set_keys(bear, "location", {1: (0.0, 0.0, 0.0), 80: (1.0, 0.0, 0.0)})
    source = bear.animation_data.action
    before = keys_of(bear, parts)
    session = perform(bear, parts)
    work = session.write_in_steps(error=0.02)
    while not session.written:
        next(work)
    work.close()
    session.end()
    assert bear.animation_data.action != source
    bear.animation_data.action = source
    if hasattr(source, "slots"):
        bear.animation_data.action_slot = source.slots[0]
    assert keys_of(bear, parts) == before


def test_a_bake_that_is_closed_changes_nothing(bear, parts, set_keys, monkeypatch):
    monkeypatch.setattr(parts.distilling, "select", endless)
    set_keys(cursor(bear), "location", {1: (0.0, -1.5, 2.0), 15: (1.2, -1.1, 2.4), 40: (0.2, -1.6, 2.9)})
    scene = bpy.context.scene
    scene.frame_set(7)
    actions = len(bpy.data.actions)
    # At its first frame, on its way, at the last frame, and when all frames are seen and keys are chosen.
    for steps in (1, 20, 40, 60):
        work = parts.cursor_baking.bake_cursors_in_steps([bear], scene, 1, 40, error=0.02)
        assert 0.0 <= stop_after(work, steps) < 1.0
        assert scene.frame_current == 7
        assert bear.animation_data is None
        assert len(bpy.data.actions) == actions
        assert not parts.live._paused
        assert not at_work()


def test_a_head_that_is_only_shaken_is_recorded_with_its_keys(make_rig, parts):
    """The head turns about its own axis: neither of its ends moves."""
    rig = make_rig(BONES, name="Bear")
    bpy.ops.posewright.spatial_set_add(name="Shake")
    for x, angle in ((-1.0, -40.0), (0.0, 0.0), (1.0, 40.0)):
        turn(rig, "head", 0, angle, 0)
        set_key(rig, (x, -1.0, 2.0), f"{angle:g}")
    path = [(1, (0, -1, 2)), (15, (1, -1, 2)), (30, (-1, -1, 2)), (45, (1, -1, 2)), (60, (0, -1, 2))]
    assert parts.cursor_baking.bake_path(rig, path, error=0.01) > 4
    for frame, angle in ((15, 40.0), (30, -40.0), (45, 40.0)):
        bpy.context.scene.frame_set(frame)
        shown = local_turn(rig, "head")
        assert np.degrees(np.arctan2(shown[0, 2], shown[0, 0])) == pytest.approx(angle, abs=2.0)
