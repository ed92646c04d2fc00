# SPDX-License-Identifier: GPL-3.0-or-later
"""Dynamic programming over lower bounds, from either end of the motion."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..motion import FloatArray, IntArray
from ..progress import Progress
from ..search.best_values import PATHS, BestValues, RowArray
from ..search.segment_table import TILE
from .bounded_table import TableView

_MANY = 1 << 14  # so many segments with lower bounds are settled at once, since each call takes its time

# Some segments: the lower bound of the paths through each, its length, its last row.
_Candidates = tuple[FloatArray, IntArray, IntArray]


class BoundedValues(BestValues):
    """values[k, row]: what a path with k keys from the first row to `row` costs at least.

    With `exact` they are the costs of the cheapest paths: bounds become costs wherever that can matter.
    """

    def __init__(self, view: TableView, most: int, *, exact: bool = False):
        super().__init__(view, most)
        self._view = view
        self._exact = exact

    @property
    def join(self) -> np.ufunc:
        return self._view.join

    def turned(self, most: int, *, exact: bool) -> BoundedValues:
        """Nothing yet, from the other end."""
        return BoundedValues(self._view.turned(), most, exact=exact)

    def turned_least(self) -> FloatArray:
        """[k, tile]: the least of the values, for tiles that are counted from the other end."""
        return np.minimum.reduceat(self.values[:, ::-1], self._tiles, axis=1)

    def step(self, k: int, limit: float | FloatArray) -> None:
        """Fill values[k] from values[k - 1]; values above the limit of their tile need not be found."""
        limits = np.broadcast_to(limit, len(self._tiles))
        pending: list[_Candidates] = []
        for number, rows in self._promising(k, limits):
            if not self._exact or self._view.exact[number] is None:
                self._improve(k, number, rows)
                continue
            for some, joined in self._joined(number, rows):
                pending.append(self._candidates(k, number, some, joined, limits))
                if sum(len(bounds) for bounds, _, _ in pending) > _MANY:
                    self._settle(k, pending)
                    pending = []
        self._settle(k, pending)
        self._finish(k)

    def _promising(self, k: int, limits: FloatArray) -> Iterator[tuple[int, slice]]:
        """The segments that may improve values[k]: strips, evaluated where needed, and rows of each."""
        starts = self._cheapest_starts(k, float(limits.max()))
        lower = self.join(starts, self._least_costs[: len(starts)])
        possible = (lower <= limits) & np.isfinite(lower)
        worst = np.full(len(self._tiles), np.inf)
        for number in np.flatnonzero(possible.any(axis=1)).tolist():
            tiles = possible[number] & (lower[number] < worst)
            if number not in self._view.evaluated and tiles.any():
                self._view.evaluate(number)
                lower[number] = self.join(starts[number], self._least_costs[number])
                tiles &= (lower[number] < worst) & (lower[number] <= limits)
            wanted = self._rows(number, tiles)
            for rows in wanted:
                yield number, rows
            if wanted:
                worst = self._worst(k)

    def _candidates(
        self, k: int, number: int, rows: slice, joined: FloatArray, limits: FloatArray
    ) -> _Candidates:
        """The segments of a strip that are bounded below the best so far and within the limit."""
        ends = np.arange(rows.start, rows.stop)
        best, limit = self.values[k, rows], limits[ends // TILE]
        least = joined.min(axis=0)
        open_ = np.flatnonzero((least < best) & (least <= limit))
        bounds = joined[:, open_]
        row, column = np.nonzero((bounds < best[open_]) & (bounds <= limit[open_]))
        return bounds[row, column], row + self._view.strips[number].lengths[0], ends[open_[column]]

    def _settle(self, k: int, pending: list[_Candidates]) -> None:
        """Improve values[k] by segments of which only a lower bound is known.

        For each last row, the segment with the least bound gets its exact cost, and with it the row a
        new best. Then so do all that are still bounded below the best. No other can be cheaper.
        """
        if not pending:
            return
        bounds, lengths, ends = map(np.concatenate, zip(*pending, strict=True))
        nearest = _least_of_each(ends, bounds)
        self._try(k, lengths[nearest], ends[nearest])
        bounds[nearest] = np.inf
        left = np.flatnonzero(bounds < self.values[k, ends])
        self._try(k, lengths[left], ends[left])

    def _try(self, k: int, lengths: IntArray, ends: IntArray) -> None:
        """Improve values[k] by some segments, at their exact costs."""
        costs = self._view.exact_costs(ends - lengths, ends)
        values = self.join(costs, self._start_values[lengths, ends])
        better = np.flatnonzero(values < self.values[k, ends])
        better = better[_least_of_each(ends[better], values[better])]
        self.values[k, ends[better]] = values[better]
        self._winners[k, ends[better]] = self._view.strips_of(lengths[better])

    def _matches(self, number: int, rows: IntArray, values: FloatArray) -> NDArray[np.bool_]:
        matches = super()._matches(number, rows, values)
        exact = self._view.exact[number] if self._exact else None
        return matches if exact is None else matches & exact[:, rows - self._view.strips[number].lengths[0]]

    def paths(self, counts: IntArray, progress: Progress) -> RowArray:
        """[n, key]: the rows of the best paths, counted from the table's own first row."""
        rows = super().paths(counts, progress)
        if self._view.mirrored:
            for first in range(0, len(rows), PATHS):
                some = slice(first, first + PATHS)
                rows[some] = self._count - 1 - _backwards(rows[some], counts[some])
                progress(1.0)
        return rows


def _backwards(rows: RowArray, counts: IntArray) -> RowArray:
    """[n, key]: the first count rows of each path in reverse order, then the first again."""
    columns = counts[:, None] - 1 - np.arange(rows.shape[1])
    return np.take_along_axis(rows, np.maximum(columns, 0), axis=1)


def _least_of_each(rows: IntArray, values: FloatArray) -> IntArray:
    """For each row that occurs, the index of its least value; of equals the first."""
    order = np.argsort(values, kind="stable")[::-1]
    found = np.full(rows.max(initial=-1) + 1, -1)
    found[rows[order]] = order  # of what is put into one place the last stays
    return found[found >= 0]
