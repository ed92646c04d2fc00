# SPDX-License-Identifier: GPL-3.0-or-later
"""Which poses of an armature to draw, where their bones are and where a camera looks from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np

from ...core import InputError, Solutions, select
from ...core.motion import FloatArray, IntArray
from ...core.picture import Poses, View
from ...core.progress import ProgressCallback
from .. import actions, everything, sampling, stages, stand_ins
from ..character import describe, name_of
from ..distil import channels, reductions
from ..distil.editing import stagger
from ..distil.solving import analysis
from ..distil.solving.settings import Settings, settings_of
from ..steps import run
from . import meshes

MOST_POSES = 400


@dataclass(frozen=True, eq=False)
class Chosen:
    """Poses to draw.

    Attributes:
        frames: (P,) ascending.
        importance: (P,) how early each was chosen: 1 for the most important, down to nearly 0.
    """

    frames: FloatArray
    importance: FloatArray


def drawn_bones(armature: bpy.types.Object) -> list[str] | None:
    """The bones that make up the character, without controls and helpers around it."""
    return list(describe(armature).figure) or None


def keyed_frames(armature: bpy.types.Object) -> FloatArray:
    """The frames at which the armature has keys now."""
    frames = actions.key_frames(_posing_curves(armature))
    if not len(frames):
        raise InputError("{armature} has no keys: give it an action first.", armature=name_of(armature))
    return frames


def _posing_curves(armature: bpy.types.Object) -> list[Any]:
    curves = [curve for curve in actions.curves_of(armature) if channels.plays(curve)]
    return [curve for curve in curves if not channels.is_switch(armature, curve)] or curves


def pose_frames(armature: bpy.types.Object) -> FloatArray:
    """The frames of the poses that the user works with: of the slider's solution, or all that have keys.

    A reduced action is taken at its word, since keys may have been edited by hand. While the original is
    shown for comparison, and where only a part was reduced, the solution says which frames are meant.
    """
    reduction = reductions.find(armature)
    if reduction is not None:
        analysed = reduction.analysis()
        if reduction.shows_original or not analysed.whole:
            return analysed.frames[analysed.keys(reduction.state.key_count)]
        if reduction.state.stagger:
            return stagger.columns_now(reduction, analysed, _posing_curves(armature))
    return keyed_frames(armature)


def key_poses(armature: bpy.types.Object) -> FloatArray:
    """The frames of the poses, if these are few enough to be called poses."""
    frames = pose_frames(armature)
    if len(frames) > MOST_POSES:
        raise InputError(
            "{armature} has keys on {frames} frames, too many to show: distil it first, or choose "
            "an algorithm and a number of poses.",
            armature=name_of(armature),
            frames=len(frames),
        )
    return frames


def chosen_poses(
    armature: bpy.types.Object,
    scene: bpy.types.Scene,
    algorithm: str,
    count: int,
    progress: ProgressCallback | None = None,
) -> Chosen:
    """`count` poses as the algorithm chooses them with the settings of the armature's panel.

    As near to the count as it offers. The frames are those that Distil would make keys, but for `keyposes`:
    a picture is not played, so both ends are poses only if they are telling.
    """
    keyed = keyed_frames(armature)
    if keyed[0] == keyed[-1]:
        return Chosen(keyed[:1], np.ones(1))
    way = reductions.way_of(armature)
    settings = _for_a_picture(settings_of(armature, scene, algorithm, way=way), count)
    source = run(analysis.source_in_steps(armature, settings), progress)
    solutions = run(analysis.solve_in_steps(source.motion, settings, extra=_jumps(settings, source)))
    if count == 1 and solutions.counts[0] > 1 and len(source.motion) > 2:
        rows = solutions.keys(solutions.nearest_count(3))[1:2]  # all but the ends
    else:
        rows = solutions.keys(solutions.nearest_count(count))
    return Chosen(source.motion.frames[rows], importance_of(rows, solutions))


def _for_a_picture(settings: Settings, count: int) -> Settings:
    changed = replace(settings, max_keys=max(count, 3))
    if "ends" in settings.options:
        return replace(changed, fixed=(), options={**settings.options, "ends": False})
    return changed


def _jumps(settings: Settings, source: analysis.Source) -> tuple[int, ...]:
    return () if "ends" in settings.options else source.jumps


def importance_of(rows: IntArray, solutions: Solutions) -> FloatArray:
    """(P,) in what share of the solutions with so many keys or fewer each row is a key."""
    counts = solutions.counts[solutions.counts <= max(len(rows), solutions.counts[0])]
    found = np.zeros(len(rows))
    for count in counts.tolist():
        found += np.isin(rows, solutions.keys(count))
    return found / len(counts)


def current_poses(armature: bpy.types.Object) -> Chosen:
    """The poses that have keys now; those that differ most from each other are the important ones."""
    frames = key_poses(armature)
    if len(frames) < 3:
        return Chosen(frames, np.ones(len(frames)))
    shown = sampling.sample(armature, frames, bones=drawn_bones(armature))
    solutions = select(shown, "keyposes", ends=False, max_keys=len(frames))
    return Chosen(frames, importance_of(np.arange(len(frames)), solutions))


def sample_poses(armature: bpy.types.Object, frames: Sequence[float] | FloatArray) -> Poses:
    """The poses at some ascending frames, in world space."""
    motion = sampling.sample(armature, frames, bones=drawn_bones(armature))
    return Poses.from_motion(motion, np.arange(len(motion)))


def camera_view(scene: bpy.types.Scene, frames: Sequence[float] | FloatArray) -> View:
    """What the scene's camera sees at each of the frames."""
    camera = scene.camera
    if camera is None or camera.type != "CAMERA":
        raise InputError(
            "{scene} has no camera to look through: add one, or choose another view.", scene=scene.name
        )
    matrices = np.empty((len(frames), 4, 4))
    with stages.scene_for(camera) as stage:
        if stages.is_temporary(stage):
            stage.camera = camera  # what looks is evaluated even if it is hidden
        for row, frame in enumerate(frames):
            stages.set_frame(stage, float(frame))
            matrices[row] = stages.posed(camera, stage).matrix_world
    return View.camera(matrices, perspective=camera.data.type != "ORTHO")


