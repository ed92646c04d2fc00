# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences in a sidebar: Blender's labels are one line, so they are wrapped here."""

from __future__ import annotations

import re

import blf
import bpy

# Signs of languages that are written without spaces: a line may end after each of them, but for those that
# open a bracket, and but before those that close one or a sentence, or belong to the sign before.
SIGN = r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]"
SMALL = r"\u3063\u3083\u3085\u3087\u30c3\u30e3\u30e5\u30e7\u30fc"
CLOSING = rf"[\u3001\u3002\u300d\uff01\uff09\uff0c\uff1a\uff1b\uff1f{SMALL}]"
OPENING = r"[\u300c\uff08]"
PIECE = rf"(?:{OPENING}*(?:{SIGN}|(?:(?!{SIGN})\S)+){CLOSING}*|\S)\s*"
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
    lines = [""]
    for piece in pieces(text):
        longer = lines[-1] + piece
        if not lines[-1] or blf.dimensions(0, longer.rstrip())[0] <= room:
            lines[-1] = longer
        else:
            lines.append(piece)
    return [line.rstrip() for line in lines]


def pieces(text: str) -> list[str]:
    """What a line may end after: words, or single signs."""
    return re.findall(PIECE, text)
