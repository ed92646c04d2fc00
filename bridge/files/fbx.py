# SPDX-License-Identifier: GPL-3.0-or-later
"""FBX: Blender's importer and exporter, so used that takes keep their names and every frame its pose."""

from __future__ import annotations

import importlib
import re
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil, floor
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...core.motion import FloatArray
from ..versions import import_fbx
from .takes import Take, alone, assign, assignment, in_one_scene, owners_of

# Leaves every frame as it is, but for what stands still: with zero that would be keyed too.
STILL = 1e-3
# The importer's name for an action: what it animates, the take, and perhaps the layer.
TAKE = re.compile(r"[^|]*\|([^|]+)(?:\|[^|]*)?")


read = import_fbx


def label(action: bpy.types.Action, _track: str) -> str:
    """What the file calls the take."""
    found = TAKE.fullmatch(action.name)
    return action.name if found is None else found[1]


def _axes(origin: Path | None) -> dict[str, str]:
    """The exporter's words for the axes of a binary .fbx; nothing where it has none that Blender knows."""
    content = b"" if origin is None else origin.read_bytes()
    found = [_setting(content, name) for name in ("UpAxis", "FrontAxis", "CoordAxis")]
    signs = [_setting(content, f"{name}Sign") for name in ("UpAxis", "FrontAxis", "CoordAxis")]
    if any(number not in (0, 1, 2) for number in found) or any(sign not in (-1, 1) for sign in signs):
        return {}
    up, front, side = (np.eye(3)[axis] * sign for axis, sign in zip(found, signs, strict=True))
    if not np.array_equal(np.cross(side, up), front):
        return {}  # left-handed
    # A file says which axis comes towards the viewer, the exporter asks for the opposite one.
    return {"axis_up": _named(up), "axis_forward": _named(-front)}


def _named(axis: FloatArray) -> str:
    number = int(np.abs(axis).argmax())
    return ("-" if axis[number] < 0 else "") + "XYZ"[number]


def _setting(content: bytes, name: str) -> Any:
    """A whole number among the settings of a binary .fbx."""
    words = b"".join(
        b"S" + struct.pack("<I", len(word)) + word.encode() for word in (name, "int", "Integer", "")
    )
    place = content.find(words + b"I")
    return None if place < 0 else struct.unpack_from("<i", content, place + len(words) + 1)[0]


def write(path: Path, takes: list[Take], origin: Path | None) -> None:
    """Every take under its name and at its own frames, and all else as Blender exports it."""
    with in_one_scene(takes), _strips(takes) as strips, _played_alone(strips):
        bpy.ops.export_scene.fbx(
            filepath=str(path),
            bake_anim_use_all_actions=False,
            bake_anim_use_nla_strips=True,
            bake_anim_simplify_factor=STILL,
            add_leaf_bones=False,
            use_custom_props=True,
            path_mode="COPY",
            embed_textures=True,
            **_axes(origin),
        )


@contextmanager
def _strips(takes: list[Take]) -> Iterator[list[tuple[Any, Take]]]:
    """A strip for every take and no others of the characters: the exporter makes a take of each."""
    owners = list(dict.fromkeys(owner for take in takes for owner in owners_of(take)))
    muted = [track for owner in owners for track in owner.animation_data.nla_tracks if not track.mute]
    for track in muted:
        track.mute = True
    names = [
        (strip, strip.name)
        for owner in owners
        for track in owner.animation_data.nla_tracks
        for strip in track.strips
    ]
    for number, (strip, _) in enumerate(names):
        strip.name = f"strip {number}"  # two of one owner cannot have one name
    made: list[tuple[Any, Any]] = []
    strips: list[tuple[Any, Take]] = []
    try:
        for take in takes:
            first, last = take.played.frame_range
            data: Any = take.armature.animation_data
            track = data.nla_tracks.new()
            made.append((data, track))
            strip = track.strips.new(take.name, floor(first), take.played)
            strip.name = take.name
            strip.frame_start, strip.frame_end = floor(first), ceil(last)
            strips.append((strip, take))
        yield strips
    finally:
        for data, track in reversed(made):
            data.nla_tracks.remove(track)
        for strip, name in names:
            strip.name = name
        for track in muted:
            track.mute = False


@contextmanager
def _played_alone(strips: list[tuple[Any, Take]]) -> Iterator[None]:
    """Let every take be exported at its own frames, as it plays alone, with its detail.

    The exporter has no option for this: it moves each strip to frame zero and plays nothing beside it.
    """
    exporter: Any = importlib.import_module("io_scene_fbx.export_fbx_bin")
    bake = exporter.fbx_animations_do
    others = [
        (obj, assignment(obj))
        for obj in bpy.context.view_layer.objects
        if all(obj != take.armature for _, take in strips) and assignment(obj)[0] is not None
    ]

    def bake_alone(data: Any, source: Any, first: float, last: float, _from_zero: bool, **more: Any) -> Any:
        take = next((take for strip, take in strips if strip == source), None)
        if take is None:
            return bake(data, source, first, last, _from_zero, **more)
        for obj, (action, handle) in others:
            assign(obj, action, handle)
        silent = [each.armature for _, each in strips if each.armature != take.armature]
        objects = {each for each in data.objects if each.is_object and each.bdata not in silent}
        with alone(take), _heard(take):
            return bake(data, source, first, last, False, objects=objects, **more)

    exporter.fbx_animations_do = bake_alone
    try:
        yield
    finally:
        exporter.fbx_animations_do = bake
        for obj, (action, handle) in others:
            assign(obj, action, handle)


@contextmanager
def _heard(take: Take) -> Iterator[None]:
    """The layers of a take."""
    layers = [
        track
        for owner in owners_of(take)
        for track in owner.animation_data.nla_tracks
        if track.mute and track.name in take.layers
    ]
    for track in layers:
        track.mute = False
    try:
        yield
    finally:
        for track in layers:
            track.mute = True
