# SPDX-License-Identifier: GPL-3.0-or-later
"""What Posewright draws over the viewport, and pictures in its panels."""

from . import character_overlay, filmstrip, ghost_handles, ghost_overlay, plot_preview, spatial_overlay

PARTS = (ghost_overlay, ghost_handles, filmstrip, character_overlay, spatial_overlay, plot_preview)


def register() -> None:
    for part in PARTS:
        part.register()


def unregister() -> None:
    for part in reversed(PARTS):
        part.unregister()
