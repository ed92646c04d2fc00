# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the actions and frames that hold a pose like the one the active armature is in."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.app.translations import pgettext_n as n_
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import IntProperty, StringProperty

from ..bridge.pictures import images, pose_search
from ..core.pose_index import Find
from .armature_operator import active_armature
from .file_options import FILE_OPTIONS
from .stepped import SteppedArmatureOperator, Steps


class POSEWRIGHT_OT_find_pose(SteppedArmatureOperator, bpy.types.Operator):
    """Find the frames of all actions in which the character stands as it does now, as a list of text"""

    bl_idname = "posewright.find_pose"
    bl_label = "Find Pose"
    doing = n_("Looking at all actions")

    count: IntProperty(name="Count", description="How many frames to find", default=10, min=1, max=100)
    filepath: StringProperty(
        name="Index",
        description=(
            "A file that keeps what was looked at, so that the next search is quick; it may serve several "
            "files. Nothing is written if it is empty"
        ),
        subtype="FILE_PATH",
        options=FILE_OPTIONS,
    )

    @classmethod
    def why_not(cls, _armature: bpy.types.Object) -> str:
        return "" if bpy.data.actions else "There is no action in this file."

    def steps(self, context: bpy.types.Context) -> Steps:
        stored = Path(bpy.path.abspath(self.filepath)).with_suffix(".npz") if self.filepath else None
        return pose_search.find_in_steps(active_armature(context), self.count, stored)

    def finished(self, _context: bpy.types.Context, result: list[Find]) -> None:
        text = images.to_text(pose_search.table(result), "Find Pose")
        found = rpt_('Most like it: {action}, frame {frame}; {count} frames are listed in the text "{text}"')
        best = result[0]
        self.report(
            {"INFO"},
            found.format(action=best.clip.name, frame=f"{best.frame:g}", count=len(result), text=text.name),
        )


CLASSES = (POSEWRIGHT_OT_find_pose,)
