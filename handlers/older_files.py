# SPDX-License-Identifier: GPL-3.0-or-later
"""Files from before Blender 5 bring a second copy of our settings, among the custom properties.

Blender 5 keeps settings elsewhere and leaves the copy to older ones. The actions and objects that it names
would count as used for ever: Restore left the reduced action, its layer and its source in the file.
"""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent

from ..bridge import everything, versions

NAME = "posewright"


@persistent
def after_loading(*_: object) -> None:
    if versions.brings_copies():
        forget_copies()


def forget_copies() -> None:
    for thing in (*everything.objects(), *bpy.data.actions, *bpy.data.scenes):
        if thing.library is None and NAME in thing:
            del thing[NAME]


HANDLERS = ((bpy.app.handlers.load_post, after_loading),)
