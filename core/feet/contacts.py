# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts: when which point of a body is planted, and where it stands then.

A planted point hardly moves, and something of its foot is about as low as the body gets at some moment of
it. Speeds are taken over a twentieth of a second or so, and a slow core grows to where the point is clearly
on its way (hysteresis), so neither noise nor the frame rate decides. Heights are compared within the pose
alone: there is no ground that a slope, a stair or a bed could be above. All limits are shares of the body's
height. What is planted but never the lowest (a foot on a chair, a hand on a table) is for the user to mark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..checks import FloatArray, IntArray, frame_numbers, numbers
from ..errors import InputError
from .between_frames import at_times
from .calming import calmed

# Heights a second: below the first it stands, and goes on to stand until above the second.
STANDS, LEAVES = 0.12, 0.2
# At its ends it is slower than this, in heights a second, or nearer to its place than this, in heights.
SETTLED, NEAR = 0.07, 0.008
WINDOW = 0.03  # seconds before and after, over which a speed is taken
SHORTEST = 0.1  # seconds
SAME = 0.002  # heights from its place, where it stands though a speed that looks farther does not say so yet
GAP = 0.06  # seconds between two stretches at one place that are one
ROUNDED = 1e-6  # seconds: how long some frames last depends a little on where the action begins
STRAYS = 0.03  # heights from its place; what goes farther has moved on
LOW = 0.05  # heights above the lowest point of the body
APEX = 0.02  # heights above the moments before and after
GONE = 0.01  # of the largest extent: who is scaled to less is not there


@dataclass(frozen=True, eq=False)
class Contact:
    """A stretch in which a point is planted.

    Attributes:
        point: which of the points.
        first, last: rows of its first and its last frame.
        place: (3,) where it stands.
        spread: the farthest that it gets from there.
    """

    point: int
    first: int
    last: int
    place: FloatArray
    spread: float

    @property
    def rows(self) -> slice:
        return slice(self.first, self.last + 1)


def find_contacts(
    points: ArrayLike,
    *,
    height: float,
    fps: float,
    frames: ArrayLike | None = None,
    body: ArrayLike | None = None,
    feet: Sequence[int] | None = None,
    heels: ArrayLike | None = None,
    sunk: ArrayLike = 0.0,
    up: ArrayLike = (0.0, 0.0, 1.0),
) -> list[Contact]:
    """The contacts of some points, in the order of their first frames.

    Args:
        points: (F, P, 3) where the points are, in the world.
        height: of the body, in the same unit.
        fps: frames a second. frames: (F,) frame numbers; 0, 1, 2 ... if left out.
        body: (F, J, 3) all joints, to tell what is low; the points themselves if left out.
        feet: (P,) the foot that each point belongs to; each to its own if left out.
        heels: (F, P, 3) the other end of what each point belongs to: who lies on the back has that lower.
        sunk: (P,) how far each point is said to be below what it would touch: heights are compared without.
    """
    places = numbers(points, "Points")
    if places.ndim != 3 or places.shape[2] != 3:
        raise InputError("Points must have the shape (frames, points, 3), not {shape}.", shape=places.shape)
    if not height > 0.0:
        raise InputError("The character's height must be above zero, not {height}.", height=height)
    if len(places) < 2:
        return []
    times = frame_numbers(frames, len(places)) / fps
    calm = calmed(places, times, height, NEAR * height)
    speeds = speeds_over(calm, times, WINDOW) / height
    if body is not None:
        speeds[_gone(numbers(body, "The body"))] = np.inf
    upward = np.asarray(up, np.float64)
    levels = places @ upward
    soles = levels + numbers(sunk, "Sunk")
    everything = soles if body is None else np.hstack([soles, numbers(body, "The body") @ upward])
    lows = soles if heels is None else np.minimum(soles, numbers(heels, "Heels") @ upward)
    foot_of = np.arange(places.shape[1]) if feet is None else np.asarray(feet)
    found: list[Contact] = []
    for point in range(places.shape[1]):
        above = lows[:, foot_of == foot_of[point]].min(axis=1) - everything.min(axis=1)
        track = _Track(calm[:, point], speeds[:, point], levels[:, point], times, height)
        for first, last in track.contacts():
            if above[first : last + 1].min() <= LOW * height:
                found.append(contact_at(places[:, point], point, first, last))
    return sorted(found, key=lambda each: (each.first, each.point))


def _gone(body: FloatArray) -> np.ndarray:
    """(F,) where a body (F, J, 3) is scaled to nothing, which shows nobody: all of it is in one place."""
    extents = np.ptp(body, axis=1).max(axis=1)
    return extents < GONE * extents.max()


def contact_at(places: FloatArray, point: int, first: int, last: int) -> Contact:
    """A contact that somebody else knows of, where the point (F, 3) is on average."""
    inside = places[first : last + 1]
    place = np.median(inside, axis=0)
    return Contact(point, first, last, place, float(np.linalg.norm(inside - place, axis=1).max()))


def planted(contacts: Iterable[Contact], frames: int, points: int) -> np.ndarray:
    """(F, P) whether each point is planted in each frame."""
    found = np.zeros((frames, points), bool)
    for each in contacts:
        found[each.rows, each.point] = True
    return found


