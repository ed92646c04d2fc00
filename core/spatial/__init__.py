# SPDX-License-Identifier: GPL-3.0-or-later
"""Spatial keyframing (Igarashi, Moscovich and Hughes 2005): poses at places, blended live by one cursor."""

from .easing import smoothstep
from .effectors import Effector, JointLimits
from .ik import Reached, solve_ik
from .inheritance import Inheritance
from .keyframes import SpatialKeyframes
from .likeness import Likeness, places_that_play
from .locomotion import Ground, Locomotion, Walk, walk
from .orthonormal import nearest_rotation, orthonormalise
from .set_blending import Part, Pose, add_on_top, blend_sets
from .skeleton import Skeleton

__all__ = [
    "Effector",
    "Ground",
    "Inheritance",
    "JointLimits",
    "Likeness",
    "Locomotion",
    "Part",
    "Pose",
    "Reached",
    "Skeleton",
    "SpatialKeyframes",
    "Walk",
    "add_on_top",
    "blend_sets",
    "nearest_rotation",
    "orthonormalise",
    "places_that_play",
    "smoothstep",
    "solve_ik",
    "walk",
]
