# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure: how far what plays is from the original."""

from __future__ import annotations

import bpy

from ..bridge.distil import playback
from .armature_operator import ArmatureOperator


class POSEWRIGHT_OT_measure(ArmatureOperator, bpy.types.Operator):
    """Compare what plays now with the original, joint by joint and frame by frame, as Blender plays both"""

    bl_idname = "posewright.measure"
    bl_label = "Measure Error"

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        figures = playback.measure(armature)
        asked = armature.posewright
        asked.measured_count = figures.keys
        asked.measured_mean, asked.measured_largest = figures.mean, figures.largest
        self.report(
            {"INFO"},
            f"Mean error {figures.mean:.4g} ({figures.mean_share:.2%} of the height), "
            f"largest {figures.largest:.4g} ({figures.largest_share:.2%})",
        )


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_measure,)
