# SPDX-License-Identifier: GPL-3.0-or-later
"""The best frames for another way of keying, or for more keys than were offered.

Every way of keying has its own best frames. What was analysed stays what it was: the same source, edits,
frames, algorithm and fixed keys.
"""

from __future__ import annotations

from dataclasses import replace

import bpy

from ....core import InputError
from ...steps import Steps, run
from .. import reduced_action, reductions
from ..reductions import Reduction
from ..snapshot import kept_unless_finished
from ..ways import AUTOMATIC, objective_for
from .analysis import Analysis
from .settings import Settings, settings_of
from .solve_again import solved_again_in_steps


def bake(armature: bpy.types.Object, count: int) -> int:
    """Bake the solution with `count` keys, or with all frames; solve further if more than are offered."""
    if not is_further(reductions.get(armature), count):
        return reduced_action.bake(armature, count)
    return run(choose_again_in_steps(armature, bpy.context.scene, count))


def rekey(armature: bpy.types.Object, way: str) -> int:
    """Key in another way, on the frames that are best for it."""
    count = reduced_action.rekey(armature, way)
    if not has_other_frames(reductions.get(armature)):
        return count
    return run(choose_again_in_steps(armature, bpy.context.scene, count))


def is_further(reduction: Reduction, count: int) -> bool:
    """Whether more keys than are offered would have more, or all, frames as keys."""
    analysis = reduction.analysis()
    return min(count, len(analysis.frames)) > int(analysis.solutions.counts[-1])


def check_count(reduction: Reduction, count: int) -> None:
    """Refuse what no solution can have."""
    frames = len(reduction.analysis().frames)
    if count > frames:
        raise InputError(
            "{frames} frames cannot have {count} keys: choose {frames} or fewer.", frames=frames, count=count
        )


def has_other_frames(reduction: Reduction) -> bool:
    """Whether the way it is keyed in has better frames than those that were chosen for another way."""
    asked, solutions = reduction.armature.posewright.objective, reduction.analysis().solutions
    wanted = objective_for(solutions.algorithm, asked, reduction.state.interpolation)
    return asked == AUTOMATIC and wanted != solutions.objective


def choose_again_in_steps(armature: bpy.types.Object, scene: bpy.types.Scene, count: int) -> Steps[int]:
    """Solve for the way it is keyed in and at least `count` keys, and bake so many: how many there are.

    Yields the share done; closed before its end, all is as it was.
    """
    with kept_unless_finished(armature):
        reduction = reduced_action.own_with_edits(armature)
        analysis = reduction.analysis()
        settings = settings_again(reduction, scene, max(count, int(analysis.solutions.counts[-1])))
        work = solved_again_in_steps(reduction, analysis, settings, analysis.always)
        extremes = reduced_action.extreme_rows(reduction, analysis)
        reductions.store(reduction, (yield from work))
        reduction.state.extremes = " ".join(str(row) for row in extremes)  # of what is stored now
        return reduced_action.bake(armature, count)


def settings_again(reduction: Reduction, scene: bpy.types.Scene, most: int) -> Settings:
    """How keys are chosen from what was analysed, for the way it is keyed in and up to so many keys."""
    analysis: Analysis = reduction.analysis()
    algorithm, way = analysis.solutions.algorithm, reduction.state.interpolation
    return replace(
        settings_of(reduction.armature, scene, algorithm, way=way),
        first=float(analysis.frames[0]),
        last=float(analysis.frames[-1]),
        fixed=(),
        max_keys=most,
    )
