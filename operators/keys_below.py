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
    """Take the fewest keys that are within what is wanted, measured as Blender plays them"""

    bl_idname = "posewright.keys_below"
    bl_label = "Fewest Keys Within"
    doing = n_("Looking for the fewest keys")

    def steps(self, context: bpy.types.Context) -> Steps:
        armature = active_armature(context)
        asked = armature.posewright
        self._what = asked.wanted_what
        self._wanted = (asked.wanted_slide if self._what == "SLIDE" else asked.wanted_error) / 100.0
        height = sampling.height_of(armature)
        return measuring.count_within_in_steps(armature, self._wanted * height, self._what)

    def finished(self, _context: bpy.types.Context, result: measuring.Figures) -> None:
        share = result.worth(self._what) / result.height
        found, wanted = measuring.percent(share), measuring.percent(self._wanted)
        words = {"keys": result.keys, "error": found, "wanted": wanted}
        told = rpt_("{keys} keys, mean error {error} of the height")
        if self._what == "SLIDE":
            told = rpt_("{keys} keys, feet slide up to {error} of the height farther than in the original")
        if share > self._wanted:
            told = rpt_("Not even the most keys are within {wanted}: ") + told
        self.report({"WARNING" if share > self._wanted else "INFO"}, told.format(**words))


CLASSES: tuple[type, ...] = (POSEWRIGHT_OT_keys_below,)
