# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators on an armature share: when they can run, and how problems are reported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import bpy
from bpy.app.translations import pgettext_n as n_

from ..bridge.distil import reductions
from ..bridge.editable import is_linked_instance
from ..bridge.spatial import sets
from ..bridge.spoken import spoken
from ..core import InputError
from ..handlers.busy import stop_background, why_busy


def active_armature(context: bpy.types.Context) -> Any | None:
    """The one that is active, or whose mesh, child, cursor or marker is: imported, a mesh may be active."""
    return sets.character_of(context.object)  # `active_object` is none in a viewport where it is hidden


LINKED = n_("This character is linked from another file: make a library override first")
NO_ACTION = n_("Give the armature an action first: import motion capture, or key it.")
IN_THE_NLA = n_(
    "All its animation is in the NLA: give the armature the action of a strip. To distil what all strips "
    "play together, unmute their tracks and press Analyze."
)


def what_is_missing(armature: bpy.types.Object) -> str:
    """What the armature needs before it can be analysed; nothing where it has an action."""
    data = armature.animation_data
    if data is not None and data.action is not None:
        return ""
    has_strips = data is not None and any(track.strips for track in data.nla_tracks)
    return IN_THE_NLA if has_strips else NO_ACTION


class OnArmature:
    """For operators on an armature. They override `armature_in`, `why_not` and `work`."""

    bl_options: ClassVar[set[str]] = {"REGISTER", "UNDO"}
    nothing_there: ClassVar[str] = n_("Select an armature")
    poll_message_set: ClassVar[Any]  # both come from Operator, which subclasses add
    report: Any

    @classmethod
    def armature_in(cls, context: bpy.types.Context) -> Any | None:
        """The armature that is meant."""
        return active_armature(context)

    @classmethod
    def why_none(cls, context: bpy.types.Context) -> str:
        """What to do where no armature is meant."""
        return LINKED if is_linked_instance(context.object) else cls.nothing_there

    @classmethod
    def why_not(cls, armature: bpy.types.Object, /) -> str:
        """Why the button is grey, or nothing."""
        return ""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        armature = cls.armature_in(context)
        reason = why_busy() or (cls.why_none(context) if armature is None else cls.why_not(armature))
        if reason:
            cls.poll_message_set(reason)
        return not reason

    def execute(self, context: bpy.types.Context) -> set[str]:
        return report_problems(self, lambda: self.work(context, self.armature_in(context)))

    def work(self, context: bpy.types.Context, armature: Any, /) -> None:
        raise NotImplementedError


class ArmatureOperator(OnArmature):
    """For operators on the active armature, most of which need it to be analysed."""

    @classmethod
    def why_not(cls, armature: bpy.types.Object, /) -> str:
        return "Analyze the armature first" if reductions.find(armature) is None else ""


def fill_in(operator: Any, **values: Any) -> None:
    """For a dialog: give an operator what the script, the button or the key that calls it has not."""
    for name, value in values.items():
        if not operator.properties.is_property_set(name):
            setattr(operator, name, value)


def report_problems(operator: Any, work: Callable[[], None]) -> set[str]:
    """Run, and turn what is wrong with the input into a report; nothing was changed then.

    What is measured in the background gives way: who stands in for the armature would count as another one.
    """
    stop_background()
    try:
        work()
    except InputError as problem:
        operator.report({"ERROR"}, spoken(problem))
        return {"CANCELLED"}
    return {"FINISHED"}
