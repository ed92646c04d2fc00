# SPDX-License-Identifier: GPL-3.0-or-later
"""`saliency`: the frames where the motion stands out from what surrounds it in time.

Paper: Halit and Capin 2010, "Multiscale motion saliency for keyframe extraction from motion capture
sequences".

1. Principal components of the standardised curves: the k strongest are looked at.
2. Curvature of each; its Gaussian average at a scale minus the one at twice the scale is a map of what
   stands out, for four scales. Maps are normalised so that one with few strong peaks counts more than
   one with many equal ones, and added: the saliency of that component.
3. Frames above the mean saliency of a component are candidates.
4. Candidates of all components that follow one another form clusters of at most 2 sigma frames; the
   frame nearest to the cluster's mean, weighted by the components' eigenvalues, becomes a key.

That set of keys is the algorithm's own (`Solutions.own_count`). The ranking goes on from there, to fewer
keys by joining clusters and to more by halving them again and again, until all frames are ranked.

Objective `unattended`: the share of the motion's saliency (summed over components, weighted by
eigenvalue) that lies farther than sigma from every key.

Complexity: O(F) for given curves, with Fourier transforms of the k components (F log F).

Departures:
- The printed curvature divides by a power of 1 + D^2, the reference it cites by one of 1 + D'^2. The
  latter is the default, as the definition of curvature; on the paper's clips it also comes closer to the
  paper's Table 2, though clearly so on one clip only (docs/nested-algorithms.md has both). The option
  `curvature` takes the printed one. Time is in frames of 1/120 s, the rate of the paper's clips, so that
  the frame rate of a clip does not change its saliency.
- The paper sets sigma and k by hand. Left out, k is the paper's own rule, the first 7 or more that keep
  90% of the variance, which may be more than the 10 it recommends; sigma goes from 3 for dynamic to 10 for
  calm motion, scaled by frame rate (see `automatic_sigma`).
- A run of candidates longer than 2 sigma is cut into equal parts, where the paper leaves open how.
- The first and the last frame and fixed frames are keys as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..motion import FloatArray, IntArray, Motion
from ..progress import Progress
from ..smooth import gaussian_averages
from ..solutions import Solutions
from .algorithm import Algorithm, Option, Task
from .curves import OPTION as CURVES
from .curves import motion_curves
from .ranking import ends_first, first_of_each, spread

PAPER_FPS = 120.0
SCALES = (1.0, 1.5, 2.0, 2.5)
NEIGHBOURHOOD = 2.0  # frames up to so many sigma away are averaged

FEWEST_COMPONENTS = 7
VARIANCE_KEPT = 0.9

# Sigma in seconds (3 and 10 frames of the paper's clips) for motions that keep a velocity for less than the
# first and more than the second time. Measured: basketball and boxing 0.08 s and 0.07 s, for which the paper
# sets 3; walking and stretching 0.12 s and 0.15 s, for which it sets 10.
SIGMAS = (3.0 / PAPER_FPS, 10.0 / PAPER_FPS)
STEADY_TIMES = (0.085, 0.115)
STEADY_STEP = 0.05  # seconds between the frames that velocities are taken from, to look past the noise

# Curves that move this much less than the strongest hold still; standardising would blow up their noise.
# Importers turn angles in single precision, and what stands still then trembles by 1e-7.
STILL = 1e-5
NO_VARIANCE = 1e-9  # of the strongest component's: there is nothing in a component that has less


def solve(task: Task) -> Solutions:
    seen = motion_saliency(task.motion, progress=task.progress.part(0.0, 0.9), **task.options)
    ranking, own_count = _rank(seen, task.fixed)
    errors = _unattended(seen.values, ranking, seen.sigma)
    offered = slice(len(task.fixed) - 1, task.max_keys)
    return Solutions.from_ranking(
        "saliency", "unattended", ranking, errors[offered], fewest=len(task.fixed), own_count=own_count
    )


@dataclass(frozen=True, eq=False)
class Saliency:
    """How much every frame of a motion stands out from what surrounds it.

    Attributes:
        maps: (k, F) saliency of every frame in each component.
        eigenvalues: (k,) variance that each component carries, descending.
        sigma: the neighbourhood that was looked at, in rows.
    """

    maps: FloatArray
    eigenvalues: FloatArray
    sigma: float

    @cached_property
    def values(self) -> FloatArray:
        """(F,) summed over components, each as much as it carries."""
        return self.eigenvalues @ self.maps

    @cached_property
    def candidates(self) -> NDArray[np.bool_]:
        """(k, F) which frames stand out more than the average of their component."""
        return self.maps > self.maps.mean(axis=1)[:, None]


def motion_saliency(
    motion: Motion,
    *,
    sigma: float | None = None,
    k: int | None = None,
    curves: str = "auto",
    curvature: str = "standard",
    progress: Progress | None = None,
) -> Saliency:
    """The saliency of a motion over time; the arguments are the algorithm's options."""
    tell = progress or Progress(None)
    components = principal_components(*motion_curves(motion, curves), k)
    tell(0.3)
    width = sigma or automatic_sigma(motion)
    bent = CURVATURES[curvature](components.curves, rows_a_second(motion) / PAPER_FPS)
    return Saliency(saliency_maps(bent, width, tell.part(0.3, 1.0)), components.eigenvalues, width)


