# SPDX-License-Identifier: GPL-3.0-or-later
"""What plays is measured in the background, a moment after it was last changed.

Panels that show figures ask for it as long as these are not measured. So every change counts, whoever made
it, and where nobody looks nothing is done. The work takes short turns, gives way to everything else, and
begins anew if what plays is changed meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Hashable
from contextlib import closing, suppress
from typing import Any

import bpy

from ..bridge.distil import measuring, reductions
from ..bridge.distil.reductions import Reduction
from ..bridge.stand_ins import follows_itself
from ..bridge.steps import Steps
from ..core import InputError
from ..drawing.sidebars import redraw_sidebars
from . import busy

REST = 0.5  # seconds without a change until it begins
TICK = 0.02  # seconds between two turns
TURN = 0.012  # seconds of work in a turn
PATIENCE = 3.0  # seconds until what could not be measured is tried again


class _Measuring:
    """Of one armature at a time: what was asked for last."""

    def __init__(self) -> None:
        self.armature = ""
        self.state: Hashable = None  # what plays, as far as it can be told at once
        self.since = 0.0
        self.in_vain: Hashable = None  # what could not be measured, ...
        self.in_vain_until = 0.0  # ... and when to try again
        self.work: Steps[None] | None = None

    def ask(self, armature: str, state: Hashable) -> bool:
        now = time.monotonic()
        if state == self.in_vain and now < self.in_vain_until:
            return False
        if state != self.state:
            self.stop()
            self.armature, self.state, self.since = armature, state, now
        return True

    def turn(self) -> float | None:
        """Work for a moment: in how many seconds the next turn is, None if there is none."""
        if busy.has_to_wait():
            self.stop()
            return REST
        resting = time.monotonic() - self.since
        if resting < REST:
            return REST - resting
        try:
            if self.work is None:
                self.work = _measured_unseen(bpy.data.objects[self.armature])
                busy.begin_in_background(self)
            until = time.monotonic() + TURN
            while time.monotonic() < until:
                next(self.work)
        except (InputError, ReferenceError, KeyError):  # in Edit Mode, for example
            self.in_vain, self.in_vain_until = self.state, time.monotonic() + PATIENCE
        except StopIteration:
            pass
        else:
            return TICK
        self.stop()
        self.state = None
        redraw_sidebars()
        return None

    def stop(self) -> None:
        """Leave off; if it is asked for again it begins anew."""
        busy.end_in_background(self)
        work, self.work = self.work, None
        if work is not None:
            with suppress(ReferenceError):  # what it looked at was deleted
                work.close()


_measuring = _Measuring()


def ask(reduction: Reduction) -> bool:
    """Let what the armature plays be measured as soon as it rests; False if that cannot be done."""
    if not _is_unseen(reduction) or not _measuring.ask(reduction.armature.name_full, _state_of(reduction)):
        return False
    if not bpy.app.background and not bpy.app.timers.is_registered(_turn):
        bpy.app.timers.register(_turn, first_interval=REST)
    return True


def _measured_unseen(armature: bpy.types.Object) -> Steps[None]:
    """As long as the same plays, and nothing where it would be seen by now.

    Pins may have been made since it was asked for, or the original is shown: panels do not ask any more then.
    """
    reduction = reductions.get(armature)
    if not _is_unseen(reduction):
        return
    state = _state_of(reduction)
    with closing(measuring.measure_in_steps(armature)) as work:
        for share in work:
            yield share
            if _state_of(reduction) != state:
                return


def _is_unseen(reduction: Reduction) -> bool:
    """Whether what plays can be measured while the user sees it play."""
    if reduction.shows_original or reduction.action.library is not None:
        return False
    return not follows_itself(reduction.armature)  # which would have to play the original itself


def _state_of(reduction: Reduction) -> Hashable:
    state: Any = reduction.state
    numbers = (reduction.armature.session_uid, reduction.action.session_uid)
    chosen = (state.key_count, state.interpolation, state.detail, state.hold)
    return (*numbers, *chosen, state.token, state.baked_print, reduction.shows_original)


def _turn() -> float | None:
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):  # timers have none
        return _measuring.turn()


def unregister() -> None:
    _measuring.stop()
    if bpy.app.timers.is_registered(_turn):
        bpy.app.timers.unregister(_turn)
