# SPDX-License-Identifier: GPL-3.0-or-later
"""A small bear to perform with, and short words for what an animator does to it."""

from __future__ import annotations

from math import radians
from typing import Any

import bpy
import numpy as np
from mathutils import Euler

BONES = {
    "body": ((0, 0, 0), (0, 0, 1), None),
    "head": ((0, 0, 1), (0, 0, 2), "body"),
    "arm.L": ((0.2, 0, 1), (1.0, 0, 1), "body"),
    "arm.R": ((-0.2, 0, 1), (-1.0, 0, 1), "body"),
}

# Five keys around the head: place, turns of the bones in degrees, location of the body.
FIVE_KEYS = {
    "front": ((0.0, -1.5, 2.0), {"head": (0, 0, 0)}, (0, 0, 0)),
    "left": ((1.5, -1.0, 2.0), {"head": (0, 60, 10), "arm.L": (0, 0, 50)}, (0.2, 0, 0)),
    "right": ((-1.5, -1.0, 2.0), {"head": (0, -60, -10), "arm.R": (0, 0, -50)}, (-0.2, 0, 0)),
    "up": ((0.0, -1.0, 3.2), {"head": (-40, 0, 0), "body": (-10, 0, 0)}, (0, 0.1, 0)),
    "down": ((0.3, -1.4, 0.6), {"head": (50, 0, 0), "body": (25, 5, 0)}, (0, -0.3, 0.1)),
}


def settings(rig: Any) -> Any:
    return rig.posewright.spatial


def cursor(rig: Any) -> Any:
    return settings(rig).sets[settings(rig).set_index].cursor


def turn(rig: Any, bone: str, *degrees: float) -> None:
    """Turn a bone to XYZ angles, whatever its rotation mode."""
    pose_bone = rig.pose.bones[bone]
    matrix = Euler([radians(angle) for angle in degrees]).to_matrix().to_4x4()
    matrix.translation = pose_bone.location
    pose_bone.matrix_basis = matrix


def rest(rig: Any) -> None:
    for bone in rig.pose.bones:
        bone.matrix_basis.identity()


def set_key(rig: Any, place: Any, name: str, **options: Any) -> None:
    cursor(rig).location = place
    bpy.ops.posewright.spatial_key_add(name=name, **options)


def set_five_keys(rig: Any) -> None:
    for name, (place, turns, location) in FIVE_KEYS.items():
        rest(rig)
        rig.pose.bones["body"].location = location
        for bone, degrees in turns.items():
            turn(rig, bone, *degrees)
        set_key(rig, place, name)
    rest(rig)


def five_key_arrays(rig: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places, rotations and translations of the five keys, in the order of the rig's bones."""
    places, rotations, translations = [], [], []
    for place, turns, location in FIVE_KEYS.values():
        places.append(place)
        rotations.append(
            [
                Euler([radians(a) for a in turns.get(bone.name, (0, 0, 0))]).to_matrix()
                for bone in rig.pose.bones
            ]
        )
        translations.append([location if bone.name == "body" else (0, 0, 0) for bone in rig.pose.bones])
    return np.array(places), np.array(rotations), np.array(translations)


def local_turn(rig: Any, bone: str) -> np.ndarray:
    return np.array(rig.pose.bones[bone].matrix_basis.to_3x3())


def select(*things: Any) -> None:
    """Select only these objects; the first becomes active."""
    bpy.ops.object.select_all(action="DESELECT")
    for thing in things:
        thing.select_set(True)
    bpy.context.view_layer.objects.active = things[0]


def select_bones(rig: Any, *names: str) -> None:
    for bone in rig.pose.bones:
        owner = bone if bpy.app.version >= (5, 0, 0) else bone.bone
        owner.select = bone.name in names


def bear_with_five_keys(make_rig, set_name="Look", **rig_options):
    """A new character with one set that has its five keys."""
    rig = make_rig(BONES, name="Bear", **rig_options)
    bpy.ops.posewright.spatial_set_add(name=set_name)
    set_five_keys(rig)
    return rig
