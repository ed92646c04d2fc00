# SPDX-License-Identifier: GPL-3.0-or-later
"""`StrokeTimes`: a stroke over the ground with the time of its places, however seldom Blender redraws."""

from __future__ import annotations

import numpy as np
from mathutils import Vector

from .recorder import JITTER_SECONDS, steadied


class StrokeTimes:
    """Places and when the hand was there.

    All events between two redraws are handled at once; they are spread over the time since the ones before.
    """

    def __init__(self) -> None:
        self._places: list[Vector] = []
        self._times: list[float] = []  # when each was handled
        self._turns: list[int] = []  # and between which redraws

    def add(self, place: Vector, time: float, turn: int) -> None:
        self._places.append(place)
        self._times.append(time)
        self._turns.append(turn)

    @property
    def places(self) -> np.ndarray:
        """(n, 3)"""
        return np.array(self._places)

    def seconds(self) -> np.ndarray:
        """(n,) when the hand was at each place, since it began; ascending."""
        handled, turns = np.array(self._times), np.array(self._turns)
        firsts = np.flatnonzero(np.diff(turns, prepend=turns[0] - 1))
        counts = np.diff(np.append(firsts, len(turns)))
        ends = handled[firsts]  # handling many of them takes its time, too
        starts = np.append(ends[:1], ends[:-1])
        share = (np.arange(len(turns)) - np.repeat(firsts, counts) + 1) / np.repeat(counts, counts)
        spread = np.repeat(starts, counts) + share * np.repeat(ends - starts, counts)
        even = steadied(spread, np.ones(len(spread), dtype=bool), JITTER_SECONDS)
        return even - even[0]
