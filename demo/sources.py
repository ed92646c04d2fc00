# SPDX-License-Identifier: GPL-3.0-or-later
"""What the demo distils: the character made in code, or a file of the user's."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import bpy

from tools.places import Stop

from .character import animate, build_character
from .movement import make_movement


def made_in_code(posewright: ModuleType) -> bpy.types.Object:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    armature = build_character()
    animate(armature, make_movement(), posewright)
    return armature


def from_file(path: Path, posewright: ModuleType) -> bpy.types.Object:
    """The animated armature of a file, made the active object. The file is only read."""
    try:
        found = posewright.bridge.files.open_clip(path)
    except posewright.core.InputError as problem:
        raise Stop(str(problem)) from problem
    active = bpy.context.object
    if active is not None and active.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    armature = active if active is not None and active in found else max(found, key=_length)
    bpy.context.view_layer.objects.active = armature
    return armature


def _length(armature: bpy.types.Object) -> float:
    first, last = armature.animation_data.action.frame_range
    return last - first
