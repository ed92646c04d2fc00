# SPDX-License-Identifier: GPL-3.0-or-later
"""From chosen rows to keys on F-curves, for every way of keying."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import compress
from typing import Any

import bpy
import numpy as np

from ...core import Fitter, Motion
from ...core.editing.staggered_time import staggered
from ...core.feet.between_frames import at_times
from ...core.fitting.bezier import Handles
from ...core.loops import automatic_seam
from ...core.motion import FloatArray, IntArray
from .. import actions, sampling
from ..baking import Keys, write_keys
from ..curve_settings import give_settings, read_settings
from ..splicing import read_keys, write_arrays
from . import channels, part_of_action
from .solving.analysis import Analysis
from .solving.played_joints import PlayedJoints
from .ways import WAYS

MOST_FITS = 3  # so many are kept of an analysis: what was tried last is what is looked at and baked next


def keys_for(analysis: Analysis, count: int, way: str, types: Sequence[str] | None = None) -> Keys:
    """Keys for all channels that move."""
    if WAYS[way].fit is not None:
        return _fitted_keys(fitted(analysis, count, way), way, types)
    rows = analysis.keys(count)
    keys = keys_at(analysis.fitter, rows, way, types)
    goes_round = analysis.seam is not None and rows[-1] - rows[0] == len(analysis.frames) - 1
    return _with_set_slopes(keys, np.isin(rows, analysis.held(count)), goes_round) if way == "AUTO" else keys


def fitted(analysis: Analysis, count: int, way: str) -> Handles:
    """What plays between the keys of a solution, of all channels that move, for a way that is fitted."""
    fits = analysis.fits
    if (count, way) not in fits:
        fits[count, way] = _fit(analysis, count, way)
        if len(fits) > MOST_FITS:
            del fits[next(iter(fits))]
    return fits[count, way]


def _fit(analysis: Analysis, count: int, way: str) -> Handles:
    rows, chosen = analysis.keys(count), WAYS[way]
    return analysis.fitter.fit(
        rows,
        chosen.fit or "free",
        seen_error=analysis.seen_error(count),
        held=analysis.always,
        level=analysis.held(count).ravel(),
        strays=analysis.strays(rows) if chosen.moves_keys else None,
    )


def joints_played(
    joints: PlayedJoints, analysis: Analysis, count: int, way: str, motion: Motion
) -> FloatArray:
    """(F, J, 3) with so many keys, fitted in one way, where and when the motion is sampled."""
    values = np.repeat(analysis.values[:1], len(motion), axis=0)
    values[:, analysis.moves] = fitted(analysis, count, way).evaluate(motion.frames)
    return joints.positions(values, motion.matrices)


def _with_set_slopes(keys: Keys, level: np.ndarray, goes_round: bool) -> Keys:
    """Keys with automatic handles but at holds, where they are level, and at the seam of a loop.

    There automatic ones would be level: both ends get one slope.
    """
    slopes = np.zeros(keys.values.shape)
    if goes_round and not np.any(level[[0, -1]]):
        slopes[[0, -1]] = automatic_seam(keys.values, keys.frames)
        level = level.copy()
        level[[0, -1]] = True
    if not np.any(level):
        return keys
    points = np.stack([np.broadcast_to(keys.frames[:, None], keys.values.shape), keys.values], axis=2)
    spans = np.diff(keys.frames) / 3.0
    before, after = np.append(spans[0], spans)[:, None], np.append(spans, spans[-1])[:, None]
    left, right = (
        points + np.stack([np.broadcast_to(reach, slopes.shape), reach * slopes], axis=2)
        for reach in (-before, after)
    )
    return replace(keys, left=left, right=right, corners=np.broadcast_to(level[:, None], slopes.shape))


def keys_at(
    fitter: Fitter, rows: IntArray, way: str, types: Sequence[str] | None = None, **asked: Any
) -> Keys:
    """Keys at some rows of the fitter's channels; `asked` is what `Fitter.fit` is to be told about them."""
    chosen = WAYS[way]
    if chosen.fit is None:
        return Keys(
            fitter.frames[rows],
            fitter.values[rows],
            interpolation=chosen.interpolation,
            handle_type=chosen.handle_type,
            types=types,
        )
    return _fitted_keys(fitter.fit(rows, chosen.fit, **asked), way, types)


