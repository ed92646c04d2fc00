# SPDX-License-Identifier: GPL-3.0-or-later
"""Mark contacts: say that a foot or a hand stands in some frames, or that it does not."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, FloatProperty, StringProperty

from ..bridge.distil import reduced_action, reductions
from ..bridge.distil.feet import stances
from ..core import InputError
from .armature_operator import ArmatureOperator, active_armature, fill_in


def offered_limbs(armature: bpy.types.Object, typed: str) -> list[str]:
    """The feet and hands of a character, to choose from: those that are meant, if any."""
    known = stances.that_can_stand(armature)
    return [name for name in known if typed.lower() in name.lower()] or known


def _limbs(_operator: Any, context: bpy.types.Context, typed: str) -> list[str]:
    armature = active_armature(context)
    return [] if armature is None else offered_limbs(armature, typed)


class POSEWRIGHT_OT_mark_contact(ArmatureOperator, bpy.types.Operator):
    """Say that the limb of the active bone stands from one frame to another, or that it does not"""

    bl_idname = "posewright.mark_contact"
    bl_label = "Mark Contact"

    bone: StringProperty(
        name="Bone",
        description="A bone of the limb; the active one if left empty",
        search=_limbs,
        search_options={"SUGGESTION"},
    )
    first: FloatProperty(name="From", description="Where it begins to stand, or not to")
    last: FloatProperty(
        name="To",
        description="Last frame; the preview range, or the current frame, if it is before the first",
        default=-1.0,
    )
    stands: BoolProperty(name="Stands", description="Off: it does not stand there", default=True)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[Any]:
        armature = active_armature(context)
        fill_in(self, bone=_active_bone(armature))
        first, last = _range(context.scene)
        if not self.stands and not context.scene.use_preview_range:
            first, last = _contact_now(armature, self.bone, first) or (first, last)
        fill_in(self, first=first, last=last)
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, context: bpy.types.Context) -> None:
        """A field for the bone only where none is active: Enter would open it instead of saying OK."""
        layout = self.layout
        layout.use_property_split = True
        armature = active_armature(context)
        if armature is not None and _active_bone(armature):
            layout.label(text=self.bone, icon="BONE_DATA", translate=False)
        else:
            layout.prop(self, "bone")
        for name in ("first", "last", "stands"):
            layout.prop(self, name)

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        bone = self.bone or _active_bone(armature)
        if not bone:
            raise InputError("Select a bone of the leg or arm that stands, then mark its contact.")
        first, last = (self.first, self.last) if self.last >= self.first else _range(context.scene)
        reduced_action.mark_contact(armature, bone, first, last, stands=self.stands)


def _active_bone(armature: bpy.types.Object) -> str:
    active = armature.data.bones.active
    return "" if active is None else active.name


def _range(scene: bpy.types.Scene) -> tuple[float, float]:
    """The preview range if there is one: that is how people pick out a part."""
    if scene.use_preview_range:
        return float(scene.frame_preview_start), float(scene.frame_preview_end)
    return float(scene.frame_current), float(scene.frame_current)


def _contact_now(armature: bpy.types.Object | None, bone: str, frame: float) -> tuple[float, float] | None:
    """What is wrong is mostly all of the contact that one looks at, and nobody knows where that ends."""
    reduction = None if armature is None or not bone else reductions.find(armature)
    if reduction is None:
        return None
    try:
        return stances.stretch_around(reduction, bone, frame)
    except InputError:  # of a bone that is no limb's; it is said when the dialog is confirmed
        return None


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_mark_contact,)
