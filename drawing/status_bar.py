# SPDX-License-Identifier: GPL-3.0-or-later
"""What keys do, in the status bar, while something is under way.

Blender keeps a plain text for each workspace, and only the one that is shown can be cleared. A function is
drawn in all of them and gone from all of them at once, so that no workspace goes on speaking of what is over.
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy

# An icon for the key, or "NONE", and what it does.
Hint = tuple[str, str]
# Icons that are wider than the room that a label gives them.
WIDE = {"EVENT_ESC", "EVENT_SPACEKEY"}


def show_status(hints: Sequence[Hint]) -> None:
    def draw(header: bpy.types.Header, _context: bpy.types.Context) -> None:
        for icon, text in hints:
            row = header.layout.row(align=True)
            if icon in WIDE:
                row.label(text="", icon=icon)
                row.separator(factor=2.0)
                row.label(text=text)
            else:
                row.label(text=text, icon=icon)

    _set(draw)


def clear_status() -> None:
    _set(None)


def _set(draw: object) -> None:
    workspace = bpy.context.workspace
    if workspace is not None:
        workspace.status_text_set(draw)
