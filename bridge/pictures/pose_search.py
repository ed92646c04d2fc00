# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the frames that hold a pose like the one a character is in: in this file's actions and an index."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...core import InputError, Motion
from ...core.anatomy import Character
from ...core.pose_index import Find, IndexedClip, PoseIndex, Postures, ground_of
from ...core.spread import spread
from .. import actions, sampling, stages
from ..character import describe
from ..distil import channels
from ..rig_print import rig_print
from ..steps import Steps, shares
from . import previews, sampled_poses

GROUND_FRAMES = 200  # of what plays, to see what the character stands on
MOST_REMEMBERED = 500

# The poses of actions that were searched before.
_remembered: OrderedDict[tuple[Any, ...], Postures] = OrderedDict()


def find_in_steps(armature: bpy.types.Object, count: int, stored: Path | None = None) -> Steps[list[Find]]:
    """The frames most like the armature's pose now; yields the share done.

    Args:
        stored: an index that is searched too, such as that of a folder.
    """
    wanted = yield from shares(_pose_now(armature), 0.0, 0.1)
    index = PoseIndex() if stored is None else PoseIndex.load(stored)
    clips = previews.clips()
    for done, action in enumerate(clips):
        span = 0.1 + 0.9 * done / len(clips), 0.1 + 0.9 * (done + 1) / len(clips)
        postures = yield from shares(_postures_of(action, armature), *span)
        if postures is not None:
            index.add(IndexedClip(action.name), postures)
    if not index.clips:
        raise InputError(
            "There is nothing to search: no action of this file moves a character with arms and legs. Import "
            "clips, or name a folder of clips and index it."
        )
    return index.find(wanted, count=count)


def postures_in_steps(armature: bpy.types.Object, character: Character) -> Steps[Postures]:
    """All poses of what an armature plays; yields the share done."""
    motion = yield from sampling.sample_in_slices(armature, _whole_frames(armature))
    return Postures.of(motion, character)


def _whole_frames(armature: bpy.types.Object) -> np.ndarray:
    keyed = sampled_poses.keyed_frames(armature)
    return sampling.frames_to_sample(keyed, *keyed[[0, -1]].tolist(), whole_frames=True)


def _pose_now(armature: bpy.types.Object) -> Steps[Postures]:
    """The pose that the user sees, keyed or not, above the ground of what the character plays.

    One that plays nothing stands.
    """
    pose, character = sampling.sample_shown(armature), describe(armature)
    ground = ground_of(pose, character)
    if sampling.action_range(armature) is not None:
        ground = ground_of((yield from _some_frames(armature)), character)
    return Postures.of(pose, character, ground=ground)


def _some_frames(armature: bpy.types.Object) -> Steps[Motion]:
    frames = _whole_frames(armature)
    return (yield from sampling.sample_in_slices(armature, frames[spread(len(frames), GROUND_FRAMES)]))


def _postures_of(action: bpy.types.Action, preferred: bpy.types.Object) -> Steps[Postures | None]:
    """The poses of an action as the character plays it that it is for; None without arms and legs."""
    armature = sampled_poses.armature_for(action, preferred)
    if armature is None:
        return None
    key = _key(action, armature)
    found = _remembered.pop(key, None)
    if found is None:
        try:
            with sampled_poses.stand_in(armature, action) as actor:
                found = yield from postures_in_steps(actor, describe(armature))
        except InputError:
            return None
    _remembered[key] = found
    while len(_remembered) > MOST_REMEMBERED:
        _remembered.popitem(last=False)
    return found


def _key(action: bpy.types.Action, armature: bpy.types.Object) -> tuple[Any, ...]:
    """Changes with what is in the action and with the rig that it moves."""
    curves = [curve for _, bag in actions.bags_in(action) for curve in bag.fcurves]
    placed = np.array(armature.matrix_world).tobytes()
    return armature.session_uid, actions.fingerprint(curves), rig_print(armature), placed


def go_to_in_steps(armature: bpy.types.Object, name: str, frame: float) -> Steps[None]:
    """`go_to`, in one step."""
    yield 0.0
    go_to(armature, name, frame)


def go_to(armature: bpy.types.Object, name: str, frame: float) -> None:
    """Let the character that an action of this file is for play it, and go to a frame."""
    action = bpy.data.actions.get(name)
    player = None if action is None else sampled_poses.armature_for(action, armature)
    if action is None or player is None:
        raise InputError(
            "{name} is no longer in this file, or no character has its bones: search again.", name=name
        )
    if player.animation_data is None or player.animation_data.action != action:
        actions.assign(player, action, next(iter(channels.slots_for(player, action)), None))
    stages.set_frame(bpy.context.scene, frame)