@dataclass(frozen=True)
class Components:
    """The strongest principal components of a motion."""

    curves: FloatArray  # (k, F), time along memory
    eigenvalues: FloatArray  # (k,) variance that each of them carries, descending


def principal_components(curves: FloatArray, weights: FloatArray, k: int | None = None) -> Components:
    """Components of the standardised curves; `k` is chosen by the variance kept if it is None.

    Args:
        curves: (F, C), centred in place.
        weights: (C,); a curve with weight 2 counts like two curves.
    """
    curves -= curves.mean(axis=0)
    covariance = curves.T @ curves / len(curves)
    variances = np.diagonal(covariance)
    moving = variances > STILL**2 * variances.max()
    if not np.any(moving):
        return Components(np.zeros((1, len(curves))), np.zeros(1))
    # Scaling the covariance and the projection spares standardising all frames; curves that hold still
    # get the scale zero.
    scales = np.sqrt(np.divide(weights, variances, out=np.zeros_like(weights), where=moving))
    eigenvalues, vectors = np.linalg.eigh(covariance * np.outer(scales, scales))
    strongest = slice(-1, -1 - _component_count(eigenvalues, k), -1)  # eigh sorts ascending
    projection = scales[:, None] * vectors[:, strongest]
    return Components(projection.T @ curves.T, eigenvalues[strongest])


def _component_count(eigenvalues: FloatArray, k: int | None) -> int:
    real = int(np.count_nonzero(eigenvalues > NO_VARIANCE * eigenvalues.max()))
    if k is not None:
        return min(int(k), real)
    kept = np.cumsum(eigenvalues[::-1]) / eigenvalues.sum()
    enough = int(np.count_nonzero(kept < VARIANCE_KEPT)) + 1
    return min(max(enough, FEWEST_COMPONENTS), real)


def automatic_sigma(motion: Motion) -> float:
    """Sigma in rows: small for motion that changes its velocity quickly, large for calm motion.

    Told by how long the body keeps a velocity: the mean speed of the joints as seen from the root,
    divided by their mean acceleration. Neither the size of the character nor its travel matters.
    """
    rate = rows_a_second(motion)
    step = max(round(STEADY_STEP * rate), 1)
    seen = motion.positions[::step]
    body = (seen - seen[:, [motion.root]]) * np.sqrt(motion.weights)[:, None]
    velocity = np.diff(body, axis=0) * (rate / step)
    acceleration = np.diff(velocity, axis=0) * (rate / step)
    speed, change = _length(velocity), _length(acceleration)
    if change > 0.0:
        seconds = np.exp(np.interp(np.log(speed / change), np.log(STEADY_TIMES), np.log(SIGMAS)))
    else:
        seconds = SIGMAS[1]
    # Rounded, because cluster sizes are whole: they must not hang on the last digit of the frame rate.
    return max(round(float(seconds) * rate, 2), 1.0)


def rows_a_second(motion: Motion) -> float:
    """The rate that the motion was sampled at: that of its frames unless some lie between or are left out."""
    return motion.fps / float(np.median(np.diff(motion.frames)))


def _length(vectors: FloatArray) -> float:
    return float(np.sqrt(np.mean(vectors**2))) if vectors.size else 0.0


