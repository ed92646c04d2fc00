# SPDX-License-Identifier: GPL-3.0-or-later
"""What Posewright draws over the viewport, and pictures in its panels."""

from . import error_plot, ghosts, spatial

PARTS = (ghosts, spatial, error_plot)


def register() -> None:
    for part in PARTS:
        part.register()


def unregister() -> None:
    for part in reversed(PARTS):
        part.unregister()
