# SPDX-License-Identifier: GPL-3.0-or-later
"""Locomotion: the character travels because its feet hold on to the ground.

Igarashi, Moscovich and Hughes 2005, section 5.2. Some points of the character are marked (toes, heels). The
lowest of them that touches the ground is the contact: it stays where it is and the base slides instead.
When nothing touches, the base keeps the horizontal speed it had just before.

Between two frames one point holds: the contact of the first frame, or, if that one has left the ground by
the second, the contact of the second if it was down in both. So a point that is the contact in both frames
has exactly the same place in both, and a foot that lifts off does not drag the character back.

Departures from the paper. Its authors report a waddle where a swinging foot dips below the standing one for
a moment. Here a contact gives way only to a point that is lower by `margin`, and holds on to the ground until
it has risen `margin` above where it counts as touching. A foot that is set down while it still swings forward
would push the character back: on request a point that pushes against the way of late does not hold, and where
none does the base coasts to rest. The way of late is what the lowest foot says: a toe may swing lower than
the foot that stands, but its heel does not, so all points of a foot count. Who turns round waits for that way
to fade. Where the whole motion is known, so is where it sets out to. Also on request the base is lifted so
that no marked point sinks below the ground.

Complexity: O(C) a step for C marked points.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from ..checks import FloatArray, IntArray, number, numbers, whole_numbers
from ..errors import InputError

IN_THE_AIR = -1
EQUALLY_LOW = 1e-3  # as a share of the touching distance
LATELY = 0.5  # seconds in which the way of late is forgotten by two thirds
COASTING = 0.15  # seconds in which the base loses two thirds of its speed where nothing holds
LEVEL = np.array([1.0, 1.0, 0.0])


@dataclass(frozen=True)
class Ground:
    """Where the ground is, and when a point holds on to it.

    Args:
        height: height (z) of the ground.
        touch: a point at most this far above the ground touches it.
        margin: how much lower another point must be to take over, and how much higher than `touch` the
            contact must rise to let go.
        solid: lift the base so that no marked point is below the ground.
        steady_speed: from this speed on, in units a second, nothing steps back; None: it may at any speed.
    """

    height: float = 0.0
    touch: float = 0.02
    margin: float = 0.01
    solid: bool = False
    steady_speed: float | None = None

    def __post_init__(self) -> None:
        number(self.height, "height of the ground")
        number(self.touch, "touching distance", at_least=0.0)
        number(self.margin, "margin", at_least=0.0)
        if self.steady_speed is not None:
            number(self.steady_speed, "speed from which on nothing steps back", at_least=0.0)


class Locomotion:
    """Where the base is, frame by frame: call `step` with the marked points of each pose.

    Args:
        feet: (C,) for each point the number of the foot that it is a point of; each is a foot if left out.
    """

    def __init__(self, ground: Ground | None = None, feet: ArrayLike | None = None):
        self.ground = Ground() if ground is None else ground
        self._feet = None if feet is None else whole_numbers(feet, "feet", (None,))
        self.reset()

    def reset(self, offset: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Begin again with the base at `offset`, standing still."""
        self._travelled = numbers(offset, "offset of the base", (3,)) * LEVEL
        self._speed = np.zeros(3)
        self._way = np.zeros(3)  # the speed of late, as the lowest feet have it
        self._looked = 0.0  # seconds that were looked at for it
        self._before: FloatArray | None = None
        self.contact = IN_THE_AIR

    def look_ahead(self, frames: ArrayLike, seconds: float) -> None:
        """Learn where it sets out to from its first poses: points (F, C, 3), `seconds` apart."""
        known = numbers(frames, "contact points", (None, self._count, 3))
        ahead = [placed + self._lift(placed) for placed in known]
        for before, now in pairwise(ahead):
            self._look_where_it_goes(before, now, seconds)

    def step(self, points: ArrayLike, seconds: float) -> FloatArray:
        """(3,) what to add to the base, for marked points (C, 3) as the pose alone would place them.

        `seconds` is the time since the step before. After the call `contact` is the point that holds, or -1.
        """
        placed = numbers(points, "contact points", (self._count, 3))
        elapsed = number(seconds, "time of a step", at_least=0.0)
        if self._before is not None and self._before.shape != placed.shape:
            raise InputError(
                "There were {before} contact points and now there are {placed}; reset before changing them.",
                before=len(self._before),
                placed=len(placed),
            )
        lift = self._lift(placed)
        placed = placed + lift
        may_hold = np.ones(len(placed), bool)
        if self._before is not None:
            self._look_where_it_goes(self._before, placed, elapsed)
            may_hold = self._does_not_step_back(self._before, placed)
        follows = self._next_contact(placed, may_hold)
        if self._before is not None:
            self._travel(self._before, placed, may_hold, follows, elapsed)
        self._before, self.contact = placed, follows
        return self._travelled + lift

    @property
    def _count(self) -> int | None:
        """How many points there have to be, if it is known."""
        return None if self._feet is None else len(self._feet)

    def _look_where_it_goes(self, before: FloatArray, now: FloatArray, elapsed: float) -> None:
        """Take the lowest foot's word for where the character goes, whichever holds."""
        foot = self._lowest_foot(before[:, 2] + now[:, 2])
        down = [point for point in foot if self._is_down(before[point]) and self._is_down(now[point])]
        if not down or elapsed <= 0.0:
            return
        lowest = min(down, key=lambda point: now[point, 2])
        speed = (before[lowest] - now[lowest]) * LEVEL / elapsed
        self._looked += elapsed
        # At first all of it is of late: who has just begun to run knows where to.
        share = max(1.0 - np.exp(-elapsed / LATELY), elapsed / self._looked)
        self._way = self._way + share * (speed - self._way)

    def _lowest_foot(self, heights: FloatArray) -> IntArray:
        """The points of the foot that is lowest, on average over its points."""
        feet = np.arange(len(heights)) if self._feet is None else self._feet
        means = [heights[feet == foot].mean() for foot in feet]
        return np.flatnonzero(feet == feet[np.argmin(means)]) if means else feet

    def _does_not_step_back(self, before: FloatArray, now: FloatArray) -> np.ndarray:
        """(C,) which points do not push the character back from where it is going."""
        steady = self.ground.steady_speed
        if steady is None or np.linalg.norm(self._way) <= steady:
            return np.ones(len(now), bool)
        return (before - now) @ self._way >= 0.0

    def _next_contact(self, placed: FloatArray, may_hold: np.ndarray) -> int:
        """Which point holds on to the ground now."""
        if not may_hold.any():
            return IN_THE_AIR
        # Of points that are equally low but for rounding the first counts, live and when a take is written.
        heights = np.where(may_hold, placed[:, 2], np.inf)
        lowest = int(np.argmax(heights <= heights.min() + EQUALLY_LOW * self.ground.touch))
        touches = placed[lowest, 2] <= self.ground.height + self.ground.touch
        if self.contact == IN_THE_AIR:
            return lowest if touches else IN_THE_AIR
        holds = may_hold[self.contact] and self._is_down(placed[self.contact])
        if holds and placed[lowest, 2] >= placed[self.contact, 2] - self.ground.margin:
            return self.contact
        # A contact that holds gives way only to a point that is lower by the margin, and that one touches.
        return lowest if touches else IN_THE_AIR

    def _travel(
        self, before: FloatArray, now: FloatArray, may_hold: np.ndarray, follows: int, elapsed: float
    ) -> None:
        """Slide with the point that holds between the two frames, or fly on if there is none."""
        for held in (self.contact, follows):
            if held == IN_THE_AIR or not may_hold[held]:
                continue
            if self._is_down(before[held]) and self._is_down(now[held]):
                slid = (before[held] - now[held]) * LEVEL
                self._travelled = self._travelled + slid
                if elapsed > 0.0:
                    self._speed = slid / elapsed
                return
        if not may_hold.all() and self._is_down(now[np.argmin(now[:, 2])]):
            self._speed = self._speed * np.exp(-elapsed / COASTING)
        self._travelled = self._travelled + self._speed * elapsed

    def _is_down(self, point: FloatArray) -> bool:
        """Whether a point is low enough to go on holding."""
        return bool(point[2] <= self.ground.height + self.ground.touch + self.ground.margin)

    def _lift(self, placed: FloatArray) -> FloatArray:
        sunk = self.ground.height - placed[:, 2].min(initial=np.inf)
        return np.array([0.0, 0.0, max(sunk, 0.0) if self.ground.solid else 0.0])


