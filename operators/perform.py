# SPDX-License-Identifier: GPL-3.0-or-later
"""Perform: drag the control cursor in the viewport, watch the character act, and record it."""

from __future__ import annotations

from contextlib import suppress
from math import ceil, floor
from time import perf_counter
from typing import ClassVar

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_n as n_
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import BoolProperty
from mathutils import Vector

from ..bridge.bones import selected_bones
from ..bridge.character import shown
from ..bridge.spatial import cursor_source
from ..bridge.spatial.making import empties
from ..bridge.spatial.session import Gone, Session
from ..bridge.spatial.takes import playback
from ..bridge.spoken import spoken
from ..core import InputError
from ..drawing import spatial_overlay
from ..drawing.status_bar import clear_status, show_status
from ..handlers import busy
from . import background_job, perform_status, screen_drag
from .background_job import is_harmless
from .cursor_drag import CursorDrag
from .following_view import FollowingView
from .screen_drag import AXES, view_under
from .spatial_common import SetOperator, character_in
from .take_clock import TakeClock
from .take_in_writing import WritesTake

TICKS_A_SECOND = 90
NUMBERS = ("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")


class POSEWRIGHT_OT_perform(WritesTake, SetOperator, bpy.types.Operator):
    """Drag the control cursor in the viewport and let the character act; record it if you like"""

    bl_idname = "posewright.perform"
    bl_label = "Perform"
    keeps_sets = True
    why_busy = n_("Finish performing first: Enter keeps it, Esc undoes it")
    # Without REGISTER: adjusting a performance afterwards would mean to perform it again.
    bl_options: ClassVar[set[str]] = {"UNDO"}

    record: BoolProperty(
        name="Record", description="Record from the moment the cursor is dragged", options={"SKIP_SAVE"}
    )

    def execute(self, _context: bpy.types.Context) -> set[str]:
        self.report({"ERROR"}, "Performing needs a hand and a viewport: scripts can use Bake Cursor.")
        return {"CANCELLED"}

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        if context.area is None or context.area.type != "VIEW_3D":
            self.report({"ERROR"}, "Perform in a 3D viewport: move the mouse over one and try again.")
            return {"CANCELLED"}
        empties.renew_cursors(character_in(context))
        self._armed = self.record
        try:
            self._session = Session(character_in(context), context.scene)
        except InputError as error:
            self.report({"ERROR"}, spoken(error))
            return {"CANCELLED"}
        try:
            self._choose_bones()
        except InputError as error:
            self._session.restore()
            self.report({"ERROR"}, spoken(error))
            return {"CANCELLED"}
        self._drag: CursorDrag | None = None
        self._ground = shown(self._session.armature).ground
        self._writing: background_job.Job | None = None
        self._view = FollowingView()
        self._lock = self._hint = ""
        self._starts_at: float | None = None  # when the count-in is over, by the wall clock
        self._clock: TakeClock | None = None  # while recording
        self._over = False
        timer = context.window_manager.event_timer_add(1.0 / TICKS_A_SECOND, window=context.window)
        self._timer: bpy.types.Timer | None = timer
        context.window_manager.modal_handler_add(self)
        show_status(perform_status.HELP)
        spatial_overlay.set_ground(self._ground)
        busy.begin(self)
        self._tell(context)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if self._over:
            self.report({"INFO"}, rpt_("Performing ended: undo and redo take it back"))
            return {"CANCELLED"}
        try:
            return self._handle(context, event)
        except InputError as error:
            self.report({"ERROR"}, spoken(error))
        except (Gone, ReferenceError):
            self.report({"ERROR"}, "The character that was performed is gone.")
        except BaseException:
            # Blender drops the operator without asking it to cancel: nothing of it may stay behind.
            self.cancel(context)
            raise
        self.cancel(context)
        return {"CANCELLED"}

    def cancel(self, context: bpy.types.Context) -> None:
        if self._writing is not None:
            self._writing.stop()  # which may still write what it has begun to
        self._stop(context, restore=not self._session.written)

    def stop(self) -> None:
        """Undo, redo or another file: they start from what was there before the performance."""
        if self._writing is not None:
            self._writing.stop()  # the next event tells us so
            return
        self._over = True
        self.cancel(bpy.context)

    def before_saving(self) -> None:
        """A file has no place for a performance under way; what was there before is stored."""
        if self._writing is not None:
            if self._writing.open:
                self._writing.before_saving()
            return
        with suppress(Gone, ReferenceError):
            self._session.step_aside()

    def after_saving(self) -> None:
        with suppress(Gone, ReferenceError):
            self._session.step_in()

    def _handle(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if self._writing is not None:
            return self._write_on(self._writing, context, event)
        self._session.require_unchanged()
        if context.area is None or context.area.type != "VIEW_3D":
            self.report({"INFO"}, rpt_("Performing ended: its viewport is gone"))
            return self._finish(context)
        if context.scene != self._session.scene:
            self.report({"INFO"}, rpt_("Performing ended: another scene is shown"))
            return self._finish(context)
        if not self._session.settings.live:
            self.report({"WARNING"}, rpt_("Performing ended: the pose was edited, or Live was turned off"))
            return self._finish(context)
        if event.type == "TIMER":
            return self._tick(context)
        if event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            self._stop(context, restore=True)
            return {"CANCELLED"}
        done = {"RET", "NUMPAD_ENTER", "R"} if self._clock is not None else {"RET", "NUMPAD_ENTER"}
        if event.type in done and event.value == "PRESS":
            return self._finish(context)
        if event.type == "LEFTMOUSE":
            return self._grab_or_release(context, event)
        if self._drag is not None and self._drag.follow(event):
            self._note_move()
            return {"RUNNING_MODAL"}
        # The view can be turned, and the sidebar can be used.
        if is_harmless(event) or event.type.startswith(("NUMPAD_", "NDOF_")):
            return {"PASS_THROUGH"}
        # Shortcuts such as Ctrl Z mean something else, and undo is no matter for the middle of a performance.
        if event.value == "PRESS" and not (event.ctrl or event.alt or event.oskey):
            self._press(context, event)
        return {"RUNNING_MODAL"}

    def _press(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        self._hint = ""
        if event.type in AXES:
            self._lock = "" if self._lock == event.type else event.type
            if self._drag is not None:
                self._drag.lock_to(self._lock)
        elif event.type == "D":
            screen_drag.change_drag(self._session.armature)
            if self._drag is not None:
                self._drag.change_plane()
        elif event.type == "R":
            self._armed = not self._armed
            self._starts_at = None
            if self._armed and self._drag is not None:
                self._count_in(context)
        elif event.type in NUMBERS:
            self._switch(NUMBERS.index(event.type), context, event)
        self._tell(context)

    def _switch(self, index: int, context: bpy.types.Context, event: bpy.types.Event) -> None:
        if not self._session.switch_to(index, perf_counter()):
            # A report would only be seen when the performance is over.
            self._hint = iface_("there is no set number {number} with keys").format(number=index + 1)
        elif self._drag is not None:
            self._grab(context, event)

    def _grab_or_release(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if event.value in {"PRESS", "DOUBLE_CLICK"}:
            if view_under(context.area, event) is None:
                return {"PASS_THROUGH"}
            self._grab(context, event)
            if self._armed and self._clock is None:
                self._count_in(context)
            self._tell(context)
        elif event.value == "RELEASE" and self._drag is not None:
            self._drag = self._starts_at = None
            if self._clock is not None:
                return self._finish(context)
            self._tell(context)
        return {"RUNNING_MODAL"}

    def _grab(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        self._drag = CursorDrag(
            self._session,
            context.area,
            event,
            lock=self._lock,
            ground=self._ground,
            travelled=self._view.travelled,
        )

    def _note_move(self) -> None:
        if self._clock is not None:
            self._session.record_move(self._clock.now(self._session.scene), spatial_overlay.redraws())

    def _tick(self, context: bpy.types.Context) -> set[str]:
        self._session.pass_time(perf_counter())
        if self._session.settings.follow_view:
            self._move_view(context, self._session.travelled)
        if self._drag is None:
            self._ask_source(context)
        if self._starts_at is not None and perf_counter() >= self._starts_at:
            self._start_recording(context)
        if self._drag is not None or cursor_source.is_used():
            self._tell(context)  # not for every event: there may be hundreds between two redraws
        if self._clock is None:
            return {"PASS_THROUGH"}
        scene = self._session.scene
        time = self._clock.now(scene)
        if self._clock.has_wrapped(time):
            first, last = playback.played_range(scene)
            if not self._clock.loops:
                return self._finish(context, last)
            self._session.next_round(last, first)
        if not self._clock.by_playback and floor(time) != scene.frame_current:
            self._session.show_time(floor(time))
        self._session.record_tick(time, spatial_overlay.redraws())
        return {"PASS_THROUGH"}

    def _move_view(self, context: bpy.types.Context, travelled: Vector) -> None:
        if self._view.follow(context.area, travelled) and self._drag is not None:
            self._drag.travel(travelled)

    def _ask_source(self, context: bpy.types.Context) -> None:
        """Let a script move the cursor, if one is given; a take goes on without one that fails."""
        try:
            place = cursor_source.place()
        except InputError as error:
            self._hint = spoken(error)
            self.report({"WARNING"}, self._hint)
            return
        if place is None:
            return
        self._session.move_cursor(place - self._session.travelled)
        self._note_move()
        if self._armed and self._clock is None and self._starts_at is None:
            self._count_in(context)

    def _count_in(self, context: bpy.types.Context) -> None:
        """Record from now on, or as soon as it is counted in."""
        seconds = self._session.settings.record_count_in
        if seconds > 0:
            self._starts_at = perf_counter() + seconds
        else:
            self._start_recording(context)

    def _start_recording(self, context: bpy.types.Context) -> None:
        self._starts_at = None
        self._choose_bones()
        settings, scene = self._session.settings, self._session.scene
        self._clock = TakeClock(
            scene,
            by_playback=settings.record_with_scene,
            speed=settings.record_speed,
            loops=settings.record_loop,
        )
        self._session.start_recording(self._clock.rate)
        self._session.record(self._clock.start)
        self._clock.play(context, scene)

    def _choose_bones(self) -> None:
        """Which bones are recorded, as the panel says now; refuses a selection that leaves none."""
        session = self._session
        only_selected = self._armed and session.settings.record_selected
        session.choose_bones(selected_bones(session.armature) if only_selected else None)

    def _finish(self, context: bpy.types.Context, last: float | None = None) -> set[str]:
        """Keep what was performed; a recording ends at the frame `last`, or else now."""
        if self._clock is None:
            self._stop(context, restore=False)
            return {"FINISHED"}
        now = self._clock.now(self._session.scene) if last is None else last
        self._session.end_recording(now)
        self._stop_clocks(context)
        self._drag = None
        self._begin_writing(context)
        return {"RUNNING_MODAL"}

    def _stop_clocks(self, context: bpy.types.Context) -> None:
        """Time no longer goes on: neither ours nor the scene's."""
        if self._timer is not None:
            context.window_manager.event_timer_remove(self._timer)
            self._timer = None
        if self._clock is not None:
            self._clock.stop_playing(context)
            with suppress(Gone):
                self._clock.give_back_sync(self._session.scene)

    def _leave_window(self, context: bpy.types.Context) -> None:
        """Nothing in the window speaks of performing any more."""
        busy.end(self)
        self._stop_clocks(context)
        clear_status()
        spatial_overlay.set_trail(None)
        spatial_overlay.set_ground(None)
        spatial_overlay.set_standing(None)
        spatial_overlay.set_banner("")
        perform_status.clear_headers()

    def _stop(self, context: bpy.types.Context, *, restore: bool) -> None:
        self._leave_window(context)
        # Whoever deletes the character or opens another file while performing has nothing to bring back.
        with suppress(Gone, ReferenceError):
            if restore:
                self._session.restore()
            else:
                self._session.end()
        if restore or self._clock is not None:
            self._move_view(context, Vector())

    def _tell(self, context: bpy.types.Context) -> None:
        session = self._session
        if self._clock is not None:
            state = perform_status.recording(floor(self._clock.now(session.scene)), session.rounds)
        elif self._starts_at is not None:
            state = iface_("Recording in {seconds}").format(seconds=ceil(self._starts_at - perf_counter()))
        elif self._armed:
            state = iface_("Armed: drag to record")
        else:
            state = iface_("Drag to move the cursor")
        parts = (state, perform_status.where(self._lock, session.settings.drag_in), self._hint)
        perform_status.show(context.area, "   ".join(filter(None, parts)), session.cursor_place())
        spatial_overlay.set_standing(session.standing)
        spatial_overlay.set_trail(session.recorded_places if self._clock is not None else None)


def stop() -> None:
    """End the performance under way, if there is one, and leave everything as it was before."""
    cursor_source.use(None)
    performance = busy.under_way()
    if isinstance(performance, POSEWRIGHT_OT_perform):
        performance.cancel(bpy.context)


def is_performing() -> bool:
    return isinstance(busy.under_way(), POSEWRIGHT_OT_perform)


CLASSES = (POSEWRIGHT_OT_perform,)
