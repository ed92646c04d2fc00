# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters as people import them, for tests and benchmarks; with a Python that has bpy."""

from __future__ import annotations

import atexit
import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from functools import cache
from math import sin
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


def all_files() -> list[Path]:
    """All characters, none where there is no folder of them."""
    folder = character_folder()
    return [] if folder is None else character_files(folder)


def import_character(file: Path) -> Any:
    """A new file with a character in it, imported with Blender's defaults; its armature."""
    import bpy

    bpy.ops.wm.read_homefile(filepath=str(_imported(file.resolve())))
    return next(item for item in bpy.data.objects if item.type == "ARMATURE")


@cache
def _imported(file: Path) -> Path:
    """A Blender file of a character, imported once; where Blender is a module, by a process of its own.

    In a process that has opened hundreds of files, the importers of Blender 4.2 and 4.3 crash now and then.
    """
    import bpy

    imported = _kept_files() / f"{len(list(_kept_files().iterdir()))} {file.stem}.blend"
    if not bpy.app.binary_path:  # a module
        code = f"from {__name__} import import_to_file; import_to_file({str(file)!r}, {str(imported)!r})"
        # Without Python's end: in it Blender 4.5 may wait for ever for a thread of its own.
        command = [sys.executable, "-c", f"{code}; import os; os._exit(0)"]
        subprocess.run(command, cwd=Path(__file__).parents[1], stdout=subprocess.DEVNULL, check=True)
    else:
        import_to_file(str(file), str(imported))
    return imported


def import_to_file(file: str, imported: str) -> None:
    import bpy

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    import_into_scene(Path(file))
    bpy.ops.wm.save_as_mainfile(filepath=imported, copy=True)


@cache
def _kept_files() -> Path:
    """A folder for Blender files that are read again and again, until this process ends."""
    folder = tempfile.mkdtemp(prefix="posewright-characters-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


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


def generate_rigify(kind: str = "human") -> Any:
    """A new file with Rigify's human in it, or another of its bodies."""
    import bpy

    bpy.ops.wm.read_homefile(filepath=str(_rigify_file(kind)))
    return bpy.context.object


@cache
def _rigify_file(kind: str) -> Path:
    """Generated once, which takes seconds; reading the file does not."""
    import bpy

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    generate_rigify_into_scene(kind)
    file = _kept_files() / f"{kind}.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(file), copy=True)
    return file


def generate_rigify_into_scene(kind: str = "human") -> Any:
    import bpy

    with contextlib.redirect_stdout(io.StringIO()):
        bpy.ops.preferences.addon_enable(module="rigify")
        getattr(bpy.ops.object, f"armature_{kind}_metarig_add")()
        bpy.ops.pose.rigify_generate()
    return bpy.context.object


TURNED = ("upper_arm_fk.R", "forearm_fk.R", "head", "chest")


def animate_rigify(rig: Any, frames: int = 60) -> None:
    """Torso, IK of both feet and of a hand, FK of an arm, from frame 1 on; every frame is keyed.

    The right arm goes from FK to IK and back.
    """
    bones = rig.pose.bones
    for name in TURNED:
        bones[name].rotation_mode = "XYZ"
    for frame in range(1, frames + 1):
        t = frame / 8.0
        for name, place in (
            ("torso", (0.1 * sin(t), 0.05 * sin(2 * t), 0.03 * sin(3 * t))),
            ("foot_ik.L", (0, 0.2 * sin(t), max(0, 0.1 * sin(t)))),
            ("foot_ik.R", (0, -0.2 * sin(t), max(0, -0.1 * sin(t)))),
            ("hand_ik.L", (0.1 * sin(t), 0.2 * sin(1.1 * t), 0.1 * sin(0.7 * t))),
        ):
            bones[name].location = place
            bones[name].keyframe_insert("location", frame=frame)
        for number, name in enumerate(TURNED):
            bones[name].rotation_euler = (0.3 * sin(t + number), 0.2 * sin(1.3 * t), 0.25 * sin(0.8 * t))
            bones[name].keyframe_insert("rotation_euler", frame=frame)
    arm = bones["upper_arm_parent.R"]
    for frame, value in ((1, 1.0), (30, 1.0), (31, 0.0), (45, 0.0), (46, 1.0)):
        arm["IK_FK"] = value
        arm.keyframe_insert('["IK_FK"]', frame=frame)
