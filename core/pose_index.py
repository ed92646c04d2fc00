# SPDX-License-Identifier: GPL-3.0-or-later
"""`PoseIndex`: the poses of many clips, to be searched for one that looks like another.

Named as future work by Tanuwijaya and Ohno and by Halit and Capin. Poses are compared as `keyposes` compares
them: nine joints as seen from the hips, and the height of the hips with a weight of its own. So that
characters of all sizes, at all places and of all importers can be compared, lengths are measured in limbs of
the character, heights from where its feet usually stand, and all poses are turned to look the same way.

Every frame is looked at, which is quick (`benchmarks/find_pose.py`). Bounds for blocks of neighbours, which
would leave most frames out, were tried and took longer than they spared.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from .anatomy import Character, facing, joint_at_head, nine_joints
from .checks import FloatArray
from .errors import InputError
from .motion import Motion

ROOT_WEIGHT = 5.0  # of the height of the hips, as in the paper
COUNTING = 8.0 + ROOT_WEIGHT  # how many joints a distance is the mean of
STANDING = 25  # percent of the frames, at least, in which a foot is on the ground
APART = 0.5  # seconds between two finds in one clip: neighbours look alike and say nothing new
FORMAT = 2  # of the file


@dataclass(frozen=True)
class IndexedClip:
    """What a clip is known by.

    Attributes:
        name: of the action.
        file: that it is in; empty for one that was never saved.
        stamp: changes with what is in it.
    """

    name: str
    file: str = ""
    stamp: str = ""


@dataclass(frozen=True)
class Find:
    """A frame that looks like what was asked for."""

    clip: IndexedClip
    frame: float
    distance: float  # root mean square over joints, in lengths of a limb


@dataclass(frozen=True, eq=False)
class Postures:
    """The poses of a motion as they are compared: the distance of two rows is that of the poses.

    Attributes:
        rows: (F, 25) where eight joints are from the hips, and how high these are.
        frames: (F,) their numbers, `fps` of them a second.
    """

    rows: NDArray[np.float32]
    frames: FloatArray
    fps: float

    def __len__(self) -> int:
        return len(self.frames)

    @classmethod
    def of(cls, motion: Motion, character: Character, *, ground: float | None = None) -> Postures:
        """Those of a character in motion.

        Args:
            ground: where the feet usually stand, see `ground_of`; told by the motion if left out.
        """
        joints = nine_joints(motion.names, motion.parents, character)
        hips = motion.positions[:, joints.pop("hips")]
        limbs = motion.positions[:, [joints[name] for name in sorted(joints)]] - hips[:, None]
        if ground is None:
            ground = ground_of(motion, character)
        bones, heads = _heads(motion, [limb.upper for limb in (*character.legs, *character.arms)])
        turned = _turned(limbs, facing(character, bones, heads))
        height = (hips[:, 2:] - ground) * np.sqrt(ROOT_WEIGHT)
        rows = np.concatenate([turned.reshape(len(turned), -1), height], axis=1)
        rows /= _limb_length(motion, character, joints) * np.sqrt(COUNTING)
        return cls(rows.astype(np.float32), motion.frames, motion.fps)


def ground_of(motion: Motion, character: Character) -> float:
    """How high the lower ankle usually is, which stands for the ground.

    Soles depend on whether there is a mesh and toes, and by the lowest place of all a single step too deep
    would lift every pose of the clip.
    """
    joints = nine_joints(motion.names, motion.parents, character)
    ankles = motion.positions[:, [joints["left foot"], joints["right foot"]], 2]
    return float(np.percentile(ankles.min(axis=1), STANDING))


def _heads(motion: Motion, bones: list[str]) -> tuple[list[str], FloatArray]:
    """Those of the bones that were sampled, and (F, B, 3) where they begin."""
    rows = {bone: joint_at_head(motion.names, motion.parents, bone) for bone in bones}
    found = {bone: row for bone, row in rows.items() if row is not None}
    return list(found), motion.positions[:, list(found.values())]


def _limb_length(motion: Motion, character: Character, joints: Mapping[str, int]) -> float:
    """How long arms and legs are on average, from shoulder to hand and from hip to foot."""
    limbs = (*character.legs, *character.arms)[:4]
    _, uppers = _heads(motion, [limb.upper for limb in limbs])
    lower, end = (
        motion.positions[:, [row for name, row in joints.items() if name.endswith(parts)]]
        for parts in (("knee", "elbow"), ("foot", "hand"))
    )
    lengths = np.linalg.norm(lower - uppers, axis=2) + np.linalg.norm(end - lower, axis=2)
    return float(np.median(lengths.mean(axis=1))) or 1.0


def _turned(limbs: FloatArray, looks: FloatArray) -> FloatArray:
    """The limbs of every frame turned about the vertical so that the character looks along X."""
    cos, sin = looks[:, :1], looks[:, 1:2]
    x, y, z = np.moveaxis(limbs, 2, 0)
    return np.stack([cos * x + sin * y, cos * y - sin * x, z], axis=2)


@dataclass
class PoseIndex:
    """All frames of the clips that were added; the last of a file and name counts."""

    _parts: dict[tuple[str, str], tuple[IndexedClip, Postures]] = field(default_factory=dict)
    _joined: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return sum(len(postures) for _, postures in self._parts.values())

    @property
    def clips(self) -> list[IndexedClip]:
        return [clip for clip, _ in self._parts.values()]

    def postures(self, clip: IndexedClip) -> Postures:
        """The poses of a clip that was added."""
        return self._parts[clip.file, clip.name][1]

    def add(self, clip: IndexedClip, postures: Postures) -> None:
        """Add all frames of a clip, in place of what it was before."""
        self.remove(clip)
        self._parts[clip.file, clip.name] = clip, postures

    def remove(self, clip: IndexedClip) -> None:
        """Forget a clip, if it is known."""
        self._parts.pop((clip.file, clip.name), None)
        self._joined = None

    def update(self, other: PoseIndex) -> None:
        """Add all clips of another index."""
        self._parts |= other._parts
        self._joined = None

    def find(self, wanted: Postures, *, count: int = 10) -> list[Find]:
        """The frames most like the first one of `wanted`, best first, half a second apart in each clip."""
        if not self._parts:
            raise InputError("The index is empty: add clips to search first.")
        parts = list(self._parts.values())
        starts = np.cumsum([0, *(len(postures) for _, postures in parts)])
        distances = np.linalg.norm(self._everything() - wanted.rows[0], axis=1)
        finds: list[Find] = []
        while len(finds) < count:
            nearest = int(distances.argmin())
            if np.isinf(distances[nearest]):
                break
            number = int(np.searchsorted(starts, nearest, side="right")) - 1
            (clip, postures), start = parts[number], int(starts[number])
            frame = float(postures.frames[nearest - start])
            finds.append(Find(clip, frame, float(distances[nearest])))
            alike = np.abs(postures.frames - frame) < APART * postures.fps
            distances[start : start + len(postures)][alike] = np.inf
        return finds

    def _everything(self) -> NDArray[np.float32]:
        if self._joined is None:
            self._joined = np.concatenate([postures.rows for _, postures in self._parts.values()])
        return self._joined

    def save(self, path: Path) -> None:
        """Write the index as a file of numbers and names; nothing in it can run."""
        if not self._parts:
            raise InputError("The index is empty: add clips before it is saved.")
        parts = [postures for _, postures in self._parts.values()]
        with path.open("wb") as file:
            np.savez(
                file,
                format=np.array(FORMAT),
                clips=np.frombuffer(json.dumps([astuple(each) for each in self.clips]).encode(), np.uint8),
                lengths=np.array([len(each) for each in parts], np.int64),
                rates=np.array([each.fps for each in parts]),
                rows=self._everything(),
                frames=np.concatenate([each.frames for each in parts]),
            )

    @classmethod
    def load(cls, path: Path) -> PoseIndex:
        """Read what `save` wrote."""
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                values = {name: stored[name] for name in stored.files}
            if int(values["format"]) != FORMAT:
                raise InputError(
                    "{path} was written by another version: build the index again.", path=path.name
                )
            ends = np.cumsum(values["lengths"])[:-1]
            index = cls()
            for words, rows, frames, fps in zip(
                json.loads(values["clips"].tobytes()),
                np.split(values["rows"], ends),
                np.split(values["frames"], ends),
                values["rates"].tolist(),
                strict=True,
            ):
                index.add(IndexedClip(*words), Postures(rows, frames, fps))
        except (OSError, KeyError, ValueError, TypeError, BadZipFile) as problem:
            raise InputError("{path} is no index of poses: build it again.", path=path.name) from problem
        return index
