# SPDX-License-Identifier: GPL-3.0-or-later
"""The plain solver: a full table of costs and dynamic programming row by row, as a textbook has it.

It is the reference that `salient` is measured against and tested with. It shares no code with it:
costs are computed from the joints themselves, not from distances, and nothing is left out.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def segment_cost(points: FloatArray, frames: FloatArray, first: int, last: int, objective: str) -> float:
    """The cost of one segment, straight from its definition."""
    inner = points[first + 1 : last] - points[first]
    across = points[last] - points[first]
    if objective in ("minimax", "sum"):
        size = np.linalg.norm(across)
        if size > 0.0:
            direction = across / size
            inner = inner - np.outer(inner @ direction, direction)
        return float(np.linalg.norm(inner, axis=1).max(initial=0.0))
    if objective == "hold":
        return float((inner**2).sum())
    u = (frames[first + 1 : last] - frames[first]) / (frames[last] - frames[first])
    residual = inner - np.outer(u, across)
    if objective == "curve" and len(u) > 0:
        free = np.stack([u * (1.0 - u) ** 2, u**2 * (1.0 - u)], axis=1)
        residual = residual - free @ np.linalg.lstsq(free, residual, rcond=None)[0]
        if len(u) <= 2:
            return 0.0
    return float((residual**2).sum())


def path_cost(points: FloatArray, frames: FloatArray, keys: NDArray[np.int64], objective: str) -> float:
    """The cost of a whole solution, straight from its definition."""
    costs = [segment_cost(points, frames, a, b, objective) for a, b in pairwise(keys)]
    return max(costs) if objective == "minimax" else float(sum(costs))


def full_table(points: FloatArray, objective: str) -> FloatArray:
    """table[i, j], the cost of every segment of evenly spaced frames; infinite where j <= i."""
    count = len(points)
    table = np.full((count, count), np.inf)
    gram = points @ points.T
    for first in range(count - 1):
        if objective in ("minimax", "sum"):
            table[first, first + 1 :] = _line_row(gram[first:, first:])
        elif objective == "hold":
            table[first, first + 1 :] = np.cumsum(((points[first:-1] - points[first]) ** 2).sum(axis=1))
        else:
            table[first, first + 1 :] = _squared_row(points[first:] - points[first], objective == "curve")
    return table


def _line_row(gram: FloatArray) -> FloatArray:
    """Largest distance from the line, for all segments that start at the first frame."""
    own = gram[0]
    dots = gram - own[:, None] - own[None, :] + own[0]  # (p_m - p_0) . (p_j - p_0)
    sizes = np.diagonal(dots)
    with np.errstate(divide="ignore", invalid="ignore"):
        heights = sizes[:, None] - np.where(sizes > 0.0, dots**2 / sizes, 0.0)
    inner = np.triu(np.maximum(heights, 0.0), 1)
    return np.sqrt(inner.max(axis=0))[1:]


def _squared_row(offsets: FloatArray, curved: bool) -> FloatArray:
    """Squared error of the chord, or of the best cubic, for all segments that start at the first frame."""
    count = len(offsets)
    m = np.arange(count, dtype=np.float64)
    square = np.cumsum(np.einsum("ij,ij->i", offsets, offsets))
    sums = [np.cumsum(offsets * (m**n)[:, None], axis=0) for n in range(1, 4)]
    l = m[1:]  # noqa: E741
    across = offsets[1:] / l[:, None]
    before = [total[:-1] for total in sums]
    t2 = (l - 1) * l * (2 * l - 1) / 6.0
    cost = square[:-1] - 2.0 * np.einsum("ij,ij->i", before[0], across)
    cost += t2 * np.einsum("ij,ij->i", across, across)
    if curved:
        t3 = ((l - 1) * l / 2.0) ** 2
        t4 = (l - 1) * l * (2 * l - 1) * (3 * (l - 1) ** 2 + 3 * (l - 1) - 1) / 30.0
        a = l[:, None] * before[0] - before[1] - (l * t2 - t3)[:, None] * across
        b = (l**2)[:, None] * before[0] - (3 * l)[:, None] * before[1] + 2.0 * before[2]
        b -= (l**2 * t2 - 3 * l * t3 + 2.0 * t4)[:, None] * across
        aa = (l**5 - l) / 30.0
        bb = l * (l**2 - 1) * (l**2 - 4) * (l**2 + 5) / 210.0
        for direction, size in ((a, aa), (b, bb)):
            taken = np.einsum("ij,ij->i", direction, direction)
            cost -= np.divide(taken, size, out=np.zeros_like(taken), where=size > 0.0)
        cost[:3] = 0.0
    return np.maximum(cost, 0.0)


def solve_table(table: FloatArray, most: int, *, largest: bool) -> tuple[FloatArray, list[NDArray[np.int64]]]:
    """The best cost and keys for 2 to `most` keys (infinite where there is no path)."""
    count = len(table)
    join = np.maximum if largest else np.add
    values = np.full((most + 1, count), np.inf)
    values[1, 0] = 0.0
    came_from = np.zeros((most + 1, count), dtype=np.int64)
    for k in range(2, most + 1):
        for j in range(1, count):
            joined = join(values[k - 1, :j], table[:j, j])
            came_from[k, j] = np.argmin(joined)
            values[k, j] = joined[came_from[k, j]]
    keys = []
    for k in range(2, most + 1):
        path = [count - 1]
        for level in range(k, 1, -1):
            path.append(int(came_from[level, path[-1]]))
        keys.append(np.array(path[::-1]))
    return values[2:, -1], keys


def solve(points: FloatArray, objective: str, most: int) -> tuple[FloatArray, list[NDArray[np.int64]]]:
    """Everything at once, as a user would call it."""
    return solve_table(full_table(points, objective), most, largest=objective == "minimax")


def solve_without_table(points: FloatArray, objective: str, most: int) -> FloatArray:
    """The best cost for 2 to `most` keys, for `curve` and `chord` on clips too long for a table.

    The costs of the segments from one start are computed, passed on to all levels, and forgotten: the
    values of a start are final once all earlier starts have been through.
    """
    values = np.full((most + 1, len(points)), np.inf)
    values[1, 0] = 0.0
    for first in range(len(points) - 1):
        costs = _squared_row(points[first:] - points[first], objective == "curve")
        later = values[2:, first + 1 :]
        np.minimum(later, values[1:-1, first, None] + costs, out=later)
    return values[2:, -1]
