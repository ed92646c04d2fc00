# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the frames that hold a pose like the one a character is in: in this file's actions and an index."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import bpy
import numpy as np

from ...core import InputError, Motion
from ...core.anatomy import Character, nine_joints
from ...core.pose_index import Find, IndexedClip, PoseIndex, Postures, ground_of
from .. import actions, sampling
from ..character import describe
from ..steps import Steps, shares
from ..whole_files import written_whole
from . import previews, sampled_poses

GROUND_FRAMES = 200  # of what plays, to see what the character stands on
LINE = "{clip:<40} {frame:>9} {distance:>9}   {file}"


def find_in_steps(armature: bpy.types.Object, count: int, stored: Path | None = None) -> Steps[list[Find]]:
    """The frames most like the armature's pose now; yields the share done.

    Args:
        stored: a file that keeps an index. All that is in it is searched too; of this file's actions those
            that are in it are not sampled again, and the others are added.
    """
    wanted = yield from shares(_pose_now(armature), 0.0, 0.1)
    index = PoseIndex.load(stored) if stored is not None and stored.is_file() else PoseIndex()
    here = file_in_index(Path(bpy.data.filepath), stored) if bpy.data.filepath else ""
    clips = {action: _clip(action, here) for action in previews.clips()}
    changed = _forget_edited(index, here, clips)
    known = set(index.clips)
    new = {action: clip for action, clip in clips.items() if clip not in known}
    for done, (action, clip) in enumerate(new.items()):
        span = 0.1 + 0.9 * done / len(new), 0.1 + 0.9 * (done + 1) / len(new)
        changed |= yield from shares(_add_in_steps(index, action, clip, armature), *span)
    if not index.clips:
        raise InputError(f"No action of this file moves {armature.name}: there is nothing to search.")
    if stored is not None and changed:
        save_index(index, stored)
    return index.find(wanted, count=count)


def file_in_index(file: Path, index: Path | None) -> str:
    """What an index calls a file: seen from itself, so that both can be moved together."""
    if index is None:
        return str(file)
    try:
        return Path(os.path.relpath(file.resolve(), index.resolve().parent)).as_posix()
    except ValueError:  # on another drive
        return str(file.resolve())


def save_index(index: PoseIndex, path: Path) -> None:
    try:
        with written_whole(path) as partial:
            index.save(partial)
    except OSError as error:
        raise InputError(f"The index {path} cannot be written: {error.strerror}.") from error


def postures_in_steps(armature: bpy.types.Object, character: Character) -> Steps[Postures]:
    """All poses of what an armature plays; yields the share done."""
    keyed = sampled_poses.keyed_frames(armature)
    frames = sampling.frames_to_sample(keyed, *keyed[[0, -1]].tolist(), whole_frames=True)
    motion = yield from sampling.sample_in_slices(armature, frames)
    return Postures.of(motion, character)


def _pose_now(armature: bpy.types.Object) -> Steps[Postures]:
    """The pose that the user sees, keyed or not, above the ground of what the character plays."""
    pose, character = sampling.sample_shown(armature), describe(armature)
    nine_joints(pose.names, pose.parents, character)  # or say at once what is missing
    ground = ground_of(pose, character)
    if sampling.action_range(armature) is None:
        ground = min(ground, character.ground)
    else:
        ground = min(ground, ground_of((yield from _some_frames(armature)), character))
    return Postures.of(pose, character, ground=ground)


def _some_frames(armature: bpy.types.Object) -> Steps[Motion]:
    keyed = sampled_poses.keyed_frames(armature)
    frames = sampling.frames_to_sample(keyed, *keyed[[0, -1]].tolist(), whole_frames=True)
    some = np.unique(np.linspace(0, len(frames) - 1, min(len(frames), GROUND_FRAMES)).round().astype(int))
    return (yield from sampling.sample_in_slices(armature, frames[some]))


def _clip(action: bpy.types.Action, file: str) -> IndexedClip:
    curves = [curve for _, bag in actions.bags_in(action) for curve in bag.fcurves]
    return IndexedClip(action.name, file, actions.fingerprint(curves)[:16])


def _forget_edited(index: PoseIndex, file: str, clips: Mapping[bpy.types.Action, IndexedClip]) -> bool:
    """Remove what is no longer in this file as it was; whether anything was."""
    there = set(clips.values())
    names = {clip.name for clip in there}
    # Files that were never saved have no name: what is not here may be in another one.
    gone = [
        clip
        for clip in index.clips
        if clip.file == file and clip not in there and (file or clip.name in names)
    ]
    for clip in gone:
        index.remove(clip)
    return bool(gone)


def _add_in_steps(
    index: PoseIndex, action: bpy.types.Action, clip: IndexedClip, preferred: bpy.types.Object
) -> Steps[bool]:
    """Add an action as the character plays it that it is for; whether there is one with arms and legs."""
    armature = sampled_poses.armature_for(action, preferred)
    if armature is None:
        return False
    try:
        with sampled_poses.stand_in(armature, action) as actor:
            index.add(clip, (yield from postures_in_steps(actor, describe(armature))))
    except InputError:
        return False
    return True


def table(finds: list[Find]) -> str:
    """For the Text Editor."""
    lines = [LINE.format(clip="action", frame="frame", distance="distance", file="file").rstrip()]
    lines += [
        LINE.format(
            clip=find.clip.name,
            frame=f"{find.frame:g}",
            distance=f"{100 * find.distance:.2f} %",
            file=find.clip.file,
        ).rstrip()
        for find in finds
    ]
    return "\n".join([*lines, "", "Distances are of joints, in percent of the length of an arm or leg.", ""])
