# SPDX-License-Identifier: GPL-3.0-or-later
"""How far joints are off with every number of keys, estimated without playing anything."""

from __future__ import annotations

import numpy as np

from . import metrics
from .fitting.fit import Fitter
from .motion import FloatArray, IntArray, Motion
from .progress import Progress
from .solutions import Solutions

COMPUTED = 7  # for so many key counts the error is computed; in between it is interpolated

# The power of the solutions' errors that each estimate follows: the mean, the largest and the squared sum.
_FOLLOWS = (0.5, 0.0, 1.0)


def of_all_counts(
    motion: Motion, solutions: Solutions, loop: tuple[float, float] | None, progress: Progress
) -> FloatArray:
    """(3, S) mean and largest joint distance and the squared sum, as if joints moved on fitted curves.

    Evaluating the reduced action in Blender is exact but takes a hundred times as long. Some key counts
    are computed and the others interpolated, on logarithmic scales, where the errors run nearly straight.
    With `curve` the mean and the squared sum follow the solutions' own errors in between, which are squared
    distances from the same curves for every key count: so cliffs and plateaus are where they are.
    """
    fitter = joint_fitter(motion, loop)
    counts = solutions.counts
    chosen = np.unique(np.round(np.geomspace(1, len(counts), COMPUTED)).astype(int) - 1)
    found = []
    for done, index in enumerate(chosen):
        found.append(_errors_at(motion, fitter, solutions.keys(int(counts[index]))))
        progress((done + 1) / len(chosen))
    known = np.log(np.maximum(np.array(found).T, 1e-12))
    trends = np.outer(_FOLLOWS, _log_trend(solutions))
    between = [np.interp(np.log(counts), np.log(counts[chosen]), row) for row in known - trends[:, chosen]]
    return np.exp(between + trends)


def joint_fitter(motion: Motion, loop: tuple[float, float] | None = None) -> Fitter:
    """Fits the joints' positions as if they were channels."""
    return Fitter(motion.positions.reshape(len(motion), -1), motion.frames, loop=loop)


def seen_error(motion: Motion, fitter: Fitter, rows: IntArray) -> float:
    """The squared error that is seen with keys at these rows, for the `joint_fitter` of the motion."""
    return float(fitter.squared_errors(rows).reshape(-1, 3).sum(axis=1) @ motion.weights)


def _errors_at(motion: Motion, fitter: Fitter, rows: IntArray) -> tuple[float, float, float]:
    """Mean and largest joint distance, and the squared and weighed sum."""
    fitted = fitter.fit(rows, "free").evaluate(motion.frames)
    distances = metrics.joint_distances(motion.positions, fitted.reshape(motion.positions.shape))
    return float(distances.mean()), float(distances.max()), float(np.sum(distances**2 @ motion.weights))


def _log_trend(solutions: Solutions) -> FloatArray:
    """(S,) logarithms of the solutions' errors where these are squared distances, zeros elsewhere."""
    if solutions.objective != "curve":
        return np.zeros(len(solutions))
    return np.log(np.maximum(solutions.errors, 1e-12 * solutions.errors.max() + 1e-300))
