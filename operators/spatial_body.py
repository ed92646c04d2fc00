# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones reach for targets, and which points of the character stand on the ground."""

from __future__ import annotations

from typing import Any, ClassVar

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import EnumProperty, IntProperty, StringProperty

from ..bridge.bones import selected_bones
from ..bridge.spatial import live, sets
from ..bridge.spatial.blending import reaching
from ..bridge.spatial.making import upkeep
from ..bridge.spatial.walks.walking import sole_at_rest
from ..core import InputError
from .spatial_common import CharacterOperator, SetOperator, character_in


class POSEWRIGHT_OT_spatial_reach_add(SetOperator, bpy.types.Operator):
    """Let the tips of the selected bones reach for the control cursor, or for an object you choose"""

    bl_idname = "posewright.spatial_reach_add"
    bl_label = "Add Selected Bones"

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        effectors = sets.active_set(armature).effectors
        for bone in _new_bones(armature, effectors):
            control = reaching.control_for(armature, bone)
            if any(each.bone == control for each in effectors):
                continue
            effector = effectors.add()
            effector.bone, effector.use_location = control or bone, control is not None
            effector.chain_length = reaching.chain_for(armature, bone) or effector.chain_length
            if control not in {bone, None}:
                said = rpt_("{bone} follows {control} by inverse kinematics, which reaches instead")
                self.report({"INFO"}, said.format(bone=bone, control=control))


class POSEWRIGHT_OT_spatial_reach_remove(SetOperator, bpy.types.Operator):
    """Take this bone from the list: it reaches for nothing any more"""

    bl_idname = "posewright.spatial_reach_remove"
    bl_label = "Remove"

    index: IntProperty(name="Place", description="Its place in the list, from 0", min=0)

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        _remove(sets.active_set(armature).effectors, self.index)
        live.act_at_once(armature)


class POSEWRIGHT_OT_spatial_contact_add(CharacterOperator, bpy.types.Operator):
    """Let the selected bones stand on the ground, for example toes and heels"""

    bl_idname = "posewright.spatial_contact_add"
    bl_label = "Add Selected Bones"

    end: EnumProperty(
        name="End",
        description="Which ends of the bones touch the ground; those of toes are the tails",
        items=(("TAIL", "Tail", "The tips of the bones"), ("HEAD", "Head", "The roots of the bones")),
    )

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        contacts = sets.settings_of(armature).contacts
        for bone in _new_bones(armature, [each for each in contacts if each.end == self.end]):
            contact = contacts.add()
            contact.bone, contact.end = bone, self.end
            contact.offset = sole_at_rest(armature, bone, self.end)


class POSEWRIGHT_OT_spatial_contact_remove(CharacterOperator, bpy.types.Operator):
    """Take this bone from the list: it does not stand on the ground any more"""

    bl_idname = "posewright.spatial_contact_remove"
    bl_label = "Remove"

    index: IntProperty(name="Place", description="Its place in the list, from 0", min=0)

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        _remove(sets.settings_of(armature).contacts, self.index)


def _missing(operator: Any, context: bpy.types.Context | None) -> list[tuple[str, str, str]]:
    """The bones to choose from; kept, because Blender does not keep the words of such a list itself."""
    armature = None if context is None else character_in(context)
    active = None if armature is None else sets.active_set(armature)
    names = [] if active is None else upkeep.missing_bones(armature, active)
    type(operator).choices = [(name, name, "A bone that keys hold and that is not there") for name in names]
    return type(operator).choices


class POSEWRIGHT_OT_spatial_bone_renamed(SetOperator, bpy.types.Operator):
    """Tell the keys, Reach and Walk the new name of a bone that was renamed"""

    bl_idname = "posewright.spatial_bone_renamed"
    bl_label = "Bone Was Renamed"

    choices: ClassVar[list[tuple[str, str, str]]] = []

    old: EnumProperty(name="Was", description="The bone's old name, which the keys still use", items=_missing)
    new: StringProperty(name="Is Now", description="The bone's name in the armature", options={"SKIP_SAVE"})

    @classmethod
    def why_not(cls, armature: bpy.types.Object, /) -> str:
        reason = super().why_not(armature)
        if not reason and not upkeep.missing_bones(armature, sets.active_set(armature)):
            return "The keys know all their bones"
        return reason

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, context: bpy.types.Context) -> None:
        self.layout.use_property_split = True
        self.layout.prop(self, "old")
        self.layout.prop_search(self, "new", character_in(context).data, "bones")

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        count = upkeep.rename_bone(armature, self.old, self.new)
        self.report({"INFO"}, rpt_("{count} keys hold {bone} now").format(count=count, bone=self.new))


def _new_bones(armature: bpy.types.Object, listed: list[bpy.types.PropertyGroup]) -> list[str]:
    """The selected bones that are not in the list yet, which must be some."""
    selected = selected_bones(armature)
    if not selected:
        raise InputError("No bone is selected: select the bones in Pose Mode first.")
    known = {each.bone for each in listed}
    new = [bone for bone in selected if bone not in known]
    if not new:
        raise InputError("The selected bones are already in the list.")
    return new


def _remove(collection: Any, index: int) -> None:
    if index >= len(collection):
        raise InputError(
            "There is no entry number {index}: there are {count}.", index=index, count=len(collection)
        )
    collection.remove(index)


CLASSES = (
    POSEWRIGHT_OT_spatial_reach_add,
    POSEWRIGHT_OT_spatial_reach_remove,
    POSEWRIGHT_OT_spatial_contact_add,
    POSEWRIGHT_OT_spatial_contact_remove,
    POSEWRIGHT_OT_spatial_bone_renamed,
)
