# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of the command line as an armature's settings."""

from __future__ import annotations

from typing import Any

import bpy

from ..bridge.distil import weight_presets


def ask(armature: bpy.types.Object, settings: dict[str, Any]) -> None:
    """How keys are chosen; what was not said stays as the file has it."""
    asked = armature.posewright
    asked.algorithm, asked.objective = settings["algorithm"], settings["objective"]
    for name, value in settings["options"].items():
        setattr(getattr(asked.options, settings["algorithm"]), name, value)
    if settings["range"] is not None:
        asked.range_from = "NUMBERS"
        asked.range_start, asked.range_end = settings["range"]
    if settings["sub_frames"]:
        asked.sub_frames = True
    if settings["bones"] is not None:
        asked.bones_from = settings["bones"].upper()
    if settings["space"] is not None:
        asked.space = settings["space"]
    if settings["weights"] is not None:
        preset = settings["weights"].replace("-", " ")
        weight_presets.set_weights(armature, weight_presets.preset_weights(armature, preset))
    asked.max_keys = settings["keys"] or 0
