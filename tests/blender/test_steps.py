# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work beside the window: its result, its problems, and that its thread never outlives it."""

import sys
import threading
import time

import pytest


@pytest.fixture
def steps(posewright):
    import importlib

    return importlib.import_module(f"{posewright.__name__}.bridge.steps")


def finish(steps, work, in_turns, shares=None):
    """Step through the work by hand, or run it."""
    shares = [] if shares is None else shares
    if not in_turns:
        return steps.run(work, shares.append)
    while True:
        try:
            shares.append(next(work))
        except StopIteration as done:
            return done.value


def at_work():
    return [thread for thread in threading.enumerate() if thread.name == "Posewright"]


@pytest.mark.parametrize("in_turns", [True, False])
def test_the_result_and_the_shares(steps, in_turns):
    def work(report):
        for share in (0.25, 0.5) if report else ():
            report(share)
            time.sleep(0.02)
        return threading.current_thread().name

    shares = []
    found = finish(steps, steps.computed(work), in_turns, shares)
    assert found == ("Posewright" if in_turns else threading.main_thread().name)
    assert shares == sorted(shares)
    assert set(shares) <= {0.0, 0.25, 0.5}


def test_work_that_ends_before_anybody_looks_is_a_step_all_the_same(steps, monkeypatch):
    start = steps._Watched.start
    monkeypatch.setattr(steps._Watched, "start", lambda thread: (start(thread), thread.join()))
    shares = []
    assert finish(steps, steps.computed(lambda _report: "done"), in_turns=True, shares=shares) == "done"
    assert shares == [0.0]


@pytest.mark.parametrize("in_turns", [True, False])
def test_a_problem_is_raised_where_the_result_is_waited_for(steps, posewright, in_turns):
    def work(_report):
        raise posewright.core.InputError("This cannot be.")

    with pytest.raises(posewright.core.InputError, match="cannot be"):
        finish(steps, steps.computed(work), in_turns)
    assert not at_work()


def test_closed_it_stops_its_thread_and_waits_for_it(steps, posewright):
    stopped = []

    def work(report):
        progress = posewright.core.progress.Progress(report)
        try:
            while True:
                progress(0.5)
                time.sleep(0.001)
        except posewright.core.Cancelled:
            stopped.append(True)
            raise

    usual = sys.getswitchinterval()
    running = steps.shares(steps.computed(work), 0.0, 1.0)
    while next(running) < 0.5:
        pass
    assert at_work()
    running.close()
    assert stopped
    assert not at_work()
    assert sys.getswitchinterval() == usual
