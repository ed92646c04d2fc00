# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys below: the fewest keys within the wanted error."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_n as n_
from bpy.app.translations import pgettext_rpt as rpt_

from ..bridge import sampling
from ..bridge.distil import measuring
from .armature_operator import active_armature
from .stepped import SteppedArmatureOperator, Steps


class POSEWRIGHT_OT_keys_below(SteppedArmatureOperator, bpy.types.Operator):
    """Take the fewest keys whose mean error, measured as Blender plays them, is within the wanted one"""

    bl_idname = "posewright.keys_below"
    bl_label = "Fewest Keys Within"
    doing = n_("Looking for the fewest keys")

    def steps(self, context: bpy.types.Context) -> Steps:
        armature = active_armature(context)
        self._wanted = armature.posewright.wanted_error / 100.0
        return measuring.count_within_in_steps(armature, self._wanted * sampling.height_of(armature))

    def finished(self, _context: bpy.types.Context, result: measuring.Figures) -> None:
        error, wanted = measuring.percent(result.mean_share), measuring.percent(self._wanted)
        if result.mean_share > self._wanted:
            kept = rpt_(
                "Not even the most keys are within {wanted}: {keys} keys, mean error {error} of the height"
            )
            self.report({"WARNING"}, kept.format(wanted=wanted, keys=result.keys, error=error))
        else:
            kept = rpt_("{keys} keys, mean error {error} of the height")
            self.report({"INFO"}, kept.format(keys=result.keys, error=error))


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_keys_below,)
