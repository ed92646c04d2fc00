# SPDX-License-Identifier: GPL-3.0-or-later
"""From Blender's channels to those of glTF's nodes and back.

A bone's channels tell how it differs from its rest, a node's where it is in its parent; with the importer's
way of turning bones each is a linear map of the other.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import Any

import bpy
import numpy as np

from ...core import rotations
from ...core.motion import FloatArray
from ..distil import channels
from .glb import Document
from .gltf_keys import Keys, keys_of, left_product

PATHS = {"location": "translation", "rotation_quaternion": "rotation", "scale": "scale"}
HALF = np.sqrt(0.5)
# From Blender's Z up to glTF's Y up.
Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
Y_UP_TURN = np.array([HALF, -HALF, 0.0, 0.0])
X_LAST = np.eye(4)[[1, 2, 3, 0]]  # glTF's order of a quaternion: x, y, z, w


@dataclass(frozen=True)
class Nodes:
    """The numbers of nodes, by the names of an armature's bones and of objects."""

    bones: dict[str, int]
    objects: dict[str, int]


@dataclass(frozen=True, eq=False)
class Origin:
    """The glTF file that a clip came from: its nodes and animations by the names that Blender gave them."""

    document: Document
    nodes: Nodes
    animations: dict[str, int]


def bone_maps(bone: bpy.types.Bone) -> dict[str, tuple[FloatArray, FloatArray]]:
    """Matrix and offset that take each channel of a bone to its node's."""
    rest = (
        bone.matrix_local if bone.parent is None else bone.parent.matrix_local.inverted() @ bone.matrix_local
    )
    turn: FloatArray = np.array(rest.to_quaternion()[:])
    place: FloatArray = np.array(rest.to_translation()[:])
    if bone.parent is None:
        turn, place = rotations.quaternion_multiply(Y_UP_TURN, turn), Y_UP @ place
    return {
        "translation": (rotations.quaternion_to_matrix(turn), place),
        "rotation": (X_LAST @ left_product(turn), np.zeros(4)),
        "scale": (np.eye(3), np.zeros(3)),
    }


def _object_maps() -> dict[str, tuple[FloatArray, FloatArray]]:
    turned = np.eye(4)
    turned[1:, 1:] = Y_UP
    return {
        "translation": (Y_UP, np.zeros(3)),
        "rotation": (X_LAST @ turned, np.zeros(4)),
        "scale": (np.abs(Y_UP), np.zeros(3)),
    }


@dataclass(frozen=True, eq=False)
class Property:
    """One animated property of a node: its curves by component, and how they become glTF's numbers."""

    owner: Any  # the pose bone or object
    name: str  # of the Blender property
    curves: dict[int, Any]
    matrix: FloatArray
    offset: FloatArray

    def keys(self) -> Keys:
        keys = keys_of(self.curves, np.array(getattr(self.owner, self.name)))
        return _the_way_it_plays(keys.mapped(self.matrix, self.offset))


def _the_way_it_plays(keys: Keys) -> Keys:
    """Players of glTF turn the short way between quaternions, where Blender may turn the long one."""
    if keys.interpolation != "LINEAR" or keys.values.shape[1] != 4:
        return keys
    long_way = (keys.values[1:] * keys.values[:-1]).sum(axis=1) < 0.0
    return keys.along_chords() if long_way.any() else keys


def animated_properties(
    armature: bpy.types.Object, action: bpy.types.Action, handle: int, nodes: Nodes
) -> dict[tuple[int, str], Property]:
    """What an action animates of the nodes of an armature, by node and glTF's name for it."""
    grouped: dict[tuple[str | None, str], dict[int, Any]] = defaultdict(dict)
    for curve in channels.curves_in(action, [handle]):
        bone = channels.bone_of(curve.data_path)
        name = curve.data_path.rpartition(".")[2]
        if name in PATHS and (bone is not None or curve.data_path == name):
            grouped[bone, name][curve.array_index] = curve
    found: dict[tuple[int, str], Property] = {}
    for (bone, name), curves in grouped.items():
        if bone is None:
            node = None if armature.parent_type == "BONE" else nodes.objects.get(armature.name)
            owner, maps = armature, _object_maps
        else:
            node = nodes.bones.get(bone)
            owner, maps = armature.pose.bones.get(bone), partial(bone_maps, armature.data.bones.get(bone))
        if node is not None and owner is not None:
            found[node, PATHS[name]] = Property(owner, name, curves, *maps()[PATHS[name]])
    return found
