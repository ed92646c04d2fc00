# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a motion stands out over time, as the algorithm `saliency` sees it."""

from __future__ import annotations

import bpy
import numpy as np

from ...core.picture import Canvas, draw_saliency
from ...core.selection.saliency import motion_saliency
from .. import actions
from ..distil.solving import analysis
from ..distil.solving.settings import settings_of
from ..steps import Steps, shares


def saliency_plot_in_steps(
    armature: bpy.types.Object, scene: bpy.types.Scene, theme: str = "light"
) -> Steps[Canvas]:
    """The saliency of what plays, with the settings of the armature's panel; yields the share done."""
    settings = settings_of(armature, scene, "saliency")
    source = yield from shares(analysis.source_in_steps(armature, settings), 0.0, 0.8)
    work = analysis.solve_in_steps(source.motion, settings, extra=source.jumps)
    solutions = yield from shares(work, 0.8, 0.95)
    seen = motion_saliency(source.motion.in_space(settings.space), **settings.options)
    count = min(solutions.own_count or 0, int(solutions.counts[-1]))
    return draw_saliency(
        source.motion.frames,
        seen.values,
        np.any(seen.candidates, axis=0),
        solutions.keys(count),
        title=f"{actions.playing_action(armature).name}   saliency, {count} suggested keys",
        theme=theme,
    )
