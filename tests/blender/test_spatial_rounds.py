# SPDX-License-Identifier: GPL-3.0-or-later
"""Rounds of a loop are takes, punched takes stay within their frames, and cursors replay their paths."""

from __future__ import annotations

import importlib

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.blender.spatial_bear import (
    FIVE_KEYS,
    bear_with_five_keys,
    cursor,
    local_turn,
    rest,
    select_bones,
    set_key,
    settings,
    turn,
)


@pytest.fixture
def part(posewright):
    return lambda name: importlib.import_module(f"{posewright.__name__}.bridge.spatial.{name}")


@pytest.fixture
def bear(make_rig):
    return bear_with_five_keys(make_rig)


def place(key):
    return Vector(FIVE_KEYS[key][0])


def act(performance, *moments):
    for time, key in moments:
        performance.move_cursor(place(key) if isinstance(key, str) else Vector(key))
        bpy.context.view_layer.update()
        performance.record(time)


def begin(session, rig):
    performance = session(rig, bpy.context.scene)
    performance.start_recording(24.0)
    return performance


def end(performance, error=None):
    performance.write(error=error)
    performance.end()


def head_at(rig, frame):
    bpy.context.scene.frame_set(0)
    bpy.context.scene.frame_set(frame)
    return local_turn(rig, "head").copy()


def at_key(rig, key):
    settings(rig).sets[0].key_index = settings(rig).sets[0].keys.find(key)
    bpy.ops.posewright.spatial_key_go_to()
    return local_turn(rig, "head").copy()


def test_every_round_of_a_loop_is_a_take_and_the_last_plays(bear, session, part):
    expected = {key: at_key(bear, key) for key in ("left", "up", "down")}
    performance = begin(session, bear)
    act(performance, (1.0, "front"), (9.0, "left"))
    performance.next_round(9.0, 1.0)
    act(performance, (5.0, "front"), (9.0, "up"))
    performance.next_round(9.0, 1.0)
    act(performance, (5.0, "front"), (9.0, "down"))
    end(performance)
    takes = part("takes.kept_takes")
    assert [track.name for track in takes.takes_of(bear)] == ["Take 1", "Take 2", "Take 3"]
    np.testing.assert_allclose(head_at(bear, 9), expected["down"], atol=1e-5)
    for index, key in enumerate(("left", "up", "down")):
        takes.choose(bear, index)
        np.testing.assert_allclose(head_at(bear, 9), expected[key], atol=1e-5)


def test_a_round_that_was_hardly_begun_is_no_take(bear, session, part):
    expected = at_key(bear, "left")
    performance = begin(session, bear)
    act(performance, (1.0, "front"), (9.0, "left"))
    performance.next_round(9.0, 1.0)
    act(performance, (3.0, "up"))
    end(performance)
    assert len(part("takes.kept_takes").takes_of(bear)) == 0, "a single take is kept only if that is wanted"
    np.testing.assert_allclose(head_at(bear, 9), expected, atol=1e-5)


def test_rounds_are_distilled_too(bear, session, part, posewright):
    performance = begin(session, bear)
    for frame in range(1, 40):
        act(performance, (float(frame), (np.sin(frame / 7.0), -1.2, 2.0)))
    performance.next_round(40.0, 1.0)
    for frame in range(2, 41):
        act(performance, (float(frame), (np.cos(frame / 7.0), -1.2, 2.0)))
    end(performance, error=0.05)
    for track in part("takes.kept_takes").takes_of(bear):
        action = track.strips[0].action
        actions = posewright.bridge.actions
        curves = [curve for _, bag in actions.bags_in(action) for curve in bag.fcurves]
        assert max(len(curve.keyframe_points) for curve in curves) < 20


def test_a_punched_take_changes_only_its_frames_and_blends(bear, session):
    performance = begin(session, bear)
    act(performance, (1.0, "front"), (60.0, "left"))
    end(performance)
    before = [head_at(bear, frame) for frame in range(1, 61)]
    settings(bear).record_punch, settings(bear).punch_first, settings(bear).punch_last = True, 20, 40
    settings(bear).transition = 4
    up = at_key(bear, "up")
    bpy.context.scene.frame_set(1)
    performance = begin(session, bear)
    act(performance, (1.0, "up"), (60.0, "up"))
    end(performance)
    after = [head_at(bear, frame) for frame in range(1, 61)]
    for frame in (*range(1, 20), 20, 40, *range(41, 61)):
        np.testing.assert_allclose(after[frame - 1], before[frame - 1], atol=1e-5, err_msg=str(frame))
    for frame in range(24, 37):
        np.testing.assert_allclose(after[frame - 1], up, atol=1e-5, err_msg=str(frame))
    assert not np.allclose(after[21], before[21], atol=1e-3)


def test_a_punched_take_of_what_was_not_animated_holds_its_ends_beyond_its_frames(bear, session):
    expected = {key: at_key(bear, key) for key in ("left", "up")}
    settings(bear).record_punch, settings(bear).punch_first, settings(bear).punch_last = True, 20, 40
    rest(bear)
    performance = begin(session, bear)
    act(performance, (1.0, "down"), (20.0, "left"), (40.0, "up"), (60.0, "down"))
    end(performance)
    for frame, key in ((1, "left"), (19, "left"), (20, "left"), (40, "up"), (60, "up")):
        np.testing.assert_allclose(head_at(bear, frame), expected[key], atol=1e-5, err_msg=str(frame))


