# SPDX-License-Identifier: GPL-3.0-or-later
"""List which part of the body leads from key to key."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_n as n_
from bpy.app.translations import pgettext_rpt as rpt_

from ..bridge.pictures import images, transitions
from ..core.leading import Lead
from ..drawing import ghost_overlay
from .armature_operator import active_armature, what_is_missing
from .stepped import SteppedArmatureOperator, Steps


class POSEWRIGHT_OT_leading_parts(SteppedArmatureOperator, bpy.types.Operator):
    """Tell which part of the body moves first from key to key, above the filmstrip and in the Text Editor"""

    bl_idname = "posewright.leading_parts"
    bl_label = "Leading Parts"
    doing = n_("Looking at transitions")

    @classmethod
    def why_not(cls, armature: bpy.types.Object) -> str:
        return what_is_missing(armature)

    def steps(self, context: bpy.types.Context) -> Steps:
        return transitions.leads_in_steps(active_armature(context))

    def finished(self, _context: bpy.types.Context, result: list[Lead]) -> None:
        if not result:
            self.report({"INFO"}, "Nothing leads: in no transition do two parts of the body move")
            return
        ghost_overlay.redraw()
        text = images.to_text(transitions.table(result), "Leading Parts")
        found = rpt_('{count} transitions are listed in the text "{text}"')
        self.report({"INFO"}, found.format(count=len(result), text=text.name))


CLASSES = (POSEWRIGHT_OT_leading_parts,)
