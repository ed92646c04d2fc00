# SPDX-License-Identifier: GPL-3.0-or-later
"""One key pose at another time."""

from __future__ import annotations

import bpy
from bpy.props import FloatProperty

from ..bridge.distil import retiming
from .armature_operator import ArmatureOperator


class POSEWRIGHT_OT_retime_pose(ArmatureOperator, bpy.types.Operator):
    """Move a key pose to another frame; what lies between it and its neighbours follows"""

    bl_idname = "posewright.retime_pose"
    bl_label = "Retime Pose"

    frame: FloatProperty(name="Pose", description="The frame of the key pose that moves")
    to: FloatProperty(name="To", description="Where it goes; it stays between its neighbours")

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        retiming.move_pose(armature, self.frame, self.to)


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_retime_pose,)
