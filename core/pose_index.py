# SPDX-License-Identifier: GPL-3.0-or-later
"""`PoseIndex`: the poses of many clips, to be searched for one that looks like another.

Named as future work by Tanuwijaya and Ohno and by Halit and Capin. Poses are compared as `keyposes` compares
them: nine joints as seen from the hips, and the height of the hips with a weight of its own. Lengths are in
radii of the body, so that characters of all sizes can be compared. Unless the direction counts, poses are
turned about the vertical first so that all look the same way.

Every frame is looked at, which is quick (`benchmarks/find_pose.py`). Bounds for blocks of neighbours, which
would leave most frames out, were tried and took longer than they spared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from .anatomy import nine_joints_by_name
from .checks import FloatArray, IntArray
from .errors import InputError
from .motion import Motion
from .selection.curves import body_radius

ROOT_WEIGHT = 5.0
APART = 0.5  # seconds between two finds in one clip: neighbours look alike and say nothing new
FORMAT = 1  # of the file


@dataclass(frozen=True)
class Find:
    """A frame that looks like what was asked for."""

    clip: str
    frame: float
    distance: float  # in radii of the body, the mean over joints


@dataclass
class PoseIndex:
    """All frames of the clips that were added.

    Args:
        direction_counts: whether the same pose that looks another way is another pose.
    """

    direction_counts: bool = False
    clips: list[str] = field(default_factory=list)
    _parts: list[_Part] = field(default_factory=list)
    _joined: _Everything | None = None

    def __len__(self) -> int:
        return sum(len(part.frames) for part in self._parts)

    def add(
        self,
        clip: str,
        motion: Motion,
        *,
        joints: Mapping[str, int] | None = None,
        rest: Motion | None = None,
    ) -> None:
        """Add all frames of a clip, in place of what it was before.

        Args:
            joints: where the nine joints are; told by the names if left out.
            rest: the character at rest, with the same joints, which tells its size and where the ground is;
                told by the motion itself if left out.
        """
        poses = described(motion, joints, rest, direction_counts=self.direction_counts)
        if clip in self.clips:
            self.remove(clip)
        self._joined = None
        self.clips.append(clip)
        self._parts.append(_Part(poses.astype(np.float32), motion.frames, motion.fps))

    def remove(self, clip: str) -> None:
        if clip not in self.clips:
            raise InputError(f"There is no clip called {clip!r} in this index.")
        self._joined = None
        del self._parts[self.clips.index(clip)]
        self.clips.remove(clip)

    def find(
        self,
        pose: Motion,
        row: int = 0,
        *,
        count: int = 10,
        joints: Mapping[str, int] | None = None,
        rest: Motion | None = None,
    ) -> list[Find]:
        """The frames most like a row of a motion, best first; in one clip they are half a second apart.

        `joints` and `rest` are those of `add`.
        """
        if not self.clips:
            raise InputError("The index is empty: add clips to search first.")
        described_pose = described(pose, joints, rest, direction_counts=self.direction_counts)
        wanted = described_pose[row].astype(np.float32)
        everything = self._everything()
        distances = np.linalg.norm(everything.poses - wanted, axis=1) / np.sqrt(len(wanted) / 3.0)
        finds: list[Find] = []
        while len(finds) < count:
            nearest = int(distances.argmin())
            if np.isinf(distances[nearest]):
                break
            clip, seconds = everything.clips[nearest], everything.seconds[nearest]
            find = Find(self.clips[clip], float(everything.frames[nearest]), float(distances[nearest]))
            finds.append(find)
            alike = (everything.clips == clip) & (np.abs(everything.seconds - seconds) < APART)
            distances[alike] = np.inf
        return finds

    def _everything(self) -> _Everything:
        if self._joined is None:
            self._joined = _Everything.of(self._parts)
        return self._joined

    def save(self, path: Path) -> None:
        """Write the index as a compressed file of numbers and names; nothing in it can run."""
        if not self.clips:
            raise InputError("The index is empty: add clips before it is saved.")
        with path.open("wb") as file:
            np.savez_compressed(
                file,
                format=np.array(FORMAT),
                direction_counts=np.array(self.direction_counts),
                clips=np.array(self.clips, dtype=np.str_),
                lengths=np.array([len(part.frames) for part in self._parts], np.int64),
                rates=np.array([part.rate for part in self._parts]),
                poses=np.concatenate([part.poses for part in self._parts]),
                frames=np.concatenate([part.frames for part in self._parts]),
            )

    @classmethod
    def load(cls, path: Path) -> PoseIndex:
        """Read what `save` wrote."""
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                values = {name: stored[name] for name in stored.files}
            if int(values["format"]) != FORMAT:
                raise InputError(f"{path.name} was written by another version: build the index again.")
            ends = np.cumsum(values["lengths"])[:-1]
            parts = zip(
                np.split(values["poses"], ends),
                np.split(values["frames"], ends),
                values["rates"],
                strict=True,
            )
            index = cls(bool(values["direction_counts"]), [str(name) for name in values["clips"]])
            index._parts = [_Part(poses, frames, float(rate)) for poses, frames, rate in parts]
        except (OSError, KeyError, ValueError, BadZipFile) as problem:
            raise InputError(f"{path.name} is no index of poses: build it again.") from problem
        return index


def described(
    motion: Motion,
    joints: Mapping[str, int] | None = None,
    rest: Motion | None = None,
    *,
    direction_counts: bool = False,
) -> FloatArray:
    """(F, 25) the nine joints of every frame, so that the distance of two rows is that of the poses."""
    rows = dict(sorted((joints or nine_joints_by_name(motion.names, motion.parents)).items()))
    measured = motion if rest is None else rest
    radius = body_radius(measured)
    ground = measured.positions[:, list(rows.values()), 2].min() / radius
    hips = motion.positions[:, rows.pop("hips")] / radius
    limbs = motion.positions[:, list(rows.values())] / radius - hips[:, None]
    if not direction_counts:
        limbs = _turned(limbs, _across(limbs, list(rows)))
    height = (hips[:, 2:] - ground) * np.sqrt(ROOT_WEIGHT)
    return np.concatenate([limbs.reshape(len(limbs), -1), height], axis=1)


def _across(limbs: FloatArray, names: list[str]) -> FloatArray:
    """(F, 2) the level direction from the right limbs to the left ones."""
    left = [row for row, name in enumerate(names) if name.startswith("left")]
    right = [row for row, name in enumerate(names) if name.startswith("right")]
    return (limbs[:, left].mean(axis=1) - limbs[:, right].mean(axis=1))[:, :2]


def _turned(limbs: FloatArray, across: FloatArray) -> FloatArray:
    """The limbs of every frame turned about the vertical so that `across` points along X."""
    length = np.maximum(np.linalg.norm(across, axis=1), 1e-12)
    cos, sin = (across / length[:, None]).T
    x, y = limbs[..., 0], limbs[..., 1]
    turned = limbs.copy()
    turned[..., 0] = cos[:, None] * x + sin[:, None] * y
    turned[..., 1] = -sin[:, None] * x + cos[:, None] * y
    return turned


@dataclass(frozen=True, eq=False)
class _Part:
    """The frames of one clip."""

    poses: NDArray[np.float32]
    frames: FloatArray
    rate: float  # frames a second


@dataclass(frozen=True, eq=False)
class _Everything:
    """The frames of all clips, one after the other."""

    poses: NDArray[np.float32]
    frames: FloatArray
    seconds: FloatArray
    clips: IntArray  # the number of the clip of each frame

    @classmethod
    def of(cls, parts: Sequence[_Part]) -> _Everything:
        return cls(
            np.concatenate([part.poses for part in parts]),
            np.concatenate([part.frames for part in parts]),
            np.concatenate([part.frames / part.rate for part in parts]),
            np.repeat(np.arange(len(parts)), [len(part.frames) for part in parts]),
        )
