# SPDX-License-Identifier: GPL-3.0-or-later
"""`greedy`: split where the motion is farthest from the straight line between its keys.

Paper: Lim and Thalmann 2001, curve simplification for key postures (after Lowe 1987).

Objective `minimax`: the largest distance of any frame from the line through the two keys around it,
frames taken as points in the space of all joint coordinates. It is the objective of the same name of
`salient`, which minimises it; greedy only follows the steepest way down.

Complexity: a split looks at every frame of its segment once, so all K cost O(F log F) distances
where splits are balanced, as on real motion; O(F K) at worst.

Departures:
- The paper stops at a tolerance. Splitting the worst segment first gives the same keys for every
  tolerance, and an order of all keys as well, so that any number of keys can be asked for.
- The distance is to the infinite line, as in the paper, not to the segment and not to the place at
  the same time: timing does not count. Where both keys are the same pose, it is the distance to it.
- Where every frame lies on the line there is nothing to choose: the longest such segment is halved.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np

from ..motion import FloatArray
from ..solutions import Solutions
from .algorithm import Algorithm, Task
from .ranking import ends_first

# Sorted worst first: (-largest distance, -length, first row, last row, row to split at).
Segment = tuple[float, int, int, int, int]


def solve(task: Task) -> Solutions:
    segments = [
        _segment(task.points, first, last)
        for first, last in zip(task.fixed[:-1].tolist(), task.fixed[1:].tolist(), strict=True)
    ]
    heapify(segments)
    ranking = ends_first(task.fixed).tolist()
    errors = [abs(segments[0][0])]
    while len(ranking) < task.max_keys:
        _, _, first, last, middle = heappop(segments)
        heappush(segments, _segment(task.points, first, middle))
        heappush(segments, _segment(task.points, middle, last))
        ranking.append(middle)
        errors.append(abs(segments[0][0]))
        task.progress(len(ranking) / task.max_keys)
    return Solutions.from_ranking("greedy", "minimax", np.array(ranking), errors, fewest=len(task.fixed))


def _segment(points: FloatArray, first: int, last: int) -> Segment:
    length = last - first
    if length < 2:
        return (0.0, -length, first, last, first)  # never split: longer ones come first, and some are left
    squared = squared_line_distances(points[first + 1 : last], points[first], points[last])
    farthest = int(np.argmax(squared))
    if squared[farthest] == 0.0:
        return (0.0, -length, first, last, first + length // 2)
    return (-float(np.sqrt(squared[farthest])), -length, first, last, first + 1 + farthest)


def squared_line_distances(points: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """(N,) squared distance of each point from the line through `start` and `end`.

    The offset from the line is formed before it is squared: subtracting squares would lose all
    digits of points close to the line.
    """
    offsets = points - start
    along = end - start
    length = np.sqrt(along @ along)
    if length > 0.0:
        along /= length
        offsets -= np.outer(offsets @ along, along)
    return np.einsum("nd,nd->n", offsets, offsets)


ALGORITHM = Algorithm(
    name="greedy",
    label="Greedy",
    description="Starts with the first and the last frame and keeps adding the frame that is farthest from "
    "the straight line between its neighbouring keys. Quick, and more keys keep the ones already there",
    paper="Lim and Thalmann 2001, Key-posture extraction out of human motion data by curve simplification",
    solve=solve,
    objectives=("minimax",),
    nested=True,
)
