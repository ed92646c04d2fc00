# SPDX-License-Identifier: GPL-3.0-or-later
"""The Character panel: what was found of it, and what the user knows better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import bpy
import numpy as np
from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_n as n_

from ..bridge import character
from ..bridge.character import said
from ..bridge.lengths import length
from ..core.anatomy import Character
from ..languages import OURS
from ..operators.armature_operator import active_armature
from .help_link import HelpLink
from .room import draw_choice, names_above, names_beside
from .sidebar import SidebarPanel

MOST_NAMED = 4  # of one kind of bones


class CharacterPanel(SidebarPanel):
    """Shown for armatures."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return active_armature(context) is not None


class POSEWRIGHT_PT_character(HelpLink, CharacterPanel, bpy.types.Panel):
    """What was found of the character"""

    bl_label = "Character"
    help_page = "characters"
    bl_order = 40
    bl_options: ClassVar[set[str]] = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        armature = active_armature(context)
        settings = armature.posewright.character
        self.layout.prop(settings, "show", icon="HIDE_OFF" if settings.show else "HIDE_ON", toggle=True)
        row = self.layout.row(align=True)
        names, values = row.column(align=True), row.column(align=True)
        names.alignment = "LEFT"
        names.scale_y = values.scale_y = 0.8
        for name, value in _found(context, armature, character.describe(armature)):
            names.label(text=name, text_ctxt=OURS)
            values.label(text=value, translate=False)


def _found(
    context: bpy.types.Context, armature: bpy.types.Object, found: Character
) -> Iterator[tuple[str, str]]:
    """What to call each thing that was found, and what it is."""
    none = iface_("none")
    seen = character.shown(armature, found)
    yield n_("Height"), length(context, found.height)
    yield n_("Ground"), length(context, seen.ground)
    yield n_("Front"), _axis(seen.front)
    yield n_("Hips"), found.hips or none
    yield n_("Head"), found.head or none
    yield from _listed(n_("Feet"), found.feet)
    yield from _listed(n_("Hands"), found.hands)
    yield n_("Pairs"), str(len(found.pairs))
    if found.unpaired:
        yield from _listed(n_("Alone"), found.unpaired)
    yield n_("Deforming"), str(len(found.deform))
    yield n_("Controls"), str(len(found.controls))
    yield n_("Mechanism"), str(len(found.mechanism))


def _axis(direction: np.ndarray) -> str:
    """The axis of the world that a direction is nearest to, and by how many degrees it is off."""
    axis = int(np.argmax(np.abs(direction)))
    off = round(float(np.degrees(np.arccos(min(abs(direction[axis]), 1.0)))))
    sign = "-" if direction[axis] < 0.0 else "+"
    return f"{sign}{'XYZ'[axis]}" + (f" ({off}\N{DEGREE SIGN})" if off else "")


def _listed(name: str, bones: Sequence[str]) -> Iterator[tuple[str, str]]:
    """A line for each bone: their names may be long."""
    shown = [*bones[:MOST_NAMED], *(["\N{HORIZONTAL ELLIPSIS}"] if len(bones) > MOST_NAMED else [])]
    yield from zip([name] + [""] * len(shown), shown or [iface_("none")], strict=False)


class POSEWRIGHT_PT_character_corrections(CharacterPanel, bpy.types.Panel):
    """What the user knows better"""

    bl_label = "Corrections"
    bl_parent_id = "POSEWRIGHT_PT_character"
    bl_options: ClassVar[set[str]] = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        armature = active_armature(context)
        settings = armature.posewright.character
        layout = self.layout.column()
        names_beside(layout, context)
        layout.prop(settings, "height")
        row = layout.row(heading="Ground")
        row.prop(settings, "use_ground", text="")
        field = row.row()
        field.active = settings.use_ground
        field.prop(settings, "ground", text="")
        draw_choice(layout, context, settings, "front")
        legs = len(character.describe(armature).legs)
        feet = said.FEET if legs > 2 else said.FEET[:2]
        for name in ("hips", "head", *feet, *said.HANDS):
            _draw_bone(layout, context, armature, name)
        self._draw_pairs(armature)

    def _draw_pairs(self, armature: bpy.types.Object) -> None:
        column = self.layout.column(align=True)
        for index, pair in enumerate(armature.posewright.character.pairs):
            row = column.row(align=True)
            for side in ("left", "right"):
                row.prop_search(pair, side, armature.data, "bones", text="")
            row.operator("posewright.character_pair_remove", text="", icon="X").index = index
        column.operator("posewright.character_pair_add", icon="ADD")


def _draw_bone(
    layout: bpy.types.UILayout, context: bpy.types.Context, armature: bpy.types.Object, name: str
) -> None:
    """A field for a bone, with a warning where what it names will not do."""
    settings = armature.posewright.character
    bone = getattr(settings, name)
    limb = name in (*said.FEET, *said.HANDS)
    known = said.can_end_a_limb(armature, bone) if limb else bone in armature.data.bones
    icon = "BONE_DATA" if known or not bone else "ERROR"
    layout, text = names_above(layout, context, settings, name)
    layout.prop_search(settings, name, armature.data, "bones", icon=icon, **text)


CLASSES: tuple[type, ...] = (POSEWRIGHT_PT_character, POSEWRIGHT_PT_character_corrections)
