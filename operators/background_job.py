# SPDX-License-Identifier: GPL-3.0-or-later
"""`Job`: long work done in short turns, so that the window draws in between and Esc is heard.

While it runs the view can be turned but nothing can be edited. Esc stops it, and so do undo, another file and
the end of the extension: closing its steps must leave everything as it was. Saving stops it too, unless the
job was started with `before_saving`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import Any

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_n as n_

from ..drawing.sidebars import redraw_sidebars
from ..drawing.status_bar import clear_status, show_status
from ..handlers import busy

TICK = 0.02  # seconds between two looks at the work
SLICE = 0.03  # seconds of work in one go, so that the window draws in between and Esc is heard
# The most that a go is extended to where drawing takes long: else nearly all of the time would be drawn away.
LONGEST_SLICE = 0.25
SHOWN = 0.05  # seconds until the progress is drawn again, or as long as drawing took, if that is longer
# Events that change nothing but the view; all others wait until the work is done.
HARMLESS = {
    "MOUSEMOVE",
    "INBETWEEN_MOUSEMOVE",
    "MIDDLEMOUSE",
    "WHEELUPMOUSE",
    "WHEELDOWNMOUSE",
    "TRACKPADPAN",
    "TRACKPADZOOM",
    "MOUSEROTATE",
    "MOUSESMARTZOOM",
    "NDOF_MOTION",
    "WINDOW_DEACTIVATE",
}
Steps = Generator[float, None, Any]
SAVED = n_("Stopped because the file was saved: nothing was changed, so start it again")


class Job:
    """Long work in a window. `esc` says what Esc does; nothing if it is empty.

    Once it is no longer `open`, `why_ended` says what ended it, unless that was its own operator.

    Args:
        before_saving: makes the file fit to be saved, with `finish` for example, where stopping the job
            would lose something. Without it the job is stopped.
    """

    why_busy = n_("Wait until the work is done, or press Esc")

    def __init__(
        self,
        label: str,
        steps: Steps,
        window: bpy.types.Window,
        *,
        esc: str = n_("Cancel"),
        before_saving: Callable[[Job], None] | None = None,
    ) -> None:
        self.label = label
        self.esc = esc
        self.share = 0.0
        self.open = True
        self.why_ended = ""
        self._steps = steps
        self._before_saving = before_saving
        self._outcome: Exception | None = None
        self._show_at = 0.0
        self._worked_until: float | None = None
        self._drawing_since: float | None = None
        manager = bpy.context.window_manager
        self._timer = manager.event_timer_add(TICK, window=window)

    def advance(self) -> None:
        """Work for a moment. Raises StopIteration with the result when all is done."""
        if self._outcome is not None:
            raise self._outcome
        now = time.monotonic()
        if self._drawing_since is not None:  # the window was drawn: work at least as long as that took
            self._show_at = now + max(SHOWN, now - self._drawing_since)
            self._drawing_since = None
        until = now + self._slice(now)
        moves_on = True
        while moves_on and time.monotonic() < until:
            before, self.share = self.share, next(self._steps)
            moves_on = self.share != before  # if not, a thread is at work: the window need not wait for it
        self._worked_until = time.monotonic()
        if self._worked_until >= self._show_at:
            self._show()

    def _slice(self, now: float) -> float:
        """Seconds to work now: at least as long as the window took since the last go, within limits."""
        elsewhere = 0.0 if self._worked_until is None else now - self._worked_until
        return min(max(SLICE, elsewhere), max(SLICE, LONGEST_SLICE))

    def finish(self) -> None:
        """Do all that is left at once, while the window waits; the next `advance` raises the outcome."""
        try:
            while True:
                self.share = next(self._steps)
        except Exception as outcome:  # a result or a problem: `advance` raises either
            self._outcome = outcome

    def before_saving(self) -> None:
        """The file is about to be saved as it is."""
        if self._before_saving is None:
            self.why_ended = SAVED
            self.stop()
            return
        try:
            self._before_saving(self)
        except BaseException:
            self.stop()
            raise

    def after_saving(self) -> None:
        """A job that was not stopped simply goes on."""

    def stop(self) -> None:
        """End it, finished or not, and leave nothing behind."""
        if not self.open:
            return
        self.open = False
        busy.end(self)
        bpy.context.window_manager.event_timer_remove(self._timer)
        clear_status()
        redraw_sidebars()
        with suppress(ReferenceError):  # what it worked on was deleted: there is nothing to put back
            self._steps.close()

    def _show(self) -> None:
        self._drawing_since = time.monotonic()
        progress = ("NONE", f"{iface_(self.label)} {self.share:.0%}")
        show_status([progress, ("EVENT_ESC", iface_(self.esc))] if self.esc else [progress])
        redraw_sidebars()


def is_harmless(event: bpy.types.Event) -> bool:
    """Whether an event may reach the window meanwhile; a report's timer, for one, is none of the job's."""
    return event.type in HARMLESS or event.type.startswith("TIMER")


def start(label: str, steps: Steps, window: bpy.types.Window, **options: Any) -> Job:
    """Begin a job, which makes Posewright busy. Its operator lets it advance and listens for Esc."""
    job = Job(label, steps, window, **options)
    busy.begin(job)
    return job


def running() -> Job | None:
    """The job under way, also as part of a performance, for the panels to show."""
    work = busy.under_way()
    return work if isinstance(work, Job) else getattr(work, "writing", None)


def stop() -> None:
    """End the job under way, if there is one."""
    job = running()
    if job is not None:
        job.stop()
