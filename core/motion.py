# SPDX-License-Identifier: GPL-3.0-or-later
"""`Motion`: what every algorithm sees of a character's movement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .anatomy import hips_by_name, upwards
from .checks import FloatArray, IntArray, frame_numbers, numbers
from .errors import InputError

SPACES = ("world", "armature", "root", "parent")
CHANNEL_KINDS = ("location", "euler", "axis_angle", "quaternion", "scale", "other")


@dataclass(frozen=True, init=False, eq=False)
class Motion:
    """Joint positions over time, checked once here so that no algorithm has to check again.

    Args:
        positions: (F, J, 3) joint positions in world space.
        frames: (F,) strictly ascending frame numbers, sub-frames allowed; 0, 1, 2 ... if left out.
        fps: frames a second.
        channels: (F, C) values of the animated channels, for algorithms that look at rotations.
        owners: (C,) index of the joint that each channel moves, -1 for none; needed only to weigh channels.
        kinds: what each channel is, one of `CHANNEL_KINDS`, so that lengths and angles (in radians then) can
            be compared with each other; without them all channels are taken to be of one unit.
        influence: (C,) what a squared unit of each channel adds to the squared distance of two poses; for
            rigs whose channels may swing where joints hardly move, such as Euler angles at gimbal lock.
        names: J joint names.
        parents: (J,) index of each joint's parent, -1 for a root.
        weights: (J,) how much each joint counts; a joint with weight 2 counts like two joints.
        matrices: (F, 4, 4) world matrix of the armature object, needed only for armature space.
        hips: the joint that carries the body, as a description of the character knows it.
    """

    positions: FloatArray
    frames: FloatArray
    fps: float
    channels: FloatArray | None
    owners: IntArray | None
    kinds: tuple[str, ...] | None
    influence: FloatArray | None
    names: tuple[str, ...]
    parents: IntArray
    weights: FloatArray
    matrices: FloatArray | None
    hips: int | None

    def __init__(
        self,
        positions: ArrayLike,
        *,
        frames: ArrayLike | None = None,
        fps: float = 24.0,
        channels: ArrayLike | None = None,
        owners: ArrayLike | None = None,
        kinds: Sequence[str] | None = None,
        influence: ArrayLike | None = None,
        names: Sequence[str] | None = None,
        parents: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        matrices: ArrayLike | None = None,
        hips: int | None = None,
    ):
        checked = _positions(positions)
        count, joints = checked.shape[:2]
        curves = _channels(channels, count)
        values: dict[str, Any] = {
            "positions": checked,
            "frames": frame_numbers(frames, count),
            "fps": _fps(fps),
            "channels": curves,
            "owners": _owners(owners, curves, joints),
            "kinds": _kinds(kinds, curves),
            "influence": _influence(influence, curves),
            "names": _names(names, joints),
            "parents": _parents(parents, joints),
            "weights": _weights(weights, joints),
            "matrices": _matrices(matrices, count),
            "hips": _hips(hips, joints),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def root(self) -> int:
        """The joint that carries the body: the hips, told by names and parents where they are not known."""
        return hips_by_name(self.names, self.parents) if self.hips is None else self.hips

    def points(self, space: str = "world") -> FloatArray:
        """(F, D) one point a frame, scaled so that squared distance is the weighted sum over joints.

        Joints without weight are left out; channels with an influence add to the distance. The points
        are centred on their mean, so that a character far from the origin loses no digits; going by way
        of the first frame makes the points the very same wherever the character stands.
        """
        used = self.weights > 0.0
        positions = self.in_space(space).positions
        if not np.all(used):
            positions = positions[:, used]
        points = (positions - positions[0]).reshape(len(self), -1)
        points -= points.mean(axis=0)
        points *= np.repeat(np.sqrt(self.weights[used]), 3)
        if self.channels is None or self.influence is None:
            return points
        curves = (self.channels - self.channels[0])[:, self.influence > 0.0]
        curves -= curves.mean(axis=0)
        curves *= np.sqrt(self.influence[self.influence > 0.0])
        return np.hstack([points, curves])

    def in_space(self, space: str) -> Motion:
        """The motion as seen from the world, from the armature object, from its root or joint by joint.

        In the space "parent" every joint is where its parent sees it, so that an arm that turns at the
        shoulder moves the elbow alone. The body begins at its hips, which are always at the origin there.
        """
        if space not in SPACES:
            raise InputError(
                "There is no space called {space!r}: choose one of {choices}.",
                space=space,
                choices=", ".join(SPACES),
            )
        if space == "armature" and self.matrices is not None:
            turned_back = _inverses(self.matrices[:, :3, :3])
            moved_back = self.positions - self.matrices[:, None, :3, 3]
            return replace_positions(self, np.einsum("fij,fkj->fki", turned_back, moved_back))
        if space == "root":
            return replace_positions(self, self.positions - self.positions[:, [self.root]])
        if space == "parent":
            return replace_positions(self, self._as_parents_see_it())
        return self

    def _as_parents_see_it(self) -> FloatArray:
        seen = self.positions - np.where(self.parents[:, None] < 0, 0.0, self.positions[:, self.parents])
        seen[:, list(upwards(self.parents, self.root))] = 0.0
        seen[:, self.parents < 0] = 0.0
        return seen

    def between(self, first: float, last: float) -> Motion:
        """Only the frames from `first` to `last`, both included."""
        rows = np.flatnonzero((self.frames >= first) & (self.frames <= last))
        if not len(rows):
            raise InputError(
                "No frame lies between {first:g} and {last:g}: the motion goes from {begin:g} to {end:g}.",
                first=first,
                last=last,
                begin=self.frames[0],
                end=self.frames[-1],
            )
        return self.at(slice(rows[0], rows[-1] + 1))

    def at(self, rows: slice | IntArray) -> Motion:
        """Only some of the frames, in their order."""
        by_frame = ("positions", "frames", "channels", "matrices")
        values = {name: getattr(self, name) for name in by_frame}
        return _changed(self, **{name: None if each is None else each[rows] for name, each in values.items()})

    def with_weights(self, weights: ArrayLike) -> Motion:
        return _changed(self, weights=_weights(weights, self.positions.shape[1]))


def replace_positions(motion: Motion, positions: FloatArray) -> Motion:
    return _changed(motion, positions=_positions(positions))


def _changed(motion: Motion, **changes: Any) -> Motion:
    copy = object.__new__(Motion)
    for name in Motion.__dataclass_fields__:
        object.__setattr__(copy, name, changes.get(name, getattr(motion, name)))
    return copy


def _inverses(matrices: FloatArray) -> FloatArray:
    try:
        return np.linalg.inv(matrices).astype(np.float64)
    except np.linalg.LinAlgError as error:
        raise InputError(
            "The armature object is scaled to zero in some frame, so nothing can be seen from it: "
            "compare poses in world space."
        ) from error


def _positions(positions: ArrayLike) -> FloatArray:
    values = numbers(positions, "Positions")
    if values.ndim != 3 or values.shape[2] != 3:
        raise InputError(
            "Positions must have the shape (frames, joints, 3), not {values}.", values=values.shape
        )
    if values.shape[0] < 1:
        raise InputError("The motion has no frames: sample at least one.")
    if values.shape[1] < 1:
        raise InputError("The motion has no joints: choose at least one bone.")
    return values


def _fps(fps: float) -> float:
    value = numbers(fps, "Frames a second")
    if value.ndim or value <= 0.0:
        raise InputError("Frames a second must be one number above zero, not {fps}.", fps=fps)
    return float(value)


def _channels(channels: ArrayLike | None, count: int) -> FloatArray | None:
    if channels is None:
        return None
    values = numbers(channels, "Channels")
    if values.ndim != 2 or len(values) != count:
        raise InputError(
            "Channels must have the shape ({count} frames, channels), not {values}.",
            count=count,
            values=values.shape,
        )
    return values


def _owners(owners: ArrayLike | None, channels: FloatArray | None, joints: int) -> IntArray | None:
    if owners is None:
        return None
    if channels is None:
        raise InputError("Owners name the joint that each channel moves, but there are no channels.")
    values = _indices(owners, "Owners")
    count = channels.shape[1]
    if values.shape != (count,):
        raise InputError(
            "There must be one owner for each of the {count} channels, not {values}.",
            count=count,
            values=values.shape,
        )
    if np.any(values >= joints) or np.any(values < -1):
        raise InputError("Owners must be joint numbers from -1 (none) to {last}.", last=joints - 1)
    return values


def _kinds(kinds: Sequence[str] | None, channels: FloatArray | None) -> tuple[str, ...] | None:
    if kinds is None:
        return None
    if channels is None:
        raise InputError("Kinds say what each channel is, but there are no channels.")
    if len(kinds) != channels.shape[1]:
        raise InputError(
            "There must be one kind for each of the {channels} channels, not {kinds}.",
            channels=channels.shape[1],
            kinds=len(kinds),
        )
    unknown = sorted(set(kinds) - set(CHANNEL_KINDS))
    if unknown:
        raise InputError(
            "There is no kind of channel {unknown!r}: choose from {choices}.",
            unknown=unknown[0],
            choices=", ".join(CHANNEL_KINDS),
        )
    return tuple(kinds)


def _influence(influence: ArrayLike | None, channels: FloatArray | None) -> FloatArray | None:
    if influence is None:
        return None
    if channels is None:
        raise InputError("Influence says how much each channel counts, but there are no channels.")
    values = numbers(influence, "Influence")
    if values.shape != channels.shape[1:] or np.any(values < 0.0):
        raise InputError(
            "Influence must be {channels} numbers from zero on, one for each channel.",
            channels=channels.shape[1],
        )
    return values


def _indices(values: ArrayLike, what: str) -> IntArray:
    array = numbers(values, what)
    if np.any(array != np.floor(array)) or np.any(np.abs(array) > np.iinfo(np.int32).max):
        raise InputError("{what} must be whole numbers: each is the number of a joint.", what=what)
    return array.astype(np.int64)


def _names(names: Sequence[str] | None, joints: int) -> tuple[str, ...]:
    if names is None:
        return tuple(f"joint {index}" for index in range(joints))
    if len(names) != joints:
        raise InputError(
            "There must be one name for each of the {joints} joints, not {names}.",
            joints=joints,
            names=len(names),
        )
    return tuple(str(name) for name in names)


def _parents(parents: ArrayLike | None, joints: int) -> IntArray:
    if parents is None:
        # Without a hierarchy the first joint stands for the root and the others hang from it.
        flat = np.zeros(joints, dtype=np.int64)
        flat[0] = -1
        return flat
    values = _indices(parents, "Parents")
    if values.shape != (joints,):
        raise InputError(
            "There must be one parent for each of the {joints} joints, not {values}.",
            joints=joints,
            values=values.shape,
        )
    if np.any(values >= joints) or np.any(values < -1):
        raise InputError("Parents must be joint numbers from -1 (a root) to {last}.", last=joints - 1)
    _check_tree(values)
    return values


def _check_tree(parents: IntArray) -> None:
    above = parents.copy()
    for _ in range(len(parents)):
        if np.all(above < 0):
            return
        above = np.where(above < 0, -1, parents[above])
    raise InputError("Parents form a loop: every joint must lead up to a root, whose parent is -1.")


def _weights(weights: ArrayLike | None, joints: int) -> FloatArray:
    if weights is None:
        return np.ones(joints)
    values = numbers(weights, "Weights")
    if values.shape != (joints,):
        raise InputError(
            "There must be one weight for each of the {joints} joints, not {values}.",
            joints=joints,
            values=values.shape,
        )
    if np.any(values < 0.0):
        raise InputError("Weights must not be negative, but one is {smallest:g}.", smallest=values.min())
    if not np.any(values > 0.0):
        raise InputError("Every joint has weight zero: give at least one joint a weight above zero.")
    return values


def _matrices(matrices: ArrayLike | None, count: int) -> FloatArray | None:
    if matrices is None:
        return None
    values = numbers(matrices, "Matrices")
    if values.shape != (count, 4, 4):
        raise InputError(
            "Matrices must have the shape ({count}, 4, 4), not {values}.", count=count, values=values.shape
        )
    return values


def _hips(hips: int | None, joints: int) -> int | None:
    if hips is not None and not 0 <= hips < joints:
        raise InputError(
            "Hips must be the number of a joint from 0 to {last}, not {hips}.", last=joints - 1, hips=hips
        )
    return hips
