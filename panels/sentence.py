# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences in a sidebar: Blender's labels are one line, so they are wrapped here."""

from __future__ import annotations

import blf
import bpy

MARGIN = 5.0  # interface units that icon, box and panel take of the sidebar's width


def draw_sentence(
    layout: bpy.types.UILayout, context: bpy.types.Context, text: str, icon: str = "INFO", alert: bool = False
) -> bpy.types.UILayout:
    """A box with a sentence, wrapped to the width of the sidebar; returns the box for buttons below it."""
    box = layout.box()
    column = box.column(align=True)
    column.alert = alert
    column.scale_y = 0.8
    for number, line in enumerate(_wrapped(context, bpy.app.translations.pgettext_iface(text))):
        column.label(text=line, icon="BLANK1" if number else icon, translate=False)
    return box


def _wrapped(context: bpy.types.Context, text: str) -> list[str]:
    """Lines that are no wider than the sidebar, where words allow it."""
    system, style = context.preferences.system, context.preferences.ui_styles[0]
    unit = 20.0 * system.ui_scale
    room = max(context.region.width - MARGIN * unit, 6.0 * unit)
    blf.size(0, style.widget.points * system.ui_scale)
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and blf.dimensions(0, longer)[0] <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
