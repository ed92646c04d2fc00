# SPDX-License-Identifier: GPL-3.0-or-later
"""Points without what a capture adds to them: markers that fly off for a frame, and noise.

Noise is told by how points shake in the direction in which they move least, in the calmest third of the
frames: there hardly any motion is left. Little noise stays, since what looks at speeds copes with it. Where
there is much, places are averaged for so long (Gaussian weights) that noise does not look like movement.
"""

from __future__ import annotations

from math import pi, sqrt
from statistics import NormalDist

import numpy as np

from ..checks import FloatArray
from ..smooth import smoothed

NOISY = 0.003  # heights, as a standard deviation in each direction
SHAKES = 0.05  # heights a second: so fast may points seem to be for noise that is left
COARSE = 0.045  # seconds between two frames, from which on a step is as rough as noise
CALMEST = 0.3  # of the frames
FEWEST = 20  # frames, of which can be told what is noise
# By order: the variance of differences of numbers of variance 1. First ones are none where poses are stepped.
DIFFERENCES = {1: 2.0, 3: 20.0}


def calmed(places: FloatArray, times: FloatArray, height: float, near: float) -> FloatArray:
    """(F, P, 3) places without spikes, farther than `near`, and without noise if there is much of it."""
    calm = _without_spikes(places, near)
    interval = float(np.median(np.diff(times)))
    if len(calm) < FEWEST or interval > COARSE:
        return calm
    for point in range(calm.shape[1]):
        noise = _noise(calm[:, point]) / height
        if noise > NOISY:
            # By so long an average is noise left with a speed of `SHAKES`.
            seconds = (interval * (noise / SHAKES) ** 2 / (4.0 * sqrt(pi))) ** (1.0 / 3.0)
            calm[:, point] = smoothed(calm[:, point], seconds / interval)
    return calm


def _noise(places: FloatArray) -> float:
    """The standard deviation of what shakes a point (F, 3), in each direction."""
    thirds = np.diff(places, n=3, axis=0)
    least_moved = np.linalg.svd(thirds, full_matrices=False)[2][-1]
    along = places @ least_moved
    calm = NormalDist().inv_cdf(0.5 + CALMEST / 2.0)
    return min(
        float(np.quantile(np.abs(np.diff(along, n=order)), CALMEST)) / (calm * sqrt(variance))
        for order, variance in DIFFERENCES.items()
    )


def _without_spikes(places: FloatArray, near: float) -> FloatArray:
    """(F, P, 3) without single frames in which a point flies off that is at one place before and after."""
    if len(places) <= 4:
        return places
    around = np.stack([places[:-4], places[1:-3], places[3:-1], places[4:]])
    low, high = around.min(axis=0), around.max(axis=0)
    inner, within = places[2:-2], np.clip(places[2:-2], low, high)
    stands, flies = np.linalg.norm(np.stack([high - low, inner - within]), axis=3, keepdims=True)
    inner = np.where((stands < near) & (flies > near), within, inner)
    return np.concatenate([places[:2], inner, places[-2:]])
