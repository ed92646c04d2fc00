# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters as people import them, for tests and benchmarks; with a Python that has bpy."""

from __future__ import annotations

import contextlib
import io
import os
import warnings
from pathlib import Path
from typing import Any

MISSING = "no characters: put them in ../shared/characters or name their folder in POSEWRIGHT_CHARACTERS"
KINDS = {".glb", ".gltf", ".fbx", ".bvh"}


def character_folder() -> Path | None:
    """Where the characters are, or None."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "characters"
    folder = Path(os.environ.get("POSEWRIGHT_CHARACTERS") or beside)
    return folder if folder.is_dir() and character_files(folder) else None


def character_files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.suffix.lower() in KINDS)


def import_character(file: Path) -> Any:
    """A new file with a character in it, imported with Blender's defaults; its armature."""
    import bpy

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return import_into_scene(file)


def import_into_scene(file: Path) -> Any:
    """A character beside what is there already; its armature."""
    import bpy

    known = set(bpy.data.objects)
    importers = {
        ".glb": bpy.ops.import_scene.gltf,
        ".gltf": bpy.ops.import_scene.gltf,
        ".fbx": bpy.ops.import_scene.fbx,
        ".bvh": bpy.ops.import_anim.bvh,
    }
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        # Blender's importers leave the closing of files to the garbage collector.
        warnings.simplefilter("ignore", ResourceWarning)
        importers[file.suffix.lower()](filepath=str(file))
    return next(item for item in bpy.data.objects if item.type == "ARMATURE" and item not in known)


def generate_rigify() -> Any:
    """A new file with Rigify's human in it."""
    import bpy

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return generate_rigify_into_scene()


def generate_rigify_into_scene() -> Any:
    import bpy

    with contextlib.redirect_stdout(io.StringIO()):
        bpy.ops.preferences.addon_enable(module="rigify")
        bpy.ops.object.armature_human_metarig_add()
        bpy.ops.pose.rigify_generate()
    return bpy.context.object
