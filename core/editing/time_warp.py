# SPDX-License-Identifier: GPL-3.0-or-later
"""Time as the animator moved it: which moment of the source plays at which frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..motion import FloatArray, IntArray
from ..reconstruct import monotone_cubic

SAME = 1e-6  # moments closer than this are the same
HALVINGS = 60  # of a bracket that is looked through for a moment


@dataclass(frozen=True, eq=False)
class TimeWarp:
    """A smooth way through time that never runs backwards: a monotone cubic through pairs of moments.

    Before the first pair and after the last one time runs as in the source, and without pairs everywhere.

    Attributes:
        frames: (n,) ascending frames of what plays.
        times: (n,) ascending moments of the source that play there.
    """

    frames: FloatArray
    times: FloatArray

    @staticmethod
    def none() -> TimeWarp:
        return TimeWarp(np.empty(0), np.empty(0))

    @property
    def is_none(self) -> bool:
        return not np.any(np.abs(self.frames - self.times) > SAME)

    def to_source(self, frames: FloatArray) -> FloatArray:
        """The moments of the source that play at some frames."""
        return _smooth(self.frames, self.times, np.asarray(frames, np.float64))

    def from_source(self, times: FloatArray) -> FloatArray:
        """The frames at which moments of the source play."""
        times = np.asarray(times, np.float64)
        if self.is_none:
            return times.copy()
        exact = np.interp(times, self.times, self.frames)
        outside = (times <= self.times[0]) | (times >= self.times[-1])
        low, high = self._bracket(times)
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            late = self.to_source(middle) > times
            low, high = np.where(late, low, middle), np.where(late, middle, high)
        paired = np.isin(times, self.times)
        shift = np.where(times <= self.times[0], times - self.times[0], times - self.times[-1])
        return np.where(outside, exact + shift, np.where(paired, exact, 0.5 * (low + high)))

    def _bracket(self, times: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Frames of the pairs before and after."""
        after = np.clip(np.searchsorted(self.times, times), 1, len(self.times) - 1)
        return self.frames[after - 1], self.frames[after]

    def moved(self, before: FloatArray, after: FloatArray) -> TimeWarp:
        """This, and then what plays at the ascending frames `before` moved to the ascending frames `after`.

        What lies between follows smoothly. A pair that is near a moved frame gives way to it.
        """
        if not np.any(np.abs(before - after) > SAME):
            return self
        times = self.to_source(before)
        kept = ~_is_near(self.times, times)
        own_times = self.times[kept]
        own_frames = _smooth(before, after, self.frames[kept])
        order = np.argsort(np.concatenate([times, own_times]), kind="stable")
        return _pruned(np.concatenate([after, own_frames])[order], np.concatenate([times, own_times])[order])


def _smooth(at: FloatArray, values: FloatArray, wanted: FloatArray) -> FloatArray:
    """A monotone cubic through points, which goes on outside as steeply as time runs."""
    if len(at) == 0:
        return wanted.copy()
    inside = np.clip(wanted, at[0], at[-1])
    return monotone_cubic(at, values[:, None], inside)[:, 0] + (wanted - inside)


def nearest(moments: FloatArray, wanted: FloatArray) -> IntArray:
    """The place of the ascending moment that is nearest to each."""
    return np.searchsorted(0.5 * (moments[1:] + moments[:-1]), wanted)


def _is_near(times: FloatArray, others: FloatArray) -> np.ndarray:
    """Which times have one of the others within half a frame."""
    return np.any(np.abs(times[:, None] - others) < 0.5, axis=1)


def _pruned(frames: FloatArray, times: FloatArray) -> TimeWarp:
    """Without pairs in the middle of stretches that run evenly: the cubics are the same without them."""
    pace = np.diff(times) / np.diff(frames)
    even = np.abs(np.diff(pace)) < SAME  # at the pairs from the second to the last but one
    needed = np.ones(len(frames), bool)
    needed[2:-2] = ~(even[:-2] & even[1:-1] & even[2:])
    return TimeWarp(frames[needed], times[needed])
