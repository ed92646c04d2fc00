# SPDX-License-Identifier: GPL-3.0-or-later
"""How long-running code reports progress and learns that it should stop."""

from __future__ import annotations

from collections.abc import Callable

from .errors import Cancelled

# Called with the share of the work done, 0 to 1. Returning False (and only False) cancels.
ProgressCallback = Callable[[float], bool | None]
# Called every now and then by what cannot tell how far it is; it may raise to stop.
Heartbeat = Callable[[], None]


class Progress:
    """A part of a longer job: maps its own 0..1 into a span of the caller's."""

    def __init__(self, callback: ProgressCallback | None, start: float = 0.0, stop: float = 1.0):
        self._callback = callback
        self._start = start
        self._span = stop - start

    def __call__(self, fraction: float) -> None:
        """Report, and raise `Cancelled` when the caller wants to stop."""
        if self._callback is None:
            return
        fraction = min(max(fraction, 0.0), 1.0)
        if self._callback(self._start + self._span * fraction) is False:
            raise Cancelled

    def part(self, start: float, stop: float) -> Progress:
        """The progress of one stage of this job, itself reported as 0..1."""
        return Progress(self._callback, self._start + self._span * start, self._start + self._span * stop)
