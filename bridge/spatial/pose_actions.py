# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses kept as actions with a single key a channel.

That is exactly what a pose asset is: the Pose Library can take a key's pose, and give one, as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np

from .. import actions
from ..baking import Keys, write_keys
from .poses import WIDTHS, Pose, rotation_channel, rotation_matrices, rotation_values

# An action does not say in which order its Euler angles turn, and a bone's may change later.
ORDERS = "posewright_euler_orders"

FRAME = 1.0
BONE_CHANNEL = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]\.(\w+)$')
UNMOVED = {
    "location": (0.0, 0.0, 0.0),
    "rotation_quaternion": (1.0, 0.0, 0.0, 0.0),
    "rotation_euler": (0.0, 0.0, 0.0),
    "rotation_axis_angle": (0.0, 0.0, 1.0, 0.0),
    "scale": (1.0, 1.0, 1.0),
}


def action_of_pose(armature: bpy.types.Object, pose: Pose, name: str) -> bpy.types.Action:
    """A new action that holds a pose, with rotations in the modes that the bones have now."""
    action, slot = actions.new_action(name, armature)
    channels: list[actions.Channel] = []
    values: list[float] = []
    orders: dict[str, str] = {}
    for row, bone in enumerate(pose.bones):
        mode = armature.pose.bones[bone].rotation_mode
        if rotation_channel(mode) == "rotation_euler":
            orders[bone] = mode
        for path, numbers in (
            ("location", pose.locations[row]),
            (rotation_channel(mode), rotation_values(pose.rotations[None, row], mode)[0]),
            ("scale", pose.scales[row]),
        ):
            channels += [actions.Channel(bone_path(bone, path), n, bone) for n in range(WIDTHS[path])]
            values += list(numbers)
    curves = actions.ensure_curves(actions.bag_of(action, slot, create=True), channels)
    write_keys(curves, Keys(np.array([FRAME]), np.array([values])))
    action[ORDERS] = orders
    return action


def pose_of_action(action: bpy.types.Action) -> Pose:
    """The pose that an action holds at its first frame; channels that it lacks are at rest."""
    orders = _orders(action)
    channels: dict[str, dict[str, list[float]]] = {}
    frame = action.frame_range[0]
    for curve in _curves(action):
        found = BONE_CHANNEL.match(curve.data_path)
        if found is None or found[2] not in WIDTHS or curve.array_index >= WIDTHS[found[2]]:
            continue
        bone = bpy.utils.unescape_identifier(found[1])
        held = channels.setdefault(bone, {})
        held.setdefault(found[2], list(UNMOVED[found[2]]))[curve.array_index] = curve.evaluate(frame)
    return Pose(
        tuple(channels),
        np.array([_rotation(held, orders.get(bone, "XYZ")) for bone, held in channels.items()]).reshape(
            -1, 3, 3
        ),
        np.array([held.get("location", UNMOVED["location"]) for held in channels.values()]).reshape(-1, 3),
        np.array([held.get("scale", UNMOVED["scale"]) for held in channels.values()]).reshape(-1, 3),
    )


def bones_of_action(action: bpy.types.Action) -> set[str]:
    """The bones that an action says anything about."""
    found = (BONE_CHANNEL.match(curve.data_path) for curve in _curves(action))
    return {bpy.utils.unescape_identifier(match[1]) for match in found if match is not None}


def rename_in_action(action: bpy.types.Action, old: str, new: str) -> None:
    """What the pose says about one bone it says about another from now on."""
    for curve in _curves(action):
        found = BONE_CHANNEL.match(curve.data_path)
        if found is not None and bpy.utils.unescape_identifier(found[1]) == old:
            curve.data_path = bone_path(new, found[2])
            if curve.group is not None and curve.group.name == old:
                curve.group.name = new
    orders = _orders(action)
    if old in orders:
        action[ORDERS] = {new if bone == old else bone: order for bone, order in orders.items()}


def note_euler_orders(armature: bpy.types.Object, action: bpy.types.Action) -> None:
    """Write down how a pose from elsewhere is meant, while the bones still say so."""
    if ORDERS in action:
        return
    modes = {bone.name: bone.rotation_mode for bone in armature.pose.bones}
    action[ORDERS] = {
        bone: mode for bone, mode in modes.items() if rotation_channel(mode) == "rotation_euler"
    }


def driven_channels(armature: bpy.types.Object) -> np.ndarray:
    """(bones, 17) which of the channels that `all_channels` gives are set by drivers."""
    firsts = dict(zip(WIDTHS, np.cumsum([0, *WIDTHS.values()]), strict=False))
    driven = np.zeros((len(armature.pose.bones), sum(WIDTHS.values())), dtype=bool)
    data = armature.animation_data
    for curve in () if data is None else data.drivers:
        found = BONE_CHANNEL.match(curve.data_path)
        if found is not None and found[2] in WIDTHS:
            row = armature.pose.bones.find(bpy.utils.unescape_identifier(found[1]))
            if row >= 0:
                driven[row, firsts[found[2]] + curve.array_index] = True
    return driven


def bone_path(bone: str, channel: str) -> str:
    return f'pose.bones["{bpy.utils.escape_identifier(bone)}"].{channel}'


def _rotation(held: dict[str, list[float]], order: str) -> np.ndarray:
    for path, mode in (
        ("rotation_quaternion", "QUATERNION"),
        ("rotation_euler", order),
        ("rotation_axis_angle", "AXIS_ANGLE"),
    ):
        if path in held:
            return rotation_matrices(np.array(held[path]), mode)
    return np.eye(3)


def _orders(action: bpy.types.Action) -> dict[str, str]:
    stored = action.get(ORDERS)
    return {} if stored is None else stored.to_dict()


def _curves(action: bpy.types.Action) -> Iterable[Any]:
    """The curves of the first slot that poses bones."""
    for _, bag in actions.bags_in(action):
        if any(curve.data_path.startswith("pose.bones[") for curve in bag.fcurves):
            return bag.fcurves
    return ()
