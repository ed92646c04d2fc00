# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixed frames: the list of frames that are keys in every solution."""

from __future__ import annotations

import math

import bpy
from bpy.props import IntProperty, StringProperty

from ..core import InputError
from .armature_operator import ArmatureOperator


class POSEWRIGHT_OT_fixed_frame_add(ArmatureOperator, bpy.types.Operator):
    """Add frames that must be keys: those typed, or the current one"""

    bl_idname = "posewright.fixed_frame_add"
    bl_label = "Fix Frames"

    frames: StringProperty(
        name="Frames", description="Frame numbers, for example 12, 40, 55.5; the current frame if left empty"
    )

    @classmethod
    def why_not(cls, _armature: bpy.types.Object) -> str:
        return ""

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        listed = armature.posewright.fixed_frames
        typed = numbers(self.frames) or [context.scene.frame_current_final]
        everything = sorted({*(each.frame for each in listed), *typed})
        listed.clear()
        for frame in everything:
            listed.add().frame = frame


class POSEWRIGHT_OT_fixed_frame_remove(ArmatureOperator, bpy.types.Operator):
    """Remove the frame from the list, so that it is a key only where it helps"""

    bl_idname = "posewright.fixed_frame_remove"
    bl_label = "Release Frame"

    index: IntProperty(
        name="Place", description="Its place in the list; the chosen one if left out", default=-1
    )

    @classmethod
    def why_not(cls, armature: bpy.types.Object) -> str:
        return "" if len(armature.posewright.fixed_frames) else "No frame is fixed"

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        asked = armature.posewright
        place = asked.fixed_frame_index if self.index < 0 else self.index
        if place >= len(asked.fixed_frames):
            raise InputError(
                "The list has {count} frames: choose one of them.", count=len(asked.fixed_frames)
            )
        asked.fixed_frames.remove(place)
        asked.fixed_frame_index = max(0, min(place, len(asked.fixed_frames) - 1))


def numbers(text: str) -> list[float]:
    found = []
    for word in text.replace(",", " ").replace(";", " ").split():
        try:
            number = float(word)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise InputError("{word!r} is no frame number: type numbers such as 12, 40, 55.5.", word=word)
        found.append(number)
    return found


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_fixed_frame_add, POSEWRIGHT_OT_fixed_frame_remove)
