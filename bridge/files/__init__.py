# SPDX-License-Identifier: GPL-3.0-or-later
"""Opening clips and saving results in the formats that Blender reads and writes.

`takes`         the takes of a file                    `played_takes`       what one plays
`reading_back`  what was written, measured             `bvh`                BVH
`fbx`           FBX                                    `glb`                glTF without Blender
`gltf_reading`  glTF into Blender                      `gltf_writing`       glTF out of it
`gltf_keys`     F-curves as its keys                   `gltf_nodes`         channels as its nodes
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, floor
from pathlib import Path

import bpy

from ...core import InputError
from ..whole_files import written_whole
from . import bvh, fbx, gltf_reading, gltf_writing
from .gltf_nodes import Origin
from .takes import Label, Take, Takes, by_action, find_takes

__all__ = [
    "READERS",
    "WRITERS",
    "Clip",
    "Take",
    "animated_armatures",
    "open_clip",
    "open_file",
    "path_each",
    "paths_for",
    "save_clip",
    "write_takes",
]


@dataclass(frozen=True, eq=False)
class Clip:
    """A file that was opened: its takes, and what a writer needs of it to lose nothing."""

    path: Path
    takes: Takes
    gltf: Origin | None = None


def open_file(path: Path, *, reduced_too: bool = False) -> Clip:
    """Open a file in place of everything that is loaded, with every action of every armature in it.

    Args:
        reduced_too: whether actions count that were reduced before and that nothing plays.
    """
    if not path.is_file():
        raise InputError("There is no file {path}.", path=path)
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(
            "{path} cannot be opened: choose a file that ends in {choices}.",
            path=path.name,
            choices=", ".join(READERS),
        )
    if path.stat().st_size == 0:
        raise InputError("{path} is empty.", path=path.name)
    try:
        origin, label = reader(path)
    except Exception as error:  # importers raise anything on a damaged file
        raise InputError(
            "{path} cannot be read; is it damaged? {reason}", path=path.name, reason=_last_line(error)
        ) from error
    takes = find_takes(label, reduced_too=reduced_too)
    if not takes.found:
        why = f" {takes.left_out[0]}" if takes.left_out else ""
        raise InputError(
            "{path} holds no armature with an action: nothing to work on.{why}", path=path.name, why=why
        )
    return Clip(path, takes, origin)


def open_clip(path: Path) -> list[bpy.types.Object]:
    """Open a file in place of everything that is loaded, and return its animated armatures."""
    open_file(path)
    armatures = animated_armatures()
    if not armatures:
        raise InputError("{path} holds no armature with an action: nothing to work on.", path=path.name)
    return armatures


def animated_armatures() -> list[bpy.types.Object]:
    """The armatures that an action drives; not those in collections that the scene leaves out."""
    return [
        obj
        for obj in bpy.context.view_layer.objects
        if obj.type == "ARMATURE" and obj.animation_data and obj.animation_data.action
    ]


def save_clip(path: Path, armatures: list[bpy.types.Object], *, replace: bool = True) -> None:
    """Write what some armatures play, and all else that is loaded, to `path`: whole or not at all."""
    playing = [take for take in find_takes().found if take.active and take.armature in armatures]
    if _one_clip_each(path) and len(playing) > 1:
        raise InputError(
            "A .bvh holds one character, not {count}: write a .blend instead.", count=len(playing)
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path, replace=replace) as partial:
        write_takes(partial, playing, None)


def write_takes(path: Path, takes: list[Take], origin: Clip | None) -> None:
    """Write takes, and all else that is loaded, to `path`; `origin` is the clip that they came from."""
    writer = WRITERS.get(path.suffix.lower())
    if writer is None:
        raise InputError(
            "{path} cannot be written: choose a name that ends in {choices}.",
            path=path.name,
            choices=", ".join(WRITERS),
        )
    writer(path, takes, origin)


def paths_for(path: Path, takes: list[Take]) -> list[tuple[Path, list[Take]]]:
    """Which file each take goes to: all to one, or where the format holds one clip, each to its own."""
    if not _one_clip_each(path):
        return [(path, takes)]
    return [(own, [take]) for own, take in path_each(path, takes)]


def path_each(path: Path, takes: list[Take]) -> list[tuple[Path, Take]]:
    """A file for every take: with its name before the last word of the path's, unless it is the only one."""
    if len(takes) == 1:
        return [(path, takes[0])]
    several = len({take.armature for take in takes}) > 1
    names = [f"{take.armature.name} {take.name}" if several else take.name for take in takes]
    stem, line, ending = path.stem.rpartition("_")
    plain = [re.sub(r"[^\w.-]+", "_", name).strip("_.") for name in names]
    unique = [
        name if plain.index(name) == place else f"{name}_{place + 1}" for place, name in enumerate(plain)
    ]
    return [
        (path.with_name(f"{stem}{line}{name}_{ending}{path.suffix}"), take)
        for name, take in zip(unique, takes, strict=True)
    ]


def _one_clip_each(path: Path) -> bool:
    return path.suffix.lower() == ".bvh"


def _last_line(error: Exception) -> str:
    """What an importer says, without the places in its code."""
    lines = [line for line in str(error).strip().splitlines() if not line.startswith("Location: ")]
    return lines[-1].removeprefix("Exception: ") if lines else type(error).__name__


# What a reader returns: what only glTF needs for writing, and what the file calls its takes.
_Read = tuple[Origin | None, Label]


def _read_blend(path: Path) -> _Read:
    bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False)
    return None, by_action


def _imported(importer: Callable[[Path], Origin | None], label: Label) -> Callable[[Path], _Read]:
    def read(path: Path) -> _Read:
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        origin = importer(path)
        _fit_scene_range()
        return origin, label

    return read


def _fit_scene_range() -> None:
    """Let the scene last as long as what was imported."""
    ranges = [armature.animation_data.action.frame_range for armature in animated_armatures()]
    if ranges:
        scene = bpy.context.scene
        scene.frame_start = floor(min(first for first, _ in ranges))
        scene.frame_end = ceil(max(last for _, last in ranges))


def _write_blend(path: Path, _takes: list[Take], _origin: Clip | None) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True, check_existing=False)


def _write_bvh(path: Path, takes: list[Take], origin: Clip | None) -> None:
    bvh.write(path, takes[0], _same_format(path, origin))


def _write_fbx(path: Path, takes: list[Take], origin: Clip | None) -> None:
    fbx.write(path, takes, _same_format(path, origin))


def _same_format(path: Path, origin: Clip | None) -> Path | None:
    """The file that takes came from, where it has the format of the new one."""
    same = origin is not None and origin.path.suffix.lower() == path.suffix.lower()
    return origin.path if origin is not None and same else None


def _write_glb(path: Path, takes: list[Take], origin: Clip | None) -> None:
    gltf_writing.write(path, takes, None if origin is None else origin.gltf)


READERS: dict[str, Callable[[Path], _Read]] = {
    ".blend": _read_blend,
    ".bvh": _imported(bvh.read, by_action),
    ".fbx": _imported(fbx.read, fbx.label),
    ".glb": _imported(gltf_reading.read, gltf_reading.label),
    ".gltf": _imported(gltf_reading.read, gltf_reading.label),
}
WRITERS: dict[str, Callable[[Path, list[Take], Clip | None], None]] = {
    ".blend": _write_blend,
    ".bvh": _write_bvh,
    ".fbx": _write_fbx,
    ".glb": _write_glb,
}
