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
ranking where segments grow evenly, as on real motion.

Departures:
- The paper's equations (2) and (3) subtract the error after the removal from the one before, and
  would remove the most important frame first; the cost here is the other way round, as its text says.
- Its steps compare costs without weights and its section 3.2 with them; here they are always weighted.
- It weighs channels by their place in the hierarchy but gives no weights. `hierarchy` lets a channel count
  for the number of joints that its joint moves; it is off, for it was measured to serve nobody: on eight
  clips with three numbers of keys each, equal weights are closer to the angles in 24 of 24 cases, and where
  it is closer to the joints than these (14 of 24), looking at positions is closer still (in 17 of 24 than
  the hierarchy, in 21 of 24 than equal weights; `benchmarks/frame_decimation.py`).
- It adds up angles and the root's place as they are, which makes the keys depend on the unit of length.
  Here lengths are measured in radii of the body, where the kinds of the channels are known.
- Where costs are equal, frames of the shortest gaps go first, so that keys of a hold stay spread.
"""

from __future__ import annotations

import numpy as np

from ..motion import FloatArray
from ..solutions import Solutions
from .algorithm import Algorithm, Option, Task
from .curves import OPTION as CURVES
from .curves import motion_curves
from .ranking import ends_first
from .thinning import thin_out


def solve(task: Task) -> Solutions:
    curves, weights = motion_curves(task.motion, task.options["curves"], hierarchy=task.options["hierarchy"])
    segments = _Segments(curves * (weights / weights.sum()), task.motion.frames)
    stays = np.zeros(len(curves), dtype=bool)
    stays[task.fixed] = True
    order, costs = thin_out(segments.first_costs(), stays, segments.cost, task.progress, segments.join)
    ranking = np.concatenate([ends_first(task.fixed), order[::-1]])
    # Costs add up from no error, with every frame a key, to the error of the fixed frames alone.
    errors = np.append(0.0, np.cumsum(costs))[::-1] / len(curves)
    offered = task.max_keys - len(task.fixed) + 1
    return Solutions.from_ranking(
        "decimation", "absolute", ranking, np.maximum(errors[:offered], 0.0), fewest=len(task.fixed)
    )


class _Segments:
    """Errors of the straight lines between keys. The curves are weighted already: errors are plain sums."""

    def __init__(self, curves: FloatArray, times: FloatArray):
        self._curves = curves
        self._times = times
        self._error_after = [0.0] * len(curves)  # of the segment from a key to the next

    def first_costs(self) -> FloatArray:
        """(F,) costs while every frame is a key; zero for both ends."""
        costs = np.zeros(len(self._curves))
        share = (self._times[1:-1] - self._times[:-2]) / (self._times[2:] - self._times[:-2])
        line = self._curves[:-2] + share[:, None] * (self._curves[2:] - self._curves[:-2])
        costs[1:-1] = np.abs(line - self._curves[1:-1]).sum(axis=1)
        return costs

    def cost(self, before: int, row: int, after: int) -> float:
        """By how much the error grows when a key goes."""
        return self._error(before, after) - self._error_after[before] - self._error_after[row]

    def join(self, before: int, row: int, cost: float) -> None:
        """Take note that a key went: one segment reaches over both sides of it."""
        self._error_after[before] += self._error_after[row] + cost

    def _error(self, first: int, last: int) -> float:
        """Summed absolute difference from the straight line between two frames."""
        inner = slice(first + 1, last)
        change = self._curves[last] - self._curves[first]
        share = (self._times[inner] - self._times[first]) / (self._times[last] - self._times[first])
        difference = np.multiply.outer(share, change)
        difference += self._curves[first]
        difference -= self._curves[inner]
        return float(np.abs(difference, out=difference).sum())


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
            False,
            "Let the channels of a joint count for every joint that it moves, so that the hips matter more "
            "than a finger, as in the paper. Off, a channel counts as much as the weight of its joint says",
        ),
    },
)
