# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work that a written property asks for: an operator begins it a moment later, in the background.

A property's callback can neither wait for seconds nor start an operator. Operators tell here who answers.
"""

from __future__ import annotations

from collections.abc import Callable

import bpy
from bpy.app.handlers import persistent

from . import busy

LATER = 0.1  # seconds until the next look, while other work is under way

_answers: list[Callable[[str, int], None]] = []
_asked: dict[str, int] = {}  # how many keys, by the armature's name


def answer_with(answer: Callable[[str, int], None]) -> None:
    """Who solves again: called with an armature's name and a number of keys."""
    _answers[:] = [answer]


def can_wait() -> bool:
    """Whether there is a window in which work can go on; scripts get everything at once."""
    return not bpy.app.background and bool(_answers) and bool(bpy.context.window_manager.windows)


def ask(armature: bpy.types.Object, count: int) -> None:
    """Solve again for the way it is keyed in, and bake so many keys."""
    _asked[armature.name] = count
    if not bpy.app.timers.is_registered(_begin):
        bpy.app.timers.register(_begin, first_interval=0.0)


def _begin() -> float | None:
    if not _asked:
        return None
    if busy.under_way() is not None:
        return LATER
    name, count = _asked.popitem()
    for answer in _answers:
        answer(name, count)
    return LATER if _asked else None


@persistent
def before_load(*_: object) -> None:
    """An armature of that name in another file is not the one that was meant."""
    _asked.clear()


def forget() -> None:
    """Nothing is asked for any more, and nobody answers."""
    if bpy.app.timers.is_registered(_begin):
        bpy.app.timers.unregister(_begin)
    _answers.clear()
    _asked.clear()


HANDLERS = ((bpy.app.handlers.load_pre, before_load),)
