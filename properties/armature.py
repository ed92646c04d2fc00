# SPDX-License-Identifier: GPL-3.0-or-later
"""`Object.posewright`: settings and state of an armature."""

from __future__ import annotations

import bpy
from bpy.props import PointerProperty

from .spatial import SpatialSettings


class PosewrightObject(bpy.types.PropertyGroup):
    """Everything Posewright keeps on an armature."""

    spatial: PointerProperty(type=SpatialSettings)
