# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones reach for targets, and which points of the character stand on the ground."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty, IntProperty

from ..bridge.bones import selected_bones
from ..bridge.spatial import sets
from ..core import InputError
from .spatial_common import CharacterOperator, SetOperator


class POSEWRIGHT_OT_spatial_reach_add(SetOperator, bpy.types.Operator):
    """Let the tips of the selected bones reach for the control cursor, or for an object you choose"""

    bl_idname = "posewright.spatial_reach_add"
    bl_label = "Add Selected Bones"

    def act(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        effectors = sets.active_set(armature).effectors
        for bone in _new_bones(armature, effectors):
            effectors.add().bone = bone


class POSEWRIGHT_OT_spatial_reach_remove(SetOperator, bpy.types.Operator):
    """Take this bone from the list: it reaches for nothing any more"""

    bl_idname = "posewright.spatial_reach_remove"
    bl_label = "Remove"

    index: IntProperty(name="Place", description="Its place in the list, from 0", min=0)

    def act(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        _remove(sets.active_set(armature).effectors, self.index)


class POSEWRIGHT_OT_spatial_contact_add(CharacterOperator, bpy.types.Operator):
    """Let the selected bones stand on the ground, for example toes and heels"""

    bl_idname = "posewright.spatial_contact_add"
    bl_label = "Add Selected Bones"

    end: EnumProperty(
        name="End",
        description="Which ends of the bones touch the ground; those of toes are the tails",
        items=(("TAIL", "Tail", "The tips of the bones"), ("HEAD", "Head", "The roots of the bones")),
    )

    def act(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        contacts = sets.settings_of(armature).contacts
        for bone in _new_bones(armature, [each for each in contacts if each.end == self.end]):
            contact = contacts.add()
            contact.bone, contact.end = bone, self.end


class POSEWRIGHT_OT_spatial_contact_remove(CharacterOperator, bpy.types.Operator):
    """Take this bone from the list: it does not stand on the ground any more"""

    bl_idname = "posewright.spatial_contact_remove"
    bl_label = "Remove"

    index: IntProperty(name="Place", description="Its place in the list, from 0", min=0)

    def act(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        _remove(sets.settings_of(armature).contacts, self.index)


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
        raise InputError(f"There is no entry number {index}: there are {len(collection)}.")
    collection.remove(index)


CLASSES = (
    POSEWRIGHT_OT_spatial_reach_add,
    POSEWRIGHT_OT_spatial_reach_remove,
    POSEWRIGHT_OT_spatial_contact_add,
    POSEWRIGHT_OT_spatial_contact_remove,
)
