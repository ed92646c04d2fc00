# SPDX-License-Identifier: GPL-3.0-or-later
"""`decimation`: remove the frame that will be missed least, again and again.

Paper: Li, Okuda and Takahashi 2005, "Embedded Key-Frame Extraction for CG Animation by Frame Decimation".

The cost of a frame is by how much the error grows when it is removed and straight lines join its
neighbours: the weighted sum, over all curves and over the frames in between, of absolute differences
from the motion. The order of removal ranks all frames.

Objective `absolute`: the weighted mean, over curves and frames, of the absolute difference between the
motion and straight lines in time between the keys. It is in the unit of the curves.

Complexity: a removal changes the cost of its two neighbours only, and the error of the old segments
is kept, so each costs one look at the frames between the keys around it: O(F log F) for the whole
ranking where segments grow evenly, as on real motion. A heap finds the next frame; outdated entries
stay in it until they surface.

Departures:
- The paper's equations (2) and (3) subtract the error after the removal from the one before, and
  would remove the most important frame first; the cost here is the other way round, as its text says.
- Its steps compare costs without weights and its section 3.2 with them; here they are always weighted.
- It gives no weights. Here a channel counts for the number of joints that its joint moves, times the
  joint's own weight.
- Where costs are equal, frames of the shortest gaps go first, so that keys of a hold stay spread.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np

from ..motion import FloatArray, IntArray
from ..progress import Progress
from ..solutions import Solutions
from .algorithm import Algorithm, Option, Task
from .curves import OPTION as CURVES
from .curves import motion_curves
from .ranking import ends_first


def solve(task: Task) -> Solutions:
    curves, weights = motion_curves(task.motion, task.options["curves"], hierarchy=task.options["hierarchy"])
    chain = _Chain(curves * (weights / weights.sum()), task.motion.frames)
    removed, costs = _decimate(chain, task.fixed, task.progress)
    ranking = np.concatenate([ends_first(task.fixed), removed[::-1]])
    # Costs add up from no error, with every frame a key, to the error of the fixed frames alone.
    errors = np.append(0.0, np.cumsum(costs))[::-1] / len(curves)
    offered = task.max_keys - len(task.fixed) + 1
    return Solutions.from_ranking(
        "decimation", "absolute", ranking, np.maximum(errors[:offered], 0.0), fewest=len(task.fixed)
    )


class _Chain:
    """The frames that are still there, each linked to its neighbours."""

    def __init__(self, curves: FloatArray, times: FloatArray):
        """`curves` are weighted already: errors are plain sums."""
        count = len(curves)
        self.curves = curves
        self.times = times
        self.before = list(range(-1, count - 1))
        self.after = list(range(1, count + 1))
        self.error_after = [0.0] * count  # of the segment from a frame to the next that is there

    def span(self, row: int) -> int:
        return self.after[row] - self.before[row]

    def error(self, first: int, last: int) -> float:
        """Summed absolute difference from the straight line between two frames."""
        inner = slice(first + 1, last)
        start, change = self.curves[first], self.curves[last] - self.curves[first]
        share = (self.times[inner] - self.times[first]) / (self.times[last] - self.times[first])
        difference = np.multiply.outer(share, change)
        difference += start
        difference -= self.curves[inner]
        return float(np.abs(difference, out=difference).sum())

    def cost(self, row: int) -> float:
        """By how much the error grows when a frame goes."""
        joined = self.error(self.before[row], self.after[row])
        return joined - self.error_after[self.before[row]] - self.error_after[row]

    def first_costs(self) -> FloatArray:
        """(F - 2,) costs of all inner frames while every frame is there."""
        share = (self.times[1:-1] - self.times[:-2]) / (self.times[2:] - self.times[:-2])
        line = self.curves[:-2] + share[:, None] * (self.curves[2:] - self.curves[:-2])
        return np.abs(line - self.curves[1:-1]).sum(axis=1)

    def remove(self, row: int, cost: float) -> None:
        before, after = self.before[row], self.after[row]
        self.error_after[before] += self.error_after[row] + cost
        self.after[before], self.before[after] = after, before


def _decimate(chain: _Chain, fixed: IntArray, progress: Progress) -> tuple[IntArray, FloatArray]:
    """Rows in the order of their removal, and by how much each removal raised the error."""
    count = len(chain.curves)
    stays = np.zeros(count, dtype=bool)
    stays[fixed] = True
    version = [0] * count
    first_costs = chain.first_costs()
    # Sorted by cost, then by the length of the gap that would be left, then by row.
    heap = [(float(first_costs[row - 1]), 2, row, 0) for row in np.flatnonzero(~stays).tolist()]
    heapify(heap)
    wanted = len(heap)
    removed: list[int] = []
    costs: list[float] = []
    while len(removed) < wanted:
        cost, _, row, entered = heappop(heap)
        if entered != version[row]:
            continue
        neighbours = chain.before[row], chain.after[row]
        chain.remove(row, cost)
        stays[row] = True
        removed.append(row)
        costs.append(cost)
        for neighbour in neighbours:
            if not stays[neighbour]:
                version[neighbour] += 1
                heappush(heap, (chain.cost(neighbour), chain.span(neighbour), neighbour, version[neighbour]))
        _report(progress, len(removed), wanted)
    return np.array(removed, dtype=np.int64), np.array(costs)


def _report(progress: Progress, done: int, wanted: int) -> None:
    """Often at the end, where segments are long and a removal takes a while."""
    if done % 64 == 0 or wanted - done < 64:
        progress(done / wanted)


ALGORITHM = Algorithm(
    name="decimation",
    label="Decimation",
    description="Removes the frame whose loss changes the motion least, again and again, and so ranks all "
    "frames. Close to the best for straight lines between keys, and more keys keep the ones already there",
    paper="Li, Okuda and Takahashi 2005, Embedded Key-Frame Extraction for CG Animation by Frame Decimation",
    solve=solve,
    objectives=("absolute",),
    nested=True,
    options={
        "curves": CURVES,
        "hierarchy": Option(
            True,
            "Let the channels of a joint count for every joint that it moves, so that the hips matter more "
            "than a finger. Turn off to weigh all channels by the joint weights alone",
        ),
    },
)
