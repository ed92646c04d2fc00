# SPDX-License-Identifier: GPL-3.0-or-later
"""What the operators on spatial sets share: which character is meant, and why a button is grey."""

from __future__ import annotations

from typing import Any, ClassVar

import bpy
from bpy.app.translations import pgettext_n as n_
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import EnumProperty

from ..bridge.spatial import sets
from .armature_operator import LINKED, OnArmature

SETS_ELSEWHERE = n_("The sets of a linked character are changed in its own file: open that")


def character_in(context: bpy.types.Context) -> bpy.types.Object | None:
    """The armature that is active, or whose marker or cursor is active."""
    return sets.character_of(context.object)


class CharacterOperator(OnArmature):
    """For operators on the character that is active, or whose marker or cursor is."""

    nothing_there = n_("Select an armature, or one of its spatial markers or cursors")
    keeps_sets: ClassVar[bool] = False  # True if it changes nothing that belongs to the sets

    @classmethod
    def armature_in(cls, context: bpy.types.Context) -> Any | None:
        return character_in(context)

    @classmethod
    def why_not(cls, armature: bpy.types.Object, /) -> str:
        if armature.library is not None:
            return LINKED
        if armature.override_library is not None and not cls.keeps_sets:
            return SETS_ELSEWHERE
        return "Leave Edit Mode: there the armature is not posed" if armature.mode == "EDIT" else ""

    def execute(self, context: bpy.types.Context) -> set[str]:
        context.view_layer.update()  # a script may just have moved the cursor
        return super().execute(context)


class SetOperator(CharacterOperator):
    """For operators that need a spatial set."""

    @classmethod
    def why_not(cls, armature: bpy.types.Object, /) -> str:
        return super().why_not(armature) or _why_no_set(armature)


class ListedKeyOperator(SetOperator):
    """For operators on a spatial key in the list, even one whose marker or pose was deleted."""

    @classmethod
    def why_not(cls, armature: bpy.types.Object, /) -> str:
        return super().why_not(armature) or ("" if _key_in_list(armature) else "Set a spatial key first")


class KeyOperator(ListedKeyOperator):
    """For operators that need a spatial key with its marker and its pose."""

    @classmethod
    def why_not(cls, armature: bpy.types.Object, /) -> str:
        reason = super().why_not(armature)
        if not reason and not sets.is_usable(_key_in_list(armature)):
            return "The marker or the pose of this key was deleted: remove the key"
        return reason


def _why_no_set(armature: bpy.types.Object) -> str:
    if sets.active_set(armature) is None:
        return "Add a spatial set first"
    is_duplicate = sets.shared_with(armature) is not None
    return "This character is a duplicate: press Make Own Markers first" if is_duplicate else ""


def _key_in_list(armature: bpy.types.Object) -> Any | None:
    return sets.active_key(sets.active_set(armature))


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
