# SPDX-License-Identifier: GPL-3.0-or-later
"""Restore: back to the source action."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_rpt as rpt_

from ..bridge.distil import endings, reductions
from ..bridge.distil.editing import changes
from ..bridge.distil.feet import pins
from .armature_operator import ArmatureOperator


class POSEWRIGHT_OT_restore(ArmatureOperator, bpy.types.Operator):
    """Play the source action again and remove the reduced one, its edits and its detail"""

    bl_idname = "posewright.restore"
    bl_label = "Restore"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        reduction = reductions.get(self.armature_in(context))
        if not (reduction.state.edits or changes.is_edited(reduction) or pins.are_moved(reduction)):
            return self.execute(context)
        return context.window_manager.invoke_confirm(
            self,
            event,
            title=iface_("Restore the original?"),
            message=iface_("What you edited on its keys or pins is dropped. Apply would keep it."),
            confirm_text=iface_("Restore"),
        )

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        source = endings.restore(armature)
        if source is None:
            self.report({"INFO"}, "What moved it before the analysis moves it again")
        else:
            self.report({"INFO"}, rpt_('"{name}" plays again').format(name=source.name))


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_restore,)
