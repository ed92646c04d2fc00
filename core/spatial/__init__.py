# SPDX-License-Identifier: GPL-3.0-or-later
"""Spatial keyframing (Igarashi, Moscovich and Hughes 2005): poses at places, blended live by one cursor."""

from .ik import Effector, JointLimits, Reached, solve_ik
from .keyframes import SpatialKeyframes
from .orthonormal import nearest_rotation, orthonormalise
from .skeleton import Skeleton

__all__ = [
    "Effector",
    "JointLimits",
    "Reached",
    "Skeleton",
    "SpatialKeyframes",
    "nearest_rotation",
    "orthonormalise",
    "solve_ik",
]
