# SPDX-License-Identifier: GPL-3.0-or-later
"""How much room a sidebar has: where it is narrow, things stand below each other and are not cut off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unicodedata import east_asian_width

import bpy
from bpy.app.translations import pgettext_iface as iface_

ROOMY_UNITS = 13.0  # from this width of the sidebar on, errors are shown as shares too
SPLIT_UNITS = 11.5  # and from this on, names stand beside what they name
UNITS_A_LETTER, UNITS_AROUND, UNITS_BESIDE = 0.31, 0.5, 1.5  # about: of names, around them, beside all


def width_units(context: bpy.types.Context) -> float:
    """The width of the region, in the size of a button with an icon."""
    return context.region.width / (20.0 * context.preferences.system.ui_scale)


def is_roomy(context: bpy.types.Context) -> bool:
    return width_units(context) >= ROOMY_UNITS


def is_narrow(context: bpy.types.Context) -> bool:
    return width_units(context) < SPLIT_UNITS


def side_by_side(
    layout: bpy.types.UILayout, context: bpy.types.Context, first: float = 0.5
) -> bpy.types.UILayout:
    """Two side by side, the `first` with its share, or a column where that would cut off what they say."""
    return layout.column(align=True) if is_narrow(context) else layout.split(factor=first, align=True)


def names_beside(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Have names beside their fields, as in Blender's own panels, unless that leaves too little of both."""
    layout.use_property_split = not is_narrow(context)
    layout.use_property_decorate = False


def names_above(
    layout: bpy.types.UILayout, context: bpy.types.Context, data: Any, name: str
) -> tuple[bpy.types.UILayout, dict[str, str]]:
    """Where a field goes, and with what text: where it is narrow its name stands above it."""
    if not is_narrow(context):
        return layout, {}
    column = layout.column(align=True)
    named = data.bl_rna.properties[name]
    column.label(text=named.name, text_ctxt=named.translation_context)
    return column, {"text": ""}


def draw_choice(layout: bpy.types.UILayout, context: bpy.types.Context, data: Any, name: str) -> None:
    """A list to choose from."""
    layout, text = names_above(layout, context, data, name)
    layout.prop(data, name, **text)


def draw_switch(layout: bpy.types.UILayout, context: bpy.types.Context, data: Any, name: str) -> None:
    """A few things to choose from, beside each other, or as a list where that would cut off their names."""
    switch = data.bl_rna.properties[name]
    names = [iface_(item.name, switch.translation_context) for item in switch.enum_items]
    if fit_in_a_row(context, names, icons=any(item.icon != "NONE" for item in switch.enum_items)):
        layout.prop(data, name, expand=True)
    else:
        layout.prop(data, name, text="")


def fit_in_a_row(context: bpy.types.Context, names: Sequence[str], *, icons: bool) -> bool:
    """Whether buttons of one width with these names, and icons, are as wide as the sidebar or less."""
    widest = max(sum(2 if east_asian_width(letter) in "WF" else 1 for letter in name) for name in names)
    button = UNITS_A_LETTER * widest + UNITS_AROUND + icons
    return len(names) * button <= width_units(context) - UNITS_BESIDE