def saliency_maps(bent: FloatArray, sigma: float, progress: Progress) -> FloatArray:
    """(k, F) saliency of every frame in each component, from the (k, F) curvature of the components."""
    centres = [scale * sigma for scale in SCALES]
    sigmas = sorted({*centres, *(2.0 * centre for centre in centres)})
    averages = {}
    for done, average in enumerate(gaussian_averages(bent, sigmas, NEIGHBOURHOOD)):
        averages[sigmas[done]] = average
        progress((done + 1) / (len(sigmas) + 1))
    return combined([np.abs(averages[centre] - averages[2.0 * centre]) for centre in centres])


def curvature(curves: FloatArray, pace: float) -> FloatArray:
    """(k, F) how sharply each curve bends; `pace` is the number of rows in a frame of the paper's clips."""
    return _bends(curves, pace) / (1.0 + _slopes(curves, pace) ** 2) ** 1.5


def printed_curvature(curves: FloatArray, pace: float) -> FloatArray:
    """(k, F) as the paper prints it, with the value of the curve where the definition has its slope."""
    return _bends(curves, pace) / (1.0 + curves**2) ** 1.5


CURVATURES = {"standard": curvature, "printed": printed_curvature}


def _slopes(curves: FloatArray, pace: float) -> FloatArray:
    return np.gradient(curves, axis=1) * pace if curves.shape[1] > 1 else np.zeros_like(curves)


def _bends(curves: FloatArray, pace: float) -> FloatArray:
    if curves.shape[1] < 3:
        return np.zeros_like(curves)
    return np.abs(np.pad(np.diff(curves, 2, axis=1), ((0, 0), (1, 1)), mode="edge")) * pace**2


def combined(maps: list[FloatArray]) -> FloatArray:
    """The sum of the (k, F) maps of all scales, each brought to the same peak and then promoted.

    A map whose one peak towers over its other peaks is multiplied by more than a map of equal peaks
    (the normalisation of Itti, Koch and Niebur).
    """
    highest = np.max([each.max(axis=1) for each in maps], axis=0)
    total = np.zeros_like(maps[0])
    for each in maps:
        peak = each.max(axis=1)
        same_peak = np.divide(highest, peak, out=np.zeros_like(peak), where=peak > 0.0)
        others = _mean_of_lower_peaks(each, peak) * same_peak
        total += each * (same_peak * (highest - others) ** 2)[:, None]
    return total


def _mean_of_lower_peaks(curves: FloatArray, highest: FloatArray) -> FloatArray:
    """(k,) mean of the local maxima of each curve below its highest; zero where there are none."""
    inner = curves[:, 1:-1]
    peaks = (inner > curves[:, :-2]) & (inner >= curves[:, 2:]) & (inner < highest[:, None])
    return np.sum(inner, axis=1, where=peaks) / np.maximum(np.count_nonzero(peaks, axis=1), 1)


def _rank(seen: Saliency, fixed: IntArray) -> tuple[IntArray, int]:
    """All rows by importance, and how many of them are the algorithm's own keys, fixed rows included."""
    pull = seen.eigenvalues @ seen.candidates
    mass = seen.values
    size = max(int(2.0 * seen.sigma), 1)
    own = np.union1d(fixed, _representatives(pull, mass, size))
    parts = [ends_first(fixed), _thinned(own, mass, fixed)]
    while size > 1:
        size //= 2
        parts.append(_representatives(pull, mass, size))
    parts.append(np.lexsort((spread(len(mass)), -mass)))
    return first_of_each(np.concatenate(parts)), len(own)


def _thinned(own: IntArray, mass: FloatArray, fixed: IntArray) -> IntArray:
    """The algorithm's own keys, those first that stay longest when they are thinned out to fewer.

    Clusters join where little saliency lies between their neighbours, over a short time: every other of
    the keys below a limit goes, and the limit rises to twice the least cost when none is left. The paper
    has no such step. Of the rules tried, this one lost least on its clips; keeping the heaviest clusters
    would leave gaps of hundreds of frames.
    """
    below = np.cumsum(mass)
    rows, stays = own, np.isin(own, fixed)
    limit = 0.0
    rounds = [np.zeros(0, dtype=np.int64)]
    while not np.all(stays):
        cost = np.full(len(rows), np.inf)
        cost[1:-1] = (below[rows[2:]] - below[rows[:-2]]) * (rows[2:] - rows[:-2])
        cost[stays] = np.inf
        limit = max(limit, 2.0 * cost.min())
        places = np.arange(len(rows))
        in_run = places - np.maximum.accumulate(np.where(cost <= limit, 0, places))
        goes = in_run % 2 == 1
        rounds.append(rows[goes][np.argsort(cost[goes], kind="stable")])
        rows, stays = rows[~goes], stays[~goes]
    return np.concatenate(rounds)[::-1]


