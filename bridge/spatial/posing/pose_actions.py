# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses kept as actions with a single key a channel.

That is exactly what a pose asset is: the Pose Library can take a key's pose, and give one, as it stands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Set
from functools import lru_cache
from typing import Any

import bpy
import numpy as np

from ... import actions
from ...bones import WIDTHS
from .dials import PATHS, Dial, Dials, dial_of_path
from .poses import Pose, merged, rest_pose, rotation_channel, rotation_matrices, rotation_values

# An action does not say in which order its Euler angles turn, and a bone's may change later.
ORDERS = "posewright_euler_orders"

# An action belongs to an armature: how shape keys are set, by mesh and name, is written beside its curves.
SHAPES = "posewright_shapes"

# On the pose of a whole character, which holds only the bones that can be moved: the others are at rest.
WHOLE_BODY = "posewright_whole_body"
# Rotation channels and their modes; the first that a pose has counts. Euler orders are kept apart.
ROTATION_CHANNELS = {
    "rotation_quaternion": "QUATERNION",
    "rotation_euler": "",
    "rotation_axis_angle": "AXIS_ANGLE",
}

FRAME = 1.0
BONE_CHANNEL = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]\.(\w+)$')
UNMOVED = {
    "location": (0.0, 0.0, 0.0),
    "rotation_quaternion": (1.0, 0.0, 0.0, 0.0),
    "rotation_euler": (0.0, 0.0, 0.0),
    "rotation_axis_angle": (0.0, 0.0, 1.0, 0.0),
    "scale": (1.0, 1.0, 1.0),
}


def is_pose(action: bpy.types.Action) -> bool:
    """Whether it was made here to hold a pose."""
    return ORDERS in action


def action_of_pose(
    armature: bpy.types.Object,
    pose: Pose,
    name: str,
    *,
    whole_body: bool = False,
    dials: Dials | None = None,
    unused: Set[tuple[str, str]] = frozenset(),
) -> bpy.types.Action:
    """A new action that holds a pose, with rotations in the modes that the bones have now.

    With `whole_body` it is the pose of a whole character: bones that it does not hold are at rest. `unused`
    are bones with a property, "location" or "scale", that is left out because it is always at rest.
    """
    action, slot = actions.new_action(name, armature)
    modes = [armature.pose.bones[bone].rotation_mode for bone in pose.bones]
    channels: list[actions.Channel] = []
    values: list[float] = []
    for row, (bone, mode, turned) in enumerate(zip(pose.bones, modes, _turns(pose, modes), strict=True)):
        turning = rotation_channel(mode)
        for path, numbers in (
            ("location", pose.locations[row]),
            (turning, turned),
            ("scale", pose.scales[row]),
        ):
            if (bone, path) in unused:
                continue
            if path != turning and _is_locked_at_rest(armature.pose.bones[bone], path, numbers):
                continue
            whole_path = bone_path(bone, path)
            channels += [actions.Channel(whole_path, n, bone) for n in range(WIDTHS[path])]
            values += numbers.tolist()
    held = {} if dials is None else dials.as_dict()
    properties = {dial: value for dial, value in held.items() if not dial.mesh}
    channels += [actions.Channel(dial.path, 0, dial.bone) for dial in properties]
    values += properties.values()
    curves = actions.ensure_curves(actions.bag_of(action, slot, create=True), channels)
    for curve, value in zip(curves, values, strict=True):
        curve.keyframe_points.insert(FRAME, value, options={"FAST"})
    is_euler = [rotation_channel(mode) == "rotation_euler" for mode in modes]
    action[ORDERS] = {
        bone: mode for bone, mode, euler in zip(pose.bones, modes, is_euler, strict=True) if euler
    }
    shapes: dict[str, dict[str, float]] = {}
    for dial, value in held.items():
        if dial.mesh:
            shapes.setdefault(dial.mesh, {})[dial.name] = value
    if shapes:
        action[SHAPES] = json.dumps(shapes, ensure_ascii=False)
    if whole_body:
        action[WHOLE_BODY] = True
    return action


def dials_of_action(action: bpy.types.Action) -> Dials:
    """The shape keys and custom properties that a pose holds."""
    frame = action.frame_range[0]
    named = [(dial_of_path(curve.data_path), curve) for curve in _curves(action)]
    held = {dial: curve.evaluate(frame) for dial, curve in named if dial is not None}
    for mesh, shapes in json.loads(action.get(SHAPES, "{}")).items():
        held |= {Dial(name, mesh=mesh): float(value) for name, value in shapes.items()}
    return Dials.of(held)


def _is_locked_at_rest(bone: bpy.types.PoseBone, path: str, values: np.ndarray) -> bool:
    """Whether a location or scale neither is anything nor can become it."""
    locks = bone.lock_location if path == "location" else bone.lock_scale
    return all(locks) and values.tolist() == list(UNMOVED[path])


