# SPDX-License-Identifier: GPL-3.0-or-later
"""Salient poses: the best keys for every number of keys, by exact dynamic programming.

Paper: Roberts, Lewis, Anjyo, Seo, Seol 2018, Optimal and Interactive Keyframe Selection for Motion Capture.

Objectives: `minimax` is the paper's distance from the line between two keys with the worst segment
deciding, as the authors' program has it; `sum` adds these distances, as the paper prints it; `chord`
adds squared errors of linear interpolation in time; `curve`, the default, adds squared errors of the
best cubic through both keys, which is what fitted Bezier handles play; `hold` adds squared distances to
the key before, which stepped keys play.

Complexity: the paper's F² K for F frames and K keys at worst, and F³ for the distances from lines where a
motion is nothing but noise; with tiles that cannot matter pruned, growing about like F^1.6 on real clips
with K a tenth of F. Memory is a table of F² / 2 costs (`minimax`, `sum`: and F² distances). docs/solver.md
explains the search and has the figures.

Departures from the paper: the objectives `chord`, `curve` and `hold`, frames that must be keys, a largest gap
between keys, and that long clips need not be split.
"""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from ..motion import FloatArray, IntArray
from ..objectives import OBJECTIVES, Objective
from ..progress import Progress
from ..solutions import Solutions
from .algorithm import Algorithm, Option, Task


def solve(task: Task) -> Solutions:
    earliest = earliest_starts(task)
    progress = _RepeatedProgress(task.progress)
    objective = OBJECTIVES[task.objective]
    weights, scale = _weights_and_scale(task, objective)
    costs = objective.costs(task.points, task.motion.frames, progress.repeat, **weights)
    errors, keys = objective.search(costs, earliest, task.max_keys, Progress(progress))
    return Solutions("salient", task.objective, keys, errors * scale)


def _weights_and_scale(task: Task, objective: Objective) -> tuple[dict[str, FloatArray], float]:
    """Weights of frames as an argument of the costs, and a factor; equal weights are only a factor."""
    weights = task.frame_weights
    if weights is None:
        return {}, 1.0
    if not objective.squared:
        squared = ", ".join(name for name, entry in OBJECTIVES.items() if entry.squared)
        raise InputError(
            "Frames cannot be weighted with the objective {objective!r}: choose one of {squared}.",
            objective=task.objective,
            squared=squared,
        )
    if np.ptp(weights) == 0.0:
        return {}, float(weights[0])
    return {"weights": weights / weights.max()}, float(weights.max())


class _RepeatedProgress:
    """Lets parts that cannot tell how far they are repeat what was reported last, and so be cancelled."""

    def __init__(self, progress: Progress):
        self._progress = progress
        self._share = 0.0

    def __call__(self, share: float) -> None:
        self._share = share
        self._progress(share)

    def repeat(self) -> None:
        self._progress(self._share)


def earliest_starts(task: Task) -> IntArray:
    """For every row the first row that a segment ending there may start at.

    A segment may not jump over a fixed row, nor be longer than the largest gap.
    """
    frames, gap = task.motion.frames, task.options["largest_gap"]
    count = len(frames)
    # The last fixed row before each row.
    earliest = task.fixed[np.searchsorted(task.fixed, np.arange(count), side="left") - 1]
    earliest[0] = 0
    if gap is None:
        return earliest
    # A row exactly one gap away is allowed, whatever the rounding of sub-frames.
    slack = 1e-9 * max(1.0, float(np.abs(frames).max()))
    earliest = np.maximum(earliest, np.searchsorted(frames, frames - gap - slack))
    if np.any(earliest[1:] >= np.arange(1, count)):
        row = int(np.argmax(earliest[1:] >= np.arange(1, count)))
        raise InputError(
            "Keys at most {gap:g} frames apart are not possible: nothing was sampled between frame "
            "{before:g} and frame {after:g}. Allow a larger gap.",
            gap=gap,
            before=frames[row],
            after=frames[row + 1],
        )
    needed = _fewest_keys(earliest)
    if needed > task.max_keys:
        raise InputError(
            "Keys at most {gap:g} frames apart need at least {needed} keys, but at most {max_keys} "
            "are allowed: allow more keys or a larger gap.",
            gap=gap,
            needed=needed,
            max_keys=task.max_keys,
        )
    return earliest


def _fewest_keys(earliest: IntArray) -> int:
    """How many keys it takes when every segment reaches as far back as it may."""
    row, keys = len(earliest) - 1, 1
    while row > 0:
        row, keys = int(earliest[row]), keys + 1
    return keys


ALGORITHM = Algorithm(
    name="salient",
    label="Salient Poses",
    description="The best keys for every number of keys, found exactly",
    paper="Roberts et al. 2018, Optimal and Interactive Keyframe Selection for Motion Capture",
    solve=solve,
    objectives=tuple(OBJECTIVES),
    nested=False,
    weighted=True,
    options={
        "largest_gap": Option(
            default=None,
            description="Most frames from one key to the next; automatic sets no limit",
            minimum=1.0,
        ),
    },
)
