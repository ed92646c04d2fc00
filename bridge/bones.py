# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones by name: which are selected or seen, and which a channel moves."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import compress
from typing import Any

import bpy
import numpy as np

from ..core.motion import IntArray
from .versions import selectable_bones

# The channels that move something, and how many components each has.
WIDTHS = {"location": 3, "rotation_quaternion": 4, "rotation_euler": 3, "rotation_axis_angle": 4, "scale": 3}
BONE_PATH = re.compile(r'(?:pose\.)?bones\["((?:[^"\\]|\\.)*)"\]')


def selected_bones(armature: bpy.types.Object) -> list[str]:
    return [bone.name for bone in selectable_bones(armature) if bone.select]


def visible_bones(armature: bpy.types.Object) -> list[str]:
    """Those that are shown in Pose Mode, so that they can be selected there."""
    return list(compress(armature.data.bones.keys(), are_visible(armature).tolist()))


def are_visible(armature: bpy.types.Object) -> np.ndarray:
    """(B,) which bones are neither hidden themselves nor in hidden collections alone."""
    rows = {name: row for row, name in enumerate(armature.data.bones.keys())}
    sorted_in, seen = np.zeros(len(rows), bool), np.zeros(len(rows), bool)
    for collection in armature.data.collections_all:
        inside = [rows[bone.name] for bone in collection.bones]
        sorted_in[inside] = True
        if collection.is_visible_effectively:
            seen[inside] = True
    hidden = np.empty(len(rows), bool)
    selectable_bones(armature).foreach_get("hide", hidden)
    return (seen | ~sorted_in) & ~hidden


def parent_rows(armature: bpy.types.Object) -> IntArray:
    """(B,) the row of the bone above each bone, -1 for none; bones below others come after them."""
    bones: Any = armature.data.bones
    rows = {name: row for row, name in enumerate(bones.keys())}
    above = (bone.parent for bone in bones)
    return np.array([-1 if parent is None else rows[parent.name] for parent in above], np.int64)


@lru_cache(maxsize=4096)  # asked again and again for every channel of a character
def bone_of(path: str) -> str | None:
    """The bone whose channel has this path."""
    found = BONE_PATH.match(path)
    return bpy.utils.unescape_identifier(found[1]) if found else None


def has_component(path: str, index: int) -> bool:
    """Whether a channel of something that moves changes anything: Blender plays no fourth Euler angle."""
    return index < WIDTHS.get(path.rpartition(".")[2], index + 1)
