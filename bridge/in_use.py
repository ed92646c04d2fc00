# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a file has anything of Posewright's that changes with every update: reduced actions, spatial sets.

Only then is there anything to do on every frame. Whoever makes the first of them says so here; who listens
is known to `handlers`.
"""

from __future__ import annotations

from collections.abc import Callable

import bpy

from .everything import armatures

_listeners: list[Callable[[], None]] = []


def tell(listener: Callable[[], None] | None) -> None:
    """Who is told when something comes into use; None for nobody."""
    _listeners[:] = [] if listener is None else [listener]


def begin() -> None:
    """Something was made that has to be looked after from now on."""
    for listener in _listeners:
        listener()


def is_anything() -> bool:
    if any(action.posewright.source or action.posewright.gate for action in bpy.data.actions):
        return True
    return any(len(armature.posewright.spatial.sets) for armature in armatures())
