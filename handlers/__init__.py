# SPDX-License-Identifier: GPL-3.0-or-later
"""What Posewright does by itself when Blender's data changes."""

from . import sampling, spatial, work

PARTS = (sampling, spatial, work)


def register() -> None:
    for part in PARTS:
        part.register()


def unregister() -> None:
    for part in reversed(PARTS):
        part.unregister()
