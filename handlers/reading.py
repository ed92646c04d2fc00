# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether Blender is reading a file or an undo step.

It then writes the properties of overrides again, one by one, and those that do something when they are
written must not: nothing around them is ready.
"""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent

_under_way: list[bool] = []


def is_under_way() -> bool:
    return bool(_under_way)


@persistent
def begin(*_: object) -> None:
    _under_way[:] = [True]


@persistent
def end(*_: object) -> None:
    _under_way.clear()


HANDLERS = (
    (bpy.app.handlers.load_pre, begin),
    (bpy.app.handlers.undo_pre, begin),
    (bpy.app.handlers.redo_pre, begin),
    (bpy.app.handlers.load_post, end),
    (bpy.app.handlers.load_post_fail, end),
    (bpy.app.handlers.undo_post, end),
    (bpy.app.handlers.redo_post, end),
)
