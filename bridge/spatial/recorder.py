# SPDX-License-Identifier: GPL-3.0-or-later
"""`Recorder`: where the cursors were and when, while a performance is recorded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import floor

import numpy as np

from ...core import InputError
from .moments import Moment
from .poses import Pose
from .reaching import Body

# Places of the cursor's trail that are shown at the most: it is drawn anew all the time.
TRAIL = 400


@dataclass(frozen=True, eq=False)
class Sample:
    """What a pose depends on and a performance changes, at one time."""

    points: np.ndarray  # (S, 3) of the cursors, in the space of the armature object
    shares: np.ndarray  # (S,)
    targets: np.ndarray  # (T, 3, 4)


class Recorder:
    """Samples over time, which is given as a frame with a fraction."""

    def __init__(self) -> None:
        self._times: list[float] = []
        self._samples: list[Sample] = []
        self._bodies: dict[int, Pose] = {}

    def add(self, time: float, sample: Sample) -> None:
        """Note a sample, unless one at that time or later is known."""
        if not self._times or time > self._times[-1]:
            self._times.append(time)
            self._samples.append(sample)

    def add_body(self, time: float, pose: Pose) -> None:
        """Note how the whole body stands: where anything reaches, bones that no set holds matter too."""
        self._bodies[floor(time)] = pose

    def trail(self, row: int) -> np.ndarray:
        """(n, 3) where a cursor went; of very many places only some."""
        some = self._samples[:: len(self._samples) // TRAIL + 1]
        return np.array([sample.points[row] for sample in (*some, *self._samples[-1:])]).reshape(-1, 3)

    @property
    def frames(self) -> np.ndarray:
        """(F,) the whole frames that were recorded."""
        if not self._samples:
            raise InputError("Nothing was recorded: hold the button and move the cursor.")
        first, last = np.ceil(self._times[0]), np.floor(self._times[-1])
        return np.arange(first, max(first, last) + 1.0)

    def moments(self, now: Moment) -> list[Moment]:
        """The recording at whole frames; what it does not tell is as it is `now`."""
        frames = self.frames
        noted = [
            self._at(frames, np.array([getattr(sample, name) for sample in self._samples]))
            for name in ("points", "shares", "targets")
        ]
        return [
            replace(now, points=points, shares=shares, targets=targets, body=body)
            for points, shares, targets, body in zip(*noted, self._bodies_at(frames, now.body), strict=True)
        ]

    def _at(self, frames: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Values at frames, between the times at which they were noted."""
        columns = values.reshape(len(values), -1).T
        between = [np.interp(frames, self._times, column) for column in columns]
        return np.array(between).T.reshape(len(frames), *values.shape[1:])

    def _bodies_at(self, frames: np.ndarray, body: Body | None) -> list[Body | None]:
        """The body as it stood at frames: earlier animation may move bones that no set holds."""
        bodies = []
        for frame in frames.astype(int).tolist():
            if body is not None and frame in self._bodies:
                body = replace(body, pose=self._bodies[frame])
            bodies.append(body)
        return bodies
