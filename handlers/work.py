# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work is told before Blender takes away what it works on, or stores it as it happens to be.

Our functions are in Blender's lists as long as the add-on is on, and do nothing without work: Blender goes
through a list while it calls what is in it, so a function that left it then would let the next be skipped,
which may be another add-on's.
"""

from __future__ import annotations

from typing import Protocol

import bpy
from bpy.app.handlers import persistent


class Work(Protocol):
    """What has to be told."""

    def stop(self) -> None: ...

    def before_saving(self) -> None: ...

    def after_saving(self) -> None: ...


under_way: Work | None = None  # there is never more than one


@persistent
def before_jump(*_: object) -> None:
    """Undo, redo or another file."""
    if under_way is not None:
        under_way.stop()


@persistent
def before_saving(*_: object) -> None:
    """What the armature plays for the moment, stand-ins and a frame of ours have no place in a file."""
    if under_way is not None:
        under_way.before_saving()


@persistent
def after_saving(*_: object) -> None:
    if under_way is not None:
        under_way.after_saving()


HANDLERS = (
    (bpy.app.handlers.load_pre, before_jump),
    (bpy.app.handlers.undo_pre, before_jump),
    (bpy.app.handlers.redo_pre, before_jump),
    (bpy.app.handlers.save_pre, before_saving),
    (bpy.app.handlers.save_post, after_saving),
    (bpy.app.handlers.save_post_fail, after_saving),
)
