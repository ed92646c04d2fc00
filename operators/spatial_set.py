# SPDX-License-Identifier: GPL-3.0-or-later
"""Add, remove, move in the list and switch between the spatial sets of a character."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import BoolProperty, IntProperty, StringProperty

from ..bridge.spatial import sets
from ..bridge.spatial.blending import switching
from ..bridge.spatial.making import editing, empties, upkeep
from ..core import InputError
from .spatial_common import CharacterOperator, MovesInList, SetOperator


class POSEWRIGHT_OT_spatial_set_add(CharacterOperator, bpy.types.Operator):
    """Add a spatial set: a red cursor that will blend the poses you place around it"""

    bl_idname = "posewright.spatial_set_add"
    bl_label = "Add Spatial Set"

    name: StringProperty(
        name="Name",
        description="Name of the set and of its control cursor",
        default="Acting",
        options={"SKIP_SAVE"},
    )

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        spatial_set = editing.add_set(armature, self.name)
        context.view_layer.update()
        what_next = rpt_('Pose the character, move "{cursor}", then Set Key')
        self.report({"INFO"}, what_next.format(cursor=spatial_set.cursor.name))


class POSEWRIGHT_OT_spatial_set_remove(SetOperator, bpy.types.Operator):
    """Remove the active spatial set with its cursor, markers and poses; recorded animation stays"""

    bl_idname = "posewright.spatial_set_remove"
    bl_label = "Remove Spatial Set"

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        editing.remove_set(armature, sets.settings_of(armature).set_index)


class POSEWRIGHT_OT_spatial_set_move(MovesInList, SetOperator, bpy.types.Operator):
    """Move the active spatial set in the list; the number keys switch to sets by their place there"""

    bl_idname = "posewright.spatial_set_move"
    bl_label = "Move Spatial Set"

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        editing.move_set(armature, self.step)


class POSEWRIGHT_OT_spatial_set_switch(SetOperator, bpy.types.Operator):
    """Hand the character over to this set: sets that move the same bones step back"""

    bl_idname = "posewright.spatial_set_switch"
    bl_label = "Switch To"
    keeps_sets = True

    index: IntProperty(name="Set", description="Which set takes over; the active one if below 0", default=-1)
    keyed: BoolProperty(
        name="Keyed",
        description="Insert keys that change over from the current frame, as long as the transition",
    )

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        settings = sets.settings_of(armature)
        index = settings.set_index if self.index < 0 else self.index
        if index >= len(settings.sets):
            raise InputError(
                "There is no set number {index}: {armature} has {sets}.",
                index=index,
                armature=armature.name,
                sets=len(settings.sets),
            )
        if self.keyed:
            switching.key_switch(armature, index, context.scene.frame_current, settings.transition)
        else:
            switching.switch(armature, index)


class POSEWRIGHT_OT_spatial_bring_into_scene(CharacterOperator, bpy.types.Operator):
    """Show this character's cursors and markers that are not in the scene: appended along, or deleted"""

    bl_idname = "posewright.spatial_bring_into_scene"
    bl_label = "Bring Markers into Scene"
    keeps_sets = True

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        count = empties.bring_into_scene(armature, context.scene)
        self.report({"INFO"}, rpt_("{count} objects brought into the scene").format(count=count))


class POSEWRIGHT_OT_spatial_make_own(CharacterOperator, bpy.types.Operator):
    """Give this duplicated character cursors, markers and poses of its own, to be performed by itself"""

    bl_idname = "posewright.spatial_make_own"
    bl_label = "Make Own Markers"

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        count = upkeep.make_own(armature)
        context.view_layer.update()
        self.report({"INFO"}, rpt_("{count} cursors and markers made").format(count=count))


CLASSES = (
    POSEWRIGHT_OT_spatial_set_add,
    POSEWRIGHT_OT_spatial_set_remove,
    POSEWRIGHT_OT_spatial_set_move,
    POSEWRIGHT_OT_spatial_set_switch,
    POSEWRIGHT_OT_spatial_bring_into_scene,
    POSEWRIGHT_OT_spatial_make_own,
)
