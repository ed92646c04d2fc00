# SPDX-License-Identifier: GPL-3.0-or-later
"""What F-curves say about the bones of a character at many frames, and a clip without its travelling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ... import actions
from ...bones import has_component
from ...character import describe, skins_of
from .dials import Dials, dial_of_path, found_on, shape_of_path
from .pose_actions import BONE_CHANNEL, UNMOVED
from .poses import Pose, rest_pose, rotation_channel, rotation_matrices


def poses_of_curves(armature: bpy.types.Object, curves: Sequence[Any], frames: np.ndarray) -> Pose:
    """The poses at some frames, of the bones that curves move; properties without a curve are at rest."""
    values = actions.read_values(curves, frames)
    held: dict[tuple[str, str], np.ndarray] = {}
    for column, curve in enumerate(curves):
        match = BONE_CHANNEL.match(curve.data_path)
        if match is None or match[2] not in UNMOVED or not has_component(match[2], curve.array_index):
            continue
        bone = bpy.utils.unescape_identifier(match[1])
        if bone not in armature.pose.bones:
            continue
        at_rest = np.tile(UNMOVED[match[2]], (len(frames), 1))
        held.setdefault((bone, match[2]), at_rest)[:, curve.array_index] = values[:, column]
    at_rest = rest_pose(dict.fromkeys(bone for bone, _ in held))
    pose = Pose(
        at_rest.bones,
        *(np.tile(each, (len(frames), *(1,) * each.ndim)) for each in _arrays(at_rest)),
    )
    for row, bone in enumerate(pose.bones):
        mode = armature.pose.bones[bone].rotation_mode
        turned = held.get((bone, rotation_channel(mode)))
        if turned is not None:
            pose.rotations[:, row] = rotation_matrices(turned, mode)
        pose.locations[:, row] = held.get((bone, "location"), 0.0)
        pose.scales[:, row] = held.get((bone, "scale"), 1.0)
    return pose


def dials_of_curves(armature: bpy.types.Object, curves: Sequence[Any], frames: np.ndarray) -> Dials:
    """How custom properties are set at some frames by curves, and shape keys by what plays on the meshes."""
    turned = [(dial_of_path(curve.data_path), curve) for curve in curves]
    for mesh in skins_of(armature):
        if mesh.data.shape_keys is not None:
            playing = actions.curves_of(mesh.data.shape_keys)
            turned += [(shape_of_path(mesh.name, curve.data_path), curve) for curve in playing]
    known = {dial: curve for dial, curve in turned if dial is not None}
    found = found_on(armature, known)
    values = actions.read_values([known[dial] for dial in found], frames)
    return Dials(tuple(found.values()), values)


def _arrays(pose: Pose) -> tuple[np.ndarray, ...]:
    return pose.rotations, pose.locations, pose.scales


def travel_of(armature: bpy.types.Object, poses: Pose) -> float:
    """How far the bones that carry the body go over the ground, in heights of the character."""
    away = [
        np.ptp(_in_world(armature, poses, row)[:, :2], axis=0).max() for row in _carriers(armature, poses)
    ]
    return float(max(away, default=0.0)) / describe(armature).height


def on_the_spot(armature: bpy.types.Object, poses: Pose) -> Pose:
    """The poses with the bones that carry the body above where they are in the first of them."""
    locations = poses.locations.copy()
    for row in _carriers(armature, poses):
        moved = _in_world(armature, poses, row)
        moved[:, :2] = moved[0, :2]
        locations[:, row] = np.linalg.solve(_axes(armature, poses.bones[row]), moved.T).T
    return Pose(poses.bones, poses.rotations, locations, poses.scales)


def _carriers(armature: bpy.types.Object, poses: Pose) -> list[int]:
    """The rows of the hips and of the bones above them."""
    character = describe(armature)
    names = {*character.carriers, character.hips}
    return [row for row, bone in enumerate(poses.bones) if bone in names]


def _in_world(armature: bpy.types.Object, poses: Pose, row: int) -> np.ndarray:
    """(F, 3) how far a bone is moved, in axes of the world, as if those above it were at rest."""
    return poses.locations[:, row] @ _axes(armature, poses.bones[row]).T


def _axes(armature: bpy.types.Object, bone: str) -> np.ndarray:
    rest = armature.data.bones[bone].matrix_local.to_3x3()
    return np.array(armature.matrix_world.to_3x3() @ rest)
