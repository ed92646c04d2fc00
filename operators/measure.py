# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure: how far what plays is from the original."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_n as n_
from bpy.app.translations import pgettext_rpt as rpt_

from ..bridge.distil import measuring, reductions
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

    def finished(self, _context: bpy.types.Context, result: measuring.Figures) -> None:
        measured = rpt_(
            "Mean error {mean:.4g} ({mean_share} of the height), largest {largest:.4g} ({largest_share})"
        )
        told = measured.format(
            mean=result.mean,
            mean_share=measuring.percent(result.mean_share),
            largest=result.largest,
            largest_share=measuring.percent(result.largest_share),
        )
        quality = result.quality
        if quality.slides:
            sliding = rpt_(". Feet that stand slide {slide:.4g}, at most {worst:.4g}, and sink {sinking:.4g}")
            told += sliding.format(slide=quality.slide, worst=quality.worst_slide, sinking=quality.sinking)
        if quality.flight_error:
            told += rpt_(". In the air its speed is off by {off:.4g} a second").format(
                off=quality.flight_error
            )
        rougher = rpt_(
            ". Jerk is {jerk:.4g} above the original's. Points 3 cm beside bones are off by {half:.4g}, "
            "95% of them by at most {most:.4g} and 99% by {nearly_all:.4g}"
        )
        half, most, nearly_all = quality.beside
        told += rougher.format(jerk=quality.added_jerk, half=half, most=most, nearly_all=nearly_all)
        self.report({"INFO"}, told)


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_measure,)
