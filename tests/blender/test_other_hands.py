# SPDX-License-Identifier: GPL-3.0-or-later
"""The cursor is moved by a pen's pressure, a 3D mouse or a script, and a take keeps its clock in a loop."""

from __future__ import annotations

import importlib
from types import SimpleNamespace

import bpy
import pytest
from mathutils import Vector

from tests.blender.spatial_bear import bear_with_five_keys, settings
from tests.blender.test_spatial_dragging import view_from


@pytest.fixture
def part(posewright):
    return lambda name: importlib.import_module(f"{posewright.__name__}.{name}")


@pytest.fixture
def source(part):
    module = part("bridge.spatial.cursor_source")
    module.use(None)
    yield module
    module.use(None)


@pytest.fixture
def drag(make_rig, session, part, monkeypatch):
    """A drag of the cursor of a bear along the screen, from the front; and its performance."""
    rig = bear_with_five_keys(make_rig)
    settings(rig).drag_in = "SCREEN"
    module = part("operators.cursor_drag")
    monkeypatch.setattr(module, "view_for", lambda area, event: view_from((0.0, -8.0, 1.0)))
    performance = session(rig, bpy.context.scene)
    place = performance.cursor_place()
    found = module.CursorDrag(performance, None, event(), lock="", ground=-50.0, travelled=Vector())
    yield SimpleNamespace(hand=found, rig=rig, start=place, performance=performance)
    performance.restore()


def event(kind="MOUSEMOVE", **options):
    plain = {"mouse_x": 400, "mouse_y": 300, "shift": False, "value": "NOTHING", "is_tablet": False}
    return SimpleNamespace(type=kind, **plain | options)


@pytest.mark.parametrize("pressure", [0.0, 0.4, 1.0])
def test_pressure_pushes_the_cursor_away(drag, pressure):
    settings(drag.rig).drag_third = "PRESSURE"
    assert drag.hand.follow(event(is_tablet=True, pressure=pressure))
    moved = drag.hand.place - drag.start
    assert moved.length == pytest.approx(pressure * 0.5 * drag.performance.height, abs=1e-4)
    assert moved.y >= -1e-5


def test_a_mouse_has_no_pressure_and_a_pen_only_where_it_is_wanted(drag):
    drag.hand.follow(event(is_tablet=True, pressure=1.0))
    assert (drag.hand.place - drag.start).length < 1e-4
    settings(drag.rig).drag_third = "PRESSURE"
    drag.hand.follow(event(pressure=1.0))
    assert (drag.hand.place - drag.start).length < 1e-4


def test_a_3d_mouse_pushes_the_cursor_as_long_as_it_is_pushed(drag):
    pushed = SimpleNamespace(translation=(0.0, 0.0, -0.5), time_delta=0.05)
    assert not drag.hand.follow(event("NDOF_MOTION", ndof_motion=pushed)), "the view goes on with it"
    settings(drag.rig).drag_third = "NDOF"
    for _ in range(4):
        assert drag.hand.follow(event("NDOF_MOTION", ndof_motion=pushed))
    moved = drag.hand.place - drag.start
    assert moved.y == pytest.approx(4 * 0.5 * 0.05 * 0.5 * drag.performance.height, rel=0.1)


def test_before_blender_5_a_3d_mouse_tells_nothing(drag):
    settings(drag.rig).drag_third = "NDOF"
    drag.hand.follow(event("NDOF_MOTION"))
    assert (drag.hand.place - drag.start).length < 1e-4


def test_locked_to_an_axis_nothing_else_moves_it(drag):
    settings(drag.rig).drag_third = "PRESSURE"
    drag.hand.lock_to("X")
    drag.hand.follow(event(is_tablet=True, pressure=1.0))
    assert (drag.hand.place - drag.start).length < 1e-3


def test_a_script_says_where_the_cursor_is(source):
    assert source.place() is None
    assert not source.is_used()
    source.use(lambda: (1, 2.5, 3))
    assert tuple(source.place()) == (1.0, 2.5, 3.0)
    source.use(lambda: None)
    assert source.place() is None
    assert source.is_used()


@pytest.mark.parametrize("wrong", ["abc", (1, 2), (1, 2, float("nan")), (1, 2, 1e300), 7, lambda: 1 / 0])
def test_a_script_that_fails_is_told_and_not_asked_again(source, wrong):
    source.use(wrong if callable(wrong) else lambda: wrong)
    with pytest.raises(source.InputError, match="nothing is lost"):
        source.place()
    assert source.place() is None
    assert not source.is_used()


def test_what_cannot_be_asked_is_refused(source):
    with pytest.raises(source.InputError, match="function"):
        source.use((1, 2, 3))


def test_the_clock_of_a_loop_goes_round_in_the_range(part, monkeypatch):
    module, scene = part("operators.take_clock"), bpy.context.scene
    scene.frame_start, scene.frame_end = 11, 20
    scene.frame_set(15)
    seconds = [100.0]
    monkeypatch.setattr(module, "perf_counter", lambda: seconds[0])
    clock = module.TakeClock(scene, by_playback=False, speed=1.0, loops=True)
    seen = []
    for frames in (0, 5.5, 5.9, 6.25, 15.5, 16.5):
        seconds[0] = 100.0 + frames / clock.rate
        now = clock.now(scene)
        seen.append((round(now, 6), clock.has_wrapped(now)))
    assert seen == [(15, False), (20.5, False), (20.9, False), (11.25, True), (20.5, False), (11.5, True)]


def test_a_loop_begins_within_its_range(part):
    module, scene = part("operators.take_clock"), bpy.context.scene
    scene.frame_start, scene.frame_end = 11, 20
    scene.frame_set(30)
    with pytest.raises(module.playback.InputError, match="in between"):
        module.TakeClock(scene, by_playback=False, speed=1.0, loops=True)
