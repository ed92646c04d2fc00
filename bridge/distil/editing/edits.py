# SPDX-License-Identifier: GPL-3.0-or-later
"""What the animator did to a reduced action, kept so that every number of keys carries it.

All of it is told in moments of the source. So a pose that was changed goes along when its key is moved later,
and what was found for some keys holds for all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....core.editing.pose_changes import PoseChanges, interpolated
from ....core.editing.time_warp import TimeWarp, nearest
from ....core.motion import FloatArray
from .. import storage
from ..channels import Paths


@dataclass(frozen=True, eq=False)
class Edits:
    """A time warp, changes of poses, and the moments whose keys the animator set.

    Attributes:
        warp: which moment of the source plays at which frame.
        keyed: (E,) ascending moments that are keys whatever the key count.
        times: (N,) ascending moments at which changes are known.
        paths: the channels that were changed.
        changes: (N, P) how, in the terms of `PoseChanges`.
    """

    warp: TimeWarp
    keyed: FloatArray
    times: FloatArray
    paths: Paths
    changes: FloatArray

    @staticmethod
    def none() -> Edits:
        return Edits(TimeWarp.none(), np.empty(0), np.empty(0), (), np.empty((0, 0)))

    @property
    def is_none(self) -> bool:
        return self.warp.is_none and not len(self.keyed) and not np.any(self.changes)

    @property
    def keyed_frames(self) -> FloatArray:
        """The frames at which edited keys play."""
        return self.warp.from_source(self.keyed)

    def changes_at(self, times: FloatArray, paths: Sequence[tuple[int, str, int]]) -> FloatArray:
        """(Q, C) changes of channels at some moments; zeros for those that were not changed."""
        result = np.zeros((len(times), len(paths)))
        place = {path: column for column, path in enumerate(self.paths)}
        there = [column for column, path in enumerate(paths) if path in place]
        if there and len(self.times):
            known = interpolated(self.times, self.changes, times)
            result[:, there] = known[:, [place[paths[column]] for column in there]]
        return result

    def trimmed(self) -> Edits:
        """Without the moments and channels at which nothing was changed."""
        columns = np.flatnonzero(np.any(self.changes != 0.0, axis=0))
        rows = np.flatnonzero(np.any(self.changes != 0.0, axis=1))
        if not len(rows):
            return replace(self, times=np.empty(0), paths=(), changes=np.empty((0, 0)))
        span = slice(max(rows[0] - 1, 0), rows[-1] + 2)
        return replace(
            self,
            times=self.times[span],
            paths=tuple(self.paths[column] for column in columns),
            changes=self.changes[span, columns],
        )

    def without_key(self, number: int) -> Edits:
        """Without one of the edited keys: what was changed there fades towards the next ones."""
        keyed = np.delete(self.keyed, number)
        if len(self.times):
            return replace(self, keyed=keyed, changes=self.changes * self._of_others(number)).trimmed()
        return replace(self, keyed=keyed)

    def _of_others(self, number: int) -> FloatArray:
        """(N, P) how much of the changes belongs to other keys than one of the edited: none at that key.

        What was changed around this key alone, up to where nothing is, is its own; where it goes over into
        what was changed at another, it fades towards that.
        """
        others = np.concatenate([[-np.inf], np.delete(self.keyed, number), [np.inf]])
        before, after = others[number], others[number + 1]
        at = self.keyed[number]
        left = np.clip((at - self.times) / (at - before), 0.0, 1.0)
        right = np.clip((self.times - at) / (after - at), 0.0, 1.0)
        share = np.maximum(left, right)[:, None]
        around = self._around(int(nearest(self.times, at)))
        elsewhere = nearest(self.times, np.delete(self.keyed, number))
        shared = np.any(around[elsewhere], axis=0)
        return np.where(around, np.where(shared, share * share * (3.0 - 2.0 * share), 0.0), 1.0)

    def _around(self, row: int) -> np.ndarray:
        """(N, P) the moments from a row on, to both sides, up to where a channel is not changed."""
        changed = self.changes != 0.0
        onwards = np.logical_and.accumulate(changed[row:], axis=0)
        back = np.logical_and.accumulate(changed[row::-1], axis=0)[::-1]
        return np.concatenate([back[:-1], onwards])

    def echoed(self, number: int, moments: FloatArray, strengths: FloatArray) -> Edits:
        """With what was changed at one of the edited keys at other moments too, as strongly as said."""
        own = self.changes * (1.0 - self._of_others(number))
        spans = [self.times + (moment - self.keyed[number]) for moment in moments]
        times = np.unique(np.concatenate([self.times, *spans]).round(5))
        algebra = changes_of(self.paths)
        changes = self.changes_at(times, self.paths)
        for span, strength in zip(spans, strengths, strict=True):
            inside = (times >= span[0]) & (times <= span[-1])
            echo = interpolated(span, own * strength, times) * inside[:, None]
            changes = algebra.together(changes, echo)
        keyed = np.unique(np.concatenate([self.keyed, moments]))
        return replace(self, keyed=keyed, times=times, changes=changes).trimmed()


def changes_of(paths: Sequence[tuple[int, str, int]]) -> PoseChanges:
    """How channels are changed: quaternions that have all their channels are turned, the rest is added."""
    place = {path: column for column, path in enumerate(paths)}
    turns = [
        [place.get((handle, path, index), -1) for index in range(4)]
        for handle, path, first in paths
        if first == 0 and path.rpartition(".")[2] == "rotation_quaternion"
    ]
    whole = [columns for columns in turns if min(columns) >= 0]
    return PoseChanges(np.array(whole, np.int64).reshape(-1, 4))


def pack(edits: Edits) -> str:
    """As a text that fits in a file; nothing where there is nothing to keep."""
    if edits.is_none:
        return ""
    return storage.pack_arrays(
        {
            "warp": np.stack([edits.warp.frames, edits.warp.times]),
            "keyed": edits.keyed,
            "times": edits.times,
            "handles": np.array([handle for handle, _, _ in edits.paths], np.int64),
            "names": np.array([path for _, path, _ in edits.paths], np.str_),
            "indices": np.array([index for _, _, index in edits.paths], np.int64),
            "changes": edits.changes.astype(np.float32),
        }
    )


def unpack(text: str) -> Edits:
    """What was packed; whatever else a file may hold in its place is refused with a sentence."""
    return storage.unpack_arrays(text, _edits) if text else Edits.none()


def _edits(arrays: dict[str, np.ndarray]) -> Edits:
    warp, keyed, times = (storage.numbers(arrays[name]) for name in ("warp", "keyed", "times"))
    changes = storage.numbers(arrays["changes"])
    handles, indices = (storage.whole_numbers(arrays[name]) for name in ("handles", "indices"))
    names = arrays["names"]
    storage.require(warp.ndim == 2 and len(warp) == 2)
    for moments in (*warp, keyed, times):
        storage.require(moments.ndim == 1 and bool(np.all(np.diff(moments) > 0.0)))
    storage.require(names.ndim == 1 and len(names) == len(handles) == len(indices))
    storage.require(changes.shape == (len(times), len(names)))
    storage.require(len(times) != 1)
    paths = [
        (int(handle), str(name), int(index))
        for handle, name, index in zip(handles, names, indices, strict=True)
    ]
    return Edits(TimeWarp(warp[0], warp[1]), keyed, times, tuple(paths), changes)
