# SPDX-License-Identifier: GPL-3.0-or-later
"""From the curves as the animator has left them to edits: what differs from what was baked.

Columns that were moved as a whole become a time warp. Against what was baked, with its columns moved
likewise, every other difference is a change of pose: a bone that was posed, a key inserted or removed, other
handles, a bone's keys moved alone. Blender's own curves ease such a change out to the keys around it. Where
poses are held from key to key they do not, and it is eased here. At its own key an edited pose is what was
keyed there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, NamedTuple

import bpy
import numpy as np

from ....core.editing.moved_columns import moved_columns
from ....core.editing.pose_changes import eased
from ....core.editing.time_warp import nearest
from ....core.motion import FloatArray
from ... import actions
from ...splicing import NEAR, read_keys, write_arrays
from .. import channels, keying, reductions
from ..feet import flat_holds
from ..reductions import Reduction
from ..solving.analysis import Analysis
from . import stagger
from .edits import Edits, changes_of
from .target import frames_of, values_at

SAME = 1e-5  # of a channel's size: values closer than this are the same
NOTHING = 1e-6  # of a channel's size: changes below this are rounding
HOW = ("interpolation", "easing", "handle_left_type", "handle_right_type")  # how a key is played

KeyArrays = dict[str, np.ndarray]


def edits_now(reduction: Reduction) -> Edits:
    """The edits that are known, and what the animator has done to the curves since they were baked."""
    state, analysis = reduction.state, reduction.analysis()
    copies = now, baked = reduction.action.copy(), reduction.action.copy()
    try:
        for copy in copies:  # what modifiers add to the keys is not in them
            keying.remove_modifiers(copy, analysis)
        late = stagger.late(reduction, analysis.paths)
        keying.write_solution(baked, analysis, state.key_count, state.interpolation, late=late)
        flat_holds.write(reduction, baked, state.key_count, state.interpolation)
        for copy in copies:
            stagger.bring_back(reduction, copy, analysis)
        return _Comparison.of(reduction, analysis, now, baked).edits()
    finally:
        for copy in copies:
            bpy.data.actions.remove(copy)


@dataclass(frozen=True, eq=False)
class _Comparison:
    """The curves of all channels as they are now and as they were baked.

    Attributes:
        before: (K,) the frames of the columns that were baked.
        keys: the keys that each channel has now.
        sizes: (C,) of the channels.
        own_keys: (C,) which channels have keys beside the columns, see `flat_holds`.
    """

    reduction: Reduction
    analysis: Analysis
    before: FloatArray
    now: list[Any]
    baked: list[Any]
    keys: list[KeyArrays]
    sizes: FloatArray
    own_keys: np.ndarray

    @staticmethod
    def of(
        reduction: Reduction, analysis: Analysis, action: bpy.types.Action, copy: bpy.types.Action
    ) -> _Comparison:
        baked = keying.curves_of(copy, analysis)
        # A curve that was removed is baked again: there is nothing in it that could be an edit.
        now = [
            there if len(there.keyframe_points) else same
            for there, same in zip(keying.curves_of(action, analysis), baked, strict=True)
        ]
        return _Comparison(
            reduction,
            analysis,
            analysis.frames[analysis.keys(reduction.state.key_count)],
            now,
            baked,
            [_inside(read_keys(curve), analysis) for curve in now],
            channels.sizes_of(reduction.armature, analysis.paths),
            flat_holds.columns_of(reduction),
        )

    def edits(self) -> Edits:
        known = self.reduction.edits
        after = self._columns_now()
        stayed = ~np.isnan(after)
        warp = known.warp.moved(self.before[stayed], after[stayed])
        after = np.where(stayed, after, warp.from_source(known.warp.to_source(self.before)))
        self._move_baked(after)
        looks = self._looks()
        frames = distinct([look.edited for look in looks if look is not None])
        kept = known.keyed[~_are_among(known.keyed_frames, self.before[~stayed])]
        moved = replace(known, warp=warp, keyed=distinct([kept, warp.to_source(frames)]))
        changed = changes_of(self.analysis.paths).whole(np.array([look is not None for look in looks]))
        if not np.any(changed):
            return moved
        columns = distinct([after, *(keys["co"][:, 0] for keys in self.keys)])
        pinned = [self._pins(look) for look in compress(looks, changed)]
        among = [_are_among(columns, frames) for frames in pinned]
        return self._with_changes(moved, changed, columns, np.stack(among, axis=1))

    def _columns_now(self) -> FloatArray:
        """(K,) where each column that was baked is now; not a number if it is gone."""
        moves = self.analysis.moves & ~self.own_keys
        keys = list(compress(self.keys, moves))
        after = distinct([each["co"][:, 0] for each in keys])
        values = np.full((len(after), len(keys)), np.nan)
        for column, each in enumerate(keys):
            values[nearest(after, each["co"][:, 0]), column] = each["co"][:, 1]
        baked = [_inside(read_keys(curve), self.analysis) for curve in compress(self.baked, moves)]
        poses = np.stack([each["co"][:, 1] for each in baked], axis=1)
        found = moved_columns(self.before, poses, after, values, SAME * self.sizes[moves])
        if not self.analysis.whole:  # its ends are where the rest of the action begins
            first, last = self.before[[0, -1]]
            found[(found < first + NEAR) | (found > last - NEAR)] = np.nan
            found[[0, -1]] = first, last
        return found

    def _move_baked(self, after: FloatArray) -> None:
        """Move the columns that were baked to where they are now, with handles as long as most are now."""
        if not np.any(np.abs(after - self.before) > NEAR):
            return
        moved = [read_keys(curve) for curve in self.baked]
        columns = []
        for keys in moved:
            frames = keys["co"][:, 0]
            at = nearest(self.before, frames)
            columns.append(np.abs(self.before[at] - frames) < NEAR)
            shift = np.where(columns[-1], (after - self.before)[at], 0.0)
            for name in ("co", "handle_left", "handle_right"):
                keys[name][:, 0] += shift
        stretch = _stretch(self.keys, moved)
        for curve, keys, own in zip(self.baked, moved, columns, strict=True):
            for name in ("handle_left", "handle_right") if len(own) > 1 else ():
                keys[name][own, 0] += (stretch - 1.0) * (keys[name] - keys["co"])[own, 0]
            write_arrays(curve, keys)
        self._move_own_keys()

    def _move_own_keys(self) -> None:
        """Keys beside the columns that were only moved in time say nothing: contacts tell where they are."""
        for curve, now in compress(zip(self.baked, self.keys, strict=True), self.own_keys):
            keys = read_keys(curve)
            own = _rows_inside(keys, self.analysis)
            if np.count_nonzero(own) == len(now["co"]):
                for name in ("co", "handle_left", "handle_right"):
                    keys[name][own, 0] = now[name][:, 0]
                write_arrays(curve, keys)

    @property
    def _holds(self) -> bool:
        """Whether poses are held from key to key."""
        return self.reduction.state.interpolation == "STEPPED"

    def _pins(self, look: _Look | None) -> FloatArray:
        """The frames at which a channel's values are to be what they are now."""
        if look is None:
            return np.empty(0)
        return np.concatenate([look.edited, look.gone]) if self._holds else look.edited

    def _looks(self) -> list[_Look | None]:
        """What is different in each channel; None where nothing is."""
        baked = [_inside(read_keys(curve), self.analysis) for curve in self.baked]
        return [_edited(*each) for each in zip(self.keys, baked, SAME * self.sizes, strict=True)]

    def _with_changes(
        self, edits: Edits, changed: np.ndarray, columns: FloatArray, pinned: np.ndarray
    ) -> Edits:
        """The edits with what was done to the poses of some channels.

        Args:
            edits: what is known, in the time of now.
            columns: (n,) the frames of all keys.
            pinned: (n, channels that changed) which keys are edited ones.
        """
        source = reductions.source_of(self.reduction)
        paths = tuple(compress(self.analysis.paths, changed))
        algebra, sizes = changes_of(paths), self.sizes[changed]
        pinned = algebra.whole(pinned)
        played = edits.warp.to_source(frames_of(source.frames, edits))
        times = distinct([edits.keyed, edits.times, source.frames, played])
        frames = edits.warp.from_source(times).round(5)
        now = actions.read_values(list(compress(self.now, changed)), frames)
        baked = actions.read_values(list(compress(self.baked, changed)), frames)
        shape = algebra.between(baked, now)
        if self._holds:
            baked, shape = now, np.zeros_like(shape)
        at = nearest(frames, columns[np.any(pinned, axis=1)])

        def read(moments: FloatArray) -> FloatArray:
            return reductions.read_between(self.reduction, source, moments)

        wanted = values_at(source, times[at], edits, read)[:, changed]
        pins = np.zeros(pinned.shape)
        pins[np.any(pinned, axis=1)] = algebra.between(wanted, baked[at])
        ease = eased(columns, np.where(pinned, pins, 0.0), frames)
        done = algebra.together(ease, shape)
        other_ends = self._other_ends(edits, columns, pinned, done[nearest(frames, columns)])
        done = algebra.together(done, eased(columns, other_ends, frames))
        change = algebra.together(edits.changes_at(times, paths), done)
        change[np.abs(change) < NOTHING * sizes] = 0.0
        closing = columns[np.any(np.abs(other_ends) >= NOTHING * sizes, axis=1)]
        others = tuple(path for path in edits.paths if path not in paths)
        return replace(
            edits,
            keyed=distinct([edits.keyed, edits.warp.to_source(closing)]),
            times=times,
            paths=(*paths, *others),
            changes=np.concatenate([change, edits.changes_at(times, others)], axis=1),
        ).trimmed()

    def _other_ends(
        self, edits: Edits, columns: FloatArray, pinned: np.ndarray, done: FloatArray
    ) -> FloatArray:
        """(n, channels that changed) at one end of a loop what was done at the other alone: it stays one.

        Args:
            done: (n, channels that changed) what was done to the poses on the columns.
        """
        result = np.zeros_like(done)
        ends = edits.warp.from_source(reductions.source_of(self.reduction).frames[[0, -1]])
        if self.analysis.seam is not None and np.all(np.abs(columns[[0, -1]] - ends) < NEAR):
            for end, other in ((0, -1), (-1, 0)):
                result[other] = np.where(pinned[end] & ~pinned[other], done[end], result[other])
        return result


