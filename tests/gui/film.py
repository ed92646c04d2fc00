# SPDX-License-Identifier: GPL-3.0-or-later
"""What the listing on the Extensions platform shows, taken from the window: pictures, and films of them."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from screenshots import read_screen, write_png

SECONDS, RATE = 20, 4
FRAMES = SECONDS * RATE


class Film:
    """Pictures of the 3D viewport at half its size, numbered; `tools.listing` makes a film of them."""

    def __init__(self, ui: Any) -> None:
        self.ui, self.taken = ui, 0

    def take(self) -> Any:
        """One picture, once everything is drawn."""
        self.ui.area().tag_redraw()
        yield from self.ui.settle()
        colours = viewport(self.ui)
        rows, columns = (side // 2 * 2 for side in colours.shape[:2])
        halves = colours[:rows, :columns].reshape(rows // 2, 2, columns // 2, 2, 3).mean(axis=(1, 3))
        write_png(
            self.ui.screenshots / f"listing-{self.ui.name}-{self.taken:03}.png", halves.astype(np.uint8)
        )
        self.taken += 1


def viewport(ui: Any) -> Any:
    """(height, width, 3) what the 3D viewport shows now, sidebar included."""
    area, colours = ui.area(), read_screen(ui.screen)
    top = len(colours) - area.y - area.height
    return colours[top : top + area.height, area.x : area.x + area.width]


def tidy(ui: Any, **shading: Any) -> None:
    """A viewport without what only distracts: no grid beyond the floor, no widgets, no second editors."""
    space = ui.area().spaces.active
    space.show_gizmo_navigate = False
    space.overlay.show_cursor = False
    space.overlay.show_relationship_lines = False
    space.overlay.show_text = False
    for name, value in shading.items():
        setattr(space.shading, name, value)
    with ui.override():
        bpy.ops.screen.screen_full_area(use_hide_panels=False)
