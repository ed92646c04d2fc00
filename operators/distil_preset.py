# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets: an armature's settings under a name, for the next character, kept as Blender keeps its own."""

from __future__ import annotations

from typing import ClassVar

import bpy
from bl_operators.presets import AddPresetBase

from ..core import ALGORITHMS

FOLDER = "posewright/distil"
PLAIN = (
    "algorithm",
    "objective",
    "sub_frames",
    "bones_from",
    "space",
    "max_keys",
    "wanted_error",
    "wanted_slide",
)


def _option_paths() -> list[str]:
    return [f"asked.options.{name}.{option}" for name, each in ALGORITHMS.items() for option in each.options]


class POSEWRIGHT_OT_distil_preset_add(AddPresetBase, bpy.types.Operator):
    """Keep these settings under a name, or remove the preset that is chosen"""

    bl_idname = "posewright.distil_preset_add"
    bl_label = "Add Distil Preset"
    preset_menu = "POSEWRIGHT_PT_distil_presets"
    preset_subdir = FOLDER
    preset_defines: ClassVar[list[str]] = [
        "character = bpy.context.object",
        "character = character.find_armature() or character",
        "asked = character.posewright",
    ]
    preset_values: ClassVar[list[str]] = [
        *(f"asked.{name}" for name in PLAIN),
        *_option_paths(),
        "asked.interpolation",
    ]


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_distil_preset_add,)
