# SPDX-License-Identifier: GPL-3.0-or-later
"""`Recorder`: where the cursors were and when, while a performance is recorded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import floor

import numpy as np

from ....core import InputError
from ....core.smooth import smoothed_between_ends
from ..blending.moments import Moment
from ..blending.reaching import Body
from ..posing.poses import Pose

# Places of the cursor's trail that are shown at the most: it is drawn anew all the time.
TRAIL = 400
REST_SECONDS = 0.06  # a hand that has not moved for so long stands still
JITTER_SECONDS = 0.1  # a mouse reports more evenly than redraws come: so far around, times are evened out


@dataclass(frozen=True, eq=False)
class Sample:
    """What a pose depends on and a performance changes, at one time."""

    points: np.ndarray  # (S, 3) of the cursors, in the space of the armature object
    shares: np.ndarray  # (S,)
    targets: np.ndarray  # (T, 3, 4)


class Recorder:
    """Samples over time, which is given as a frame with a fraction.

    Blender handles events in turns: all that came while it was drawing at once, and does not tell when they
    happened. So the events of a turn are spread evenly over the time from the start of the turn before to
    its own: handling many of them takes its time as well.

    Args:
        rate: frames a second that time goes on by.
        within: the first and the last frame that count; all if None.
    """

    def __init__(self, rate: float, within: tuple[int, int] | None = None) -> None:
        self._rate, self._within = rate, within
        self._times: list[float] = []
        self._samples: list[Sample] = []
        self._moved: list[bool] = []  # whether a sample is an event of the hand
        self._bodies: dict[int, Pose] = {}
        self._turn, self._has_ticked = -1, False
        self._pending: list[Sample] = []  # events of this turn
        self._latest: Sample | None = None  # of this turn
        self._began = self._until = -np.inf  # the start of this turn, and up to when events are known
        self._moved_at = -np.inf  # the start of the last turn that had events

    def add(self, time: float, sample: Sample, *, moved: bool = False) -> None:
        """Note a sample, unless one at that time or later is known."""
        self._until = max(self._until, time)
        if not self._times or time > self._times[-1]:
            self._times.append(time)
            self._samples.append(sample)
            self._moved.append(moved)

    def move(self, time: float, sample: Sample, turn: int) -> None:
        """Note an event of the hand that is handled at a time, in a turn that has a number."""
        if turn != self._turn:
            self._begin_turn(time, turn)
        self._pending.append(sample)
        self._latest = sample

    def tick(self, time: float, sample: Sample, turn: int) -> None:
        """Note that time goes on; there is at most one tick a turn."""
        if turn != self._turn or self._has_ticked:
            self._begin_turn(time, turn)
        self._has_ticked = True
        self._latest = sample

    def end(self, time: float, sample: Sample) -> None:
        """Note how everything is at last."""
        self._end_turn()
        self.add(time, sample)

    def _begin_turn(self, time: float, turn: int) -> None:
        self._end_turn()
        self._began, self._turn, self._has_ticked = time, turn, False

    def _end_turn(self) -> None:
        """Say when the events of this turn happened; without any, the hand may stand still."""
        start, end = self._until, self._began
        if self._latest is None or end <= start:
            return  # playback still shows the same frame: they belong to its next one
        if self._pending:
            for n, event in enumerate(self._pending, start=1):
                self.add(start + (end - start) * n / len(self._pending), event, moved=True)
            self._pending, self._moved_at = [], end
        elif end - self._moved_at > REST_SECONDS * self._rate:
            self.add(end, self._latest)
        self._until, self._latest = end, None

    def add_body(self, time: float, pose: Pose) -> None:
        """Note how the whole body stands: where anything reaches, bones that no set holds matter too."""
        self._bodies[floor(time)] = pose

    def trail(self, row: int) -> np.ndarray:
        """(n, 3) where a cursor went; of very many places only some."""
        known = [*self._samples, *self._pending]
        some = known[:: len(known) // TRAIL + 1]
        return np.array([sample.points[row] for sample in (*some, *known[-1:])]).reshape(-1, 3)

    @property
    def frames(self) -> np.ndarray:
        """(F,) the whole frames that were recorded."""
        if not self._samples:
            raise InputError("Nothing was recorded: hold the button and move the cursor.")
        frames = self._whole_frames()
        if self._within is not None and not len(frames):
            raise InputError(
                "Nothing was performed between the frames {first} and {last}: begin before they play, or "
                "choose others.",
                first=self._within[0],
                last=self._within[1],
            )
        return frames

    @property
    def length(self) -> int:
        """How many whole frames were recorded; none is no error here."""
        return len(self._whole_frames()) if self._samples else 0

    def _whole_frames(self) -> np.ndarray:
        first, last = np.ceil(self._times[0]), np.floor(self._times[-1])
        if self._within is None:
            return np.arange(first, max(first, last) + 1.0)
        return np.arange(max(first, self._within[0]), min(last, self._within[1]) + 1.0)

    def moments(self, now: Moment, smoothing: float = 0.0) -> list[Moment]:
        """The recording at whole frames; what it does not tell is as it is `now`.

        `smoothing` is the time, in seconds, over which the places of the cursors are averaged.
        """
        frames = self.frames
        times = steadied(np.array(self._times), np.array(self._moved), JITTER_SECONDS * self._rate)
        noted = [
            _at(frames, times, np.array([getattr(sample, name) for sample in self._samples]))
            for name in ("points", "shares", "targets")
        ]
        places = noted[0].reshape(len(frames), -1)
        noted[0] = smoothed_between_ends(places, smoothing * self._rate).reshape(noted[0].shape)
        return [
            replace(now, points=points, shares=shares, targets=targets, body=body)
            for points, shares, targets, body in zip(*noted, self._bodies_at(frames, now.body), strict=True)
        ]

    def _bodies_at(self, frames: np.ndarray, body: Body | None) -> list[Body | None]:
        """The body as it stood at frames: earlier animation may move bones that no set holds."""
        bodies = []
        for frame in frames.astype(int).tolist():
            if body is not None and frame in self._bodies:
                body = replace(body, pose=self._bodies[frame])
            bodies.append(body)
        return bodies


def steadied(times: np.ndarray, moved: np.ndarray, window: float) -> np.ndarray:
    """The times of samples, those of `moved` ones averaged with their neighbours up to `window` away.

    As many neighbours count before as after, so that even times stay as they are; a sample that did not move
    parts what is before it from what is after it.
    """
    stops = np.flatnonzero(~moved)
    rows = np.arange(len(times))
    after = np.searchsorted(stops, rows)
    first = np.r_[-1, stops][after] + 1
    last = np.r_[stops, len(times)][after] - 1
    before = rows - np.maximum(first, np.searchsorted(times, times - window))
    behind = np.minimum(last, np.searchsorted(times, times + window, side="right") - 1) - rows
    reach = np.where(moved, np.minimum(before, behind), 0)
    sums = np.r_[0.0, np.cumsum(times - times[0])]
    means = (sums[rows + reach + 1] - sums[rows - reach]) / (2 * reach + 1) + times[0]
    return np.maximum.accumulate(means)


def _at(frames: np.ndarray, times: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(F, ...) values at frames, between the times at which they were noted."""
    columns = values.reshape(len(times), -1).T
    between = [np.interp(frames, times, column) for column in columns]
    return np.array(between).T.reshape(len(frames), *values.shape[1:])
