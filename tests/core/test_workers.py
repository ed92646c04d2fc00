# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads do every piece once, say what went wrong and are gone afterwards."""

import threading
import time

import numpy as np
import pytest

from core import Cancelled, Motion, select, workers
from core.bounded import bounded_table


@pytest.fixture(params=[1, 2, 4])
def threads(request, monkeypatch):
    monkeypatch.setattr(workers, "THREADS", request.param)
    return request.param


@pytest.fixture
def shared(monkeypatch):
    """However short a motion is, threads share the work."""
    monkeypatch.setattr(bounded_table, "_MANY", 0)


def walk():
    return Motion(np.cumsum(np.random.default_rng(3).normal(size=(700, 4, 3)), axis=0))


def ours():
    return [thread for thread in threading.enumerate() if thread.name.startswith("Posewright")]


@pytest.mark.parametrize("count", [0, 1, 3, 50])
def test_every_piece_is_done_once(threads, count):
    done = []
    workers.each(done.append, range(count))
    assert sorted(done) == list(range(count))
    assert not ours()


def test_pieces_run_side_by_side(monkeypatch):
    """Each of two pieces waits for the other: one after the other they would never end."""
    monkeypatch.setattr(workers, "THREADS", 2)
    meeting = threading.Barrier(2, timeout=20)
    workers.each(lambda _: meeting.wait(), range(2))


def test_what_goes_wrong_in_a_piece_is_told_and_the_rest_dropped(threads):
    done = []

    def work(piece):
        if piece == 3:
            raise ValueError("piece 3")
        time.sleep(0.001)
        done.append(piece)

    with pytest.raises(ValueError, match="piece 3"):
        workers.each(work, range(2000))
    assert len(done) < 1999
    assert not ours()


def test_beats_go_on_while_a_piece_takes_long(monkeypatch):
    monkeypatch.setattr(workers, "THREADS", 2)
    finish, beats = threading.Event(), []

    def beat():
        beats.append(threading.current_thread())
        if len(beats) == 3:
            finish.set()

    workers.each(lambda _: finish.wait(), range(2), beat)  # without beats it would never end
    assert set(beats) == {threading.current_thread()}


def test_alone_means_in_this_thread(monkeypatch):
    monkeypatch.setattr(workers, "THREADS", 4)
    seen = set()
    workers.each(lambda _: seen.add(threading.current_thread()), range(20), alone=True)
    assert seen == {threading.current_thread()}


def test_solutions_do_not_depend_on_the_number_of_threads(shared, monkeypatch):
    found = []
    for count in (1, 2, 4):
        monkeypatch.setattr(workers, "THREADS", count)
        found.append(select(walk(), objective="minimax", max_keys=70))
    for other in found[1:]:
        np.testing.assert_array_equal(other.errors, found[0].errors)
        for count in found[0].counts.tolist():
            np.testing.assert_array_equal(other.keys(count), found[0].keys(count))


def test_cancelling_at_any_report_leaves_no_thread(shared, monkeypatch):
    monkeypatch.setattr(workers, "THREADS", 2)
    reporting = set()
    for last in (1, 5, 20, 60, 200):
        calls = 0

        def stop(_, last=last):
            nonlocal calls
            reporting.add(threading.current_thread())
            calls += 1
            return calls < last

        with pytest.raises(Cancelled):
            select(walk(), objective="minimax", max_keys=70, progress=stop)
        assert calls == last
        assert not ours()
    assert reporting == {threading.current_thread()}
