# SPDX-License-Identifier: GPL-3.0-or-later
"""The poses that channels of bones say, worked out by the skeleton: Blender need not play them.

It takes Blender most of its time to find, at every frame, what each of hundreds of curves animates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ..core.motion import FloatArray, IntArray
from . import actions
from .bones import WIDTHS, bone_of, has_component
from .character.held import held_once_found
from .spatial.posing.forward_kinematics import skeleton_of
from .spatial.posing.pose_actions import UNMOVED
from .spatial.posing.poses import by_mode, channel_values, rotation_channel, rotation_matrices

_skeleton = held_once_found(skeleton_of)


class ChannelPoses:
    """Where bones of an armature are for other values of some channels.

    Args:
        channels: data path and index of each column of the values; only those of bones count.
        bones: rows of those that are asked about; all if left out.
        others_at_rest: whether what has no column is at rest, or as it is now.

    Attributes:
        rows: (R,) of the bones that are worked out: those that are asked about, and all above them.
    """

    def __init__(
        self,
        armature: bpy.types.Object,
        channels: Sequence[tuple[str, int]],
        *,
        bones: IntArray | None = None,
        others_at_rest: bool = False,
    ):
        skeleton, names = _skeleton(armature), armature.pose.bones.keys()
        self.rows = np.arange(len(skeleton)) if bones is None else skeleton.with_all_above(bones)
        self._skeleton = skeleton.part(self.rows)
        self._connected = _connected(armature)[self.rows]
        self._others = {
            name: np.tile(UNMOVED[name], (len(self.rows), 1))
            if others_at_rest
            else channel_values(armature, name)[self.rows].astype(np.float64)
            for name in WIDTHS
        }
        self._modes = by_mode(armature, self.rows)
        self._columns = _columns(armature, tuple(channels), tuple(names[row] for row in self.rows.tolist()))

    def matrices(self, values: FloatArray) -> FloatArray:
        """(F, R, 4, 4) the bones in the space of the armature, for values (F, C)."""
        turned = np.empty((len(values), len(self._skeleton), 3, 3))
        for mode, members in self._modes:
            turns = self._channel(values, rotation_channel(mode))[:, members]
            turned[:, members] = rotation_matrices(turns, mode)
        places, scales = self._channel(values, "location"), self._channel(values, "scale")
        places[:, self._connected] = 0.0
        return self._skeleton.pose_matrices(turned, places, scales)

    def _channel(self, values: FloatArray, name: str) -> FloatArray:
        """(F, R, n) one channel of all these bones."""
        columns, rows, indices = self._columns[name]
        filled = np.repeat(self._others[name][None], len(values), axis=0)
        filled[:, rows, indices] = values[:, columns]
        return filled


@held_once_found
def _connected(armature: bpy.types.Object) -> np.ndarray:
    """(B,) which bones stay where the one above them ends, whatever their location says."""
    bones = armature.data.bones
    return np.array([bones[name].use_connect for name in armature.pose.bones.keys()], bool)  # noqa: SIM118


@held_once_found
def _columns(
    _armature: bpy.types.Object, channels: tuple[tuple[str, int], ...], bones: tuple[str, ...]
) -> dict[str, tuple[IntArray, IntArray, IntArray]]:
    """The columns of each channel of some bones, with the bone and the component of each."""
    rows = {name: row for row, name in enumerate(bones)}
    found: dict[str, list[tuple[int, int, int]]] = {name: [] for name in WIDTHS}
    for column, (path, index) in enumerate(channels):
        before, _, name = path.rpartition("].")
        if before and name in found and has_component(name, index) and (bone := bone_of(path)) in rows:
            found[name].append((column, rows[bone], index))
    return {name: tuple(np.array(each, np.int64).reshape(-1, 3).T) for name, each in found.items()}


def posing_curves(armature: bpy.types.Object) -> list[Any] | None:
    """The curves that pose the bones, where nothing else does and the armature stands still; None elsewhere.

    What nobody has thought of is left to whoever compares some poses with those that Blender plays.
    """
    data = armature.animation_data
    if data is None or not _plays_its_action_alone(data) or _is_animated(armature.data):
        return None
    if len(armature.constraints) or armature.parent_type != "OBJECT" or not _stands_still(armature.parent):
        return None
    if any(len(bone.constraints) for bone in armature.pose.bones):
        return None
    curves = [curve for curve in actions.curves_of(armature) if not actions.is_muted(curve)]
    paths = {curve.data_path for curve in curves}
    if not all(_poses_a_bone(path) or path.endswith('"]') for path in paths):
        return None
    return curves if all(len(curve.keyframe_points) for curve in curves) else None


def _plays_its_action_alone(data: Any) -> bool:
    """No drivers, no strips on top, and nothing of the action left out."""
    whole = data.action_influence == 1.0 and data.action_blend_type == "REPLACE"
    quiet = all(track.mute and not track.is_solo for track in data.nla_tracks) or not data.use_nla
    return (
        whole
        and quiet
        and not (len(data.drivers) or data.use_tweak_mode)
        and data.action_extrapolation == "HOLD"
    )


def _is_animated(owner: bpy.types.ID | None) -> bool:
    return getattr(owner, "animation_data", None) is not None


def _stands_still(thing: bpy.types.Object | None) -> bool:
    return thing is None or (
        not (_is_animated(thing) or len(thing.constraints))
        and thing.parent_type == "OBJECT"
        and _stands_still(thing.parent)
    )


def _poses_a_bone(path: str) -> bool:
    return path.rpartition("].")[2] in WIDTHS and bone_of(path) is not None
