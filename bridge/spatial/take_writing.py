# SPDX-License-Identifier: GPL-3.0-or-later
"""From the moments of a performance to ordinary keys on the character's action."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from ...core import Fitter, InputError
from ...core.progress import Progress
from .. import actions
from ..baking import Keys
from ..distil import detail_gate, reductions
from ..splicing import replace_between
from ..steps import Steps, computed, run, shares
from . import live, sets
from .distilling import rows_within_in_steps
from .moments import Moment, poses_along
from .overdub import blended_with_earlier
from .poses import Pose
from .references import Reference
from .tracks import Tracks, tracks_of
from .walking import base_along, walks

CURVES_AT_ONCE = 40  # a minute of keys on every frame for so many takes some hundredths of a second to write


@dataclass(frozen=True, eq=False)
class Take:
    """What was performed: a pose for every frame, and where the character travelled, if it did."""

    frames: np.ndarray  # (F,) whole frame numbers
    poses: Pose  # with F poses
    base: np.ndarray | None = None  # (F, 3) location of the armature object


def take_in_steps(
    armature: bpy.types.Object,
    frames: np.ndarray,
    moments: Sequence[Moment],
    start: Vector,
    rate: float,
) -> Steps[Take]:
    """The take that moments at frames make, for a character that stands at `start` in the first."""
    poses = yield from computed(lambda report: poses_along(moments, Progress(report)))
    base = base_along(armature, poses, start, rate) if walks(armature) else None
    return Take(frames, poses, base)


def tracks_to_write(
    armature: bpy.types.Object,
    take: Take,
    *,
    bones: Iterable[str] | None = None,
    left_alone: Set[str] = frozenset(),
) -> Tracks:
    """What a take keys, of all bones or only of some, and not of those left alone."""
    names = armature.pose.bones.keys() if bones is None else list(bones)
    poses = take.poses.only(name for name in names if name in armature.pose.bones and name not in left_alone)
    if not poses.bones:
        raise InputError("The spatial set moves none of these bones: select bones that its keys hold.")
    # A part of the body does not decide where the whole goes.
    return tracks_of(armature, poses, take.base if bones is None else None)


def keys_in_steps(
    armature: bpy.types.Object, frames: np.ndarray, tracks: Tracks, error: float | None
) -> Steps[Keys]:
    """A key on every frame, or as few as keep every joint within an error. Nothing is written yet."""
    if error is None:
        return Keys(frames, tracks.values)
    rows = yield from rows_within_in_steps(armature, frames, tracks, error)
    fitted = Fitter(tracks.values, frames).fit(rows)
    return Keys(fitted.frames, fitted.values, fitted.left, fitted.right, handle_type="FREE")


@dataclass(frozen=True, eq=False)
class Recording:
    """What was performed, at whole frames, and what of it is to be written."""

    frames: np.ndarray
    moments: Sequence[Moment]
    start: Vector  # location of the armature object in the first frame
    rate: float  # frames a second
    bones: Sequence[str] | None  # that are wanted; all if None
    left_alone: frozenset[str]  # bones that keep what they already do

    @property
    def is_overdub(self) -> bool:
        return self.bones is not None or bool(self.left_alone)


class TakeWriter:
    """Writes one take. With an error it is written with a key on every frame first, and then distilled.

    From then on it is safe: `hurry`, or closing the steps, leaves a key on every frame.
    """

    def __init__(self) -> None:
        self.written = self._hurried = False

    def hurry(self) -> None:
        """Do not distil."""
        self._hurried = True

    def steps(
        self,
        character: Reference,
        recording: Recording,
        *,
        error: float | None,
    ) -> Steps[int]:
        """Write what a character did; the number of keys."""
        frames, start = recording.frames, recording.start
        safe = 1.0 if error is None else 0.5  # the share of the work after which the take is safe
        work = take_in_steps(character.get(), frames, recording.moments, start, recording.rate)
        take = yield from shares(work, 0.0, 0.8 * safe)
        with live.paused(character.get()):
            character.get().location = start
            tracks = tracks_to_write(
                character.get(), take, bones=recording.bones, left_alone=recording.left_alone
            )
            if recording.is_overdub:
                length = sets.settings_of(character.get()).transition
                tracks = blended_with_earlier(character.get(), frames, tracks, length)
            yield 0.8 * safe
            try:
                work = write_in_steps(character.get(), tracks, Keys(frames, tracks.values))
                yield from shares(work, 0.8 * safe, safe)
            finally:
                self.written = True
        if error is None or self._hurried:
            return len(frames)
        work = keys_in_steps(character.get(), frames, tracks, error)
        keys = yield from shares(work, safe, 1.0)
        with live.paused(character.get()):
            run(write_in_steps(character.get(), tracks, keys))
        return len(keys.frames)


def write_in_steps(armature: bpy.types.Object, tracks: Tracks, keys: Keys) -> Steps[None]:
    """Write keys to the character's action; closed halfway it writes them all: never half a take.

    Keys of the same channels within the same frames are replaced; everything else in the action stays, so a
    second take on other bones goes on top of the first. An action that performing did not make is never
    touched: a copy takes its place, and the original stays in the file.
    """
    action, slot = action_to_write(armature)
    curves = actions.ensure_curves(actions.bag_of(action, slot, create=True), tracks.channels)
    moving = tracks.moving
    left = [*_parts(np.flatnonzero(moving), keys), *_parts(np.flatnonzero(~moving), _ends(keys))]

    def write(columns: np.ndarray, part: Keys) -> None:
        some = [curves[column] for column in columns]
        replace_between(some, part.of_channels(columns))
        for curve in some:
            _let_play(curve)

    count = len(left)
    try:
        while left:
            write(*left.pop())
            yield 1.0 - (len(left) + 1) / count
    finally:
        for each in left:
            write(*each)
        actions.assign(armature, action, slot)
        detail_gate.settle(armature)  # what keys had lost must not be added to a take


def _parts(columns: np.ndarray, keys: Keys) -> list[tuple[np.ndarray, Keys]]:
    """So many columns at a time as can be written at once, each time with their keys."""
    starts = range(0, len(columns), CURVES_AT_ONCE)
    return [(columns[start : start + CURVES_AT_ONCE], keys) for start in starts]


def _ends(keys: Keys) -> Keys:
    """The first and the last key alone: enough for what stands still between them."""
    ends = np.unique([0, len(keys.frames) - 1])
    return Keys(keys.frames[ends], keys.values[ends])


def _let_play(curve: Any) -> None:
    """What was just recorded is what shall play: not a muted curve, nor one that a modifier changes."""
    curve.mute = False
    for modifier in curve.modifiers:
        modifier.mute = modifier.mute or modifier.type != "CYCLES"  # which only repeats what is there


def action_to_write(armature: bpy.types.Object) -> tuple[bpy.types.Action, Any | None]:
    """The action that performing may write to: its own from an earlier take, a copy, or a new one."""
    data = armature.animation_data
    old, slot = (None if data is None else data.action), actions.slot_of(armature)
    plays = slot is not None or not actions.HAS_SLOTS
    if old is not None and plays and _may_go_on_in(old):
        return old, slot
    if old is not None:
        old.use_fake_user = True
    if old is None or not plays:
        action, slot = actions.new_action(f"{armature.name} performance", armature)
    else:
        handle = actions.slot_handle(slot)
        action = actions.copy_slots(old, [handle], f"{old.name} performed")
        slot = actions.slot_with_handle(action, handle)
    action[actions.PERFORMED] = True
    return action, slot


def _may_go_on_in(action: bpy.types.Action) -> bool:
    """Whether a take of ours is nobody else's.

    Distil promises that a source stays as it is, and bakes into a reduced action whenever it likes. Another
    character may play it too, a duplicate for example, and so may a strip of the NLA.
    """
    own = bool(action.get(actions.PERFORMED)) and action.library is None
    shared = action.users - int(action.use_fake_user) > 1
    return own and not shared and not reductions.is_needed(action)
