# SPDX-License-Identifier: GPL-3.0-or-later
"""Restore: back to the source action."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_rpt as rpt_

from ..bridge.distil import reduced
from .armature_operator import ArmatureOperator


class POSEWRIGHT_OT_restore(ArmatureOperator, bpy.types.Operator):
    """Play the source action again and remove the reduced one and its detail; takes stay in the file"""

    bl_idname = "posewright.restore"
    bl_label = "Restore"

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        other = reduced.restore(armature)
        if other is not None:
            kept = rpt_('"{name}" is no longer played but stays in the file')
            self.report({"INFO"}, kept.format(name=other.name))


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_restore,)
