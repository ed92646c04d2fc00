# SPDX-License-Identifier: GPL-3.0-or-later
"""What Posewright draws over the viewport, and pictures in its panels.

`ghost_overlay`      ghosts: which poses, and when     `ghost_drawing`      how they look
`ghost_handles`      what can be clicked of them       `filmstrip`          poses along the bottom
`character_overlay`  what was found of a body          `spatial_overlay`    cursors, markers, trails
`plot_preview`       plots in panels                   `contact_lanes`      what stands when, in both
`flat_shapes`        discs, lines and words            `solid_shader`       many solids at once
`sidebars`           the sidebars of all views         `status_bar`         what keys do meanwhile
"""

from . import character_overlay, filmstrip, ghost_handles, ghost_overlay, plot_preview, spatial_overlay

PARTS = (ghost_overlay, ghost_handles, filmstrip, character_overlay, spatial_overlay, plot_preview)


def register() -> None:
    for part in PARTS:
        part.register()


def unregister() -> None:
    for part in reversed(PARTS):
        part.unregister()
