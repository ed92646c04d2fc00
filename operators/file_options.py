# SPDX-License-Identifier: GPL-3.0-or-later
"""What properties that name a file to write have in common."""

import bpy

# Blender 5 wants to be told that a path may begin with "//", the folder of the .blend; before, it just may.
FILE_OPTIONS: set[str] = {"SKIP_SAVE"} | (
    {"PATH_SUPPORTS_BLEND_RELATIVE"} if bpy.app.version >= (5, 0, 0) else set()
)
