# SPDX-License-Identifier: GPL-3.0-or-later
"""FBX: Blender's importer and exporter, so used that takes keep their names and every frame its pose."""

from __future__ import annotations

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
from .. import actions
from ..distil import channels
from .takes import Take, owners_of

# Leaves every frame as it is, but for what stands still: with zero that would be keyed too.
STILL = 1e-3
# The importer's name for an action: what it animates, the take, and perhaps the layer.
TAKE = re.compile(r"[^|]*\|([^|]+)(?:\|[^|]*)?")


def read(path: Path) -> None:
    # Without an offset: the exporter takes none back, so that results would come a frame late.
    if hasattr(bpy.types, "IMPORT_SCENE_OT_fbx"):
        bpy.ops.import_scene.fbx(filepath=str(path), anim_offset=0.0)
    else:
        bpy.ops.wm.fbx_import(filepath=str(path), anim_offset=0.0)


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
    """One take as the scene plays it, from its own frame on; several as strips, each from zero on."""
    with _one_take(takes[0]) if len(takes) == 1 else _strips(takes):
        bpy.ops.export_scene.fbx(
            filepath=str(path),
            bake_anim_use_all_actions=False,
            bake_anim_use_nla_strips=len(takes) > 1,
            bake_anim_simplify_factor=STILL,
            add_leaf_bones=False,
            use_custom_props=True,
            path_mode="COPY",
            embed_textures=True,
            **_axes(origin),
        )


@contextmanager
def _one_take(take: Take) -> Iterator[None]:
    """The scene lasts as long as the take and has its name, which becomes that of the file's take."""
    scene: Any = bpy.context.scene
    before = scene.name, scene.frame_start, scene.frame_end
    first, last = take.played.frame_range
    scene.name, scene.frame_start, scene.frame_end = take.name, floor(first), ceil(last)
    try:
        yield
    finally:
        scene.name, scene.frame_start, scene.frame_end = before


@contextmanager
def _strips(takes: list[Take]) -> Iterator[None]:
    """A strip for every take, one after another: what hangs from an armature plays its own at that time."""
    played = _completed(takes)
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
    start = 0
    try:
        for take, action in zip(takes, played, strict=True):
            first, last = floor(action.frame_range[0]), ceil(action.frame_range[1])
            for owner, handle in owners_of(take).items():
                track = owner.animation_data.nla_tracks.new()
                made.append((owner, track))
                strip = track.strips.new(take.name, start, action)
                strip.name = take.name
                if actions.HAS_SLOTS:
                    strip.action_slot = actions.slot_with_handle(action, handle)
                strip.action_frame_start, strip.action_frame_end = first, last
                strip.frame_start, strip.frame_end = start, start + last - first
                strip.extrapolation = "NOTHING"
            start += last - first + 1
        yield
    finally:
        for owner, track in reversed(made):
            owner.animation_data.nla_tracks.remove(track)
        for strip, name in names:
            strip.name = name
        for track in muted:
            track.mute = False
        for action in played:
            bpy.data.actions.remove(action)


def _completed(takes: list[Take]) -> list[bpy.types.Action]:
    """Copies that also hold still what other takes of the armature move: one strip follows another here."""
    copies = [take.played.copy() for take in takes]
    for take, copy in zip(takes, copies, strict=True):
        others = [each for each in takes if each.armature == take.armature]
        wanted = {
            actions.channel_of(curve): None
            for each in others
            for curve in channels.curves_in(each.played, [each.handle])
        }
        bag = actions.bag_of(copy, actions.slot_with_handle(copy, take.handle), create=True)
        take.pose.put(take.armature)
        for channel, curve in zip(wanted, actions.ensure_curves(bag, wanted), strict=True):
            if not len(curve.keyframe_points):
                value: Any = take.armature.path_resolve(channel.path)
                curve.keyframe_points.insert(
                    copy.frame_range[0], value if isinstance(value, float) else value[channel.index]
                )
    return copies
