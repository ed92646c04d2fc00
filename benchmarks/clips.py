# SPDX-License-Identifier: GPL-3.0-or-later
"""Real motion capture for tests and benchmarks, read from BVH files without Blender."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from core import Motion, rotations

CLIPS = ("02_01", "13_11", "85_02", "131_03", "49_02", "13_18", "13_29", "06_13")
MISSING = "no mocap clips: put them in ../shared/mocap or name their folder in POSEWRIGHT_MOCAP"


def clip_folder() -> Path | None:
    """Where the clips are, or None."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "mocap"
    folder = Path(os.environ.get("POSEWRIGHT_MOCAP") or beside)
    return folder if (folder / f"{CLIPS[0]}.bvh").is_file() else None


def clip_path(name: str) -> Path:
    folder = clip_folder()
    if folder is None:
        raise FileNotFoundError(MISSING)
    return folder / f"{name}.bvh"


def load_clip(name: str) -> Motion:
    """One clip as a motion of bone tails, without the T-pose that its first frame is.

    Channels are the file's own: the root's place, then every joint's Euler angles in degrees, written
    without jumps as an importer would.
    """
    return read_bvh(clip_path(name), skip=1)


def replay(name: str, channels: np.ndarray) -> np.ndarray:
    """(F, J, 3) where the bone tails of a clip's skeleton are when other channels move it."""
    text = clip_path(name).read_text().partition("MOTION")[0]
    return _z_up(_tails(_hierarchy(text), channels))


@dataclass
class _Joint:
    name: str
    parent: int
    offset: np.ndarray = field(default_factory=lambda: np.zeros(3))
    channels: list[str] = field(default_factory=list)
    end: np.ndarray | None = None


def read_bvh(path: Path, *, skip: int = 0) -> Motion:
    """Bone tails in the units of the file, turned from the file's Y-up to Blender's Z-up."""
    text, _, motion_text = path.read_text().partition("MOTION")
    joints = _hierarchy(text)
    numbers = motion_text.split()
    count, frame_time = int(numbers[1]), float(numbers[4])
    values = np.array(numbers[5:], dtype=np.float64).reshape(count, -1)[skip:]
    return Motion(
        _z_up(_tails(joints, values)),
        frames=np.arange(1, len(values) + 1),
        fps=1.0 / frame_time,
        channels=_without_jumps(joints, values),
        owners=np.repeat(np.arange(len(joints)), [len(joint.channels) for joint in joints]),
        names=[joint.name for joint in joints],
        parents=[joint.parent for joint in joints],
    )


def _z_up(points: np.ndarray) -> np.ndarray:
    return np.stack([points[..., 0], -points[..., 2], points[..., 1]], axis=-1)


def _hierarchy(text: str) -> list[_Joint]:
    joints: list[_Joint] = []
    open_joints: list[int] = []
    in_end_site = False
    for line in text.splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] in ("ROOT", "JOINT"):
            joints.append(_Joint(words[1], open_joints[-1] if open_joints else -1))
            open_joints.append(len(joints) - 1)
        elif words[0] == "End":
            in_end_site = True
        elif words[0] == "OFFSET":
            offset = np.array(words[1:4], dtype=np.float64)
            if in_end_site:
                joints[open_joints[-1]].end = offset
            else:
                joints[-1].offset = offset
        elif words[0] == "CHANNELS":
            joints[-1].channels = words[2:]
        elif words[0] == "}":
            if in_end_site:
                in_end_site = False
            else:
                open_joints.pop()
    return joints


def _axis_rotation(axis: str, degrees: np.ndarray) -> np.ndarray:
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    matrix = np.zeros((len(degrees), 3, 3))
    i, j, k = {"X": (0, 1, 2), "Y": (1, 2, 0), "Z": (2, 0, 1)}[axis]
    matrix[:, i, i] = 1.0
    matrix[:, j, j] = matrix[:, k, k] = cos
    matrix[:, j, k] = -sin
    matrix[:, k, j] = sin
    return matrix


def _without_jumps(joints: list[_Joint], values: np.ndarray) -> np.ndarray:
    """The same rotations with angles that neither wrap around nor flip."""
    values = values.copy()
    column = 0
    for joint in joints:
        turns = [place for place, channel in enumerate(joint.channels) if channel.endswith("rotation")]
        axes = "".join(joint.channels[place][0] for place in turns)
        if len(set(axes)) == 3:
            # The file begins with the axis that turns last, core with the first, and its angles are X, Y, Z.
            columns = [column + turns[axes.index(axis)] for axis in "XYZ"]
            angles = np.radians(values[:, columns])
            values[:, columns] = np.degrees(rotations.continuous_euler(angles, axes[::-1]))
        column += len(joint.channels)
    return values


def _tails(joints: list[_Joint], values: np.ndarray) -> np.ndarray:
    """Forward kinematics, every frame at once: a bone's tail is its end site or its children's middle."""
    frames = len(values)
    rotations, heads, tails = [], [], []
    column = 0
    for index, joint in enumerate(joints):
        local = np.broadcast_to(np.eye(3), (frames, 3, 3))
        head = np.broadcast_to(joint.offset, (frames, 3)).copy()
        for channel in joint.channels:
            track = values[:, column]
            column += 1
            if channel.endswith("position"):
                head[:, "XYZ".index(channel[0])] += track
            else:
                local = local @ _axis_rotation(channel[0], track)
        if joint.parent >= 0:
            head = heads[joint.parent] + np.einsum("fij,fj->fi", rotations[joint.parent], head)
            local = rotations[joint.parent] @ local
        rotations.append(local)
        heads.append(head)
        children = [child.offset for child in joints if child.parent == index]
        reach = np.mean(children, axis=0) if children else joint.end
        tails.append(head + np.einsum("fij,j->fi", local, np.zeros(3) if reach is None else reach))
    return np.stack(tails, axis=1)
