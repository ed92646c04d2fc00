# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the frames of this file's actions that hold a pose like the one a character is in now."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...core import InputError, Motion
from ...core.anatomy import nine_joints
from ...core.pose_index import Find, PoseIndex
from .. import actions, sampling
from ..character.description import describe
from ..steps import Steps, shares
from . import previews, sampled_poses

FORMAT = "{clip:<40} {frame:>9} {distance:>9}"


def find_in_steps(armature: bpy.types.Object, count: int, stored: Path | None = None) -> Steps[list[Find]]:
    """The frames most like the armature's pose now; yields the share done.

    Args:
        stored: a file that keeps the index. What is in it is not sampled again, what is not is added to it.
    """
    pose, rest = _pose_now(armature), _rest(armature)
    joints = nine_joints(rest.names, rest.parents, describe(armature))
    index = PoseIndex.load(stored) if stored is not None and stored.is_file() else PoseIndex()
    names = {action: _name(action) for action in previews.clips()}
    _forget_edited(index, {action.name: name for action, name in names.items()})
    wanted = [action for action, name in names.items() if name not in index.clips]
    fitting = [action for action in wanted if sampled_poses.armature_for(action, armature) == armature]
    for done, action in enumerate(fitting):
        work = _sampled_in_steps(armature, action)
        motion = yield from shares(work, done / len(fitting), (done + 1) / len(fitting))
        index.add(names[action], motion, joints=joints, rest=rest)
    if not index.clips:
        raise InputError(f"No action of this file moves {armature.name}: there is nothing to search.")
    if stored is not None and fitting:
        index.save(stored)
    return index.find(pose, count=count, joints=joints, rest=rest)


def _pose_now(armature: bpy.types.Object) -> Motion:
    """The pose that the user sees, keyed or not."""
    return _placed(armature, armature.pose.bones, ("head", "tail"))


def _rest(armature: bpy.types.Object) -> Motion:
    return _placed(armature, armature.data.bones, ("head_local", "tail_local"))


def _placed(armature: bpy.types.Object, bones: Any, ends: tuple[str, str]) -> Motion:
    """One frame: where bones begin and end in the world."""
    joints = sampling.joints_of(armature)
    local = np.empty((2, len(bones) * 3), np.float32)
    for row, end in zip(local, ends, strict=True):
        bones.foreach_get(end, row)
    matrix = np.array(armature.matrix_world)
    placed = local.reshape(-1, 3)[joints.columns].astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
    return Motion(placed[None], names=joints.names, parents=joints.parents)


def _name(action: bpy.types.Action) -> str:
    """An action and what is in it, so that one that was edited is not taken for what it was."""
    curves = [curve for _, bag in actions.bags_in(action) for curve in bag.fcurves]
    return f"{action.name} #{actions.fingerprint(curves)[:8]}"


def _forget_edited(index: PoseIndex, names: Mapping[str, str]) -> None:
    """Remove actions from the index that are no longer what they were."""
    for clip in list(index.clips):
        action = clip.rpartition(" #")[0]
        if names.get(action, clip) != clip:
            index.remove(clip)


def _sampled_in_steps(armature: bpy.types.Object, action: bpy.types.Action) -> Steps[Motion]:
    with sampled_poses.stand_in(armature, action) as actor:
        keyed = sampled_poses.keyed_frames(actor)
        whole_frames = not armature.posewright.sub_frames
        frames = sampling.frames_to_sample(keyed, *keyed[[0, -1]].tolist(), whole_frames=whole_frames)
        return (yield from sampling.sample_in_slices(actor, frames))


def table(finds: list[Find]) -> str:
    """For the Text Editor."""
    lines = [FORMAT.format(clip="action", frame="frame", distance="distance")]
    lines += [
        FORMAT.format(clip=action_of(find), frame=f"{find.frame:g}", distance=f"{find.distance:.3f}")
        for find in finds
    ]
    return "\n".join([*lines, "", "Distances are of joints, in radii of the body.", ""])


def action_of(find: Find) -> str:
    return find.clip.rpartition(" #")[0]
