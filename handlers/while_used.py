# SPDX-License-Identifier: GPL-3.0-or-later
"""Handlers that are called on every frame and every update are there only while a file needs them.

They come with the first reduced action or spatial set, made, opened, linked or appended, and stay until
another file is opened. Blender 4.2 does not tell of linking and appending, so there they always stay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ..bridge import in_use
from ..bridge.versions import after_import

Handler = tuple[list[Any], Callable[..., None]]
OFTEN = (
    bpy.app.handlers.depsgraph_update_pre,
    bpy.app.handlers.depsgraph_update_post,
    bpy.app.handlers.frame_change_pre,
    bpy.app.handlers.frame_change_post,
)

_handlers: list[Handler] = []


def is_often(handler: Handler) -> bool:
    return any(handler[0] is calls for calls in OFTEN)


def register(handlers: Sequence[Handler]) -> None:
    """They are there until there was time to look: while an extension is enabled no data can be read."""
    _handlers[:] = handlers
    _begin()
    in_use.tell(_begin)
    bpy.app.timers.register(_look)


def unregister() -> None:
    in_use.tell(None)
    if bpy.app.timers.is_registered(_look):
        bpy.app.timers.unregister(_look)
    _end()
    _handlers.clear()


def _begin() -> None:
    for calls, handler in _handlers:
        if handler not in calls:
            calls.append(handler)


def _end() -> None:
    for calls, handler in _handlers:
        if handler in calls:
            calls.remove(handler)


@persistent
def _look(*_: object) -> None:
    """Whether what is in the file by now needs them. Called from other lists than those that change."""
    if in_use.is_anything() or after_import is None:
        _begin()
    else:
        _end()


HANDLERS: tuple[Handler, ...] = (
    (bpy.app.handlers.load_post, _look),
    *(() if after_import is None else ((after_import, _look),)),
)
