# SPDX-License-Identifier: GPL-3.0-or-later
"""Back to the analysis an armature had, if the work that puts another in its place is stopped or fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from .. import actions
from . import reduced, state

# Writing these does something; the other properties are only remembered.
DOES_SOMETHING = ("detail", "show_original")
# Actions that were made for the analysis.
MADE = ("reduced", "residual", "reset")


@contextmanager
def kept_unless_finished(armature: bpy.types.Object) -> Iterator[None]:
    """After an exception or a stop the armature has the analysis of before, edits included, or none."""
    earlier = _Earlier(armature) if state.is_analysed(armature) else None
    try:
        yield
    except BaseException:
        if earlier is not None:
            earlier.bring_back()
        elif state.is_analysed(armature):
            reduced.restore(armature)
        raise
    finally:
        if earlier is not None:
            earlier.forget()


class _Earlier:
    """An analysis that may be given up, and copies of the actions that the user may have edited."""

    def __init__(self, armature: bpy.types.Object) -> None:
        asked = armature.posewright
        self._armature = armature
        self._values: dict[str, Any] = {
            name: getattr(asked, name) for name in asked.STATE if name not in MADE
        }
        self._count = asked.key_count
        self._source_had_fake_user = asked.source is not None and asked.source.use_fake_user
        playing = armature.animation_data.action
        is_other = playing not in (None, asked.source, asked.reduced)
        self._other = (playing, actions.slot_of(armature)) if is_other else None
        self._reduced = _Copy(asked.reduced)
        self._residual = _Copy(asked.residual)

    def bring_back(self) -> None:
        asked = self._armature.posewright
        if self._reduced.is_of(asked.reduced):
            return  # nothing took its place yet
        if state.is_analysed(self._armature):
            reduced.restore(self._armature)
        self._write(lambda name: name not in DOES_SOMETHING)
        reduced.play(self._armature, asked.source)
        # What was made is made again, and then replaced by what the user had.
        if self._reduced.copy is not None:
            asked.key_count = self._count
            self._reduced.take_the_place_of(asked.reduced)
            reduced.play(self._armature, asked.reduced)
        if self._residual.copy is not None:
            asked.detail = 1.0
            self._residual.take_the_place_of(asked.residual)
        self._write(lambda name: name in DOES_SOMETHING)
        self._write(lambda name: name not in DOES_SOMETHING)
        asked.source.use_fake_user = self._source_had_fake_user
        if self._other is not None:
            actions.assign(self._armature, *self._other)

    def forget(self) -> None:
        """The copies that were not needed."""
        for kept in (self._reduced, self._residual):
            if kept.copy is not None:
                bpy.data.actions.remove(kept.copy)

    def _write(self, wanted: Any) -> None:
        for name, value in self._values.items():
            if wanted(name):
                setattr(self._armature.posewright, name, value)


class _Copy:
    """A copy of an action that may be removed, if there is one."""

    def __init__(self, action: bpy.types.Action | None) -> None:
        self.copy: Any = None if action is None else action.copy()
        self._uid = None if action is None else action.session_uid
        self._name = "" if action is None else action.name
        self._had_fake_user = action is not None and action.use_fake_user

    def is_of(self, action: bpy.types.Action | None) -> bool:
        return self._uid == (None if action is None else action.session_uid)

    def take_the_place_of(self, other: bpy.types.Action) -> None:
        """With the action itself if it is still there, otherwise with the copy."""
        found = next((action for action in bpy.data.actions if self.is_of(action)), None)
        if found is None:
            found, self.copy = self.copy, None
        actions.replace(other, found)
        found.name, found.use_fake_user = self._name, self._had_fake_user
