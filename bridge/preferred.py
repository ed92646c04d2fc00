# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user prefers for characters that Posewright has not worked on yet."""

from __future__ import annotations

from typing import Any

import bpy

EXTENSION = __package__.rpartition(".")[0]
FIRST_SETTINGS = ("wanted_error", "sub_frames", "first_interpolation")  # the same names in both places


def preferences() -> Any | None:
    """The extension's preferences, or None where it is loaded without being enabled."""
    entry = bpy.context.preferences.addons.get(EXTENSION)
    return None if entry is None else entry.preferences


def take_up(armature: bpy.types.Object) -> None:
    """Give an armature the preferred settings where it has none of its own."""
    preferred = preferences()
    if preferred is None:
        return
    asked = armature.posewright
    for name in FIRST_SETTINGS:
        if not asked.is_property_set(name) and getattr(asked, name) != getattr(preferred, name):
            setattr(asked, name, getattr(preferred, name))