def armature_for(action: bpy.types.Action, preferred: bpy.types.Object | None) -> bpy.types.Object | None:
    """An armature that has the bones an action animates: the preferred one if it fits, or any."""
    bones = animated_bones(action)
    if not bones:
        return None
    others = [item for item in everything.armatures() if item != preferred]
    candidates = others if preferred is None else [preferred, *others]
    fitting = (item for item in candidates if bones <= {bone.name for bone in item.data.bones})
    return next(fitting, None)


def animated_bones(action: bpy.types.Action) -> set[str]:
    """The bones that an action has curves for."""
    curves = (curve for _, bag in actions.bags_in(action) for curve in bag.fcurves)
    return {bone for curve in curves if (bone := channels.bone_of(curve.data_path)) is not None}


@contextmanager
def stand_in(
    armature: bpy.types.Object, action: bpy.types.Action, *, with_skin: bool = False
) -> Iterator[bpy.types.Object]:
    """A copy of the armature that plays another action, so that the user's own is not touched.

    Args:
        with_skin: whether it wears copies of the meshes that the armature deforms.
    """
    with stand_ins.stand_in(armature) as copy:
        data: Any = copy.animation_data or copy.animation_data_create()
        data.use_nla = False
        data.action = None
        own = actions.slot_with_handle(action, channels.own_handle(armature, action))
        actions.assign(copy, action, own or next(iter(channels.slots_for(armature, action)), None))
        skins = meshes.copies_of_skin(armature, copy) if with_skin else []
        try:
            yield copy
        finally:
            for item in skins:
                bpy.data.objects.remove(item)
