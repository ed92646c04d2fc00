# SPDX-License-Identifier: GPL-3.0-or-later
"""Something to perform with at once: the bear, and ready sets for a character of one's own."""

from __future__ import annotations

from typing import ClassVar

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import EnumProperty

from ..bridge.ready.bear_acting import add_bear
from ..bridge.ready.humanoid import add_ready_set
from .spatial_common import CharacterOperator


class POSEWRIGHT_OT_bear_add(bpy.types.Operator):
    """Add a bear that is ready to be performed: press Perform and drag in the viewport"""

    bl_idname = "posewright.bear_add"
    bl_label = "Add Bear"
    bl_options: ClassVar[set[str]] = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        bear = add_bear(context.scene.cursor.location)
        self.report({"INFO"}, rpt_("{name} is ready: press Perform and drag").format(name=bear.name))
        return {"FINISHED"}


class POSEWRIGHT_OT_spatial_set_ready(CharacterOperator, bpy.types.Operator):
    """Add a set that is made for this character, by its head, arms or legs that are found"""

    bl_idname = "posewright.spatial_set_ready"
    bl_label = "Add Ready Set"

    kind: EnumProperty(
        name="Set",
        description="What the set is for",
        items=(
            ("LOOK", "Look", "Look around: the head and the bones below it follow the cursor"),
            ("WAVE", "Wave", "Raise the right arm and wave, over what other sets do"),
            ("WALK", "Walk", "Four keys in a circle: go around and the character walks"),
        ),
    )

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        spatial_set = add_ready_set(armature, self.kind)
        said = rpt_('"{name}" is ready: press Perform and drag').format(name=spatial_set.name)
        self.report({"INFO"}, said)


CLASSES = (POSEWRIGHT_OT_bear_add, POSEWRIGHT_OT_spatial_set_ready)
