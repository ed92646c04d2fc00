# SPDX-License-Identifier: GPL-3.0-or-later
"""What is in the lists of an armature's settings: weights of bones and frames that are keys."""

from __future__ import annotations

import bpy
from bpy.props import FloatProperty

from .declared import setting


def _name_frame(group: PosewrightFixedFrame, _context: bpy.types.Context) -> None:
    """Blender loses the last item of an override's list if it has no name."""
    group.name = f"{group.frame:g}"


class PosewrightBoneWeight(bpy.types.PropertyGroup):
    """How much one bone counts; it has the bone's name"""

    weight: setting(
        FloatProperty,
        "Weight",
        "How much this bone counts: 2 counts like two bones, 0 not at all",
        default=1.0,
        min=0.0,
        soft_max=10.0,
    )


class PosewrightFixedFrame(bpy.types.PropertyGroup):
    """A frame that is a key in every solution"""

    frame: setting(
        FloatProperty,
        "Frame",
        "This frame becomes a key whatever the key count",
        update=_name_frame,
    )
