# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything Posewright computes, in plain numpy: no Blender is needed to use or test it."""

from . import metrics, rotations, spatial
from .compress import principal_components
from .errors import Cancelled, InputError
from .fitting.bezier import Handles
from .fitting.fit import Fitter, fit_handles
from .fitting.influence import channel_influence
from .loops import is_loop
from .motion import Motion
from .objectives import OBJECTIVES
from .reconstruct import reconstruct, reconstruct_quaternions
from .selection import ALGORITHMS, select
from .solutions import Solutions
from .spatial import (
    Effector,
    Ground,
    JointLimits,
    Locomotion,
    Skeleton,
    SpatialKeyframes,
    blend_sets,
    orthonormalise,
    solve_ik,
    walk,
)
from .sweet_spots import smallest_count, sweet_spots

__all__ = [
    "ALGORITHMS",
    "OBJECTIVES",
    "Cancelled",
    "Effector",
    "Fitter",
    "Ground",
    "Handles",
    "InputError",
    "JointLimits",
    "Locomotion",
    "Motion",
    "Skeleton",
    "Solutions",
    "SpatialKeyframes",
    "blend_sets",
    "channel_influence",
    "fit_handles",
    "is_loop",
    "metrics",
    "orthonormalise",
    "principal_components",
    "reconstruct",
    "reconstruct_quaternions",
    "rotations",
    "select",
    "smallest_count",
    "solve_ik",
    "spatial",
    "sweet_spots",
    "walk",
]
