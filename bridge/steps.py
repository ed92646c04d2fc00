# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work as a generator: it yields the share done, may be closed at any step, and returns its result."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from threading import Thread
from typing import Any, TypeVar

from ..core.progress import Progress, ProgressCallback

Result = TypeVar("Result")
Steps = Generator[float, None, Result]

LOOK_SECONDS = 0.002  # how long to wait for a thread before the window gets its turn again
# How long a thread may keep Python to itself. Drawing the sidebar asks for it dozens of times, once a panel.
SWITCH_SECONDS = 0.0005


def run(work: Steps[Result], progress: ProgressCallback | None = None) -> Result:
    """Finish the work; `progress` stops it by returning False."""
    report = Progress(progress)
    try:
        while True:
            report(next(work))
    except StopIteration as done:
        return done.value
    finally:
        work.close()


def shares(work: Steps[Result], start: float, stop: float) -> Steps[Result]:
    """Part of a longer job: its shares mapped into a span of the whole."""
    try:
        while True:
            try:
                share = next(work)
            except StopIteration as done:
                return done.value
            yield start + (stop - start) * share
    finally:
        work.close()  # at once: what the longer job puts back comes after what its part puts back


def computed(work: Callable[[ProgressCallback | None], Result], *, beside: bool) -> Steps[Result]:
    """Work that never touches Blender: `beside` the window in a thread of its own, or at once.

    Closing the generator stops the thread at its next report and waits for its end.
    """
    if not beside:
        return work(None)
    thread = _Watched(work)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    thread.start()
    try:
        while thread.is_alive():
            yield thread.share
            thread.join(LOOK_SECONDS)
    finally:
        thread.wanted = False
        thread.join()
        sys.setswitchinterval(usual)
    if thread.problem is not None:
        raise thread.problem
    return thread.result


class _Watched(Thread):
    """A call that can be watched and stopped."""

    def __init__(self, work: Callable[[ProgressCallback], Any]) -> None:
        super().__init__(name="Posewright", daemon=True)
        self._work = work
        self.share = 0.0
        self.wanted = True
        self.result: Any = None
        self.problem: Exception | None = None

    def run(self) -> None:
        try:
            self.result = self._work(self._report)
        except Exception as problem:  # raised again by whoever waits for the result
            self.problem = problem

    def _report(self, share: float) -> bool:
        self.share = share
        return self.wanted