def _fitted_keys(fitted: Handles, way: str, types: Sequence[str] | None) -> Keys:
    chosen = WAYS[way]
    return Keys(
        fitted.frames,
        fitted.values,
        fitted.left,
        fitted.right,
        chosen.interpolation,
        chosen.handle_type,
        fitted.corners if chosen.handle_type == "ALIGNED" else None,
        types,
    )


def copy_for_keys(
    source: bpy.types.Action, handles: Sequence[int], analysis: Analysis, *, name: str
) -> bpy.types.Action:
    """A copy of the source, ready for `write_solution`."""
    copy = actions.copy_slots(source, handles, name)
    copy.use_fake_user = False
    if analysis.whole:
        remove_modifiers(copy, analysis)
        _thin_switches(copy, handles, analysis)
    else:
        first, last = analysis.frames[0], analysis.frames[-1]
        curves = curves_of(copy, analysis)
        part_of_action.cut(curves, first, last)
        part_of_action.hold(compress(curves, ~analysis.moves), first, last)
    return copy


@contextmanager
def scratch_action(
    source: bpy.types.Action, handles: Sequence[int], analysis: Analysis
) -> Iterator[bpy.types.Action]:
    """`copy_for_keys` to try keys on; gone afterwards."""
    scratch = copy_for_keys(source, handles, analysis, name="Posewright scratch")
    try:
        yield scratch
    finally:
        bpy.data.actions.remove(scratch)


def _thin_switches(action: bpy.types.Action, handles: Sequence[int], analysis: Analysis) -> None:
    """Channels that keep their own keys need none where nothing changes, though capture has them there."""
    sub_frames = bool(np.any(analysis.frames != np.round(analysis.frames)))
    reduced = {(path, index) for _, path, index in analysis.paths}
    for curve in channels.curves_in(action, handles):
        if (curve.data_path, curve.array_index) in reduced:
            continue
        keys = read_keys(curve)
        values = keys["co"][:, 1]
        differs = values[1:] != values[:-1]
        needed = np.concatenate([[True], differs]) | np.concatenate([differs, [True]])
        keys = {name: array[needed] for name, array in keys.items()}
        write_arrays(curve, keys if sub_frames else _on_whole_frames(keys))


