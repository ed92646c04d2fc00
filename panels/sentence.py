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
    for number, line in enumerate(wrapped(bpy.app.translations.pgettext_iface(text), _room(context))):
        column.label(text=line, icon="BLANK1" if number else icon, translate=False)
    return box


def wrapped(text: str, room: float) -> list[str]:
    """Lines that are no wider than `room` pixels, where words allow it."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and _width(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _room(context: bpy.types.Context) -> float:
    unit = 20.0 * context.preferences.system.ui_scale
    width = context.region.width if context.region is not None else 12.0 * unit
    return max(width - MARGIN * unit * 0.8, 6.0 * unit)


def _width(text: str) -> float:
    preferences = bpy.context.preferences
    points = preferences.ui_styles[0].widget.points
    blf.size(0, points * preferences.system.ui_scale)
    return blf.dimensions(0, text)[0]
