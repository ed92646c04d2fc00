# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebars of all 3D views, where the panels are."""

from __future__ import annotations

import bpy


def redraw_sidebars() -> None:
    """Soon, without drawing the views themselves anew."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()
