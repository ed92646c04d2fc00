# SPDX-License-Identifier: GPL-3.0-or-later
"""Distil where keys are edited: in sidebars and menus of the Graph Editor and the Dope Sheet."""

from __future__ import annotations

import bpy

from .distil import DistilPanel
from .sidebar import SidebarPanel


class POSEWRIGHT_PT_distil_in_graph_editor(DistilPanel, SidebarPanel, bpy.types.Panel):
    """From dense animation to a few poses"""

    bl_space_type = "GRAPH_EDITOR"


class POSEWRIGHT_PT_distil_in_dope_sheet(DistilPanel, SidebarPanel, bpy.types.Panel):
    """From dense animation to a few poses"""

    bl_space_type = "DOPESHEET_EDITOR"


def draw_verbs(self: bpy.types.Menu, _context: bpy.types.Context) -> None:
    """Beside Decimate and Clean, which people know."""
    layout = self.layout
    layout.separator()
    layout.operator("posewright.analyze", text="Distil to a Few Poses")
    layout.operator("posewright.analyze_selected_keys")
    layout.operator("posewright.retime_by_tapping")


CLASSES: tuple[type, ...] = (POSEWRIGHT_PT_distil_in_graph_editor, POSEWRIGHT_PT_distil_in_dope_sheet)
