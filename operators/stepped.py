# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators whose work comes in steps: modal with progress from a button, all at once from a script."""

from __future__ import annotations

from typing import Any, ClassVar

import bpy
from bpy.app.translations import pgettext_n as n_
from bpy.app.translations import pgettext_rpt as rpt_

from ..bridge.spoken import spoken
from ..bridge.steps import run
from ..core import InputError
from ..handlers.busy import why_busy
from .armature_operator import ArmatureOperator, report_problems
from .background_job import Job, Steps, is_harmless, start

__all__ = ["KEEP_DONE", "SteppedArmatureOperator", "SteppedOperator", "Steps"]

KEEP_DONE = n_("Keep What Is Done")  # for `esc`, where what is finished stays


class SteppedOperator:
    """For operators whose work takes its time. They override `steps` and `finished`."""

    doing: ClassVar[str] = n_("Working")
    esc: ClassVar[str] = n_("Cancel")
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

    def stopped_early(self, _context: bpy.types.Context, why: str) -> set[str]:
        """Report that it was stopped, by Esc or because of something else, and how the operator ends."""
        said = why or self.stopped
        self.report({"WARNING" if why else "INFO"}, rpt_(said))  # type: ignore[attr-defined]
        return {"CANCELLED"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        def all_at_once() -> None:
            self.finished(context, run(self.steps(context)))

        return report_problems(self, all_at_once)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        if bpy.app.background or context.window is None:
            return self.execute(context)
        return self.begin(context)

    def begin(self, context: bpy.types.Context) -> set[str]:
        """Start to work in the background, so that the window stays alive."""
        self.job = start(self.doing, self.steps(context), context.window, esc=self.esc)
        context.window_manager.modal_handler_add(self)  # type: ignore[arg-type]
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        job = self.job
        assert job is not None  # begin started it
        if not job.open:
            return self.stopped_early(context, job.why_ended) if job.why_ended else {"CANCELLED"}
        if event.type == "ESC" and event.value == "PRESS":
            job.stop()
            return self.stopped_early(context, "")
        if event.type == "TIMER":
            return self._advance(context, job)
        return {"PASS_THROUGH"} if is_harmless(event) else {"RUNNING_MODAL"}

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
            self.report({"ERROR"}, spoken(problem))  # type: ignore[attr-defined]
            job.stop()
            return {"CANCELLED"}
        except BaseException:
            job.stop()
            raise
        job.stop()
        return report_problems(self, lambda: self.finished(context, result))


class SteppedArmatureOperator(SteppedOperator, ArmatureOperator):
    """Long work on the active armature."""
