# SPDX-License-Identifier: GPL-3.0-or-later
"""`Solutions`: the keys and the error for every number of keys that an algorithm offers."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray

from .errors import InputError
from .motion import FloatArray, IntArray


class Solutions:
    """The result of a selection, browseable by the number of keys K.

    Attributes:
        algorithm: the name of the algorithm that found them.
        objective: the name of the objective that `error` is measured in.
        counts: ascending numbers of keys that there is a solution for.
        errors: the error for each of `counts`.
        ranking: rows from the most to the least important where solutions are nested
            (the keys for K are then the first K rows of it, sorted); otherwise None.
        own_count: the number of keys that the algorithm itself suggests, such as `saliency` does, or None:
            `keys(own_count)` is its own set. It may be more than the largest of `counts`, where fewer keys
            were asked for (`max_keys`).
    """

    def __init__(
        self,
        algorithm: str,
        objective: str,
        keys: Sequence[NDArray[np.integer]],
        errors: Sequence[float] | FloatArray,
        *,
        own_count: int | None = None,
    ):
        """Solutions that need not contain one another: `errors[n]` belongs to `keys[n]`."""
        self.algorithm = algorithm
        self.objective = objective
        self.counts: IntArray = np.array([len(rows) for rows in keys], dtype=np.int64)
        self.errors: FloatArray = np.array(errors, dtype=np.float64)
        self.ranking: IntArray | None = None
        self.own_count = own_count
        self._keys = tuple(np.array(rows, dtype=np.int64) for rows in keys)

    @classmethod
    def from_ranking(
        cls,
        algorithm: str,
        objective: str,
        ranking: IntArray,
        errors: Sequence[float] | FloatArray,
        *,
        fewest: int = 2,
        own_count: int | None = None,
    ) -> Solutions:
        """Nested solutions: `errors[n]` belongs to the first `fewest + n` rows of `ranking`.

        Only the ranking is stored: the keys for every K of a long clip would not fit in memory.
        """
        solutions = cls(algorithm, objective, (), errors, own_count=own_count)
        solutions.ranking = np.array(ranking, dtype=np.int64)
        solutions.counts = np.arange(fewest, fewest + len(solutions.errors))
        return solutions

    def keys(self, k: int) -> IntArray:
        """The rows of the motion that are keys when there are `k` of them, ascending."""
        index = self._index(k)
        if self.ranking is not None:
            return np.sort(self.ranking[: self.counts[index]])
        return self._keys[index].copy()

    def error(self, k: int) -> float:
        """The value of the objective for `k` keys."""
        return float(self.errors[self._index(k)])

    def nearest_count(self, k: int) -> int:
        """The offered number of keys closest to `k`."""
        return int(self.counts[np.argmin(np.abs(self.counts - k))])

    def shifted(self, rows: int) -> Solutions:
        """The same solutions for a motion that has `rows` more rows in front."""
        moved = copy(self)
        moved._keys = tuple(keys + rows for keys in self._keys)
        moved.ranking = None if self.ranking is None else self.ranking + rows
        return moved

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        offered = f"{self.counts[0]} to {self.counts[-1]} keys"
        return f"<Solutions of {self.algorithm} ({self.objective}) for {offered}>"

    def _index(self, k: int) -> int:
        index = int(np.searchsorted(self.counts, k))
        if index == len(self.counts) or self.counts[index] != k:
            raise InputError(
                "There is no solution with {k} keys: choose from {fewest} to {most}.",
                k=k,
                fewest=self.counts[0],
                most=self.counts[-1],
            )
        return index
