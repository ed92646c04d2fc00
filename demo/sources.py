# SPDX-License-Identifier: GPL-3.0-or-later
"""What the demo distils: the character made in code, or a file of the user's."""

from __future__ import annotations

import warnings
from collections.abc import Callable
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


def from_file(path: Path) -> bpy.types.Object:
    """The animated armature of a .bvh, .fbx or .blend, made the active object. The file is only read."""
    if not path.is_file():
        raise Stop(f"There is no file {path}.")
    open_file = _OPENERS.get(path.suffix.lower())
    if open_file is None:
        raise Stop(f"{path.name} is no {' or '.join(_OPENERS)} file: the demo cannot open it.")
    try:
        open_file(str(path))
    except RuntimeError as error:
        raise Stop(f"Blender could not open {path.name}: {error}") from error
    armature = _animated_armature(path)
    if bpy.context.object is not None and bpy.context.object.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.objects.active = armature
    return armature


def _open_bvh(path: str) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with warnings.catch_warnings():
        # Blender's importer leaves the closing of the file to the garbage collector.
        warnings.simplefilter("ignore", ResourceWarning)
        bpy.ops.import_anim.bvh(filepath=path, update_scene_fps=True, update_scene_duration=True)


def _open_fbx(path: str) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.import_scene.fbx(filepath=path)


def _open_blend(path: str) -> None:
    bpy.ops.wm.open_mainfile(filepath=path, load_ui=False)


_OPENERS: dict[str, Callable[[str], None]] = {".bvh": _open_bvh, ".fbx": _open_fbx, ".blend": _open_blend}


def _animated_armature(path: Path) -> bpy.types.Object:
    """The active armature if it has an action, or else the one whose action is longest."""
    found = [
        thing
        for thing in bpy.context.view_layer.objects
        if thing.type == "ARMATURE" and thing.animation_data is not None and thing.animation_data.action
    ]
    if not found:
        raise Stop(f"{path.name} holds no armature with an action: there is nothing to distil.")
    active = bpy.context.object
    if active is not None and active in found:
        return active
    return max(found, key=lambda thing: thing.animation_data.action.frame_range[1])
