# SPDX-License-Identifier: GPL-3.0-or-later
"""Spatial keyframing (Igarashi, Moscovich and Hughes 2005): poses at places, blended live by one cursor."""

from .keyframes import SpatialKeyframes
from .orthonormal import nearest_rotation, orthonormalise

__all__ = ["SpatialKeyframes", "nearest_rotation", "orthonormalise"]
