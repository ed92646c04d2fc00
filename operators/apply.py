# SPDX-License-Identifier: GPL-3.0-or-later
"""Apply: keep the reduced action."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_rpt as rpt_

from ..bridge.distil import endings
from .armature_operator import ArmatureOperator


class POSEWRIGHT_OT_apply(ArmatureOperator, bpy.types.Operator):
    """Keep the reduced action, edits and all, as an ordinary one and forget the analysis; the source stays"""

    bl_idname = "posewright.apply"
    bl_label = "Apply"

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        kept = endings.apply(armature)
        self.report({"INFO"}, rpt_('"{name}" is an ordinary action now').format(name=kept.name))


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_apply,)
