# SPDX-License-Identifier: GPL-3.0-or-later
"""Live: the pose follows the cursor however it is moved, until somebody edits the pose by hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
import numpy as np

from ...core import InputError
from . import mapping_cache, sets
from .moments import Moment, moment_of, pose_at
from .pose_actions import driven_channels
from .poses import Pose, all_channels, apply_pose

EDITED = "Live is off because the pose was edited: set or update a key, then turn it on again."


@dataclass(frozen=True)
class _Shown:
    """What a character was last made to show, to tell a moved cursor from an edited pose."""

    moment: Moment
    pose: Pose
    channels: np.ndarray


# All by the armature's name, or name and library: Blender's data may go away at any time.
_shown: dict[str, _Shown] = {}
_paused: set[str] = set()
_left_alone: dict[str, frozenset[str]] = {}  # bones that go on with their animation
_followers: set[tuple[str, str | None]] | None = None  # who is live; None if it must be found out


@contextmanager
def paused(*armatures: bpy.types.Object) -> Iterator[None]:
    """Leave these characters alone while something else poses them."""
    names = {armature.name_full for armature in armatures} - _paused
    _paused.update(names)
    try:
        yield
    finally:
        _paused.difference_update(names)
        for name in names:
            _shown.pop(name, None)


def leave_alone(armature: bpy.types.Object, bones: frozenset[str]) -> None:
    """Do not pose these bones, which go on with their animation; none any more if there are no bones."""
    if bones:
        _left_alone[armature.name_full] = bones
    else:
        _left_alone.pop(armature.name_full, None)


def forget_everything() -> None:
    """Another file or an undo step: whatever the characters show now is not an edit."""
    global _followers
    _followers = None
    _shown.clear()
    _left_alone.clear()
    mapping_cache.forget_everything()


def watched() -> list[bpy.types.Object]:
    """The characters that are live. Only names are kept: searching a big file takes longer than posing."""
    global _followers
    found = [bpy.data.objects.get(name) for name in _followers or ()]
    if _followers is None or None in found:
        found = [thing for thing in bpy.data.objects if is_live(thing)]
        _followers = {_name(thing) for thing in found}
    return [thing for thing in found if thing is not None and is_live(thing)]


def watch(armature: bpy.types.Object) -> None:
    """Look after this character too if it is live; it may just have been appended."""
    if _followers is not None and is_live(armature):
        _followers.add(_name(armature))


def is_live(thing: bpy.types.Object) -> bool:
    # A linked character cannot be posed, and its markers need not even be in the scene.
    return sets.is_character(thing) and thing.library is None and sets.settings_of(thing).live


def _name(armature: bpy.types.Object) -> tuple[str, str | None]:
    return armature.name, None if armature.library is None else armature.library.filepath


def start(armature: bpy.types.Object) -> None:
    """Live was just turned on: show the pose whatever was shown before."""
    watch(armature)
    _shown.pop(armature.name_full, None)
    follow(armature)


def stop(armature: bpy.types.Object, why: str) -> None:
    settings = sets.settings_of(armature)
    settings.live = False
    settings.message = why
    _shown.pop(armature.name_full, None)


def forget_edits(armature: bpy.types.Object) -> None:
    """The edited pose was kept in a key: there is nothing more to say about it."""
    settings = sets.settings_of(armature)
    if settings.message == EDITED:
        settings.message = ""


def give_way(armature: bpy.types.Object) -> None:
    """Let what was just written play, instead of what the cursor says."""
    if sets.settings_of(armature).live:
        stop(armature, "Live is off, so that the recording plays.")


def follow(armature: bpy.types.Object, *, edited: bool = False, again: bool = False) -> None:
    """Show what the cursors ask for.

    Args:
        edited: the armature was changed; if its pose is no longer what was shown, somebody posed it by hand,
            and live is turned off rather than undo their work.
        again: show it even though no cursor moved, because animation has posed the armature meanwhile.
    """
    if armature.name_full in _paused:
        return
    settings = sets.settings_of(armature)
    try:
        moment = moment_of(armature).counting()
    except InputError as error:
        _say(settings, str(error))
        return
    _say(settings, "")
    shown = _shown.get(armature.name_full)
    if shown is not None and not again and moment.same_as(shown.moment):
        if edited and _is_posed_by_hand(armature, shown.channels):
            stop(armature, EDITED)
        return
    if moment.mappings:
        pose = pose_at(moment, None if shown is None else shown.pose)
        left_alone = _left_alone.get(armature.name_full, frozenset())
        apply_pose(armature, pose.only(bone for bone in pose.bones if bone not in left_alone))
        _shown[armature.name_full] = _Shown(moment, pose, all_channels(armature))


def _is_posed_by_hand(armature: bpy.types.Object, shown: np.ndarray) -> bool:
    """Whether the bones are not as shown any more, apart from what drivers do to them."""
    now = all_channels(armature)
    if now.shape != shown.shape:
        return True
    differs = now != shown
    return bool(differs.any() and (differs & ~driven_channels(armature)).any())


def _say(settings: bpy.types.PropertyGroup, message: str) -> None:
    if settings.message != message:
        settings.message = message
