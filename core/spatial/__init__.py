# SPDX-License-Identifier: GPL-3.0-or-later
"""Spatial keyframing (Igarashi, Moscovich and Hughes 2005): poses at places, blended live by one cursor.

`keyframes`       poses at places                      `radial_basis`       how much each counts where
`orthonormal`     blended matrices as rotations        `rotation`           turns as vectors
`value_blending`  numbers that are no transforms       `set_blending`       several sets at once
`easing`          changes without a jolt               `skeleton`           where bones are in a pose
`inheritance`     what they take from parents          `ik`                 reaching
`effectors`       what is to be reached                `locomotion`         travelling on feet that hold
`stride`          a walk along a path                  `ground_path`        a way that was drawn
`ring`            a closed way, such as a walk's       `likeness`           places found by likeness
`mirrored_axes`   bones seen in a mirror
"""

from .easing import smoothstep
from .effectors import Effector, JointLimits
from .ground_path import GroundPath
from .ik import Reached, solve_ik
from .inheritance import Inheritance
from .keyframes import SpatialKeyframes
from .likeness import Likeness, places_that_play
from .locomotion import IN_THE_AIR, Ground, Locomotion, Walk, walk
from .orthonormal import nearest_rotation, orthonormalise
from .ring import Ring
from .set_blending import Part, Pose, add_on_top, blend_sets
from .skeleton import Skeleton
from .stride import Course, FootShift, Stride, foot_shift
from .value_blending import ValuesPart, add_values_on_top, blend_set_values, blend_values

__all__ = [
    "IN_THE_AIR",
    "Course",
    "Effector",
    "FootShift",
    "Ground",
    "GroundPath",
    "Inheritance",
    "JointLimits",
    "Likeness",
    "Locomotion",
    "Part",
    "Pose",
    "Reached",
    "Ring",
    "Skeleton",
    "SpatialKeyframes",
    "Stride",
    "ValuesPart",
    "Walk",
    "add_on_top",
    "add_values_on_top",
    "blend_set_values",
    "blend_sets",
    "blend_values",
    "foot_shift",
    "nearest_rotation",
    "orthonormalise",
    "places_that_play",
    "smoothstep",
    "solve_ik",
    "walk",
]
