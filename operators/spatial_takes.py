# SPDX-License-Identifier: GPL-3.0-or-later
"""Choose among the takes that were kept, and throw them away."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import IntProperty

from ..bridge.spatial.takes import kept_takes
from .spatial_common import CharacterOperator


class TakeOperator(CharacterOperator):
    """For operators on a take that was kept."""

    keeps_sets = True

    index: IntProperty(name="Take", description="Its place in the list, from 0", min=0)

    @classmethod
    def why_not(cls, armature: bpy.types.Object, /) -> str:
        return super().why_not(armature) or ("" if kept_takes.takes_of(armature) else "No take was kept yet")


class POSEWRIGHT_OT_spatial_take_choose(TakeOperator, bpy.types.Operator):
    """Play this take; recording over it works on a copy"""

    bl_idname = "posewright.spatial_take_choose"
    bl_label = "Play Take"

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        kept_takes.choose(armature, self.index)
        context.scene.frame_set(context.scene.frame_current)
        said = rpt_("{name} plays {action}")
        self.report({"INFO"}, said.format(name=armature.name, action=armature.animation_data.action.name))


class POSEWRIGHT_OT_spatial_take_delete(TakeOperator, bpy.types.Operator):
    """Throw this take away"""

    bl_idname = "posewright.spatial_take_delete"
    bl_label = "Delete Take"

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        kept_takes.delete(armature, self.index)


CLASSES = (POSEWRIGHT_OT_spatial_take_choose, POSEWRIGHT_OT_spatial_take_delete)
