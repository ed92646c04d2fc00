# SPDX-License-Identifier: GPL-3.0-or-later
"""`Moment`: all that decides a character's pose at one time, and the pose that follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ....core import InputError
from ....core.progress import Progress
from .. import sets
from ..making import empties
from ..posing.dials import Dials, clipped
from ..posing.poses import Pose
from .layers import blended, blended_dials, stacked
from .mapping import SetMapping
from .mapping_cache import mapping_of
from .reaching import Body, Reach, body_of, reached, reaches_of


@dataclass(frozen=True, eq=False)
class Moment:
    """All that the pose of a character depends on: its sets, where their cursors are and their shares."""

    mappings: tuple[SetMapping, ...]
    points: np.ndarray  # (S, 3) in the space of the armature object
    shares: np.ndarray  # (S,)
    layers: tuple[str, ...]  # BLEND, OVER or ADD for each set
    reaches: tuple[tuple[Reach, ...], ...]  # of each set
    targets: np.ndarray  # (T, 3, 4) what is reached for, in the space of the armature object
    body: Body | None  # known only where anything reaches

    def same_as(self, other: Moment) -> bool:
        return (
            # A set is solved anew whenever its keys change, so the same object means the same keys.
            self.mappings == other.mappings
            and self.layers == other.layers
            and self.reaches == other.reaches
            and np.array_equal(self.points, other.points)
            and np.array_equal(self.shares, other.shares)
            and np.array_equal(self.targets, other.targets)
        )

    def counting(self) -> Moment:
        """Only the sets that have a share; bones of the others are left alone."""
        return self.only(np.flatnonzero(self.shares > 0.0))

    def only(self, rows: np.ndarray) -> Moment:
        """Some of the sets."""
        return replace(
            self,
            mappings=tuple(self.mappings[row] for row in rows),
            points=self.points[rows],
            shares=self.shares[rows],
            layers=tuple(self.layers[row] for row in rows),
            reaches=tuple(self.reaches[row] for row in rows),
        )


def moment_of(armature: bpy.types.Object) -> Moment:
    """What the scene says now about every set that is ready."""
    sets.refuse_shared(armature)
    ready = sets.ready_sets(armature)
    reaches, targets = reaches_of(armature, ready)
    points = empties.places_of(armature, [each.cursor for each in ready])
    for each, point in zip(ready, points, strict=True):
        empties.refuse_too_far(each.cursor, point)
    return Moment(
        tuple(mapping_of(armature, each) for each in ready),
        points,
        np.array([each.influence for each in ready]),
        tuple(each.layer for each in ready),
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
    return blended(poses, moment.shares, moment.layers, previous)


def dials_at(moment: Moment) -> Dials:
    """How all dials are set that act in any set."""
    said = [mapping.dials_at(point) for mapping, point in zip(moment.mappings, moment.points, strict=True)]
    return blended_dials(said, moment.shares, moment.layers)


def dials_along(moments: Sequence[Moment]) -> Dials:
    """How dials are set at each of many moments, no farther than they go."""
    moments = _counting(moments)
    if not any(mapping.dials for mapping in moments[0].mappings):
        return Dials((), np.empty((len(moments), 0)))
    said = [dials_at(moment) for moment in moments]
    found = Dials(said[0].which, np.stack([each.values for each in said]))
    return Dials(found.which, clipped(found))


def poses_along(moments: Sequence[Moment], progress: Progress) -> Pose:
    """One pose for each of many moments that follow each other, of the bones that any set ever moves.

    They are what live would have shown: where keys cancel out, each pose is steadied by the one before it.
    """
    moments = _counting(moments)
    alone = _set_alone(moments)
    if alone is not None:
        return alone.path(np.array([moment.points[0] for moment in moments]))
    shown: list[Pose] = []
    for moment in moments:
        shown.append(pose_at(moment, shown[-1] if shown else None))
        progress(len(shown) / len(moments))
    return stacked(shown)


def _counting(moments: Sequence[Moment]) -> list[Moment]:
    """With the sets that ever have a share, which must be some."""
    counting = np.flatnonzero(np.max([moment.shares for moment in moments], axis=0) > 0.0)
    if not len(counting):
        raise InputError(
            "No spatial set has a share in this character: raise the share of one, or Switch To it."
        )
    return [moment.only(counting) for moment in moments]


def _set_alone(moments: Sequence[Moment]) -> SetMapping | None:
    """The one set that says it all, if nothing else counts or reaches and its markers stand still."""
    mappings = moments[0].mappings
    plain = len(mappings) == 1 and all(
        moment.mappings == mappings and moment.shares[0] >= 1.0 and not moment.reaches[0]
        for moment in moments
    )
    return mappings[0] if plain else None


def _reach(moment: Moment, n: int, pose: Pose) -> Pose:
    if not moment.reaches[n] or moment.body is None:
        return pose
    mapping = moment.mappings[n]
    return reached(moment.body, pose, moment.reaches[n], moment.targets, moment.points[n], mapping)