def ground_under(contacts: Sequence[Contact], frames: int, up: ArrayLike = (0.0, 0.0, 1.0)) -> FloatArray:
    """(F,) how high what a point stands on is: between two contacts it goes straight from one to the next."""
    rows = np.concatenate([[each.first, each.last] for each in contacts])
    levels = np.repeat([each.place @ np.asarray(up, np.float64) for each in contacts], 2)
    return np.interp(np.arange(frames), rows, levels)


def floor_under(
    contacts: Sequence[Contact], points: FloatArray, up: ArrayLike = (0.0, 0.0, 1.0)
) -> FloatArray:
    """(F,) how low a point (F, 3) may get: to what it stands on, or to where it is itself if lower."""
    if not contacts:
        return np.full(len(points), -np.inf)
    return np.minimum(ground_under(contacts, len(points), up), points @ np.asarray(up, np.float64))


def speeds_over(places: FloatArray, times: FloatArray, window: float) -> FloatArray:
    """(F, P) from so many seconds before to as many after each frame."""
    step = max(window, float(np.median(np.diff(times))))
    before, after = (np.clip(times + way, times[0], times[-1]) for way in (-step, step))
    moved = at_times(places, times, after) - at_times(places, times, before)
    return np.linalg.norm(moved, axis=2) / (after - before)[:, None]


def runs(mask: np.ndarray) -> Iterator[tuple[int, int]]:
    """First and last row of every stretch that is true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    for first, end in edges.reshape(-1, 2).tolist():
        yield first, end - 1


@dataclass(frozen=True, eq=False)
class _Track:
    """One point over time."""

    places: FloatArray
    speeds: FloatArray
    levels: FloatArray
    times: FloatArray
    height: float

    def contacts(self) -> Iterator[tuple[int, int]]:
        """First and last rows."""
        slow = self.speeds < LEAVES
        free = ~slow  # rows that no stretch has taken
        stretches = [each for first, last in self._joined(runs(slow)) for each in self._apart(first, last)]
        for start, stop in stretches:
            settled = self._settled(start, stop)
            if not len(settled):
                continue
            first, last = self._grown(start + int(settled[0]), start + int(settled[-1]), free)
            free[first : last + 1] = False
            if self._lasts(first, last) and not self._is_apex(first, last):
                yield first, last

    def _joined(self, stretches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """Those that stand for a moment, without the short gaps that noise makes."""
        joined: list[tuple[int, int]] = []
        for first, last in stretches:
            if self.speeds[first : last + 1].min() >= STANDS:
                continue
            if joined and self.times[first] - self.times[joined[-1][1]] <= GAP + ROUNDED:
                joined[-1] = joined[-1][0], last
            else:
                joined.append((first, last))
        return joined

    def _apart(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """A stretch, cut where it moves on slowly from one place to another."""
        waiting = [(first, last)]
        while waiting:
            first, last = waiting.pop()
            inside = self.places[first : last + 1]
            core = self.speeds[first : last + 1] < STANDS
            if not core.any():
                continue
            place = np.median(inside[core], axis=0)
            near = np.linalg.norm(inside - place, axis=1) <= STRAYS * self.height
            if not near.any():  # it is at both ends of its way
                near = np.arange(last - first + 1) < (last - first + 1) // 2
            start, end = max(runs(near), key=lambda run: run[1] - run[0])
            yield first + start, first + end
            before, after = (first, first + start - 1), (first + end + 1, last)
            waiting += [each for each in (before, after) if each[0] < each[1]]

    def _settled(self, first: int, last: int) -> IntArray:
        """Which rows of a stretch may be its ends."""
        near = self._distances(first, last) < NEAR * self.height
        return np.flatnonzero(near | (self.speeds[first : last + 1] < SETTLED))

    def _grown(self, first: int, last: int, free: np.ndarray) -> tuple[int, int]:
        """A stretch with the free rows before and after it that are at its place as well."""
        place = np.median(self.places[first : last + 1], axis=0)

        def belongs(row: int) -> bool:
            return bool(free[row] and np.linalg.norm(self.places[row] - place) < SAME * self.height)

        while first > 0 and belongs(first - 1):
            first -= 1
        while last < len(free) - 1 and belongs(last + 1):
            last += 1
        return first, last

    def _lasts(self, first: int, last: int) -> bool:
        """Whether a stretch is long enough; one that does not move at all may be a frame shorter."""
        seconds = self.times[last] - self.times[first]
        least = SHORTEST - ROUNDED
        if seconds >= least:
            return True
        still = self._distances(first, last).max() < SAME * self.height
        return bool(still and seconds + np.median(np.diff(self.times)) >= least)

    def _distances(self, first: int, last: int) -> FloatArray:
        """(N,) how far each row of a stretch is from its place."""
        inside = self.places[first : last + 1]
        return np.linalg.norm(inside - np.median(inside, axis=0), axis=1)

    def _is_apex(self, first: int, last: int) -> bool:
        """Whether a short stretch is where a foot in the air turns round."""
        if self.times[last] - self.times[first] > 3.0 * SHORTEST + ROUNDED:
            return False
        around = np.interp(
            [self.times[first] - SHORTEST, self.times[last] + SHORTEST], self.times, self.levels
        )
        middle = float(np.median(self.levels[first : last + 1]))
        return bool(np.all(around < middle - APEX * self.height))