def _representatives(pull: FloatArray, mass: FloatArray, size: int) -> IntArray:
    """The key of every cluster of at most `size` candidates, heaviest cluster first.

    `pull` is the weight of each row in its cluster's mean: the eigenvalues of the components in which
    it is a candidate, hence zero for other rows.
    """
    starts = _cluster_starts(pull > 0.0, size)
    rows = np.flatnonzero(pull > 0.0)
    places = np.searchsorted(rows, starts)
    counts = np.diff(np.append(places, len(rows)))
    offsets = rows - np.repeat(starts, counts)
    means = np.add.reduceat(offsets * pull[rows], places) / np.add.reduceat(pull[rows], places)
    heaviest = np.argsort(-np.add.reduceat(mass[rows], places), kind="stable")
    return (starts + np.ceil(means - 0.5).astype(np.int64))[heaviest]


def _cluster_starts(candidate: np.ndarray, size: int) -> IntArray:
    """First rows of the clusters: runs of candidates, cut into equal parts of at most `size`."""
    edges = np.diff(np.concatenate([[0], candidate.astype(np.int8), [0]]))
    starts, stops = np.flatnonzero(edges > 0), np.flatnonzero(edges < 0)
    lengths = stops - starts
    parts = -(-lengths // size)
    part = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
    return np.repeat(starts, parts) + part * np.repeat(lengths, parts) // np.repeat(parts, parts)


def _unattended(mass: FloatArray, ranking: IntArray, sigma: float) -> FloatArray:
    """(F,) share of the saliency farther than sigma from the first 1, 2, ... F rows of the ranking."""
    places = np.empty(len(ranking), dtype=np.int64)
    places[ranking] = np.arange(len(ranking))
    attended_from = _least_around(places, int(sigma))
    gained = np.bincount(attended_from, weights=mass, minlength=len(ranking))
    left = np.append(np.cumsum(gained[::-1])[::-1], 0.0)
    return left[1:] / left[0] if left[0] > 0.0 else left[1:]


def _least_around(values: IntArray, radius: int) -> IntArray:
    """(F,) the least of the values up to `radius` rows away, from windows that double in width."""
    width = 2 * min(radius, len(values)) + 1
    least = np.pad(values, width // 2, constant_values=len(values))
    covered = 1
    while 2 * covered <= width:
        least = np.minimum(least[:-covered], least[covered:])
        covered *= 2
    return np.minimum(least[: len(values)], least[width - covered :][: len(values)])


ALGORITHM = Algorithm(
    name="saliency",
    label="Saliency",
    description="Finds the frames where the motion stands out from what surrounds it, at several scales of "
    "time. Knows by itself how many keys a motion needs, and is quick even for very long clips",
    paper="Halit and Capin 2010, Multiscale motion saliency for keyframe extraction from motion capture "
    "sequences",
    solve=solve,
    objectives=("unattended",),
    nested=True,
    options={
        "sigma": Option(
            None,
            "How wide the neighbourhood of a frame is, in frames: the larger, the fewer keys. The paper "
            "takes 7 to 10 for calm and up to 3 for dynamic motion at 120 frames a second. Automatic tells "
            "by how quickly the body changes its velocity",
            minimum=0.5,
            maximum=1000.0,
        ),
        "k": Option(
            None,
            "How many principal components of the motion to look at: more find more details and more keys. "
            "The paper takes 7 to 10. Automatic takes as many as keep nine tenths of the variance, 7 or more",
            minimum=1,
            maximum=1000,
            whole=True,
        ),
        "curvature": Option(
            "standard",
            "How bending is measured: as curvature is defined, or as the paper prints it, which finds more "
            "where the body is near its average pose",
            choices=tuple(CURVATURES),
        ),
        "curves": CURVES,
    },
)
