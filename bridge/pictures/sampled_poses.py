# SPDX-License-Identifier: GPL-3.0-or-later
"""Which poses of an armature to draw, where their bones are and where a camera looks from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np

from ...core import InputError, Motion, select
from ...core.motion import FloatArray
from ...core.picture import Poses, View
from ...core.progress import ProgressCallback
from .. import actions, sampling
from ..distil import channels, state

MOST_POSES = 400


def drawn_bones(armature: bpy.types.Object) -> list[str] | None:
    """The bones that make up the character: those that deform, without the controls around it."""
    deforming = [bone.name for bone in armature.data.bones if bone.use_deform]
    return deforming or None


def keyed_frames(armature: bpy.types.Object) -> FloatArray:
    """The frames at which the armature has keys now."""
    curves = [curve for curve in actions.curves_of(armature) if channels.plays(curve)]
    posing = [curve for curve in curves if not channels.is_switch(armature, curve)]
    frames = actions.key_frames(posing or curves)
    if not len(frames):
        raise InputError(f"{armature.name} has no keys: give it an action first.")
    return frames


def pose_frames(armature: bpy.types.Object) -> FloatArray:
    """The frames of the poses that the user works with: of the slider's solution, or all that have keys.

    A reduced action is taken at its word, since keys may have been edited by hand. While the original is
    shown for comparison, and where only a part was reduced, the solution says which frames are meant.
    """
    asked = armature.posewright
    data = armature.animation_data
    if asked.stored and data is not None and data.action in (asked.source, asked.reduced):
        analysis = state.load(armature)
        if data.action != asked.reduced or not analysis.whole:
            return analysis.frames[analysis.solutions.keys(asked.key_count)]
    return keyed_frames(armature)


def key_poses(armature: bpy.types.Object) -> FloatArray:
    """The frames of the poses, if these are few enough to be called poses."""
    frames = pose_frames(armature)
    if len(frames) > MOST_POSES:
        raise InputError(
            f"{armature.name} has keys on {len(frames)} frames, too many to show: distil it first, or choose "
            "an algorithm and a number of poses."
        )
    return frames


def chosen_frames(
    armature: bpy.types.Object, algorithm: str, count: int, progress: ProgressCallback | None = None
) -> FloatArray:
    """`count` frames, or as near to that as the algorithm offers, chosen from the whole action."""
    return chosen_of(whole_motion(armature, progress), algorithm, count)


def chosen_of(motion: Motion, algorithm: str, count: int) -> FloatArray:
    """Frames of a motion as one of the algorithms chooses them."""
    if len(motion) <= 2:
        return motion.frames
    most = min(count, len(motion))
    solutions = select(motion, algorithm, max_keys=max(most, 2))
    return motion.frames[solutions.keys(solutions.nearest_count(most))]


def whole_motion(armature: bpy.types.Object, progress: ProgressCallback | None = None) -> Motion:
    """Every frame of what animates the armature now."""
    keyed = keyed_frames(armature)
    frames = sampling.frames_to_sample(keyed, float(keyed[0]), float(keyed[-1]))
    return sampling.sample(armature, frames, bones=drawn_bones(armature), progress=progress)


def sample_poses(armature: bpy.types.Object, frames: Sequence[float] | FloatArray) -> Poses:
    """The poses at some ascending frames, in world space."""
    motion = sampling.sample(armature, frames, bones=drawn_bones(armature))
    return Poses.from_motion(motion, np.arange(len(motion)))


def poses_of(motion: Motion, frames: FloatArray) -> Poses:
    """The poses at some frames of a motion that was sampled already."""
    return Poses.from_motion(motion, np.searchsorted(motion.frames, frames))


def camera_view(scene: bpy.types.Scene, frames: Sequence[float] | FloatArray) -> View:
    """What the scene's camera sees at each of the frames."""
    camera = scene.camera
    if camera is None or camera.type != "CAMERA":
        raise InputError(f"{scene.name} has no camera to look through: add one, or choose another view.")
    matrices = np.empty((len(frames), 4, 4))
    with sampling.scene_for(camera) as stage:
        if sampling.is_temporary(stage):
            stage.camera = camera  # what looks is evaluated even if it is hidden
        for row, frame in enumerate(frames):
            sampling.set_frame(stage, float(frame))
            matrices[row] = sampling.posed(camera, stage).matrix_world
    return View.camera(matrices, perspective=camera.data.type != "ORTHO")


def armature_for(action: bpy.types.Action, preferred: bpy.types.Object | None) -> bpy.types.Object | None:
    """An armature that has the bones an action animates: the preferred one if it fits, or any."""
    bones = animated_bones(action)
    if not bones:
        return None
    others = [item for item in bpy.data.objects if item.type == "ARMATURE" and item != preferred]
    candidates = others if preferred is None else [preferred, *others]
    fitting = (item for item in candidates if bones <= {bone.name for bone in item.data.bones})
    return next(fitting, None)


def animated_bones(action: bpy.types.Action) -> set[str]:
    """The bones that an action has curves for."""
    curves = (curve for _, bag in actions.bags_in(action) for curve in bag.fcurves)
    return {bone for curve in curves if (bone := channels.bone_of(curve.data_path)) is not None}


@contextmanager
def stand_in(armature: bpy.types.Object, action: bpy.types.Action) -> Iterator[bpy.types.Object]:
    """A copy of the armature that plays another action, so that the user's own is not touched."""
    copy = armature.copy()
    try:
        data: Any = copy.animation_data or copy.animation_data_create()
        data.use_nla = False
        data.action = None
        own = actions.slot_with_handle(action, channels.own_handle(armature, action))
        actions.assign(copy, action, own or next(iter(channels.slots_for(armature, action)), None))
        yield copy
    finally:
        bpy.data.objects.remove(copy)
