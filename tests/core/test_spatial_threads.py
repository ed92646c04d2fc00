# SPDX-License-Identifier: GPL-3.0-or-later
"""Work shared out to threads: all of it is done once, errors come back, and little work starts none."""

import threading

import pytest

from core.spatial import threads


@pytest.fixture(autouse=True)
def _three_cores(monkeypatch):
    monkeypatch.setattr(threads.os, "cpu_count", lambda: 3)


@pytest.mark.parametrize("count", [0, 1, 2, 5, 6, 1000])
def test_every_portion_is_worked_on_once(count):
    done = threads.share_out(list, range(count))
    assert sorted(portion for some in done for portion in some) == list(range(count))


def test_as_many_threads_as_cores_work_at_the_same_time():
    everyone = threading.Barrier(3, timeout=30)

    def work(portions):
        everyone.wait()
        return len(list(portions))

    assert sum(threads.share_out(work, range(100))) == 100


@pytest.mark.parametrize(("cores", "count"), [(3, 3), (1, 1000), (None, 1000)])
def test_little_work_or_a_single_core_starts_no_thread(monkeypatch, cores, count):
    monkeypatch.setattr(threads.os, "cpu_count", lambda: cores)
    assert threads.share_out(lambda _: threading.current_thread(), range(count)) == [
        threading.current_thread()
    ]


def test_threads_are_no_more_than_help(monkeypatch):
    monkeypatch.setattr(threads.os, "cpu_count", lambda: 64)
    assert len(threads.share_out(list, range(1000))) == threads.MOST_THREADS


def test_an_error_comes_back_when_all_threads_have_ended():
    before = threading.active_count()

    def work(portions):
        for portion in portions:
            if portion == 7:
                raise ValueError("seven")

    with pytest.raises(ValueError, match="seven"):
        threads.share_out(work, range(100))
    assert threading.active_count() == before
