# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the clips and frames that hold a pose like the one the active armature is in, and go there."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.app.translations import pgettext_n as n_
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import FloatProperty, IntProperty, StringProperty

from ..bridge.index_files import INDEX_NAME
from ..bridge.pictures import clip_library, pose_search
from ..core.pose_index import Find
from .armature_operator import active_armature
from .file_options import FILE_OPTIONS
from .stepped import SteppedArmatureOperator, Steps


class POSEWRIGHT_OT_find_pose(SteppedArmatureOperator, bpy.types.Operator):
    """Find the frames, of all actions of this file and of an index, in which a character stands like this"""

    bl_idname = "posewright.find_pose"
    bl_label = "Find Pose"
    doing = n_("Looking at all actions")

    count: IntProperty(name="Count", description="How many frames to find", default=10, min=1, max=100)
    filepath: StringProperty(
        name="Index",
        description=(
            "An index of poses to search too, as the command line makes it; that of the folder in the "
            "panel if it is empty"
        ),
        subtype="FILE_PATH",
        options=FILE_OPTIONS,
    )

    @classmethod
    def why_not(cls, _armature: bpy.types.Object) -> str:
        return ""

    def steps(self, context: bpy.types.Context) -> Steps:
        return pose_search.find_in_steps(active_armature(context), self.count, self._stored(context))

    def _stored(self, context: bpy.types.Context) -> Path | None:
        if self.filepath:
            return Path(bpy.path.abspath(self.filepath))
        folder = context.scene.posewright.search.folder
        path = Path(bpy.path.abspath(folder)) / INDEX_NAME if folder else None
        return path if path is not None and path.is_file() else None

    def finished(self, context: bpy.types.Context, result: list[Find]) -> None:
        context.scene.posewright.search.keep(result, str(self._stored(context) or ""))
        best = result[0]
        found = rpt_("Most like it: {action}, frame {frame}; {count} frames are listed below Find Pose")
        self.report({"INFO"}, found.format(action=best.clip.name, frame=f"{best.frame:g}", count=len(result)))


class POSEWRIGHT_OT_go_to_find(SteppedArmatureOperator, bpy.types.Operator):
    """Let the character play this action, fetched if it is in another file, and go to the frame found"""

    bl_idname = "posewright.go_to_find"
    bl_label = "Go to Pose"
    doing = n_("Fetching the clip")

    action: StringProperty(name="Action", description="The action that holds the pose")
    file: StringProperty(
        name="File", description="The file that holds the action, seen from the index; empty for this one"
    )
    frame: FloatProperty(name="Frame", description="The frame that holds the pose")

    @classmethod
    def why_not(cls, _armature: bpy.types.Object) -> str:
        return ""

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        return SteppedArmatureOperator.invoke(self, context, event) if self.file else self.execute(context)

    def steps(self, context: bpy.types.Context) -> Steps:
        armature = active_armature(context)
        if not self.file:
            return pose_search.go_to_in_steps(armature, self.action, self.frame)
        file = Path(context.scene.posewright.search.index).parent / self.file
        return clip_library.fetch_in_steps(armature, file, self.action, self.frame)


CLASSES = (POSEWRIGHT_OT_find_pose, POSEWRIGHT_OT_go_to_find)
