# SPDX-License-Identifier: GPL-3.0-or-later
"""`Scene.posewright`: settings of a scene."""

from __future__ import annotations

import bpy
from bpy.props import PointerProperty

from .pictures import GhostSettings
from .search import SearchSettings


class PosewrightScene(bpy.types.PropertyGroup):
    """Everything Posewright keeps on a scene."""

    ghosts: PointerProperty(
        name="Ghosts", description="How key poses are shown over the scene", type=GhostSettings
    )
    search: PointerProperty(
        name="Find Pose", description="What Find Pose searches and what it found last", type=SearchSettings
    )
