# SPDX-License-Identifier: GPL-3.0-or-later
"""What the operators on spatial sets share: which character is meant, and why a button is grey."""

from __future__ import annotations

from typing import Any, ClassVar

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import EnumProperty

from ..bridge.bones import selected_bones
from ..bridge.spatial import sets
from ..core import InputError
from .armature_operator import report_problems
from .under_way import why_busy


def character_in(context: bpy.types.Context) -> bpy.types.Object | None:
    """The armature that is active, or whose marker or cursor is active."""
    return sets.character_of(context.object)


class CharacterOperator:
    """For operators that need an armature. `act` does the work; what it refuses becomes a report."""

    bl_options: ClassVar[set[str]] = {"REGISTER", "UNDO"}
    keeps_sets: ClassVar[bool] = False  # True if it changes nothing that belongs to the sets
    poll_message_set: ClassVar[Any]  # both come from Operator, which subclasses add
    report: Any

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if why_busy():
            cls.poll_message_set(why_busy())
            return False
        armature = character_in(context)
        if armature is None:
            cls.poll_message_set("Select an armature, or one of its spatial markers or cursors")
            return False
        if armature.library is not None:
            cls.poll_message_set("This character is linked from another file: make a library override first")
            return False
        if armature.override_library is not None and not cls.keeps_sets:
            cls.poll_message_set("The sets of a linked character are changed in its own file: open that")
            return False
        if armature.mode == "EDIT":
            cls.poll_message_set("Leave Edit Mode: there the armature is not posed")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        context.view_layer.update()  # a script may just have moved the cursor
        return report_problems(self, lambda: self.act(context, character_in(context)))

    def act(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        raise NotImplementedError


class SetOperator(CharacterOperator):
    """For operators that need a spatial set."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        if sets.active_set(character_in(context)) is None:
            cls.poll_message_set("Add a spatial set first")
            return False
        if sets.shared_with(character_in(context)) is not None:
            cls.poll_message_set("This character is a duplicate: press Make Own Markers first")
            return False
        return True


class ListedKeyOperator(SetOperator):
    """For operators on a spatial key in the list, even one whose marker or pose was deleted."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        if sets.active_key(sets.active_set(character_in(context))) is None:
            cls.poll_message_set("Set a spatial key first")
            return False
        return True


class KeyOperator(ListedKeyOperator):
    """For operators that need a spatial key with its marker and its pose."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        if not sets.is_usable(sets.active_key(sets.active_set(character_in(context)))):
            cls.poll_message_set("The marker or the pose of this key was deleted: remove the key")
            return False
        return True


class MovesInList:
    """For operators that move something by a place in its list."""

    direction: EnumProperty(
        name="Direction",
        description="Up or down in the list",
        items=(
            ("UP", "Up", "Before the one above it"),
            ("DOWN", "Down", "Behind the one below it"),
        ),
    )

    @property
    def step(self) -> int:
        return -1 if self.direction == "UP" else 1


def tell_who_stepped_back(operator: Any, names: list[str]) -> None:
    """Say that sets do not count any more because another moves the same bones."""
    if names:
        said = rpt_("{names} stepped back for the same bones; Switch To changes over between sets")
        operator.report({"INFO"}, said.format(names=", ".join(names)))


def wanted_bones(armature: bpy.types.Object, choice: str) -> list[str]:
    """All bones, or the selected ones, which must be some."""
    if not armature.pose.bones:
        raise InputError(f"{armature.name} has no bones: add some in Edit Mode first.")
    if choice != "SELECTED":
        return [bone.name for bone in armature.pose.bones]
    names = selected_bones(armature)
    if not names:
        raise InputError("No bone is selected: select the bones to keep, or choose the whole body.")
    return names
