# SPDX-License-Identifier: GPL-3.0-or-later
"""What Find Pose searches and what it found last."""

from __future__ import annotations

import bpy
from bpy.props import CollectionProperty, FloatProperty, StringProperty

from ..bridge.versions import RELATIVE_PATH
from ..core.pose_index import Find


class PoseFind(bpy.types.PropertyGroup):
    """A frame that looks like what was asked for."""

    action: StringProperty(name="Action", description="The action that holds the pose")
    file: StringProperty(
        name="File", description="The file that the action is in, seen from the index; empty for this one"
    )
    frame: FloatProperty(name="Frame", description="The frame of the action that holds the pose")
    distance: FloatProperty(
        name="Distance",
        description="How far joints are from where they were asked for, as a share of the length of a limb",
        subtype="FACTOR",
    )


class SearchSettings(bpy.types.PropertyGroup):
    """Find Pose; `Scene.posewright.search`."""

    folder: StringProperty(
        name="Folder",
        description="A folder of clips that Find Pose searches too, once it was indexed",
        subtype="DIR_PATH",
        options=RELATIVE_PATH,
    )
    index: StringProperty(
        name="Index", description="The index that was searched last; empty if none was", options={"HIDDEN"}
    )
    finds: CollectionProperty(
        name="Finds", description="What Find Pose found last, best first", type=PoseFind
    )

    def keep(self, finds: list[Find], index: str) -> None:
        """Show what was found."""
        self.index = index
        self.finds.clear()
        for find in finds:
            shown = self.finds.add()
            shown.action, shown.file = find.clip.name, find.clip.file
            shown.frame, shown.distance = find.frame, find.distance


CLASSES: tuple[type, ...] = (PoseFind, SearchSettings)
