# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds: the stretches in which a body stands still, and solutions that have keys at both of their ends.

Still is where no joint goes anywhere: a slow core grows to where something is clearly on its way, and ends
where a joint leaves its place (hysteresis, as with `contacts`). Speeds are taken over a tenth of a second and
measured in heights, so neither noise nor size nor the frame rate decides. What an idle does all the time is
little, but it is its motion: places are also narrow against the farthest that anything goes in the clip.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .checks import FloatArray, IntArray, frame_numbers, numbers
from .errors import InputError
from .feet.contacts import runs, speeds_over
from .motion import Motion
from .objectives import OBJECTIVES
from .progress import Progress, ProgressCallback
from .selection import select
from .solutions import Solutions

# Heights a second: below the first all of it stands, and goes on to stand until above the second.
STANDS, LEAVES = 0.06, 0.12
# Heights that a joint may be from its place: a flat hold gives up what it does there. Who was captured while
# standing is twice to five times as far, and is missed there.
STRAYS = 0.002
SHARE = 0.05  # the same, of the farthest that any joint goes
WINDOW = 0.05  # seconds before and after, over which a speed is taken
SHORTEST = 0.25  # seconds

LOSS = 1.15  # times the distance that is left without holds: so much their keys may cost the rest
UNSEEN = 0.005  # of the distance that is left by the fewest keys: what costs less costs nothing
FEW = 16  # times the rows that holds fix: with more keys they cost little anyway


def find_holds(
    positions: ArrayLike, *, height: float, fps: float, frames: ArrayLike | None = None
) -> IntArray:
    """(H, 2) first and last row of every stretch that stands still, in order.

    Args:
        positions: (F, J, 3) of the joints that count, in the world.
        height: of the body, in the same unit.
        fps: frames a second. frames: (F,) frame numbers; 0, 1, 2 ... if left out.
    """
    places = numbers(positions, "Positions")
    if places.ndim != 3 or places.shape[2] != 3:
        raise InputError(
            "Positions must have the shape (frames, joints, 3), not {shape}.", shape=places.shape
        )
    if not height > 0.0:
        raise InputError("The character's height must be above zero, not {height}.", height=height)
    if len(places) < 3 or not places.shape[1]:
        return np.empty((0, 2), np.int64)
    times = frame_numbers(frames, len(places)) / fps
    speeds = speeds_over(places, times, WINDOW).max(axis=1) / height
    farthest = float(np.linalg.norm(np.ptp(places, axis=0), axis=1).max())
    radius = min(STRAYS * height, SHARE * farthest)
    slow = list(runs(speeds < LEAVES))
    bounds = [(0, -1), *slow, (len(places), 0)]  # each may reach as far as the next slow ones
    still = [
        _still(places, speeds, stretch, slice(before[1] + 1, after[0]), radius)
        for before, stretch, after in zip(bounds, slow, bounds[2:], strict=False)
    ]
    found = [each for each in still if each is not None and times[each[1]] - times[each[0]] >= SHORTEST]
    return _to_the_ends(np.array(found, np.int64).reshape(-1, 2), speeds, times)


def _to_the_ends(holds: IntArray, speeds: FloatArray, times: FloatArray) -> IntArray:
    """A motion that nearly begins or ends with a hold does so: two keys a few frames apart are no poses."""
    if len(holds):
        first, last = holds[0, 0], holds[-1, 1]
        if times[first] - times[0] < SHORTEST and np.all(speeds[:first] < LEAVES):
            holds[0, 0] = 0
        if times[-1] - times[last] < SHORTEST and np.all(speeds[last:] < LEAVES):
            holds[-1, 1] = len(times) - 1
    return holds


