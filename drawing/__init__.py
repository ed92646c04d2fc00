# SPDX-License-Identifier: GPL-3.0-or-later
"""What Posewright draws over the viewport."""

from . import ghosts, spatial

PARTS = (ghosts, spatial)


def register() -> None:
    for part in PARTS:
        part.register()


def unregister() -> None:
    for part in reversed(PARTS):
        part.unregister()
