# SPDX-License-Identifier: GPL-3.0-or-later
"""Live: the pose follows the cursor however it is moved, until somebody edits the pose by hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
import numpy as np

from ...core import InputError
from ..everything import armatures
from ..spoken import spoken
from . import sets
from .blending import mapping_cache
from .blending.moments import Moment, dials_at, moment_of, pose_at
from .posing.dials import Dial, Dials, apply_dials, current_dials
from .posing.pose_actions import driven_channels
from .posing.poses import Pose, all_channels, apply_pose

EDITED = "Live is off because the pose was edited: set or update a key, then turn it on again."


@dataclass(frozen=True)
class _Shown:
    """What a character was last made to show, to tell a moved cursor from an edited pose."""

    moment: Moment
    pose: Pose
    channels: np.ndarray
    dials: Dials


# By the armature's number in this session, which it keeps when it is renamed: its data may go away any time.
_shown: dict[int, _Shown] = {}
_paused: set[int] = set()
_left_alone: dict[int, frozenset[str | Dial]] = {}  # bones and dials that go on with their animation
# Who is live, by name and library, which find it quickly; None if it must be found out.
_followers: set[tuple[str, str | None]] | None = None


@contextmanager
def paused(*armatures: bpy.types.Object) -> Iterator[None]:
    """Leave these characters alone while something else poses them."""
    numbers = {armature.session_uid for armature in armatures} - _paused
    _paused.update(numbers)
    try:
        yield
    finally:
        _paused.difference_update(numbers)
        for number in numbers:
            _shown.pop(number, None)


def leave_alone(armature: bpy.types.Object, parts: frozenset[str | Dial]) -> None:
    """Do not pose these bones and dials, which go on with their animation; without any, pose all again."""
    if parts:
        _left_alone[armature.session_uid] = parts
    else:
        _left_alone.pop(armature.session_uid, None)


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
        found = [thing for thing in armatures() if is_live(thing)]
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
    _shown.pop(armature.session_uid, None)
    follow(armature)


def act_at_once(armature: bpy.types.Object) -> None:
    """A setting was changed: show what it makes of the pose."""
    if is_live(armature):
        follow(armature)


def stop(armature: bpy.types.Object, why: str) -> None:
    settings = sets.settings_of(armature)
    settings.live = False
    settings.message = why
    _shown.pop(armature.session_uid, None)


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
    if armature.session_uid in _paused:
        return
    settings = sets.settings_of(armature)
    try:
        moment = moment_of(armature).counting()
    except InputError as error:
        _say(settings, spoken(error))
        return
    _say(settings, "")
    shown = _shown.get(armature.session_uid)
    if shown is not None and not again and moment.same_as(shown.moment):
        if edited and _is_posed_by_hand(armature, shown):
            stop(armature, EDITED)
        return
    if moment.mappings:
        pose = pose_at(moment, None if shown is None else shown.pose)
        left_alone = _left_alone.get(armature.session_uid, frozenset())
        posed = pose.only(bone for bone in pose.bones if bone not in left_alone) if left_alone else pose
        channels = apply_pose(armature, posed)
        dials = dials_at(moment).without(left_alone)
        apply_dials(armature, dials)
        now = current_dials(armature, dials.which)
        _shown[armature.session_uid] = _Shown(moment, pose, channels, now)


def _is_posed_by_hand(armature: bpy.types.Object, shown: _Shown) -> bool:
    """Whether bones or dials are not as shown any more, apart from what drivers do to them."""
    now = all_channels(armature)
    if now.shape != shown.channels.shape:
        return True
    if current_dials(armature, shown.dials.which).as_dict() != shown.dials.as_dict():
        return True
    differs = now != shown.channels
    return bool(differs.any() and (differs & ~driven_channels(armature)).any())


def _say(settings: bpy.types.PropertyGroup, message: str) -> None:
    if settings.message != message:
        settings.message = message
