# SPDX-License-Identifier: GPL-3.0-or-later
"""The question mark in the header of a panel."""

from __future__ import annotations

from typing import ClassVar

import bpy


class HelpLink:
    """For panels that a page of the documentation is about."""

    help_page: ClassVar[str]

    def draw_header_preset(self, _context: bpy.types.Context) -> None:
        layout = self.layout  # type: ignore[attr-defined]
        layout.operator("posewright.help", text="", icon="HELP", emboss=False).page = self.help_page


def draw_menu(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    """All pages, in Blender's Help menu."""
    menu.layout.separator()
    menu.layout.operator_menu_enum("posewright.help", "page", text="Posewright", icon="HELP")
