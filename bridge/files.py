# SPDX-License-Identifier: GPL-3.0-or-later
"""Opening clips and saving results in the formats that Blender reads and writes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import ceil, floor
from pathlib import Path

import bpy

from ..core import InputError
from .whole_files import written_whole


def open_clip(path: Path) -> list[bpy.types.Object]:
    """Open a file in place of everything that is loaded, and return its animated armatures."""
    if not path.is_file():
        raise InputError(f"There is no file {path}.")
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"{path.name} cannot be opened: choose a file that ends in {', '.join(READERS)}.")
    if path.stat().st_size == 0:
        raise InputError(f"{path.name} is empty.")
    try:
        reader(path)
    except Exception as error:  # importers raise anything on a damaged file
        raise InputError(f"{path.name} cannot be read; is it damaged? {_last_line(error)}") from error
    armatures = animated_armatures()
    if not armatures:
        raise InputError(f"{path.name} holds no armature with an action: nothing to work on.")
    return armatures


def animated_armatures() -> list[bpy.types.Object]:
    """The armatures that an action drives; not those in collections that the scene leaves out."""
    return [
        obj
        for obj in bpy.context.view_layer.objects
        if obj.type == "ARMATURE" and obj.animation_data and obj.animation_data.action
    ]


def save_clip(path: Path, armatures: list[bpy.types.Object], *, replace: bool = True) -> None:
    """Write what is loaded to `path`, whole or not at all."""
    writer = WRITERS.get(path.suffix.lower())
    if writer is None:
        raise InputError(f"{path.name} cannot be written: choose a name that ends in {', '.join(WRITERS)}.")
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path, replace=replace) as partial:
        writer(partial, armatures)


def _last_line(error: Exception) -> str:
    """What an importer says, without the places in its code."""
    lines = [line for line in str(error).strip().splitlines() if not line.startswith("Location: ")]
    return lines[-1].removeprefix("Exception: ") if lines else type(error).__name__


def _read_blend(path: Path) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False)


def _imported(importer: Callable[[str], object]) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        importer(str(path))
        _fit_scene_range()

    return read


def _fit_scene_range() -> None:
    """Let the scene last as long as what was imported: .bvh and .fbx are written for the scene's frames."""
    ranges = [armature.animation_data.action.frame_range for armature in animated_armatures()]
    if ranges:
        scene = bpy.context.scene
        scene.frame_start = floor(min(first for first, _ in ranges))
        scene.frame_end = ceil(max(last for _, last in ranges))


def _import_bvh(path: str) -> None:
    with warnings.catch_warnings():
        # Blender's importer leaves the closing of the file to the garbage collector.
        warnings.simplefilter("ignore", ResourceWarning)
        bpy.ops.import_anim.bvh(filepath=path, update_scene_fps=True)


def _import_fbx(path: str) -> None:
    # Without an offset: the exporter takes none back, so that results would come a frame late.
    if hasattr(bpy.types, "IMPORT_SCENE_OT_fbx"):
        bpy.ops.import_scene.fbx(filepath=path, anim_offset=0.0)
    else:
        bpy.ops.wm.fbx_import(filepath=path, anim_offset=0.0)


def _import_gltf(path: str) -> None:
    bpy.ops.import_scene.gltf(filepath=path)


def _write_blend(path: Path, _armatures: list[bpy.types.Object]) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True, check_existing=False)


def _write_bvh(path: Path, armatures: list[bpy.types.Object]) -> None:
    if len(armatures) > 1:
        raise InputError(f"A .bvh holds one character, not {len(armatures)}: write a .blend instead.")
    _select_only(armatures)
    scene = bpy.context.scene
    bpy.ops.export_anim.bvh(filepath=str(path), frame_start=scene.frame_start, frame_end=scene.frame_end)


def _write_fbx(path: Path, armatures: list[bpy.types.Object]) -> None:
    _select_only(armatures)
    # What plays in the scene, and not every action of the file: the source is still among them.
    bpy.ops.export_scene.fbx(
        filepath=str(path),
        bake_anim_use_all_actions=False,
        bake_anim_use_nla_strips=False,
        add_leaf_bones=False,
    )


def _write_glb(path: Path, armatures: list[bpy.types.Object]) -> None:
    _select_only(armatures)
    # Without sampling the exporter keeps our keys instead of writing every frame.
    bpy.ops.export_scene.gltf(
        filepath=str(path), export_animation_mode="ACTIVE_ACTIONS", export_force_sampling=False
    )


def _select_only(armatures: list[bpy.types.Object]) -> None:
    for obj in bpy.context.scene.objects:
        obj.select_set(obj in armatures)
    bpy.context.view_layer.objects.active = armatures[0]


READERS = {
    ".blend": _read_blend,
    ".bvh": _imported(_import_bvh),
    ".fbx": _imported(_import_fbx),
    ".glb": _imported(_import_gltf),
    ".gltf": _imported(_import_gltf),
}
WRITERS = {".blend": _write_blend, ".bvh": _write_bvh, ".fbx": _write_fbx, ".glb": _write_glb}
