# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure: how far what plays is from the original."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_n as n_
from bpy.app.translations import pgettext_rpt as rpt_

from ..bridge.distil import measuring, reductions
from ..bridge.lengths import length
from .armature_operator import active_armature
from .stepped import SteppedArmatureOperator, Steps


class POSEWRIGHT_OT_measure(SteppedArmatureOperator, bpy.types.Operator):
    """Compare what plays now with the original, joint by joint and frame by frame, as Blender plays both"""

    bl_idname = "posewright.measure"
    bl_label = "Measure Error"
    doing = n_("Measuring")

    @classmethod
    def why_not(cls, armature: bpy.types.Object) -> str:
        reduction = reductions.find(armature)
        if reduction is not None and reduction.shows_original:
            return "Turn Show Original off: the keys are compared with it"
        return super().why_not(armature)

    def steps(self, context: bpy.types.Context) -> Steps:
        return measuring.measure_in_steps(active_armature(context))

    def finished(self, context: bpy.types.Context, result: measuring.Figures) -> None:
        """What a line holds, as the panel writes it. The rest is in the panel Quality."""
        measured = rpt_("Mean error {mean} ({mean_share} of the height), largest {largest} ({largest_share})")
        told = measured.format(
            mean=length(context, result.mean),
            mean_share=measuring.percent(result.mean_share),
            largest=length(context, result.largest),
            largest_share=measuring.percent(result.largest_share),
        )
        quality = result.quality
        if quality.slides:
            sliding = rpt_(". Feet that stand slide {slide}, at most {worst}")
            slide, worst = length(context, quality.slide), length(context, quality.worst_slide)
            told += sliding.format(slide=slide, worst=worst)
        self.report({"INFO"}, told)


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_measure,)
