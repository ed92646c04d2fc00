# SPDX-License-Identifier: GPL-3.0-or-later
"""Echo Edit: what was changed on one pose, on all poses that look like it."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import FloatProperty

from ..bridge.distil.editing import echo
from .release_edits import OnEdits


class POSEWRIGHT_OT_echo_edit(OnEdits, bpy.types.Operator):
    """Give the edit nearest to the current frame to poses that look alike, as every left step does"""

    bl_idname = "posewright.echo_edit"
    bl_label = "Echo Edit"

    difference: FloatProperty(
        name="Difference",
        description="How different poses may be, in lengths of a limb: more finds more, and weaker ones",
        default=0.1,
        min=0.001,
        soft_max=0.5,
        max=10.0,
    )
    strength: FloatProperty(
        name="Strength",
        description="How strong the echoes are; the less alike a pose is, the weaker",
        default=1.0,
        min=0.0,
        soft_max=1.0,
        max=4.0,
        subtype="FACTOR",
    )

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        frames = echo.echo(armature, context.scene.frame_current_final, self.difference, self.strength)
        said = rpt_("Echoed to poses that look alike: {frames}")
        self.report({"INFO"}, said.format(frames=", ".join(f"{each:g}" for each in frames)))


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_echo_edit,)
