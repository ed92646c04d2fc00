# SPDX-License-Identifier: GPL-3.0-or-later
"""Sweet spot: to the next or previous number of keys worth stopping at."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import EnumProperty

from ..bridge.distil import measuring, reduced_action, reductions
from .armature_operator import ArmatureOperator


class POSEWRIGHT_OT_sweet_spot(ArmatureOperator, bpy.types.Operator):
    """Go to a number of keys where one more key helped a lot and the next helps little"""

    bl_idname = "posewright.sweet_spot"
    bl_label = "Sweet Spot"

    direction: EnumProperty(
        name="Direction",
        description="Towards more keys, or towards fewer",
        items=(
            ("NEXT", "Next", "To the next sweet spot with more keys"),
            ("PREVIOUS", "Previous", "To the next sweet spot with fewer keys"),
        ),
    )

    @classmethod
    def description(cls, context: bpy.types.Context | None, properties: Any) -> str:
        if properties.direction == "NEXT":
            return tip_("To the next sweet spot with more keys: where one more key helps little")
        return tip_("To the next sweet spot with fewer keys: where one more key helps little")

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        reduction = reductions.get(armature)
        count = reduction.state.key_count
        spots = measuring.sweet_spots_of(reduction)
        further = spots[spots > count] if self.direction == "NEXT" else spots[spots < count][::-1]
        if not len(further):
            # Stepping past the last one is no mistake: no message in the way of the next click.
            if not len(spots):
                self.report({"INFO"}, "This motion has no sweet spot: choose a number with the slider")
            elif self.direction == "NEXT":
                self.report({"INFO"}, "No sweet spot has more keys: choose a number with the slider")
            else:
                self.report({"INFO"}, "No sweet spot has fewer keys: choose a number with the slider")
            return
        reduced_action.bake(armature, int(further[0]))


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_sweet_spot,)