def _on_whole_frames(keys: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Every key of a switch on the frame that first shows it; of several the last, which is what is seen."""
    frames = np.ceil(keys["co"][:, 0] - sampling.SAME_FRAME)
    shift = frames - keys["co"][:, 0]
    seen = np.append(np.diff(frames) > 0.0, True)
    moved = {name: keys[name].copy() for name in ("co", "handle_left", "handle_right")}
    for points in moved.values():
        points[:, 0] += shift
    return {name: array[seen] for name, array in (keys | moved).items()}


def write_solution(
    action: bpy.types.Action,
    analysis: Analysis,
    count: int,
    way: str,
    types: Sequence[str] | None = None,
    late: FloatArray | None = None,
) -> None:
    """Bake a solution into an action that is a copy of the source.

    Channels that move get keys at the chosen frames. Those that stand still get one key, or have one at both
    ends where only a part of the action is reduced (see `copy_for_keys`).

    Args:
        late: (C,) how many frames after these the keys of channels of a whole action are; see `stagger`.
    """
    curves = curves_of(action, analysis)
    moving = list(compress(curves, analysis.moves))
    keys = keys_for(analysis, count, way, types)
    if analysis.whole:
        _write_staggered(moving, keys, None if late is None else late[analysis.moves])
        _hold_still(list(compress(curves, ~analysis.moves)), analysis)
    else:
        part_of_action.write_part(moving, keys, analysis.frames, analysis.values[:, analysis.moves])


def _write_staggered(curves: Sequence[Any], keys: Keys, late: FloatArray | None) -> None:
    if late is None or not np.any(late):
        write_keys(curves, keys)
        return
    for by in np.unique(late):
        some = late == by
        write_keys(list(compress(curves, some)), keys.of_channels(some).at(staggered(keys.frames, by)))


def copy_with_target(action: bpy.types.Action, analysis: Analysis) -> bpy.types.Action:
    """A copy of a reduced action that plays what its keys are fitted to, keyed at every frame."""
    copy = action.copy()
    curves = list(compress(curves_of(copy, analysis), analysis.moves))
    values = analysis.values[:, analysis.moves]
    keys = Keys(analysis.frames, values, interpolation="LINEAR", handle_type="VECTOR")
    if analysis.whole:
        write_keys(curves, keys)
    else:
        part_of_action.write_part(curves, keys, analysis.frames, values)
    return copy


def played(action: bpy.types.Action, analysis: Analysis, frames: FloatArray | None = None) -> FloatArray:
    """(F, C) what a reduced action plays at the frames of the analysis, or at others between them.

    Where it has no keys it plays the target. What stands still counts as well: of the last decimals that
    flicker in it one is played, and a layer has to know.
    """
    if frames is None:
        frames, values = analysis.frames, analysis.values.copy()
    else:
        values = at_times(analysis.values, analysis.frames, frames)
    there = curves_there(action, analysis)
    keyed = np.array([curve is not None for curve in there], bool)
    values[:, keyed] = actions.read_values(list(compress(there, keyed)), frames)
    return values


def _hold_still(curves: list[Any], analysis: Analysis) -> None:
    """One key for each channel that stands still; mostly it is there since the last time."""
    frame, values = analysis.frames[0], analysis.values[0, ~analysis.moves].astype(np.float32)
    there = [
        len(curve.keyframe_points) == 1 and tuple(curve.keyframe_points[0].co) == (frame, value)
        for curve, value in zip(curves, values.tolist(), strict=True)
    ]
    missing = ~np.array(there, bool)
    keys = Keys(analysis.frames[:1], values[None, missing])
    write_keys(list(compress(curves, missing)), keys)


def curves_of(action: bpy.types.Action, analysis: Analysis) -> list[Any]:
    """The curve of every column of the analysis; one that the user removed is made again."""
    curves: list[Any] = []
    for handle in dict.fromkeys(each[0] for each in analysis.paths):
        bag = actions.bag_of(action, actions.slot_with_handle(action, handle), create=True)
        wanted = [actions.Channel(path, index) for slot, path, index in analysis.paths if slot == handle]
        curves += actions.ensure_curves(bag, wanted)
    return curves


def curves_there(action: bpy.types.Action, analysis: Analysis) -> list[Any | None]:
    """The curve of every column of the analysis; None where the user removed it, or all of its keys."""
    found = {
        (actions.slot_handle(slot), curve.data_path, curve.array_index): curve
        for slot, bag in actions.bags_in(action)
        for curve in bag.fcurves
        if len(curve.keyframe_points)
    }
    return [found.get(place) for place in analysis.paths]


def carry_over(
    before: bpy.types.Action,
    after: bpy.types.Action,
    handles: Sequence[int],
    analysis: Analysis,
    *,
    all_others: bool,
) -> None:
    """Take over channels that the animator has added to an action, or all that keep their own keys.

    With them goes what was done to a curve besides its keys: that it is muted or locked, and its modifiers.

    Args:
        all_others: of the same source, so that what differs was done by the animator.
    """
    for handle in handles:
        bag: Any = actions.bag_of(before, actions.slot_with_handle(before, handle))
        to: Any = actions.bag_of(after, actions.slot_with_handle(after, handle), create=True)
        there = {(curve.data_path, curve.array_index) for curve in to.fcurves}
        reduced = {(path, index) for slot, path, index in analysis.paths if slot == handle}
        for curve in () if bag is None else bag.fcurves:
            channel = actions.channel_of(curve)
            place = (channel.path, channel.index)
            if not all_others and place in there:
                continue
            [copy] = actions.ensure_curves(to, [channel])
            give_settings(copy, read_settings(curve))
            if place not in reduced:
                write_arrays(copy, read_keys(curve))


def remove_modifiers(action: bpy.types.Action, analysis: Analysis) -> None:
    """What modifiers did to the source is in the keys now. Cycles go on beyond the keys as before."""
    for curve in curves_of(action, analysis):
        for modifier in [each for each in curve.modifiers if each.type != "CYCLES"]:
            curve.modifiers.remove(modifier)
