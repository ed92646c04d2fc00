# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs: which bones the user says belong together."""

from __future__ import annotations

import bpy
from bpy.props import IntProperty

from ..bridge.bones import selected_bones
from ..core import InputError
from .armature_operator import OnArmature


class POSEWRIGHT_OT_character_pair_add(OnArmature, bpy.types.Operator):
    """Say which bone is whose counterpart: of the two bones selected in Pose Mode, or to be chosen"""

    bl_idname = "posewright.character_pair_add"
    bl_label = "Add Pair"

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        chosen = selected_bones(armature) if armature.mode == "POSE" else []
        pair = armature.posewright.character.pairs.add()
        if len(chosen) == 2:
            heads = [armature.data.bones[bone].head_local.x for bone in chosen]
            pair.left, pair.right = chosen if heads[0] > heads[1] else reversed(chosen)
        else:
            pair.name = "new"


class POSEWRIGHT_OT_character_pair_remove(OnArmature, bpy.types.Operator):
    """Leave the pair to what is found"""

    bl_idname = "posewright.character_pair_remove"
    bl_label = "Remove Pair"

    index: IntProperty(name="Place", description="Its place in the list", min=0)

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        pairs = armature.posewright.character.pairs
        if self.index >= len(pairs):
            raise InputError("The list has {pairs} pairs: choose one of them.", pairs=len(pairs))
        pairs.remove(self.index)


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_character_pair_add, POSEWRIGHT_OT_character_pair_remove)
