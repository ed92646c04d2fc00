# SPDX-License-Identifier: GPL-3.0-or-later
"""`SetMapping`: a spatial set ready to be asked for the pose at a place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....core import SpatialKeyframes
from ....core.spatial import blend_values
from ..posing.dials import Dial, Dials
from ..posing.poses import Pose


class SetMapping:
    """From places in the armature's space to poses.

    A key need not hold every bone, and says nothing about those it does not hold: each bone is blended from
    just the keys that hold it. Bones held by the same keys share one `SpatialKeyframes`. The same goes for
    dials, of which only those that act are to be given.
    """

    def __init__(
        self,
        names: Sequence[str],
        places: np.ndarray,
        poses: Sequence[Pose],
        dials: Sequence[Dials] | None = None,
    ):
        self.names = tuple(names)
        self.poses = tuple(poses)
        holders: dict[str, list[int]] = {}
        for key, pose in enumerate(poses):
            for bone in pose.bones:
                holders.setdefault(bone, []).append(key)
        self.bones = tuple(holders)
        self._row = {bone: row for row, bone in enumerate(self.bones)}
        members: dict[tuple[int, ...], list[str]] = {}
        for bone, keys in holders.items():
            members.setdefault(tuple(keys), []).append(bone)
        self._groups = [
            (list(keys), self._rows(bones), self._keyframes(keys, bones, places))
            for keys, bones in members.items()
        ]
        self._all = self._of_all_keys(places)
        self.dials, self._dial_groups = _dial_groups(dials or ())
        self._weigh = [self._weighing(keys, places) for keys, _, _ in self._dial_groups]

    @property
    def places(self) -> np.ndarray:
        return self._all.places

    def moved(self, places: np.ndarray) -> SetMapping:
        """The same keys with their markers elsewhere."""
        other = object.__new__(SetMapping)
        other.__dict__.update(self.__dict__)
        other._groups = [(keys, rows, blend.with_places(places[keys])) for keys, rows, blend in self._groups]
        other._all = other._of_all_keys(places)
        other._weigh = [other._weighing(keys, places) for keys, _, _ in self._dial_groups]
        return other

    def weights(self, point: np.ndarray) -> np.ndarray:
        """(n,) how much each key counts for a cursor at `point`."""
        return self._all.weights(point)

    def keys_of(self, bone: str, point: np.ndarray) -> tuple[list[Pose], np.ndarray]:
        """The poses of the keys that hold a bone, and (n,) how much each counts for it at `point`."""
        row = self._row[bone]
        keys, _, blend = next(group for group in self._groups if row in group[1])
        return [self.poses[key] for key in keys], blend.weights(point)

    def pose(self, point: np.ndarray, previous: Pose | None = None) -> Pose:
        """The pose for one place; `previous` keeps bones steady where the keys cancel out."""
        result = self._empty(())
        known = None if previous is None else previous.only(self.bones)
        steady = known.rotations if known is not None and known.bones == self.bones else None
        for _, rows, blend in self._groups:
            rotations, locations = blend.pose(point, None if steady is None else steady[rows])
            _fill(result, rows, rotations, locations, blend.scale(point))
        return result

    def path(self, points: np.ndarray) -> Pose:
        """The poses for places that follow each other: `pose` with the one before, every time."""
        result = self._empty((len(points),))
        for _, rows, blend in self._groups:
            rotations, locations = blend.path(points)
            _fill(result, rows, rotations, locations, blend.scales(points))
        return result

    def dials_at(self, point: np.ndarray) -> Dials:
        """How dials are set for one place."""
        return self.dials_along(point[None]).at(0)

    def dials_along(self, points: np.ndarray) -> Dials:
        """How dials are set for some places."""
        values = np.empty((len(points), len(self.dials)))
        for (_, rows, held), weigh in zip(self._dial_groups, self._weigh, strict=True):
            switches = np.array([self.dials[row].is_switch for row in rows])
            values[:, rows] = blend_values(weigh.weights_along(points), held, switches)
        return Dials(self.dials, values)

    def _weighing(self, keys: Sequence[int], places: np.ndarray) -> SpatialKeyframes:
        """Something that knows the weights of some keys among themselves."""
        if len(keys) == len(places):
            return self._all
        some = list(keys)
        return _without_bones(places[some], [self.names[key] for key in some])

    def _of_all_keys(self, places: np.ndarray) -> SpatialKeyframes:
        """Something that knows the weights of all keys: the group that has them all, as most sets have."""
        whole = next((blend for keys, _, blend in self._groups if len(keys) == len(places)), None)
        if whole is not None:
            return whole
        return _without_bones(places, self.names)

    def _rows(self, bones: Sequence[str]) -> np.ndarray:
        return np.array([self._row[bone] for bone in bones])

    def _keyframes(self, keys: Sequence[int], bones: Sequence[str], places: np.ndarray) -> SpatialKeyframes:
        held = [self.poses[key].only(bones) for key in keys]
        return SpatialKeyframes(
            places[list(keys)],
            np.stack([pose.rotations for pose in held]),
            np.stack([pose.locations for pose in held]),
            np.stack([pose.scales for pose in held]),
            names=[self.names[key] for key in keys],
        )

    def _empty(self, shape: tuple[int, ...]) -> Pose:
        count = len(self.bones)
        return Pose(
            self.bones,
            np.empty((*shape, count, 3, 3)),
            np.empty((*shape, count, 3)),
            np.empty((*shape, count, 3)),
        )


def _fill(
    pose: Pose, rows: np.ndarray, rotations: np.ndarray, locations: np.ndarray, scales: np.ndarray
) -> None:
    pose.rotations[..., rows, :, :] = rotations
    pose.locations[..., rows, :] = locations
    pose.scales[..., rows, :] = scales


def _without_bones(places: np.ndarray, names: Sequence[str]) -> SpatialKeyframes:
    no_matter = np.broadcast_to(np.eye(3), (len(places), 1, 3, 3))
    return SpatialKeyframes(places, no_matter, names=names)


def _dial_groups(
    dials: Sequence[Dials],
) -> tuple[tuple[Dial, ...], list[tuple[tuple[int, ...], list[int], np.ndarray]]]:
    """All dials; and the keys that hold some of them, which these are, and (n, D) how the keys set them."""
    held: dict[Dial, dict[int, float]] = {}
    for key, each in enumerate(dials):
        for dial, value in each.as_dict().items():
            held.setdefault(dial, {})[key] = value
    members: dict[tuple[int, ...], list[Dial]] = {}
    for dial, settings in held.items():
        members.setdefault(tuple(settings), []).append(dial)
    row = {dial: n for n, dial in enumerate(held)}
    groups = [
        (keys, [row[dial] for dial in some], np.array([list(held[dial].values()) for dial in some]).T)
        for keys, some in members.items()
    ]
    return tuple(held), groups
