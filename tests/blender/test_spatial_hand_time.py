# SPDX-License-Identifier: GPL-3.0-or-later
"""A take keeps the hand's time: events that are handled together did not happen together."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.blender.spatial_bear import bear_with_five_keys, cursor, settings

RATE = 24.0  # frames a second
SPEED = 0.5  # units a second


@pytest.fixture
def bear(make_rig, clean_blender):
    return bear_with_five_keys(make_rig)


def redraws(rate, seconds, random):
    """When Blender comes round to handle events; no two redraws take equally long."""
    gaps = (1.0 + 0.2 * random.uniform(-1.0, 1.0, int(rate * seconds))) / rate
    return np.cumsum(gaps)


def performed(take, handled, event_times, place_at, *, tick_first=False):
    """Record a hand whose events happen at some times and are handled, all together, at others."""
    take.start_recording(RATE)
    take.record(1.0)
    done = 0
    for turn, now in enumerate(handled):
        frame = 1.0 + now * RATE
        if tick_first:
            take.record_tick(frame, turn)
        while done < len(event_times) and event_times[done] <= now:
            take.move_cursor(place_at(event_times[done]))
            take.record_move(frame, turn)
            done += 1
        if not tick_first:
            take.record_tick(frame, turn)
    take.end_recording(1.0 + handled[-1] * RATE)


def recorded_places(take):
    moments = take.recorded_moments()
    first = take.last_frame - len(moments) + 1
    return np.arange(first, take.last_frame + 1), np.array([moment.points[0] for moment in moments])


@pytest.mark.parametrize("tick_first", [False, True])
@pytest.mark.parametrize("events", [125, 1000])
@pytest.mark.parametrize("rate", [3, 10, 60])
def test_constant_speed_stays_constant(bear, session, rate, events, tick_first):
    random = np.random.default_rng(rate * events)
    take, start = session(bear, bpy.context.scene), cursor(bear).matrix_world.translation.copy()
    handled = redraws(rate, 5.0, random)
    times = np.arange(0.0, handled[-1], 1.0 / events)
    performed(
        take,
        handled,
        times,
        lambda t: start + Vector((float(SPEED * t), 0.0, 0.0)),
        tick_first=tick_first,
    )
    _, places = recorded_places(take)
    speeds = np.diff(places[:, 0]) * RATE
    slack = 2 + round(RATE / rate)  # a stroke begins and ends somewhere between two redraws
    speeds = speeds[slack:-slack]
    assert len(speeds) > 60
    assert np.abs(speeds / SPEED - 1.0).max() < 0.05
    take.restore()


def test_a_hand_that_stands_still_is_recorded_standing_still(bear, session):
    random = np.random.default_rng(3)
    take, start = session(bear, bpy.context.scene), cursor(bear).matrix_world.translation.copy()
    handled = redraws(60, 4.0, random)
    # One second of movement, one of rest, one of movement.
    times = np.concatenate([np.arange(0.0, 1.0, 0.008), np.arange(2.0, 3.0, 0.008)])

    def place_at(time):
        return start + Vector((SPEED * float(time if time < 1.5 else time - 1.0), 0.0, 0.0))

    performed(take, handled, times, place_at)
    frames, places = recorded_places(take)
    moving = np.abs(np.diff(places[:, 0])) > 1e-6
    seconds = (frames[:-1] - 1.0) / RATE
    assert moving[(seconds > 0.1) & (seconds < 0.9)].all()
    assert not moving[(seconds > 1.15) & (seconds < 1.9)].any()
    assert moving[(seconds > 2.1) & (seconds < 2.9)].all()
    assert not moving[seconds > 3.15].any()
    take.restore()


def test_playback_that_stands_still_keeps_the_events_for_its_next_frame(bear, session):
    take, start = session(bear, bpy.context.scene), cursor(bear).matrix_world.translation.copy()
    take.start_recording(RATE)
    take.record(1.0)
    for step in range(1, 31):
        take.move_cursor(start + Vector((step * 0.1, 0.0, 0.0)))
        take.record_move(1.0 + step // 3, step)  # three times a frame
        take.record_tick(1.0 + step // 3, step)
    take.end_recording(11.0)
    _, places = recorded_places(take)
    steps = np.diff(places[:, 0])
    assert np.allclose(steps[1:-1], 0.3, rtol=0.05)
    take.restore()


def test_a_trembling_hand_is_smoothed_if_wanted(bear, session):
    random, trembling = np.random.default_rng(4), {}
    for smoothing in (0.0, 0.2):
        settings(bear).record_smoothing = smoothing
        take, start = session(bear, bpy.context.scene), cursor(bear).matrix_world.translation.copy()
        for n in range(60):
            take.move_cursor(start + Vector((n / 60, 0.0, float(random.normal()) * 0.02)))
            take.record(1.0 + n)
        _, places = recorded_places(take)
        trembling[smoothing] = np.abs(np.diff(places[:, 2], n=2)).mean()
        assert np.allclose(np.diff(places[10:-10, 0]), 1 / 60, rtol=0.01), "the way itself stays"
        take.restore()
    assert trembling[0.2] < 0.05 * trembling[0.0]
