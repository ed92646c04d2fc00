# SPDX-License-Identifier: GPL-3.0-or-later
"""A BVH file as its text says it: joints, channels, frames, and where the joints are."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np


@dataclass
class Joint:
    name: str
    parent: int
    offset: np.ndarray = field(default_factory=lambda: np.zeros(3))
    channels: tuple[str, ...] = ()


@dataclass
class Bvh:
    joints: list[Joint]
    frame_time: float
    rows: np.ndarray  # (F, C)

    def positions(self) -> np.ndarray:
        """(F, J, 3) every joint in the axes of the file; channels of a place stand for the offset."""
        turns = np.empty((len(self.rows), len(self.joints), 3, 3))
        places = np.empty((len(self.rows), len(self.joints), 3))
        column = 0
        for number, joint in enumerate(self.joints):
            turn = np.broadcast_to(np.eye(3), (len(self.rows), 3, 3))
            place = np.tile(joint.offset, (len(self.rows), 1))
            for channel in joint.channels:
                values, axis = self.rows[:, column], "XYZ".index(channel[0])
                if channel.endswith("position"):
                    place[:, axis] = values
                else:
                    turn = turn @ about(axis, np.radians(values))
                column += 1
            if joint.parent >= 0:
                place = (turns[:, joint.parent] @ place[..., None])[..., 0] + places[:, joint.parent]
                turn = turns[:, joint.parent] @ turn
            turns[:, number], places[:, number] = turn, place
        return places


def about(axis: int, angles: np.ndarray) -> np.ndarray:
    """(F, 3, 3) rotations about one axis."""
    turn = np.zeros((len(angles), 3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    turn[:, axis, axis] = 1.0
    turn[:, i, i] = turn[:, j, j] = np.cos(angles)
    turn[:, j, i] = np.sin(angles)
    turn[:, i, j] = -np.sin(angles)
    return turn


def read(path: Path) -> Bvh:
    head, _, motion = path.read_text().partition("MOTION")
    joints: list[Joint] = []
    open_joints: list[int] = []
    words = head.split()
    at = 0
    end_site = False
    while at < len(words):
        word = words[at]
        if word in ("ROOT", "JOINT"):
            joints.append(Joint(words[at + 1], open_joints[-1] if open_joints else -1))
            end_site = False
        elif word == "End":
            end_site = True
        elif word == "{":
            open_joints.append(-1 if end_site else len(joints) - 1)
        elif word == "}":
            open_joints.pop()
            end_site = False
        elif word == "OFFSET" and not end_site:
            joints[-1].offset = np.array([float(number) for number in words[at + 1 : at + 4]])
        elif word == "CHANNELS":
            joints[-1].channels = tuple(words[at + 2 : at + 2 + int(words[at + 1])])
        at += 1
    numbers = motion.split()
    rows = np.array(numbers[5:], float).reshape(int(numbers[1]), -1)
    return Bvh(joints, float(numbers[4]), rows)
