# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys below: the fewest keys within the wanted error."""

from __future__ import annotations

import bpy

from ..bridge import sampling
from ..bridge.distil import playback
from .armature_operator import ArmatureOperator


class POSEWRIGHT_OT_keys_below(ArmatureOperator, bpy.types.Operator):
    """Take the fewest keys whose mean error, measured as Blender plays them, is within the wanted one"""

    bl_idname = "posewright.keys_below"
    bl_label = "Fewest Keys Within"

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        wanted = armature.posewright.wanted_error / 100.0
        playback.count_within(armature, wanted * sampling.height_of(armature))
        figures = playback.measure(armature)
        kept = f"{figures.keys} keys, mean error {figures.mean_share:.2%} of the height"
        if figures.mean_share > wanted:
            self.report({"WARNING"}, f"Not even the most keys are within {wanted:.2%}: {kept}")
        else:
            self.report({"INFO"}, kept)


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_keys_below,)
