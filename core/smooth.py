# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaussian-weighted averages over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from .motion import FloatArray


def gaussian_averages(curves: FloatArray, sigmas: Sequence[float], reach: float) -> Iterator[FloatArray]:
    """For each sigma, every curve with each value averaged over its neighbourhood.

    Neighbours up to `reach` times sigma away count; at the ends of the clip, those that exist. The
    averages are convolutions made with one Fourier transform of the curves, so that their time does
    not grow with sigma.

    Args:
        curves: (C, F), time along memory.
        sigmas: standard deviations in frames, above zero.
    """
    count = curves.shape[1]
    radii = [min(int(reach * sigma), count - 1) for sigma in sigmas]
    length = _quick_length(count + max(radii, default=0))
    spectrum = np.fft.rfft(curves, length)
    for sigma, radius in zip(sigmas, radii, strict=True):
        kernel = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
        # The kernel wraps around the end of the transform, where the padding has room for it.
        wrapped = np.zeros(length)
        wrapped[: radius + 1] = kernel[radius:]
        wrapped[length - radius :] = kernel[:radius]
        sums = np.fft.irfft(spectrum * np.fft.rfft(wrapped), length)[:, :count]
        yield sums / _kernel_mass_inside(kernel, count)


def smoothed(points: FloatArray, sigma: float) -> FloatArray:
    """(F, D) points with noise filtered away over time; unchanged where sigma is zero."""
    if sigma <= 0.0:
        return points
    averages = next(gaussian_averages(np.ascontiguousarray(points.T), [sigma], reach=4.0))
    return np.ascontiguousarray(averages.T)


def smoothed_between_ends(points: FloatArray, sigma: float) -> FloatArray:
    """(F, D) points averaged over their neighbours; the first and the last stay where they are."""
    if sigma <= 0.0:
        return points
    reach = min(len(points) - 1, int(np.ceil(4.0 * sigma)))
    # Turned about its ends, the way goes on beyond them as straight as it came.
    before = 2.0 * points[0] - points[reach:0:-1]
    behind = 2.0 * points[-1] - points[::-1][1 : reach + 1]
    even = smoothed(np.concatenate([before, points, behind]), sigma)
    return even[reach : reach + len(points)]


def _kernel_mass_inside(kernel: FloatArray, count: int) -> FloatArray:
    """(count,) how much of the kernel lies within the clip when it is centred on each frame."""
    radius = len(kernel) // 2
    below = np.concatenate([[0.0], np.cumsum(kernel)])
    frames = np.arange(count)
    first = np.maximum(radius - frames, 0)
    last = np.minimum(radius + count - frames, len(kernel))
    return below[last] - below[first]


def _quick_length(least: int) -> int:
    """The smallest product of 2, 3 and 5 from `least` on: lengths whose Fourier transform is fast."""
    best = 1 << (least - 1).bit_length()
    fives = 1
    while fives < best:
        threes = fives
        while threes < best:
            best = min(best, threes << max(-(-least // threes) - 1, 0).bit_length())
            threes *= 3
        fives *= 5
    return best
