# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose seen in a mirror: left bones take what right bones did, across the armature's X axis."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np

from .poses import Pose

MIRRORED = " mirrored"
ACROSS_X = np.diag([-1.0, 1.0, 1.0])


def mirrored_pose(armature: bpy.types.Object, pose: Pose) -> Pose:
    """The pose with left and right exchanged.

    A bone turned by B about its own rest axes R makes its counterpart, with rest axes R', turn by C B C^-1
    where C = R'^-1 X R and X mirrors: right for any bone roll, as long as joints are placed symmetrically.
    """
    bones = armature.data.bones
    kept = [name for name in pose.bones if name in bones]
    rows = [pose.bones.index(name) for name in kept]
    partners = [_partner(bones, name) for name in kept]
    change = _rest_axes(bones, partners).transpose(0, 2, 1) @ ACROSS_X @ _rest_axes(bones, kept)
    rotations = change @ pose.rotations[rows] @ change.transpose(0, 2, 1)
    locations = np.einsum("bij,bj->bi", change, pose.locations[rows])
    # Scales have no sign to mirror: only where axes point matters, and they are exchanged if rolls differ.
    # Squared, every row sums to one, so that a bone without scale gets none however its axes lie.
    parts = change**2 / (change**2).sum(axis=-1, keepdims=True)  # rest axes are in single precision
    scales = np.einsum("bij,bj->bi", parts, pose.scales[rows])
    return Pose(tuple(partners), rotations, locations, scales)


def mirrored_place(place: Iterable[float]) -> np.ndarray:
    return ACROSS_X @ np.asarray(tuple(place))


def mirrored_name(name: str) -> str:
    """`look.L` becomes `look.R`, `left` becomes `right`; a name without a side says that it is mirrored.

    Twice mirrored, every name is what it was.
    """
    if name.endswith(MIRRORED):
        return name.removesuffix(MIRRORED)
    flipped = bpy.utils.flip_name(name)
    if flipped != name:
        return flipped
    words = {"left": "right", "Left": "Right", "right": "left", "Right": "Left"}
    swapped = [words.get(word, word) for word in name.split(" ")]
    return " ".join(swapped) if swapped != name.split(" ") else name + MIRRORED


def _partner(bones: bpy.types.bpy_prop_collection, name: str) -> str:
    flipped = bpy.utils.flip_name(name)
    return flipped if flipped in bones else name


def _rest_axes(bones: bpy.types.bpy_prop_collection, names: Iterable[str]) -> np.ndarray:
    return np.array([bones[name].matrix_local.to_3x3() for name in names]).reshape(-1, 3, 3)
