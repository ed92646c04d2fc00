# SPDX-License-Identifier: GPL-3.0-or-later
"""Perform: drag the control cursor in the viewport, watch the character act, and record it."""

from __future__ import annotations

from contextlib import suppress
from math import floor
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
from ..bridge.spatial import empties, playback
from ..bridge.spatial.drag_planes import LEVEL
from ..bridge.spatial.session import Gone, Session
from ..core import InputError
from ..drawing import spatial_overlay
from ..drawing.status_bar import clear_status, show_status
from ..handlers import busy
from . import background_job, screen_drag
from .screen_drag import AXES, DEPTH_KEYS, ScreenDrag, is_under, view_for, view_under, views_in
from .spatial_common import SetOperator, character_in
from .take_clock import TakeClock

TICKS_A_SECOND = 90
NUMBERS = ("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")
# What still does its usual thing: the view can be turned, and the sidebar can be used.
PASSED = ("MOUSEMOVE", "MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "TRACKPADPAN", "TRACKPADZOOM")
# What the keys do, each with its icon.
HELP = (
    ("MOUSE_LMB_DRAG", n_("Move the cursor")),
    *screen_drag.HELP,
    ("EVENT_R", n_("Record")),
    ("NONE", n_("1 to 9: Switch Set")),
    ("EVENT_RETURN", n_("Keep")),
    ("EVENT_ESC", n_("Undo All")),
)

DRAGGED_IN = {
    "KEYS": n_("in the plane of the keys"),
    "GROUND": n_("level with the ground"),
    "SCREEN": n_("along the screen"),
}
WRITING = n_("Writing the recording")
KEEP_ALL = n_("Keep a Key on Every Frame")


class POSEWRIGHT_OT_perform(SetOperator, bpy.types.Operator):
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
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        try:
            self._choose_bones()
        except InputError as error:
            self._session.restore()
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self._drag: ScreenDrag | None = None
        self._lift = Vector()  # from what is dragged to the cursor: its shadow may be
        self._ground = shown(self._session.armature).ground
        self._writing: background_job.Job | None = None
        self._view_travelled = Vector()
        self._lock = self._hint = ""
        self._clock: TakeClock | None = None  # while recording
        self._over = False
        timer = context.window_manager.event_timer_add(1.0 / TICKS_A_SECOND, window=context.window)
        self._timer: bpy.types.Timer | None = timer
        context.window_manager.modal_handler_add(self)
        show_status(HELP)
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
            self.report({"ERROR"}, str(error))
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

    @property
    def writing(self) -> background_job.Job | None:
        """The job that writes the recording, while it does."""
        return self._writing if self._writing is not None and self._writing.open else None

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
        if self._drag is not None and event.type in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE", *DEPTH_KEYS}:
            self._follow(context, event)
            return {"RUNNING_MODAL"}
        if event.type in PASSED or event.type.startswith(("NUMPAD_", "NDOF_")):
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
                self._drag.change_plane(self._session.drag_plane())
        elif event.type == "R":
            self._armed = not self._armed
            if self._armed and self._drag is not None:
                self._start_recording(context)
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
            if self._armed:
                self._start_recording(context)
            self._tell(context)
        elif event.value == "RELEASE" and self._drag is not None:
            self._drag = None
            if self._clock is not None:
                return self._finish(context)
            self._tell(context)
        return {"RUNNING_MODAL"}

    def _grab(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        region, place = view_for(context.area, event), self._session.cursor_place()
        plane, self._lift = self._session.drag_plane(), Vector()
        shadow = Vector((place.x, place.y, self._ground))
        if is_under(region, shadow + self._view_travelled, event):
            place, plane, self._lift = shadow, LEVEL, place - shadow
        self._drag = ScreenDrag(region, place, event, self._lock, self._view_travelled, plane)
        if self._session.settings.drag_absolute and not self._lift.length:
            self._drag.jump_to_mouse(event)
            self._session.move_cursor(self._drag.place)

    def _follow(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        assert self._drag is not None
        if event.type in DEPTH_KEYS:
            if event.value != "RELEASE":
                self._drag.push(DEPTH_KEYS[event.type], event.shift)
        else:
            self._drag.move(event)
        self._session.move_cursor(self._drag.place + self._lift)
        if self._clock is not None:
            self._session.record_move(self._clock.now(self._session.scene), spatial_overlay.redraws())

    def _tick(self, context: bpy.types.Context) -> set[str]:
        self._session.pass_time(perf_counter())
        if self._session.settings.follow_view:
            self._move_view(context, self._session.travelled)
        if self._drag is not None:  # not for every event: there may be hundreds between two redraws
            self._tell(context)
        if self._clock is None:
            return {"PASS_THROUGH"}
        scene = self._session.scene
        time = self._clock.now(scene)
        if self._clock.has_wrapped(time):
            return self._finish(context, playback.played_range(scene)[1])
        if not self._clock.by_playback and floor(time) != scene.frame_current:
            self._session.show_time(floor(time))
        self._session.record_tick(time, spatial_overlay.redraws())
        return {"PASS_THROUGH"}

    def _move_view(self, context: bpy.types.Context, travelled: Vector) -> None:
        """Let the view travel as far as the character has; a camera stays where the scene wants it."""
        if context.area is None or context.area.type != "VIEW_3D":
            return  # the viewport was left
        views = [region.data for region in views_in(context.area)]
        views = [view for view in views if view.view_perspective != "CAMERA"]
        if travelled == self._view_travelled or not views:
            return
        for view in views:
            view.view_location += travelled - self._view_travelled
            view.update()
        self._view_travelled = travelled
        if self._drag is not None:
            self._drag.travelled = travelled

    def _start_recording(self, context: bpy.types.Context) -> None:
        self._choose_bones()
        settings, scene = self._session.settings, self._session.scene
        self._clock = TakeClock(scene, by_playback=settings.record_with_scene, speed=settings.record_speed)
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
        settings = self._session.settings
        error = settings.record_error if settings.record_keys == "DISTIL" else None
        steps = self._session.write_in_steps(error=error)
        esc = "" if error is None else KEEP_ALL
        self._writing = background_job.Job(
            WRITING, steps, context.window, esc=esc, before_saving=self._finish_writing
        )
        spatial_overlay.set_banner(iface_(WRITING))
        _clear_headers()
        return {"RUNNING_MODAL"}

    def _write_on(
        self, job: background_job.Job, context: bpy.types.Context, event: bpy.types.Event
    ) -> set[str]:
        """Go on writing the recording. Nothing can be edited meanwhile, and whatever happens it is kept."""
        if not job.open:  # undo, or another file, has taken it away
            self._leave_window(context)
            return {"CANCELLED"}
        if event.type == "ESC" and event.value == "PRESS":
            return self._keep_all(job, context)
        if not event.type.startswith("TIMER"):
            return {"PASS_THROUGH"} if event.type in background_job.HARMLESS else {"RUNNING_MODAL"}
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
        spatial_overlay.set_banner("")
        _clear_headers()

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
        if self._clock is not None:
            frame = floor(self._clock.now(self._session.scene))
            state = iface_("RECORDING  frame {frame}").format(frame=frame)
        elif self._armed:
            state = iface_("Armed: drag to record")
        else:
            state = iface_("Drag to move the cursor")
        if self._lock:
            state += "   " + iface_("locked to {axis}").format(axis=self._lock)
        else:
            plane = DRAGGED_IN[self._session.settings.drag_in]
            state += "   " + iface_(plane)
        if self._hint:
            state += "   " + self._hint
        x, y, z = self._session.cursor_place()
        header = iface_("Perform   {state}   cursor {x:.2f} {y:.2f} {z:.2f}")
        context.area.header_text_set(header.format(state=state, x=x, y=y, z=z))
        spatial_overlay.set_banner(state)
        spatial_overlay.set_trail(self._session.recorded_places if self._clock is not None else None)
        context.area.tag_redraw()


def stop() -> None:
    """End the performance under way, if there is one, and leave everything as it was before."""
    performance = busy.under_way()
    if isinstance(performance, POSEWRIGHT_OT_perform):
        performance.cancel(bpy.context)


def is_performing() -> bool:
    return isinstance(busy.under_way(), POSEWRIGHT_OT_perform)


def _clear_headers() -> None:
    """In all viewports: it is not known any more which of them the performance was in."""
    for screen in bpy.data.screens:
        for area in screen.areas:
            if area.type == "VIEW_3D":
                area.header_text_set(None)
                area.tag_redraw()


CLASSES = (POSEWRIGHT_OT_perform,)