def _turns(pose: Pose, modes: list[str]) -> list[np.ndarray]:
    """The values of each bone's rotation channel, all bones of a mode at once."""
    found: list[np.ndarray] = [np.empty(0)] * len(modes)
    for mode in set(modes):
        rows = [row for row, other in enumerate(modes) if other == mode]
        for row, values in zip(rows, rotation_values(pose.rotations[None, rows], mode)[0], strict=True):
            found[row] = values
    return found


def is_whole_body(action: bpy.types.Action) -> bool:
    """Whether bones that a pose does not hold are at rest in it, instead of being left alone."""
    return bool(action.get(WHOLE_BODY))


def pose_for(armature: bpy.types.Object, action: bpy.types.Action) -> Pose:
    """The pose that an action gives a character: of all its bones, if it is one of the whole body."""
    pose = pose_of_action(action)
    return merged(rest_pose(armature.pose.bones.keys()), pose) if is_whole_body(action) else pose


def pose_of_action(action: bpy.types.Action) -> Pose:
    """The pose that an action holds at its first frame; channels that it lacks are at rest."""
    orders = _orders(action)
    channels: dict[str, dict[str, list[float]]] = {}
    frame = action.frame_range[0]
    properties: dict[str, list[float] | None] = {}  # the numbers of each path, where it poses a bone
    for curve in _curves(action):
        path, index = curve.data_path, curve.array_index
        if path not in properties:
            properties[path] = _held_property(channels, path)
        numbers = properties[path]
        if numbers is not None and index < len(numbers):
            numbers[index] = curve.evaluate(frame)
    return Pose(
        tuple(channels),
        _rotations(channels, orders),
        np.array([held.get("location", UNMOVED["location"]) for held in channels.values()]).reshape(-1, 3),
        np.array([held.get("scale", UNMOVED["scale"]) for held in channels.values()]).reshape(-1, 3),
    )


def _held_property(channels: dict[str, dict[str, list[float]]], path: str) -> list[float] | None:
    """The numbers of the property of a bone that a path means, at rest for now; None for any other path."""
    found = _bone_and_channel(path)
    if found is None or found[1] not in WIDTHS:
        return None
    bone, channel = found
    return channels.setdefault(bone, {}).setdefault(channel, list(UNMOVED[channel]))


@lru_cache(maxsize=PATHS)
def _bone_and_channel(path: str) -> tuple[str, str] | None:
    """The bone that a path means, and which of its channels."""
    found = BONE_CHANNEL.match(path)
    return None if found is None else (bpy.utils.unescape_identifier(found[1]), found[2])


def bones_of_action(action: bpy.types.Action) -> set[str]:
    """The bones that an action says anything about."""
    found = (_bone_and_channel(curve.data_path) for curve in _curves(action))
    return {each[0] for each in found if each is not None}


def rename_in_action(action: bpy.types.Action, old: str, new: str) -> None:
    """What the pose says about one bone it says about another from now on."""
    for curve in _curves(action):
        found, dial = _bone_and_channel(curve.data_path), dial_of_path(curve.data_path)
        if found is not None and found[0] == old:
            curve.data_path = bone_path(new, found[1])
        elif dial is not None and dial.bone == old:
            curve.data_path = Dial(dial.name, new).path
        else:
            continue
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
        found = _bone_and_channel(curve.data_path)
        if found is not None and found[1] in WIDTHS:
            row = armature.pose.bones.find(found[0])
            if row >= 0:
                driven[row, firsts[found[1]] + curve.array_index] = True
    return driven


def bone_path(bone: str, channel: str) -> str:
    return f'pose.bones["{bpy.utils.escape_identifier(bone)}"].{channel}'


def _rotations(channels: dict[str, dict[str, list[float]]], orders: dict[str, str]) -> np.ndarray:
    """(B, 3, 3) all bones of a mode at once; a bone without a rotation channel is not turned."""
    rotations = np.tile(np.eye(3), (len(channels), 1, 1))
    by_mode: dict[str, list[tuple[int, list[float]]]] = {}
    for row, (bone, held) in enumerate(channels.items()):
        path = next((path for path in ROTATION_CHANNELS if path in held), None)
        if path is not None:
            mode = ROTATION_CHANNELS[path] or orders.get(bone, "XYZ")
            by_mode.setdefault(mode, []).append((row, held[path]))
    for mode, members in by_mode.items():
        rows = [row for row, _ in members]
        rotations[rows] = rotation_matrices(np.array([values for _, values in members]), mode)
    return rotations


def _orders(action: bpy.types.Action) -> dict[str, str]:
    stored = action.get(ORDERS)
    return {} if stored is None else stored.to_dict()


def _curves(action: bpy.types.Action) -> Iterable[Any]:
    """The curves of the first slot that poses bones."""
    for _, bag in actions.bags_in(action):
        if any(curve.data_path.startswith("pose.bones[") for curve in bag.fcurves):
            return bag.fcurves
    return ()