def test_before_its_frames_a_punched_take_shows_what_was_there(bear, session):
    performance = begin(session, bear)
    act(performance, (1.0, "left"), (60.0, "left"))
    end(performance)
    there = head_at(bear, 10)
    settings(bear).record_punch, settings(bear).punch_first, settings(bear).punch_last = True, 20, 40
    performance = session(bear, bpy.context.scene)
    performance.start_recording(24.0)
    performance.record(10.0)
    performance.show_time(10)
    performance.move_cursor(place("up"))
    bpy.context.view_layer.update()
    np.testing.assert_allclose(local_turn(bear, "head"), there, atol=1e-5)
    performance.record(25.0)
    performance.show_time(25)
    bpy.context.view_layer.update()
    assert not np.allclose(local_turn(bear, "head"), there, atol=1e-2)
    performance.restore()


@pytest.mark.parametrize(("first", "last", "said"), [(40, 20, "which is before it"), (80, 90, "Nothing was")])
def test_frames_that_cannot_be_punched_are_refused(bear, session, part, first, last, said):
    settings(bear).record_punch, settings(bear).punch_first, settings(bear).punch_last = True, first, last

    def record():
        performance = begin(session, bear)
        act(performance, (1.0, "front"), (9.0, "up"))
        end(performance)

    with pytest.raises(part("session").InputError, match=said):
        record()


@pytest.mark.parametrize("missed", ["first", "last"])
def test_a_round_that_missed_the_frames_to_record_does_not_lose_the_others(bear, session, missed):
    expected = at_key(bear, "left")
    settings(bear).record_punch, settings(bear).punch_first, settings(bear).punch_last = True, 10, 20
    performance = begin(session, bear)
    if missed == "first":
        act(performance, (50.0, "up"), (59.0, "up"))
    else:
        act(performance, (1.0, "left"), (59.0, "left"))
    performance.next_round(60.0, 1.0)
    if missed == "first":
        act(performance, (5.0, "left"), (30.0, "left"))
    else:
        act(performance, (3.0, "up"))
    end(performance)
    np.testing.assert_allclose(head_at(bear, 15), expected, atol=1e-5)


@pytest.fixture
def duet(bear):
    """A second set that adds a nod of the same head."""
    bpy.ops.posewright.spatial_set_add(name="Nod")
    settings(bear).sets["Nod"].layer = "ADD"
    for name, angle, where in (("straight", 0, (0, -2, 0)), ("nod", 30, (0, -2, 1))):
        rest(bear)
        turn(bear, "head", angle, 0, 0)
        select_bones(bear, "head")
        set_key(bear, where, name, bones="SELECTED")
    rest(bear)
    settings(bear).sets["Nod"].layer = "ADD"
    settings(bear).sets["Look"].influence = settings(bear).sets["Nod"].influence = 1.0
    cursor(bear).location = (0, -2, 0)
    settings(bear).set_index = 0
    return bear


def test_a_second_hand_acts_along_with_the_first(duet, session, part):
    performance = begin(session, duet)
    act(performance, (1.0, "front"), (21.0, "left"))
    end(performance)
    settings(duet).replay_paths, settings(duet).set_index = True, 1
    performance = begin(session, duet)
    act(performance, (1.0, (0, -2, 0)), (21.0, (0, -2, 1)))
    assert (settings(duet).sets["Look"].cursor.location - place("left")).length < 1e-4
    end(performance)
    settings(duet).live = True
    for frame, look, nod in ((1, place("front"), 0.0), (11, (place("front") + place("left")) / 2, 0.5)):
        settings(duet).live = False
        played = head_at(duet, frame)
        settings(duet).live = True
        settings(duet).sets["Look"].cursor.location = look
        settings(duet).sets["Nod"].cursor.location = (0, -2, nod)
        bpy.context.view_layer.update()
        np.testing.assert_allclose(played, local_turn(duet, "head"), atol=1e-4, err_msg=str(frame))


def test_without_replaying_the_other_cursor_stays(duet, session):
    performance = begin(session, duet)
    act(performance, (1.0, "front"), (21.0, "left"))
    end(performance)
    where = settings(duet).sets["Look"].cursor.location.copy()
    settings(duet).set_index = 1
    performance = begin(session, duet)
    act(performance, (1.0, (0, -2, 0)), (11.0, (0, -2, 1)))
    assert settings(duet).sets["Look"].cursor.location == where
    performance.restore()


def test_esc_brings_replayed_cursors_back(duet, session):
    performance = begin(session, duet)
    act(performance, (1.0, "front"), (21.0, "left"))
    end(performance)
    where = settings(duet).sets["Look"].cursor.location.copy()
    settings(duet).replay_paths, settings(duet).set_index = True, 1
    performance = begin(session, duet)
    act(performance, (1.0, (0, -2, 0)), (11.0, (0, -2, 1)))
    assert (settings(duet).sets["Look"].cursor.location - where).length > 0.1
    performance.restore()
    assert settings(duet).sets["Look"].cursor.location == where
