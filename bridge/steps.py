# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work as a generator: it yields the share done, may be closed at any step, and returns its result.

Stepped through by hand, as a window's timer does, it works in short turns so that the window stays alive;
`run` does it all at once. Work asks `pace()` where that makes a difference and hands nothing through.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Thread
from typing import Any, TypeVar

from ..core.progress import Progress, ProgressCallback

Result = TypeVar("Result")
Steps = Generator[float, None, Result]


@dataclass(frozen=True)
class Pace:
    """How long Blender may be kept from drawing, and whether numpy works in a thread meanwhile."""

    slice_seconds: float
    in_thread: bool


AT_ONCE = Pace(math.inf, in_thread=False)
REPORTING = Pace(0.01, in_thread=False)
IN_TURNS = Pace(0.01, in_thread=True)
_PACE: ContextVar[Pace] = ContextVar("posewright_pace", default=IN_TURNS)

LOOK_SECONDS = 0.002  # how long to wait for a thread before the window gets its turn again
# How long a thread may keep Python to itself. Drawing the sidebar asks for it dozens of times, once a panel.
SWITCH_SECONDS = 0.0005


def pace() -> Pace:
    """How the work under way is being run."""
    return _PACE.get()


@contextmanager
def _at_pace(wanted: Pace) -> Iterator[None]:
    before = _PACE.set(wanted)
    try:
        yield
    finally:
        _PACE.reset(before)


def _paced(work: Steps[Result], wanted: Pace) -> Steps[Result]:
    """The work at some pace, whoever steps through it."""
    try:
        while True:
            try:
                with _at_pace(wanted):
                    share = next(work)
            except StopIteration as done:
                return done.value
            yield share
    finally:
        work.close()


def run(work: Steps[Result], progress: ProgressCallback | None = None) -> Result:
    """Finish the work at once; `progress` stops it by returning False."""
    report = Progress(progress)
    work = _paced(work, AT_ONCE if progress is None else REPORTING)
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


def computed(work: Callable[[ProgressCallback | None], Result]) -> Steps[Result]:
    """Work that never touches Blender: in a thread of its own if the pace says so.

    Closing the generator stops the thread at its next report and waits for its end.
    """
    if not pace().in_thread:
        return work(None)
    thread = _Watched(work)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    thread.start()
    try:
        while True:  # one step at least, however soon the thread ends: the same for everybody every time
            yield thread.share
            thread.join(LOOK_SECONDS)
            if not thread.is_alive():
                break
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
