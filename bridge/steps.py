# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work as a generator: it yields the share done, may be closed at any step, and returns its result."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

from ..core.progress import Progress, ProgressCallback

Result = TypeVar("Result")
Steps = Generator[float, None, Result]


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