def _still(
    places: FloatArray, speeds: FloatArray, slow: tuple[int, int], around: slice, radius: float
) -> tuple[int, int] | None:
    """The rows in and around a slow stretch in which every joint stays at its place.

    None if these are not most of it: what goes on slowly from one place to another stands nowhere. A body
    that stops all at once stands beside it, too: its speed there is that of the move a moment before.
    """
    first, last = slow
    slowest = first + int(np.argmin(speeds[first : last + 1]))
    if speeds[slowest] >= STANDS:
        return None
    start, stop = _run_around(speeds < STANDS, slowest)
    place = np.median(places[start : stop + 1], axis=0)
    near = np.linalg.norm(places[around] - place, axis=2).max(axis=1) <= radius
    if not near[slowest - around.start]:
        return None
    start, stop = _run_around(near, slowest - around.start)
    return (around.start + start, around.start + stop) if 2 * (stop - start) >= last - first else None


def select_with_holds(
    motion: Motion,
    algorithm: str,
    *,
    holds: IntArray,
    max_keys: int,
    fixed: Iterable[int] = (),
    progress: ProgressCallback | None = None,
    **options: Any,
) -> Solutions:
    """`select` with keys at both ends of holds, from the fewest keys on with which the rest lacks none.

    With fewer keys the longest holds have theirs, and with very few none. For each number of keys these are
    the best keys that have the ends of its holds.

    Args:
        holds: (H, 2) first and last rows.
        max_keys, fixed, progress, options: see `select`.
    """

    def solved(rows: IntArray, most: int, start: float, stop: float) -> Solutions:
        part = Progress(progress, start, stop)
        return select(motion, algorithm, max_keys=most, fixed=rows, progress=part, **options)

    without, *with_holds = _rows_with_longest(holds, np.unique(np.array([*fixed], np.int64)))
    if not with_holds:
        return solved(without, max_keys, 0.0, 1.0)
    try:
        plain = solved(without, min(max_keys, FEW * len(with_holds[-1])), 0.0, 0.2)
    except InputError:  # so few keys are too far apart, and as many as are needed are enough for all holds
        return solved(with_holds[-1], max_keys, 0.0, 1.0)
    shares = np.linspace(0.2, 1.0, len(with_holds) + 1).tolist()
    chosen: dict[int, Solutions] = {}
    most = max_keys
    for rows, start, stop in zip(reversed(with_holds), shares, shares[1:], strict=False):
        if len(rows) <= most:
            with suppress(InputError):  # as above
                found = solved(rows, most, start, stop)
                fewest = _little_is_lost_from(found, plain)
                chosen |= {count: found for count in found.counts.tolist() if count >= fewest}
                most = fewest - 1
    chosen |= {count: plain for count in plain.counts.tolist() if count <= most}
    every = sorted(chosen.items())
    keys = [found.keys(count) for count, found in every]
    errors = [found.error(count) for count, found in every]
    return Solutions(plain.algorithm, plain.objective, keys, errors)


def _rows_with_longest(holds: IntArray, fixed: IntArray) -> list[IntArray]:
    """The fixed rows without holds, with the ends of the longest, of twice as many and so on, and of all."""
    longest = holds[np.argsort(holds[:, 0] - holds[:, 1], kind="stable")]
    numbers_of_holds = {0, *(2**power for power in range(len(holds).bit_length())), len(holds)}
    return [np.union1d(fixed, longest[:number]) for number in sorted(numbers_of_holds)]


def _little_is_lost_from(found: Solutions, plain: Solutions) -> int:
    """The fewest keys from which on solutions with holds are about as good as those without.

    By chance they may be so with few keys: they have to stay so up to half as many keys more.
    """
    power = 0.5 if OBJECTIVES[plain.objective].squared else 1.0
    both = np.intersect1d(found.counts, plain.counts)
    off, off_without = (each.errors[np.isin(each.counts, both)] ** power for each in (found, plain))
    worse = both[off > np.hypot(LOSS * off_without, UNSEEN * plain.errors[0] ** power)]
    lasting = (count for count in both.tolist() if not np.any((worse >= count) & (worse <= 1.5 * count)))
    return next(lasting, int(min(found.counts[-1], plain.counts[-1])) + 1)


def _run_around(mask: np.ndarray, row: int) -> tuple[int, int]:
    """First and last row of the stretch that a row belongs to."""
    return next(run for run in runs(mask) if run[0] <= row <= run[1])
