# SPDX-License-Identifier: GPL-3.0-or-later
"""What is under way in the window, long work or a performance: nothing else may begin meanwhile.

It is told before Blender takes away what it works on, or stores it as it happens to be. The handlers are
registered as long as the extension is, and do nothing without work: Blender goes through its list while it
calls what is in it, so a handler that removed itself would let the next be skipped, perhaps another add-on's.
"""

from __future__ import annotations

from typing import Protocol

import bpy
from bpy.app.handlers import persistent

from . import reading


class Work(Protocol):
    """What can be under way."""

    why_busy: str  # what a button that has to wait says

    def stop(self) -> None: ...

    def before_saving(self) -> None: ...

    def after_saving(self) -> None: ...


class BackgroundWork(Protocol):
    """What gives way: nobody waits for it, and it can begin anew at any time."""

    def stop(self) -> None: ...


_under_way: list[Work] = []  # there is never more than one
_in_background: list[BackgroundWork] = []


def begin(work: Work) -> None:
    stop_background()
    _under_way[:] = [work]


def begin_in_background(work: BackgroundWork) -> None:
    _in_background[:] = [work]


def end_in_background(work: BackgroundWork) -> None:
    if work in _in_background:
        _in_background.remove(work)


def stop_background() -> None:
    for work in tuple(_in_background):
        work.stop()


def end(work: Work) -> None:
    """It is over; nothing happens if something else is under way."""
    if under_way() is work:
        _under_way.clear()


def under_way() -> Work | None:
    return _under_way[0] if _under_way else None


def why_busy() -> str:
    """Why nothing else may begin, or nothing."""
    return _under_way[0].why_busy if _under_way else ""


def has_to_wait() -> bool:
    """Whether the user, or Blender, is at something that work in the background must not hold up."""
    if why_busy() or reading.is_under_way() or bpy.app.is_job_running("RENDER"):
        return True
    windows = bpy.context.window_manager.windows
    return any(each.screen.is_animation_playing or len(each.modal_operators) for each in windows)


@persistent
def before_jump(*_: object) -> None:
    """Undo, redo or another file."""
    stop_background()
    for work in tuple(_under_way):
        work.stop()


@persistent
def before_saving(*_: object) -> None:
    """What the armature plays for the moment, stand-ins and a frame of ours have no place in a file."""
    stop_background()
    for work in tuple(_under_way):
        work.before_saving()


@persistent
def after_saving(*_: object) -> None:
    for work in tuple(_under_way):
        work.after_saving()


HANDLERS = (
    (bpy.app.handlers.load_pre, before_jump),
    (bpy.app.handlers.undo_pre, before_jump),
    (bpy.app.handlers.redo_pre, before_jump),
    (bpy.app.handlers.save_pre, before_saving),
    (bpy.app.handlers.save_post, after_saving),
    (bpy.app.handlers.save_post_fail, after_saving),
)
