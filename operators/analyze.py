# SPDX-License-Identifier: GPL-3.0-or-later
"""Analyze: find the best keys for every number of keys."""

from __future__ import annotations

import bpy

from ..bridge.distil import reduced
from ..bridge.distil.analysis import run
from ..core import InputError
from .armature_operator import ArmatureOperator


class POSEWRIGHT_OT_analyze(ArmatureOperator, bpy.types.Operator):
    """Find the best keys of the armature's action, for every number of keys, and reduce it to a few"""

    bl_idname = "posewright.analyze"
    bl_label = "Analyze"

    @classmethod
    def why_not(cls, armature: bpy.types.Object) -> str:
        data = armature.animation_data
        return "" if data is not None and data.action is not None else "Give the armature an action first"

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        analysis = run(reduced.analyse_in_steps(armature, context.scene, beside=False))
        if armature.posewright.problem:
            raise InputError(armature.posewright.problem)
        counts = analysis.solutions.counts
        self.report({"INFO"}, f"{counts[0]} to {counts[-1]} keys from {len(analysis.frames)} frames")


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_analyze,)