@dataclass(frozen=True)
class Walk:
    """(F, 3) what to add to the base in each frame, and (F,) the contact in each frame, -1 in the air."""

    offsets: FloatArray
    contacts: IntArray


def walk(
    points: ArrayLike,
    fps: float,
    ground: Ground | None = None,
    offset: ArrayLike = (0.0, 0.0, 0.0),
    feet: ArrayLike | None = None,
    *,
    looks_ahead: bool = True,
) -> Walk:
    """The whole way at once, for marked points (F, C, 3) of F frames.

    Args:
        feet: see `Locomotion`.
        looks_ahead: know from the first frame on where it sets out to; without it, as step by step.
    """
    frames = numbers(points, "contact points", (None, None, 3))
    rate = number(fps, "frame rate")
    if rate <= 0.0:
        raise InputError("The frame rate is {rate:g}; it must be more than 0.", rate=rate)
    locomotion = Locomotion(ground, feet)
    locomotion.reset(offset)
    if looks_ahead:
        locomotion.look_ahead(frames[: round(LATELY * rate) + 1], 1.0 / rate)
    offsets = np.empty((len(frames), 3))
    contacts = np.empty(len(frames), dtype=np.int64)
    for i, placed in enumerate(frames):
        offsets[i] = locomotion.step(placed, 1.0 / rate)
        contacts[i] = locomotion.contact
    return Walk(offsets, contacts)
