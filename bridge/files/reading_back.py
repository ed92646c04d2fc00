# SPDX-License-Identifier: GPL-3.0-or-later
"""What was written is opened again and compared with what it should play, joint by joint, in the world."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import bpy
import numpy as np

from ...core import InputError
from ...core.motion import FloatArray
from .. import sampling, stages
from . import open_file
from .played_takes import frames_of, heads
from .takes import Pose, Take, alone

# Rounding explains less than this, as shares of the height.
MEAN_TOLERANCE, LARGEST_TOLERANCE = 1e-3, 1e-2


@dataclass(frozen=True, eq=False)
class Performance:
    """What a take plays: plain numbers, which stay when another file is opened.

    Attributes:
        frames: (F,) at the rate of the scene.
        seconds: (F,) from its first key on.
        joints: (F, B, 3) where the bones start, in the world.
        pose, layers: of the take, see there.
    """

    name: str
    armature: str
    bones: tuple[str, ...]
    frames: FloatArray
    seconds: FloatArray
    joints: FloatArray
    height: float
    pose: Pose
    layers: frozenset[str]

    def on_whole_frames(self) -> Performance:
        """What a format that holds a pose a frame has to play."""
        whole = np.abs(self.frames - np.round(self.frames)) < sampling.SAME_FRAME
        return replace(
            self, frames=self.frames[whole], seconds=self.seconds[whole], joints=self.joints[whole]
        )


@dataclass(frozen=True)
class Difference:
    """Mean and largest distance of joints."""

    mean: float
    largest: float


def perform(take: Take, action: bpy.types.Action, seconds: FloatArray | None = None) -> Performance:
    """What one of a take's actions plays, at its frames or at given times."""
    rate = stages.frames_per_second(bpy.context.scene)
    with alone(take, action) as armature:
        frames = frames_of(armature)
        frames = frames if seconds is None else frames[0] + seconds * rate
        return Performance(
            take.name,
            armature.name,
            tuple(bone.name for bone in armature.data.bones),
            frames,
            (frames - frames[0]) / rate,
            heads(armature, frames),
            sampling.height_of(armature),
            take.pose,
            take.layers,
        )


def difference(one: Performance, other: Performance) -> Difference:
    distances = np.linalg.norm(one.joints - other.joints, axis=-1)
    return Difference(float(distances.mean()), float(distances.max()))


def read_back(path: Path, wanted: list[Performance]) -> list[Performance]:
    """Open a file in place of what is loaded: what it plays of each take that should be in it."""
    takes = open_file(path, reduced_too=True).takes.found
    found = [_matching(takes, each, alone_in_file=len(wanted) == 1) for each in wanted]
    if path.suffix.lower() == ".blend":
        # What an action does not animate has in a .blend the pose that was shown last.
        found = [
            replace(take, pose=each.pose, layers=each.layers, reduced=take.action)
            for take, each in zip(found, wanted, strict=True)
        ]
    return [
        _in_order(perform(take, take.played, each.seconds), each)
        for take, each in zip(found, wanted, strict=True)
    ]


def _matching(takes: list[Take], wanted: Performance, *, alone_in_file: bool) -> Take:
    named = [take for take in takes if take.name == wanted.name] or (takes if alone_in_file else [])
    bones = set(wanted.bones)
    fitting = [take for take in named if bones <= set(take.armature.data.bones.keys())] or named
    if not fitting:
        raise InputError(
            "What was written has no {wanted} when it is opened again: nothing was kept.", wanted=wanted.name
        )
    return next((take for take in fitting if take.armature.name == wanted.armature), fitting[0])


def _in_order(found: Performance, wanted: Performance) -> Performance:
    """Joints in the order of what was wanted; by their place where a format has no room for their names."""
    numbers = {name: number for number, name in enumerate(found.bones)}
    if not all(name in numbers for name in wanted.bones):
        if len(found.bones) != len(wanted.bones):
            raise InputError(
                "What was written of {wanted} has other bones when it is opened again.", wanted=wanted.name
            )
        return found
    joints = found.joints[:, [numbers[name] for name in wanted.bones]]
    return replace(found, bones=wanted.bones, joints=joints)


def check(wanted: Performance, found: Performance) -> None:
    """Say so where a file plays something else than what was reduced."""
    off = difference(wanted, found)
    if off.mean > MEAN_TOLERANCE * wanted.height or off.largest > LARGEST_TOLERANCE * wanted.height:
        share = 100.0 / wanted.height
        raise InputError(
            "What was written plays differently when it is opened again: {wanted} is "
            "{mean:.2f} % of the height off in the mean, {largest:.2f} % at most. "
            "Nothing was kept; choose another --format.",
            wanted=wanted.name,
            mean=off.mean * share,
            largest=off.largest * share,
        )
