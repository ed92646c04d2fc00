# SPDX-License-Identifier: GPL-3.0-or-later
"""A take becomes an instrument: the key poses of an action placed in space by likeness, to perform anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ....core import InputError
from ....core.motion import FloatArray
from ....core.spatial import Likeness, places_that_play
from ... import actions
from ...character import describe, up_and_front
from ...distil import channels, reductions
from ..blending.mapping import SetMapping
from ..posing.clip_poses import dials_of_curves, on_the_spot, poses_of_curves, travel_of
from ..posing.forward_kinematics import Joints
from ..posing.poses import Pose
from ..takes import cursor_paths
from . import empties
from .set_making import KeyData, make_set

FEWEST, MOST = 3, 100  # keys of a set
TRAVELS = 0.7  # heights of the character: what goes farther over the ground is performed on the spot
REACH = 0.45  # how far from the middle the farthest keys are, in heights
APART = 0.01  # keys that are nearer to each other, in such reaches, are one: a loop ends where it began
FAITHFUL = 0.01  # a mean error above this share of the height means that there is too much in one set
SLOPE = 1e-3  # over such a share of the height it is seen what moving the cursor does


@dataclass(frozen=True)
class Instrument:
    """A set made from an action, and how well the motion plays through it.

    Attributes:
        error: mean distance of the joints to the motion that it came from, in units of the world.
        worst: the same in the frame that is farthest from it.
        frames: how many frames of it were played.
        on_the_spot: whether its travelling was taken out.
    """

    spatial_set: bpy.types.PropertyGroup
    error: float
    worst: float
    frames: int
    on_the_spot: bool
    is_faithful: bool


def make_instrument(
    armature: bpy.types.Object, *, only_selected: bool = False, in_place: bool | None = None
) -> Instrument:
    """A new set with the poses of an action's keys, and the path of the cursor that plays the action again.

    The poses are those that play now; a reduced action is compared with the motion that it was reduced from.

    Args:
        only_selected: of the keys that are selected.
        in_place: take out how the character travels; None: if it goes far.
    """
    action = actions.playing_action(armature)
    curves = [curve for curve in actions.curves_of(armature) if channels.plays(curve)]
    frames = _key_frames(action, curves, only_selected)
    clip_frames = np.arange(np.ceil(frames[0]), np.floor(frames[-1]) + 1.0)
    clip = poses_of_curves(armature, _compared_with(armature) or curves, clip_frames)
    poses = poses_of_curves(armature, curves, frames).only(clip.bones)
    if not poses.bones:
        raise InputError(
            "{action} moves none of the bones of {armature}.", action=action.name, armature=armature.name
        )
    clip = clip.only(poses.bones)
    if in_place is None:
        in_place = travel_of(armature, clip) > TRAVELS
    if in_place:
        clip, poses = on_the_spot(armature, clip), on_the_spot(armature, poses)
    space = _Space(armature, clip)
    places, rows = space.key_places(poses)
    dials = dials_of_curves(armature, curves, frames)
    keys = [
        KeyData(f"frame {frames[row]:g}", place, _row(poses, row), dials=dials.at(row))
        for row, place in zip(rows, places, strict=True)
    ]
    if len(keys) < FEWEST:
        raise InputError(
            "The keys of {action} hold {keys} different poses: {fewest} are needed.",
            action=action.name,
            keys=len(keys),
            fewest=FEWEST,
        )
    spatial_set = make_set(armature, action.name, keys)
    mapping = SetMapping([key.name for key in keys], places, [key.pose for key in keys])
    path, errors = space.path_through(mapping)
    cursor_paths.keep(armature, spatial_set, clip_frames, path)
    empties.move_to(armature, spatial_set.cursor, path[0])
    bpy.context.view_layer.update()
    mean = float(errors.mean())
    return Instrument(
        spatial_set,
        mean,
        float(errors.mean(axis=1).max()),
        len(clip_frames),
        in_place,
        mean <= FAITHFUL * describe(armature).height,
    )


def _key_frames(action: bpy.types.Action, curves: list[Any], only_selected: bool) -> np.ndarray:
    keyed = [_selected(curve) if only_selected else actions.key_points(curve)[:, 0] for curve in curves]
    frames = np.unique(np.round(np.concatenate([*keyed, np.empty(0)]), 3))
    which = "selected keys" if only_selected else "keys"
    if len(frames) < FEWEST:
        raise InputError(
            "{action} has {which} on {frames} frames: a set needs {fewest} or more.",
            action=action.name,
            which=which,
            frames=len(frames),
            fewest=FEWEST,
        )
    if len(frames) > MOST:
        raise InputError(
            "{action} has {which} on {frames} frames, too many for one set: analyze it and choose "
            "up to {most} keys, or select some.",
            action=action.name,
            which=which,
            frames=len(frames),
            most=MOST,
        )
    return frames


def _selected(curve: Any) -> np.ndarray:
    chosen = np.empty(len(curve.keyframe_points), bool)
    curve.keyframe_points.foreach_get("select_control_point", chosen)
    return actions.key_points(curve)[chosen, 0]


def _compared_with(armature: bpy.types.Object) -> list[Any]:
    """The curves of the motion that a reduced action came from; none if it is no reduced action."""
    reduction = reductions.find(armature)
    return [] if reduction is None else channels.curves_in(reduction.source, reduction.handles[:1])


def _row(poses: Pose, row: int) -> Pose:
    return Pose(poses.bones, poses.rotations[row], poses.locations[row], poses.scales[row])


class _Space:
    """Where poses of a clip are, before the character."""

    def __init__(self, armature: bpy.types.Object, clip: Pose):
        self._joints, self._clip = Joints(armature), clip
        self._height = empties.height_within(armature)
        to_armature = np.array(armature.matrix_world.to_3x3().inverted_safe())
        up, front = up_and_front(armature)
        world = np.array([np.cross(up, front), up, front])  # left, up, front
        axes = world @ to_armature.T
        self._axes = REACH * self._height * axes / np.linalg.norm(axes, axis=1, keepdims=True)
        self._middle = np.array(empties.in_front_of(armature)) + self._axes[2]
        self._positions = self._joints.positions(clip)
        middles = self._positions.mean(axis=1)
        self._likeness = Likeness(_flat(self._positions), middles @ world.T)

    def places(self, positions: FloatArray) -> FloatArray:
        return self._middle + self._likeness.places(_flat(positions)) @ self._axes

    def key_places(self, poses: Pose) -> tuple[FloatArray, list[int]]:
        """(n, 3) places of poses, and which of them these are: one that is where another is, is left out."""
        places = self.places(self._joints.positions(poses))
        kept: list[int] = []
        for row, place in enumerate(places):
            near = np.linalg.norm(places[kept] - place, axis=1) < APART * REACH * self._height
            if not near.any():
                kept.append(row)
        return places[kept], kept

    def path_through(self, mapping: SetMapping) -> tuple[FloatArray, FloatArray]:
        """(F, 3) places of the cursor that play the clip best, and (F, J) how far joints are then from it."""

        def play(places: FloatArray) -> FloatArray:
            return _flat(self._joints.positions(mapping.path(places)))

        step = SLOPE * self._height
        path = places_that_play(play, _flat(self._positions), self.places(self._positions), step)
        played = play(path).reshape(self._positions.shape)
        return path, np.linalg.norm(played - self._positions, axis=-1)


def _flat(positions: FloatArray) -> FloatArray:
    return positions.reshape(len(positions), -1)
