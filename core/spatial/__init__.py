# SPDX-License-Identifier: GPL-3.0-or-later
"""Spatial keyframing (Igarashi, Moscovich and Hughes 2005): poses at places, blended live by one cursor."""

from .ik import Effector, JointLimits, Reached, solve_ik
from .keyframes import SpatialKeyframes
from .locomotion import Ground, Locomotion, Walk, walk
from .orthonormal import nearest_rotation, orthonormalise
from .sets import Part, Pose, SetSwitch, blend_sets
from .skeleton import Skeleton

__all__ = [
    "Effector",
    "Ground",
    "JointLimits",
    "Locomotion",
    "Part",
    "Pose",
    "Reached",
    "SetSwitch",
    "Skeleton",
    "SpatialKeyframes",
    "Walk",
    "blend_sets",
    "nearest_rotation",
    "orthonormalise",
    "solve_ik",
    "walk",
]
