# SPDX-License-Identifier: GPL-3.0-or-later
"""`WritesTake`: the part of Perform that writes a recording beside the window, and never loses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_n as n_
from bpy.app.translations import pgettext_rpt as rpt_

from ..bridge.spatial.session import Session
from ..drawing import spatial_overlay
from . import background_job, perform_status

WRITING = n_("Writing the recording")
KEEP_ALL = n_("Keep a Key on Every Frame")


class WritesTake:
    """For an operator with a session; `_stop` leaves the performance, `_leave_window` only the window."""

    _session: Session
    _writing: background_job.Job | None

    if TYPE_CHECKING:  # what the operator has
        report: Any
        _stop: Any
        _leave_window: Any

    @property
    def writing(self) -> background_job.Job | None:
        """The job that writes the recording, while it does."""
        return self._writing if self._writing is not None and self._writing.open else None

    def _begin_writing(self, context: bpy.types.Context) -> None:
        settings = self._session.settings
        error = settings.record_error if settings.record_keys == "DISTIL" else None
        steps = self._session.write_in_steps(error=error)
        esc = "" if error is None else KEEP_ALL
        self._writing = background_job.Job(
            WRITING, steps, context.window, esc=esc, before_saving=self._finish_writing
        )
        spatial_overlay.set_banner(iface_(WRITING))
        perform_status.clear_headers()

    def _write_on(
        self, job: background_job.Job, context: bpy.types.Context, event: bpy.types.Event
    ) -> set[str]:
        """Go on writing the recording. Nothing can be edited meanwhile, and whatever happens it is kept."""
        if not job.open:  # undo, or another file, has taken it away
            self._leave_window(context)
            return {"CANCELLED"}
        if event.type == "ESC" and event.value == "PRESS":
            return self._keep_all(job, context)
        if event.type != "TIMER":
            return {"PASS_THROUGH"} if background_job.is_harmless(event) else {"RUNNING_MODAL"}
        try:
            job.advance()
        except StopIteration as done:
            return self._written(job, context, done.value)
        return {"PASS_THROUGH"}

    def _keep_all(self, job: background_job.Job, context: bpy.types.Context) -> set[str]:
        """Leave a key on every frame: at once if they are there already, otherwise as soon as they are."""
        if self._session.written:
            return self._written(job, context, self._session.length)
        self._session.hurry()
        job.esc = ""
        return {"RUNNING_MODAL"}

    def _finish_writing(self, job: background_job.Job) -> None:
        """The file is about to be saved: with the whole take, as it plays. Distilling goes on afterwards."""
        if not self._session.written:
            self._session.hurry()
            job.finish()
        self._session.end()

    def _written(self, job: background_job.Job, context: bpy.types.Context, keys: int) -> set[str]:
        job.stop()
        recorded = rpt_("Recorded {frames} frames as {keys} keys")
        last, end = self._session.last_frame, self._session.scene.frame_end
        if last > end:
            recorded = rpt_(
                "Recorded {frames} frames as {keys} keys, to frame {last}; the scene ends at {end}"
            )
        said = recorded.format(frames=self._session.length, keys=keys, last=last, end=end)
        self.report({"INFO"}, said)
        self._stop(context, restore=False)
        return {"FINISHED"}
