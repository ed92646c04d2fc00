# SPDX-License-Identifier: GPL-3.0-or-later
"""From the moments of a performance to ordinary keys on the character's action."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from ....core import Fitter, InputError
from ....core.progress import Progress
from ... import actions
from ...baking import Keys
from ...distil.detail_layer import detail_gate
from ...splicing import replace_between
from ...steps import Steps, computed, run, shares
from .. import live, sets
from ..blending.moments import Moment, dials_along, poses_along
from ..posing.dials import Dial, Dials
from ..posing.forward_kinematics import Base
from ..posing.poses import Pose
from ..references import Reference
from ..walks.walking import base_along, walks
from .distilling import rows_within_in_steps
from .overdub import blended_with_earlier, bone_of
from .take_actions import Home, home_of
from .tracks import Tracks, tracks_of

CURVES_AT_ONCE = 40  # a minute of keys on every frame for so many takes some hundredths of a second to write


@dataclass(frozen=True, eq=False)
class Take:
    """What was performed: a pose for every frame, and where the character travelled, if it did."""

    frames: np.ndarray  # (F,) whole frame numbers
    poses: Pose  # with F poses
    dials: Dials  # in F frames
    base: Base


def take_in_steps(
    armature: bpy.types.Object,
    frames: np.ndarray,
    moments: Sequence[Moment],
    start: Vector,
    rate: float,
    *,
    was_shown: bool = False,
) -> Steps[Take]:
    """The take that moments at frames make, for a character that stands at `start` in the first.

    A walk that was shown step by step goes as it was shown.
    """
    poses = yield from computed(lambda report: poses_along(moments, Progress(report)))
    base = Base()
    if walks(armature):
        base = Base(base_along(armature, poses, start, rate, was_shown=was_shown))
    return Take(frames, poses, dials_along(moments), base)


def tracks_to_write(
    armature: bpy.types.Object,
    take: Take,
    *,
    bones: Iterable[str] | None = None,
    left_alone: Set[str | Dial] = frozenset(),
) -> Tracks:
    """What a take keys, of all bones or only of some, and not of those left alone."""
    names = armature.pose.bones.keys() if bones is None else list(bones)
    poses = take.poses.only(name for name in names if name in armature.pose.bones and name not in left_alone)
    dials = take.dials.without(left_alone)
    if bones is not None:
        dials = dials.only([dial for dial in dials.which if bone_of(dial) in names])
    if not poses.bones and not dials.which:
        raise InputError("The spatial set moves none of these bones: select bones that its keys hold.")
    # A part of the body does not decide where the whole goes.
    return tracks_of(armature, poses, dials, take.base if bones is None else Base())


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
    left_alone: frozenset[str | Dial]  # bones and dials that keep what they already do
    punched: bool = False  # into what was there before

    @property
    def is_overdub(self) -> bool:
        return self.punched or self.bones is not None or bool(self.left_alone)


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
        work = take_in_steps(
            character.get(), frames, recording.moments, start, recording.rate, was_shown=True
        )
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
                work = write_in_steps(character.get(), frames, tracks, Keys(frames, tracks.values))
                yield from shares(work, 0.8 * safe, safe)
            finally:
                self.written = True
        if error is None or self._hurried:
            return len(frames)
        work = keys_in_steps(character.get(), frames, tracks, error)
        keys = yield from shares(work, safe, 1.0)
        with live.paused(character.get()):
            run(write_in_steps(character.get(), frames, tracks, keys))
        return len(keys.frames)


def write_in_steps(armature: bpy.types.Object, frames: np.ndarray, tracks: Tracks, keys: Keys) -> Steps[None]:
    """Write keys to the character's action; closed halfway it writes them all: never half a take.

    Keys of the same channels within the same frames are replaced; everything else in the action stays, so a
    second take on other bones goes on top of the first. An action that performing did not make is never
    touched: a copy takes its place, and the original stays in the file.
    """
    homes = [home_of(armature, mesh) for mesh in tracks.meshes]
    curves: dict[int, Any] = {}
    for home in homes:
        channels = tracks.channels_of(home.mesh)
        curves |= zip(channels, actions.ensure_curves(home.bag, channels.values()), strict=True)
        _write_switches(home, frames, tracks.switches)
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
        for home in homes:
            home.play()
        detail_gate.settle(armature)  # what keys had lost must not be added to a take


def _write_switches(home: Home, frames: np.ndarray, switches: Dials) -> None:
    """Keys that hold, where switches change and at both ends, however many other keys there are."""
    for dial, values in zip(switches.which, switches.values.T, strict=True):
        if dial.mesh == home.mesh:
            rows = np.unique([0, *(np.flatnonzero(np.diff(values)) + 1), len(frames) - 1])
            curves = actions.ensure_curves(home.bag, [actions.Channel(dial.path, 0, dial.bone)])
            replace_between(curves, Keys(frames[rows], values[rows, None], interpolation="CONSTANT"))
            _let_play(curves[0])


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
