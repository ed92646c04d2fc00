# SPDX-License-Identifier: GPL-3.0-or-later
"""The bones of the demo character: 1.8 m tall, in a T-pose, facing -Y, its left side at +X."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Bone(NamedTuple):
    name: str
    parent: str | None
    head: tuple[float, float, float]
    tail: tuple[float, float, float]
    thickness: float  # of the body part around it


_MIDDLE = (
    Bone("hips", None, (0.0, 0.0, 0.96), (0.0, 0.0, 1.06), 0.145),
    Bone("waist", "hips", (0.0, 0.0, 1.06), (0.0, 0.0, 1.19), 0.13),
    Bone("spine", "waist", (0.0, 0.0, 1.19), (0.0, 0.0, 1.33), 0.14),
    Bone("chest", "spine", (0.0, 0.0, 1.33), (0.0, 0.0, 1.49), 0.15),
    Bone("neck", "chest", (0.0, 0.0, 1.49), (0.0, -0.01, 1.54), 0.06),
    Bone("nape", "neck", (0.0, -0.01, 1.54), (0.0, -0.015, 1.60), 0.058),
    Bone("head", "nape", (0.0, -0.015, 1.60), (0.0, -0.02, 1.80), 0.095),
)

_LEFT = (
    Bone("shoulder.L", "chest", (0.03, 0.0, 1.45), (0.17, 0.0, 1.44), 0.07),
    Bone("upper_arm.L", "shoulder.L", (0.17, 0.0, 1.44), (0.45, 0.01, 1.44), 0.052),
    Bone("forearm.L", "upper_arm.L", (0.45, 0.01, 1.44), (0.70, 0.0, 1.44), 0.042),
    Bone("hand.L", "forearm.L", (0.70, 0.0, 1.44), (0.79, 0.0, 1.44), 0.045),
    Bone("fingers.L", "hand.L", (0.79, 0.0, 1.44), (0.84, 0.0, 1.44), 0.038),
    Bone("fingertips.L", "fingers.L", (0.84, 0.0, 1.44), (0.88, 0.0, 1.44), 0.03),
    Bone("thumb.L", "hand.L", (0.72, -0.03, 1.44), (0.77, -0.07, 1.43), 0.016),
    Bone("hip.L", "hips", (0.0, 0.0, 0.96), (0.09, 0.0, 0.92), 0.09),
    Bone("thigh.L", "hip.L", (0.09, 0.0, 0.92), (0.09, -0.012, 0.50), 0.082),
    Bone("shin.L", "thigh.L", (0.09, -0.012, 0.50), (0.09, 0.0, 0.09), 0.058),
    Bone("foot.L", "shin.L", (0.09, 0.0, 0.09), (0.09, -0.13, 0.025), 0.045),
    Bone("toe.L", "foot.L", (0.09, -0.13, 0.025), (0.09, -0.20, 0.02), 0.038),
)


def _mirrored(bone: Bone) -> Bone:
    def flip(point: tuple[float, float, float]) -> tuple[float, float, float]:
        return (-point[0], point[1], point[2])

    parent = bone.parent.replace(".L", ".R") if bone.parent else None
    return Bone(bone.name.replace(".L", ".R"), parent, flip(bone.head), flip(bone.tail), bone.thickness)


BONES = (*_MIDDLE, *_LEFT, *(_mirrored(bone) for bone in _LEFT))
BY_NAME = {bone.name: bone for bone in BONES}


def head(name: str) -> Array:
    return np.array(BY_NAME[name].head)


def along(name: str) -> Array:
    """From head to tail."""
    return np.array(BY_NAME[name].tail) - head(name)


def length(name: str) -> float:
    return float(np.linalg.norm(along(name)))
