# SPDX-License-Identifier: GPL-3.0-or-later
"""Show over time where the motion of the active armature stands out."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_n as n_
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import EnumProperty, StringProperty

from ..bridge.pictures import attention, images, show
from ..core.picture import Canvas
from .armature_operator import active_armature, what_is_missing
from .file_options import FILE_OPTIONS
from .stepped import SteppedArmatureOperator, Steps


class POSEWRIGHT_OT_saliency_plot(SteppedArmatureOperator, bpy.types.Operator):
    """Plot where the motion stands out from what surrounds it, and which keys Saliency suggests"""

    bl_idname = "posewright.saliency_plot"
    bl_label = "Saliency over Time"
    doing = n_("Looking for what stands out")

    theme: EnumProperty(
        name="Background",
        description="What the plot is drawn on: light for documents, dark for screens",
        items=[("LIGHT", "Light", "On white"), ("DARK", "Dark", "On dark grey")],
    )
    filepath: StringProperty(
        name="PNG File",
        description="Also save the plot to this file; nothing is written if it is empty",
        subtype="FILE_PATH",
        options=FILE_OPTIONS,
    )

    @classmethod
    def why_not(cls, armature: bpy.types.Object) -> str:
        return what_is_missing(armature)

    def steps(self, context: bpy.types.Context) -> Steps:
        return attention.saliency_plot_in_steps(active_armature(context), context.scene, self.theme.lower())

    def finished(self, context: bpy.types.Context, result: Canvas) -> None:
        if self.filepath:
            images.save_png(result, self.filepath)
        action = active_armature(context).animation_data.action.name
        image = images.to_image(result, f"{action} saliency")
        if self.job is not None:  # pressed in a window
            show.in_image_editor(context, image)
        self.report({"INFO"}, rpt_('Plot "{name}"').format(name=image.name))


CLASSES = (POSEWRIGHT_OT_saliency_plot,)
