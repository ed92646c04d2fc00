# SPDX-License-Identifier: GPL-3.0-or-later
"""Release edits: drop what was changed on a reduced action."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty, FloatProperty

from ..bridge.distil import reduced_action, reductions
from ..bridge.distil.editing import changes
from .armature_operator import ArmatureOperator

WHAT = (
    ("ALL", "All Edits", "The keys are those of the original again"),
    ("KEY", "One Key", "What was changed at one key; it is a key from now on only where that helps"),
    ("TIMING", "Timing", "Everything plays at the time that it has in the original"),
)


class OnEdits(ArmatureOperator):
    """For operators that need something edited."""

    @classmethod
    def why_not(cls, armature: bpy.types.Object) -> str:
        reduction = reductions.find(armature)
        if reduction is None:
            return "Analyze the armature first"
        edited = reduction.state.edits or changes.is_edited(reduction)
        return "" if edited else "Nothing was edited"


class POSEWRIGHT_OT_release_edits(OnEdits, bpy.types.Operator):
    """Drop what you changed on these keys, so that they follow the original again"""

    bl_idname = "posewright.release_edits"
    bl_label = "Release Edits"

    what: EnumProperty(name="Release", description="Which of the edits to drop", items=WHAT)
    frame: FloatProperty(name="Frame", description="Of one key: where it is; the nearest edited one is meant")

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        if self.what == "KEY":
            reduced_action.release_key(armature, self.frame)
        elif self.what == "TIMING":
            reduced_action.release_timing(armature)
        else:
            reduced_action.release_all(armature)


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_release_edits,)
