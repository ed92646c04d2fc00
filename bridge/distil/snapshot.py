# SPDX-License-Identifier: GPL-3.0-or-later
"""Back to what an armature played and knew, if the work that changes it is stopped or fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from .. import actions
from . import endings, reduced_action, reductions
from .detail_layer import detail, detail_gate
from .playing import play
from .reductions import Reduction


@contextmanager
def kept_unless_finished(armature: bpy.types.Object) -> Iterator[None]:
    """After an exception or a stop the armature has the reduction of before, edits included, or none."""
    snapshot = _Snapshot(armature)
    try:
        yield
    except BaseException:
        snapshot.bring_back()
        raise
    finally:
        snapshot.forget()


class _Snapshot:
    """A copy of a reduced action, what it knew, and whether its source was shown."""

    def __init__(self, armature: bpy.types.Object) -> None:
        self._armature = armature
        self._copy: Any = None
        self._last = armature.posewright.last_reduced
        found = reductions.find(armature)
        if found is not None:
            self._showed_original = found.shows_original
            self._known = {name: getattr(found.state, name) for name in actions.state_names(found.action)}
            self._copy = found.action.copy()
            # Until it is needed the copy is an ordinary action, which nobody takes for another reduction.
            actions.forget_state(self._copy)
            detail_gate.forget(self._copy)

    def bring_back(self) -> None:
        now = reductions.find(self._armature)
        if self._copy is None and now is not None:
            endings.restore(self._armature)
            self._armature.posewright.last_reduced = self._last
        elif self._copy is not None and now is not None:
            self._take_the_place_of(now)

    def _take_the_place_of(self, now: Reduction) -> None:
        same_layer = now.state.gate == self._known["gate"]
        if not same_layer:
            detail.remove(now)
        fake_user = now.action.use_fake_user
        self._known["pins"] = now.state.pins  # which are brought up to date from how they are by now
        actions.replace(now.action, self._copy)
        earlier = Reduction(self._armature, self._copy)
        self._copy = None
        earlier.action.use_fake_user = fake_user
        for name, value in self._known.items():
            if same_layer or name not in detail.STATE:
                setattr(earlier.state, name, value)
        play(earlier, earlier.source if self._showed_original else earlier.action)
        reduced_action.renew_layer_as_edited(earlier)
        reduced_action.sync_markers(self._armature, bpy.context.scene)

    def forget(self) -> None:
        """The copy that was not needed."""
        if self._copy is not None:
            bpy.data.actions.remove(self._copy)
