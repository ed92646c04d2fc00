# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose of a whole character: what its sets say, where their cursors are and how much each counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ...core import InputError
from . import sets
from .layers import blended, blended_frames, stacked
from .mapping import SetMapping
from .pose_actions import pose_of_action
from .poses import Pose
from .reaching import Body, Reach, body_of, reached, reaches_of

# What was read from actions and solved from markers. Keys are numbers that Blender never reuses in a session,
# so nothing here refers to Blender's data; whatever may be stale is simply forgotten.
_poses: dict[int, Pose] = {}
_mappings: dict[tuple[int, str], tuple[tuple[int, ...], SetMapping]] = {}


def forget_pose(session_uid: int) -> None:
    """An action was changed: read it again when it is wanted."""
    _poses.pop(session_uid, None)
    for key, (uids, _) in list(_mappings.items()):
        if session_uid in uids:
            del _mappings[key]


def forget_everything() -> None:
    """Another file, an undo step or another armature: nothing known is certain."""
    _poses.clear()
    _mappings.clear()


def mapping_of(armature: bpy.types.Object, spatial_set: bpy.types.PropertyGroup) -> SetMapping:
    """The set ready for use, solved again only where markers or poses changed."""
    keys = sets.usable_keys(spatial_set)
    if not keys:
        raise InputError(f'The spatial set "{spatial_set.name}" has no keys: pose the character and Set Key.')
    uids = tuple(key.pose.session_uid for key in keys)
    places = np.array([sets.place_of(armature, key.marker) for key in keys])
    where = (armature.session_uid, spatial_set.name)
    known = _mappings.get(where)
    if known is None or known[0] != uids or known[1].names != tuple(key.name for key in keys):
        mapping = SetMapping([key.name for key in keys], places, [_pose(key.pose) for key in keys])
    elif np.array_equal(known[1].places, places):
        return known[1]
    else:
        mapping = known[1].moved(places)
    _mappings[where] = (uids, mapping)
    return mapping


def _pose(action: bpy.types.Action) -> Pose:
    if action.session_uid not in _poses:
        _poses[action.session_uid] = pose_of_action(action)
    return _poses[action.session_uid]


@dataclass(frozen=True, eq=False)
class Moment:
    """All that the pose of a character depends on: its sets, where their cursors are and their shares."""

    mappings: tuple[SetMapping, ...]
    points: np.ndarray  # (S, 3) in the space of the armature object
    shares: np.ndarray  # (S,)
    reaches: tuple[tuple[Reach, ...], ...]  # of each set
    targets: np.ndarray  # (T, 3) what is reached for, in the space of the armature object
    body: Body | None  # known only where anything reaches

    def same_as(self, other: Moment) -> bool:
        return (
            # A set is solved anew whenever its keys change, so the same object means the same keys.
            self.mappings == other.mappings
            and self.reaches == other.reaches
            and np.array_equal(self.points, other.points)
            and np.array_equal(self.shares, other.shares)
            and np.array_equal(self.targets, other.targets)
        )

    def counting(self) -> Moment:
        """Only the sets that have a share; bones of the others are left alone."""
        rows = np.flatnonzero(self.shares > 0.0)
        return replace(
            self,
            mappings=tuple(self.mappings[row] for row in rows),
            points=self.points[rows],
            shares=self.shares[rows],
            reaches=tuple(self.reaches[row] for row in rows),
        )


def ready_sets(armature: bpy.types.Object) -> list[bpy.types.PropertyGroup]:
    """The sets that have a cursor and at least one key."""
    return [each for each in sets.settings_of(armature).sets if each.cursor and sets.usable_keys(each)]


def moment_of(armature: bpy.types.Object) -> Moment:
    """What the scene says now about every set that is ready."""
    ready = ready_sets(armature)
    reaches, targets = reaches_of(armature, ready)
    return Moment(
        tuple(mapping_of(armature, each) for each in ready),
        np.array([sets.place_of(armature, each.cursor) for each in ready]).reshape(-1, 3),
        np.array([each.influence for each in ready]),
        reaches,
        targets,
        body_of(armature) if any(reaches) else None,
    )


def pose_at(moment: Moment, previous: Pose | None = None) -> Pose:
    """The pose of all bones that any set moves; `previous` keeps them steady where keys cancel out."""
    poses = [
        _reach(moment, n, mapping.pose(moment.points[n], previous))
        for n, mapping in enumerate(moment.mappings)
    ]
    return blended(poses, moment.shares, previous)


def poses_along(moments: Sequence[Moment]) -> Pose:
    """One pose for each of many moments of a character, of the bones that any set ever moves."""
    shares = np.array([moment.shares for moment in moments])
    counting = np.flatnonzero(shares.max(axis=0) > 0.0)
    if not len(counting):
        raise InputError(
            "No spatial set has a share in this character: raise the share of one, or Switch To it."
        )
    poses = [_along(moments, n) for n in counting]
    return blended_frames(poses, shares[:, counting])


def _along(moments: Sequence[Moment], n: int) -> Pose:
    """What one set says: all at once where its markers stand still, frame by frame where they move."""
    mappings = [moment.mappings[n] for moment in moments]
    if all(mapping is mappings[0] for mapping in mappings):
        poses = mappings[0].poses(np.array([moment.points[n] for moment in moments]))
    else:
        poses = stacked(
            [mapping.pose(moment.points[n]) for mapping, moment in zip(mappings, moments, strict=True)]
        )
    if not any(moment.reaches[n] for moment in moments):
        return poses
    return stacked([_reach(moment, n, poses.at(frame)) for frame, moment in enumerate(moments)])


def _reach(moment: Moment, n: int, pose: Pose) -> Pose:
    if not moment.reaches[n] or moment.body is None:
        return pose
    return reached(moment.body, pose, moment.reaches[n], moment.targets, moment.points[n])
