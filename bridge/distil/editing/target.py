# SPDX-License-Identifier: GPL-3.0-or-later
"""The target: what keys are fitted to, the source moved in time and changed in pose by edits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ....core import Solutions
from ....core.editing.time_warp import nearest
from ....core.motion import FloatArray, IntArray
from ...splicing import NEAR
from ..solving.analysis import Analysis, Target
from .edits import Edits, changes_of

MOST_BENT = 0.1  # of a change: how far it may be from easing through a hold

# The values of all channels at moments of the source.
ReadSource = Callable[[FloatArray], FloatArray]


def target_of(
    source: Analysis,
    times: FloatArray,
    edits: Edits,
    read: ReadSource,
    moving: Callable[[FloatArray], np.ndarray],
) -> Analysis:
    """The analysis of a target.

    Args:
        source: the analysis of the source; its solutions have rows of `times`.
        times: the moments of the source that its solutions were chosen from.
        read: the values of the source's channels between its frames.
        moving: which channels of given values move.
    """
    frames = frames_of(source.frames, edits)
    moments = edits.warp.to_source(frames)
    values = values_at(source, moments, edits, read)
    rows = nearest(frames, edits.warp.from_source(times))
    solutions, kept = _with_keys(source.solutions, rows, nearest(frames, edits.keyed_frames))
    return replace(
        source,
        solutions=solutions,
        frames=frames,
        values=values,
        moves=moving(values),
        holds=_unbent(rows[source.holds], moments, edits.changes_at(moments, source.paths)),
        estimated_errors=source.estimated_errors[:, kept],
        seen_errors=source.seen_errors[kept],
        target=Target(source.frames, moments, rows, source.solutions.counts[kept], source.offered),
    )


def frames_of(source: FloatArray, edits: Edits) -> FloatArray:
    """The frames of a target: those that are played, and those that the animator has keyed."""
    ends, keyed = edits.warp.from_source(source[[0, -1]]), edits.keyed_frames
    own = np.sort(np.concatenate([ends, keyed]))
    own = own[np.diff(own, prepend=-np.inf) > NEAR]
    whole = np.arange(np.ceil(own[0]), np.floor(own[-1]) + 1.0)
    if edits.warp.is_none or np.any(source != np.round(source)):
        outside = whole[(whole < ends[0]) | (whole > ends[1])]
        played = np.concatenate([edits.warp.from_source(source), outside])
    else:
        played = whole
    apart = np.abs(played[:, None] - own).min(axis=1) > NEAR
    return np.union1d(own, played[apart])


def values_at(source: Analysis, moments: FloatArray, edits: Edits, read: ReadSource) -> FloatArray:
    """(Q, C) the source at some of its moments, changed as the animator did."""
    at = np.minimum(np.searchsorted(source.frames, moments), len(source.frames) - 1)
    between = source.frames[at] != moments
    values, changes = source.values[at], changes_of(source.paths)
    if np.any(between):
        values[between] = read(moments[between])
    return changes.changed(values, edits.changes_at(moments, source.paths))


def _unbent(holds: IntArray, moments: FloatArray, changes: FloatArray) -> IntArray:
    """The holds from whose first to last pose changes ease: not those in which the animator did more."""

    def is_unbent(first: int, last: int) -> bool:
        inside, times = changes[first : last + 1], moments[first : last + 1]
        share = ((times - times[0]) / (times[-1] - times[0]))[:, None]
        eased = inside[0] + share * share * (3.0 - 2.0 * share) * (inside[-1] - inside[0])
        return bool(np.all(np.abs(inside - eased) <= MOST_BENT * np.abs(inside).max(axis=0)))

    unbent = [first < last and is_unbent(first, last) for first, last in holds.tolist()]
    return holds[np.array(unbent, bool)]


def _with_keys(solutions: Solutions, rows: IntArray, keyed: IntArray) -> tuple[Solutions, IntArray]:
    """Solutions that all have some keys more, and which of the given ones they are made of.

    Where two have as many keys then, the one that was chosen with more is the better.
    """
    found: dict[int, tuple[int, IntArray]] = {}
    for index, count in enumerate(solutions.counts):
        keys = np.union1d(rows[solutions.keys(int(count))], keyed)
        found[len(keys)] = (index, keys)
    _fill(found)
    in_order = [found[count] for count in sorted(found)]
    kept = np.array([index for index, _ in in_order])
    suggested = None
    if solutions.own_count in solutions.counts:
        suggested = len(np.union1d(rows[solutions.keys(solutions.own_count)], keyed))
    merged = Solutions(
        solutions.algorithm,
        solutions.objective,
        [keys for _, keys in in_order],
        solutions.errors[kept],
        own_count=suggested,
    )
    return merged, kept


def _fill(found: dict[int, tuple[int, IntArray]]) -> None:
    """Give the key counts that were left out the keys of the count before, and one of those after."""
    there = sorted(found)
    for fewer, more in pairwise(there):
        for count in range(fewer + 1, more):
            index, keys = found[count - 1]
            new = np.setdiff1d(found[more][1], keys)
            furthest = np.abs(new[:, None] - keys).min(axis=1).argmax()
            found[count] = (index, np.union1d(keys, new[furthest]))
