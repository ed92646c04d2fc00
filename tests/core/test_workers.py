# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads do every piece once, say what went wrong and are gone afterwards."""

import threading
import time

import pytest

from core import workers


@pytest.fixture(params=[1, 2, 4])
def threads(request, monkeypatch):
    monkeypatch.setattr(workers, "THREADS", request.param)
    return request.param


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