def _inside(keys: KeyArrays, analysis: Analysis) -> KeyArrays:
    """Of a curve of which a part is reduced, the keys of this part."""
    inside = _rows_inside(keys, analysis)
    return {name: array[inside] for name, array in keys.items()}


def _rows_inside(keys: KeyArrays, analysis: Analysis) -> np.ndarray:
    if analysis.whole:
        return np.ones(len(keys["co"]), bool)
    frames = keys["co"][:, 0]
    return (frames > analysis.frames[0] - NEAR) & (frames < analysis.frames[-1] + NEAR)


def _stretch(now: Sequence[KeyArrays], moved: Sequence[KeyArrays]) -> float:
    """How many times as long most handles are now: scaling keys in time scales them, moving does not."""
    ratios = [np.empty(0)]
    for keys, others in zip(now, moved, strict=True):
        at = nearest(others["co"][:, 0], keys["co"][:, 0])
        reach, before = (
            (each["handle_right"] - each["co"])[rows, 0].astype(np.float64)
            for each, rows in ((keys, slice(None)), (others, at))
        )
        there = (np.abs((keys["co"] - others["co"][at])[:, 0]) < NEAR) & (before > NEAR)
        ratios.append(reach[there] / before[there])
    found = np.concatenate(ratios)
    stretch = float(np.median(found)) if len(found) else 1.0
    return stretch if abs(stretch - 1.0) > NEAR else 1.0


