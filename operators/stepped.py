# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work that comes in steps: modal with progress from a button, all at once from a script.

While it runs, the view can be turned but nothing can be edited, Esc stops it, and so do undo, another file
and the end of the add-on. Whoever wrote the steps promises that closing them leaves everything as it was.
Saving stops it too, unless whoever began it knows better.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import Any, ClassVar

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_n as n_
from bpy.app.translations import pgettext_rpt as rpt_

from ..bridge.steps import run
from ..core import InputError
from ..drawing.status_bar import clear_status, show_status
from ..handlers import work
from .armature_operator import ArmatureOperator, report_problems
from .under_way import why_busy

TICK = 0.02  # seconds between two looks at the work
SLICE = 0.03  # seconds of work in one go, so that the window draws in between and Esc is heard
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
    """Work under way in a window. `esc` says what Esc does; nothing if it is empty.

    Once it is no longer `open`, `why` says what ended it, if nobody who watched can know.
    """

    def __init__(
        self,
        label: str,
        steps: Steps,
        window: bpy.types.Window,
        esc: str,
        before_saving: Callable[[Job], None] | None,
    ) -> None:
        self.label = label
        self.esc = esc
        self.share = 0.0
        self.open = True
        self.why = ""
        self._steps = steps
        self._before_saving = before_saving
        self._outcome: Exception | None = None
        self._show_at = 0.0
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
        until = now + SLICE
        moves_on = True
        while moves_on and time.monotonic() < until:
            before, self.share = self.share, next(self._steps)
            moves_on = self.share != before  # if not, a thread is at work: the window need not wait for it
        if time.monotonic() >= self._show_at:
            self._show()

    def finish(self) -> None:
        """Do all that is left at once, while the window waits; the next `advance` tells what came of it."""
        try:
            while True:
                self.share = next(self._steps)
        except Exception as outcome:  # a result or a problem: both are for whoever lets it advance
            self._outcome = outcome

    def before_saving(self) -> None:
        """The file is about to store whatever is there."""
        if self._before_saving is None:
            self.why = SAVED
            self.stop()
            return
        try:
            self._before_saving(self)
        except BaseException:
            self.stop()
            raise

    def after_saving(self) -> None:
        """Work that goes on does so by itself."""

    def stop(self) -> None:
        """End it, finished or not, and leave nothing behind."""
        if not self.open:
            return
        work.under_way, self.open = None, False
        bpy.context.window_manager.event_timer_remove(self._timer)
        clear_status()
        _redraw_sidebars()
        with suppress(ReferenceError):  # what it worked on was deleted: there is nothing to put back
            self._steps.close()

    def _show(self) -> None:
        self._drawing_since = time.monotonic()
        progress = ("NONE", f"{iface_(self.label)} {self.share:.0%}")
        show_status([progress, ("EVENT_ESC", iface_(self.esc))] if self.esc else [progress])
        _redraw_sidebars()


def running() -> Job | None:
    """The job under way, for the panel to show; there is never more than one."""
    return work.under_way if isinstance(work.under_way, Job) else None


def start(
    label: str,
    steps: Steps,
    window: bpy.types.Window,
    *,
    esc: str = n_("Cancel"),
    before_saving: Callable[[Job], None] | None = None,
) -> Job:
    """Begin a job. Whoever begins it lets it advance and hears Esc.

    Args:
        before_saving: makes what is there fit to be saved, with `finish` for example, where stopping the job
            would lose something. Without it the job is stopped.
    """
    job = work.under_way = Job(label, steps, window, esc, before_saving)
    return job


def stop() -> None:
    """End the job under way, if there is one."""
    job = running()
    if job is not None:
        job.stop()


def _redraw_sidebars() -> None:
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()


class SteppedOperator:
    """For operators whose work takes its time. They override `steps` and `finished`."""

    doing: ClassVar[str] = n_("Working")
    stopped: ClassVar[str] = n_("Cancelled: nothing was changed")
    job: Job | None = None

    @classmethod
    def is_idle(cls) -> bool:
        """For `poll`: one at a time."""
        if why_busy():
            cls.poll_message_set(why_busy())  # type: ignore[attr-defined]
        return not why_busy()

    def steps(self, context: bpy.types.Context) -> Steps:
        """The work."""
        raise NotImplementedError

    def finished(self, context: bpy.types.Context, result: Any) -> None:
        """Report what came out of it."""

    def execute(self, context: bpy.types.Context) -> set[str]:
        def all_at_once() -> None:
            self.finished(context, run(self.steps(context)))

        return report_problems(self, all_at_once)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        if bpy.app.background or context.window is None:
            return self.execute(context)
        return self.begin(context)

    def begin(self, context: bpy.types.Context) -> set[str]:
        """Start to work beside the window."""
        self.job = start(self.doing, self.steps(context), context.window)
        context.window_manager.modal_handler_add(self)  # type: ignore[arg-type]
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        job = self.job
        assert job is not None  # begin started it
        if not job.open:
            if job.why:
                self.report({"WARNING"}, rpt_(job.why))  # type: ignore[attr-defined]
            return {"CANCELLED"}
        if event.type == "ESC" and event.value == "PRESS":
            job.stop()
            self.report({"INFO"}, rpt_(self.stopped))  # type: ignore[attr-defined]
            return {"CANCELLED"}
        if event.type.startswith("TIMER"):
            return self._advance(context, job)
        return {"PASS_THROUGH"} if event.type in HARMLESS else {"RUNNING_MODAL"}

    def cancel(self, _context: bpy.types.Context) -> None:
        """The window was closed, or the dialog before the work was dismissed."""
        if self.job is not None:
            self.job.stop()

    def _advance(self, context: bpy.types.Context, job: Job) -> set[str]:
        try:
            job.advance()
            return {"PASS_THROUGH"}
        except StopIteration as done:
            result = done.value
        except ReferenceError:
            self.report({"WARNING"}, "Stopped: the armature was deleted")  # type: ignore[attr-defined]
            job.stop()
            return {"CANCELLED"}
        except InputError as problem:
            self.report({"ERROR"}, str(problem))  # type: ignore[attr-defined]
            job.stop()
            return {"CANCELLED"}
        except BaseException:
            job.stop()
            raise
        job.stop()
        return report_problems(self, lambda: self.finished(context, result))


class SteppedArmatureOperator(SteppedOperator, ArmatureOperator):
    """Long work on the active armature."""