class _Look(NamedTuple):
    """The frames of a channel's keys that were edited, and of those that are gone."""

    edited: FloatArray
    gone: FloatArray


def _edited(now: KeyArrays, baked: KeyArrays, tolerance: float) -> _Look | None:
    """Edited are keys that are new, or whose value, handles or interpolation were changed.

    Blender itself changes handles beside a key that is edited, inserted or removed: that is no other edit.
    """
    frames = now["co"][:, 0].astype(np.float64)
    at = nearest(baked["co"][:, 0], frames)
    there = np.abs(baked["co"][at, 0] - frames) < NEAR
    same = there & (np.abs(now["co"][:, 1] - baked["co"][at, 1]) <= tolerance)
    bent = np.any([np.any(now[name] != baked[name][at], axis=1) for name in HOW], axis=0)
    # Aligning handles anew, Blender rounds them by more than its numbers do.
    rounding = max(tolerance, SAME * float(np.abs(baked["co"][:, 1]).max(initial=0.0)))
    for name in ("handle_left", "handle_right"):
        bent |= np.any(np.abs(now[name] - baked[name][at]) > [NEAR, rounding], axis=1)
    if np.all(same & ~bent) and len(now["co"]) == len(baked["co"]):
        return None
    beside = np.concatenate([[True], same[:-1] & same[1:] & (np.diff(at) == 1), [True]])
    edited = frames[~same | (bent & beside[:-1] & beside[1:])]
    return _Look(edited, baked["co"][~_are_among(baked["co"][:, 0], frames), 0])


def distinct(moments: Sequence[FloatArray]) -> FloatArray:
    """All of them in order, those that are the same once."""
    everything = np.sort(np.concatenate([np.empty(0), *moments]).astype(np.float64))
    return everything[np.diff(everything, prepend=-np.inf) > NEAR]


def _are_among(moments: FloatArray, others: FloatArray) -> np.ndarray:
    return np.any(np.abs(moments[:, None] - others) <= NEAR, axis=1)
